//! The report for a person at a terminal: verdict first, then the diff, then where time and money went.

use super::diff::coloured;
use super::summary::{RunReport, VerdictWord};
use super::terminal::{visible, visible_line};
use crate::domain::{Event, Level, Outcome, PolicyKind};
use anstyle::{AnsiColor, Style};
use std::collections::BTreeMap;
use std::fmt::Write;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Yellow.on_default().bold();

/// The whole report; ANSI colours are stripped by a writer that is no terminal.
pub fn render(report: &RunReport, outcomes: &BTreeMap<Outcome, u64>) -> String {
    let mut text = String::new();
    let style = if report.verdict == VerdictWord::Plausible { GOOD } else { BAD };
    let about = format!("{}{}", report.bug, maker(report));
    let _ = writeln!(text, "{style}{}{style:#}  {}", word(report.verdict), visible_line(&about));
    if let Some(patch) = &report.patch {
        let _ = writeln!(text, "\n{}", coloured(patch));
        let _ = writeln!(text, "{}", judgement(report));
    }
    if let Some(analysis) = &report.analysis {
        let _ = writeln!(text, "{}\n", visible(analysis));
    }
    let _ = writeln!(text, "{}", spent(report, outcomes));
    if report.localization != "spectrum" {
        let _ = writeln!(text, "localization: {} (not found by the program)", report.localization);
    }
    if let Some(kept) = report.retrieved.as_ref().map(|retrieved| retrieved.dropped).filter(|dropped| *dropped > 0) {
        let _ = writeln!(text, "helper:  {kept} results were dropped because they give the repair away");
    }
    let _ = writeln!(text, "run:     {}", visible_line(&report.run_dir));
    text
}

fn word(verdict: VerdictWord) -> &'static str {
    match verdict {
        VerdictWord::Plausible => "plausible",
        VerdictWord::Unrepaired => "no repair",
        VerdictWord::Exhausted => "stopped at a cap",
    }
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
    format!(
        "the failing tests pass and nothing that passed broke, confirmed in a fresh process{besides}; {meant}{unverified}"
    )
}

fn spent(report: &RunReport, outcomes: &BTreeMap<Outcome, u64>) -> String {
    let by_outcome: Vec<String> = outcomes.iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
    let tried = match report.validations.candidates {
        0 => "tried:   no candidate".to_owned(),
        n => format!("tried:   {n} candidate{} ({})", if n == 1 { "" } else { "s" }, by_outcome.join(", ")),
    };
    let seconds = report.seconds;
    let time = format!("time:    {:.1} s ({:.1} s tests, {:.1} s model)", seconds.wall, seconds.tests, seconds.model);
    let engine = report.engine.map_or_else(String::new, |engine| {
        format!(
            "\nengine:  {:.1} candidates a second, {:.0} % of its time spent on making them",
            engine.rate(),
            100.0 * engine.share()
        )
    });
    let usage = &report.usage;
    let money = match usage.cost_usd.0 {
        _ if usage.requests == 0 => "cost:    nothing was asked of a model".to_owned(),
        Some(usd) => format!("cost:    ${usd:.4}, {}", tokens(report)),
        None => format!("cost:    unknown price, {}", tokens(report)),
    };
    let money = match report.possibly_billed {
        0 => money,
        1 => format!("{money}; 1 request without a response is possibly billed too"),
        n => format!("{money}; {n} requests without a response are possibly billed too"),
    };
    format!("{tried}\n{time}{engine}\n{money}")
}

fn tokens(report: &RunReport) -> String {
    let u = &report.usage;
    let plural = if u.requests == 1 { "" } else { "s" };
    format!(
        "{} request{plural}, {} tokens in ({} cached), {} out",
        u.requests, u.prompt_tokens, u.cached_tokens, u.completion_tokens
    )
}

/// One line of live progress; `None` for events that are no news to a person.
pub fn progress_line(event: &Event) -> Option<String> {
    let line = match event {
        Event::RunStarted { bug, sandbox, .. } => format!("{bug}: baseline (sandbox: {sandbox})"),
        Event::Baseline { passing, triggering, set_aside, located, seconds } => {
            let aside = if set_aside.is_empty() { String::new() } else { format!(", {} set aside", set_aside.len()) };
            let file = located.as_ref().map(|file| format!("; bug-located file {file}")).unwrap_or_default();
            let fail =
                if triggering.len() == 1 { "1 test fails".into() } else { format!("{} tests fail", triggering.len()) };
            format!("{fail}, {passing} pass{aside} ({seconds:.1} s){file}")
        }
        Event::AgentStarted { scope, policy, .. } => {
            format!("{} {}: {}", level(scope.level), scope.agent, policy.title())
        }
        Event::Observed { scope, tool, ok, .. } if !tool.as_str().is_empty() => {
            format!(
                "{} {} cycle {}: {tool}{}",
                level(scope.level),
                scope.agent,
                scope.cycle,
                if *ok { "" } else { " refused" }
            )
        }
        Event::Observed { scope, .. } => {
            format!("{} {} cycle {}: unreadable answer", level(scope.level), scope.agent, scope.cycle)
        }
        Event::AgentEnded { scope, how, cycles } => {
            format!(
                "{} {}: {how} after {cycles} cycle{}",
                level(scope.level),
                scope.agent,
                if *cycles == 1 { "" } else { "s" }
            )
        }
        Event::Retrieved { sent, error: None, .. } => format!("the web was searched for \"{sent}\""),
        Event::Disagreed(disagreement) => disagreement.to_string(),
        Event::Notice { text } => text.clone(),
        _ => return None,
    };
    Some(visible(&line))
}

fn level(level: Level) -> &'static str {
    level.label()
}
