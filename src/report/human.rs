//! The report for a person at a terminal: verdict first, then the diff, then where time and money went.

use super::diff::coloured;
use super::ending::ending;
use super::summary::{RunReport, VerdictWord};
use super::tally::Sums;
use super::terminal::{visible, visible_line};
use crate::domain::words::counted;
use crate::domain::{Outcome, PolicyKind};
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Yellow.on_default().bold();

/// The whole report; `next` are lines that say what to type now. ANSI colours are stripped by a writer that is no
/// terminal.
pub(crate) fn render(report: &RunReport, sums: &Sums, next: &[String]) -> String {
    let mut text = String::new();
    let style = if report.verdict == VerdictWord::Plausible { GOOD } else { BAD };
    let about = format!("{}{}", report.bug, maker(report));
    let _ = writeln!(text, "{style}{}{style:#}  {}", report.verdict.title(), visible_line(&about));
    if let Some(test) = &report.test {
        let fails = visible_line(&format!("{}: it fails by {} before the repair", test.id, test.fails_by));
        let _ = writeln!(text, "\ntest for the issue: {fails}\n{}", coloured(&test.diff));
        text.push_str(if report.patch.is_some() { "repair:\n" } else { "" });
    }
    if let Some(patch) = &report.patch {
        let _ = writeln!(text, "\n{}", coloured(patch));
        let _ = writeln!(text, "{}", judgement(report));
        if let Some(confidence) = &report.confidence {
            let _ = writeln!(text, "confidence: {}", visible_line(&confidence.to_string()));
        }
        if let Some(choice) = &report.choice {
            let _ = writeln!(text, "{}", visible(&choice.to_string()));
        }
    }
    // How to go on with more of a bug's cap, the last line says with the numbers of this run.
    let analysis = match &report.cap {
        Some(reached) if reached.cap.is_some() => Some(&reached.what),
        _ => report.analysis.as_ref(),
    };
    if let Some(analysis) = analysis {
        let _ = writeln!(text, "{}\n", visible(analysis));
    }
    if report.verdict != VerdictWord::Plausible {
        text.push_str(&ending(&sums.known));
    }
    let _ = writeln!(text, "{}", spent(report, sums));
    if report.localization != "spectrum" {
        let _ = writeln!(text, "localization: {} (not found by the program)", report.localization);
    }
    if let Some(dropped_results) =
        report.retrieved.as_ref().map(|retrieved| retrieved.dropped).filter(|dropped| *dropped > 0)
    {
        let _ = writeln!(text, "helper:  {dropped_results} results were dropped because they give the repair away");
    }
    let _ = writeln!(text, "run:     {}", visible_line(&report.run_dir));
    for (nth, line) in next.iter().enumerate() {
        let _ = writeln!(text, "{:<9}{}", if nth == 0 { "next:" } else { "" }, visible_line(line));
    }
    text
}

fn maker(report: &RunReport) -> String {
    let (Some(by), Some(level)) = (&report.by, report.level) else { return String::new() };
    let policy = match by.policy {
        PolicyKind::Builtin => by.policy.title(),
        _ => &report.model.name,
    };
    format!("  by {} ({policy}) on {level}", by.agent)
}

fn judgement(report: &RunReport) -> String {
    let besides = report.confirmed_by.as_ref().map_or_else(String::new, |name| format!(" and by {name}"));
    let meant = match report.correct {
        Some(true) => "equal to the developer's patch",
        _ => "whether it is what was meant needs a review",
    };
    let unverified = report.unverified.as_ref().map_or_else(String::new, |why| format!("\nunverified: {why}"));
    let held_out = report.held_out.map_or_else(String::new, |held_out| match held_out.tests - held_out.passed {
        0 => format!("\ncorrect on all {} held-out tests", held_out.tests),
        failed => format!("\nwrong on {failed} of {} held-out tests", held_out.tests),
    });
    let still = report.still_failing().map_or_else(String::new, |still| format!("\n{still}"));
    format!("{}, confirmed in a fresh process{besides}; {meant}{still}{held_out}{unverified}", report.what_passes())
}

fn spent(report: &RunReport, sums: &Sums) -> String {
    let usage = &report.usage;
    let counted_outcomes = sums.outcomes.iter().filter(|(outcome, _)| **outcome != Outcome::PassedWarm);
    let by_outcome: Vec<String> = counted_outcomes.map(|(outcome, n)| format!("{n} {}", outcome.title())).collect();
    let tried = match report.candidates.proposed {
        0 => "tried:   no candidate".to_owned(),
        n => format!("tried:   {} ({})", counted(n, "candidate"), by_outcome.join(", ")),
    };
    let seconds = report.seconds;
    let (wall, judge) = (seconds.wall, (seconds.tests - sums.baseline).max(0.0));
    let first = seconds.tests - judge;
    let mut parts = vec![format!("{:.1} s set-up", seconds.setup), format!("{first:.1} s first test run")];
    parts.extend((report.candidates.proposed > 0).then(|| format!("{judge:.1} s judging candidates")));
    parts.extend((usage.requests > 0).then(|| format!("{:.1} s model", seconds.model)));
    parts.extend(report.confidence.is_some().then(|| format!("{:.1} s looking at the repair", seconds.checks)));
    let time = format!("time:    {wall:.1} s ({})", parts.join(", "));
    let engine = report.engine.map_or_else(String::new, |engine| {
        format!(
            "\nengine:  {:.1} candidates a second, {:.0} % of its time spent on making them",
            engine.rate(),
            100.0 * engine.share()
        )
    });
    let money = match usage.cost_usd.0 {
        _ if usage.requests == 0 => "cost:    nothing was asked of a model".to_owned(),
        Some(usd) => format!("cost:    ${usd:.4}, {}", tokens(report)),
        None => format!("cost:    unknown price, {}", tokens(report)),
    };
    let money = match report.possibly_billed {
        0 => money,
        1 => format!("{money}; 1 request without a response is possibly billed too"),
        n => format!("{money}; {} without a response are possibly billed too", counted(n, "request")),
    };
    format!("{tried}\n{time}{engine}\n{money}")
}

fn tokens(report: &RunReport) -> String {
    let u = &report.usage;
    format!(
        "{}, {} tokens in ({} cached), {} out",
        counted(u.requests, "request"),
        u.prompt_tokens,
        u.cached_tokens,
        u.completion_tokens
    )
}
