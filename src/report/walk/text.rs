//! A walk as plain text, to be read from top to bottom in a pager.

use super::words::{STOPPED, cost, is_applied, marked, meant, messages, outcomes, searched, spent};
use super::{AgentRun, Call, Candidate, Cycle, Query, Walk};
use crate::domain::{Outcome, PolicyKind};
use crate::report::diff::coloured;
use crate::report::terminal::{visible, visible_line};
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

const HEAD: Style = AnsiColor::Cyan.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Yellow.on_default().bold();
const SOFT: Style = Style::new().dimmed();
/// Suspicious lines that are shown.
const SUSPECTS: usize = 10;
/// Candidates of the built-in engine that are shown one by one; of more, only those that passed.
const CANDIDATES: usize = 5;

/// The whole walk; `prompts` adds every request in full. ANSI colours are stripped by a writer that is no terminal.
pub(crate) fn text(walk: &Walk, prompts: bool) -> String {
    let mut text = head(walk);
    text.push_str(&beginning(walk));
    for run in &walk.runs {
        text.push_str(&agent(run, prompts));
    }
    if let Some(test) = walk.facts.report.as_ref().and_then(|report| report.test.as_ref()) {
        let _ = writeln!(text, "\n{HEAD}TEST FOR THE ISSUE{HEAD:#}\n{}", coloured(&test.diff).trim_end());
    }
    if let Some(patch) = walk.facts.report.as_ref().and_then(|report| report.patch.as_deref()) {
        let _ = writeln!(text, "\n{HEAD}PATCH{HEAD:#}\n{}", coloured(patch).trim_end());
    }
    if let Some(confidence) = walk.facts.report.as_ref().and_then(|report| report.confidence.as_ref()) {
        let _ = writeln!(text, "\n{HEAD}CONFIDENCE{HEAD:#}\n  {confidence}");
    }
    if let Some(choice) = walk.facts.report.as_ref().and_then(|report| report.choice.as_ref()) {
        let _ = writeln!(text, "\n{HEAD}CHOICE{HEAD:#}\n{}", indented(&choice.to_string(), "  "));
    }
    if let Some(analysis) = walk.facts.report.as_ref().and_then(|report| report.analysis.as_deref()) {
        let _ = writeln!(text, "\n{HEAD}ANALYSIS{HEAD:#}\n{}", indented(analysis, "  ").trim_end());
    }
    text
}

fn head(walk: &Walk) -> String {
    let facts = &walk.facts;
    let style = if facts.plausible() { GOOD } else { BAD };
    let by = facts.report.as_ref().and_then(|report| Some((report.level?, &report.by.as_ref()?.agent)));
    let by = by.map_or_else(String::new, |(level, agent)| format!(" on {level} by {agent}"));
    let equal = meant(facts);
    let bug = visible_line(&facts.bug.to_string());
    let mut text = format!("{bug}  {style}{}{style:#}{}{equal}\n{SOFT}", facts.verdict_title(), visible_line(&by));
    let _ = writeln!(
        text,
        "{}; {}; {:.1} s",
        visible_line(&facts.setting.in_full()),
        spent(&facts.usage),
        facts.seconds.wall
    );
    let ran = format!("unidebug {}, sandbox {}; {}", facts.version, facts.sandbox, facts.dir);
    let _ = writeln!(text, "{}{SOFT:#}", visible_line(&ran));
    for notice in &facts.notices {
        let _ = writeln!(text, "{SOFT}- {}{SOFT:#}", visible(notice));
    }
    text
}

/// What was known before the first agent.
fn beginning(walk: &Walk) -> String {
    let mut text = String::new();
    if let Some(baseline) = &walk.baseline {
        let located =
            baseline.located.as_ref().map_or_else(String::new, |file| format!("; most suspicious file {file}"));
        let _ = writeln!(
            text,
            "\n{HEAD}FIRST TEST RUN{HEAD:#}  {} tests pass, {:.1} s{located}",
            baseline.passing,
            baseline.seconds,
            located = visible_line(&located)
        );
        for test in &baseline.triggering {
            let _ = writeln!(text, "  fails: {}", visible(&test.to_string()));
        }
        for (test, why) in &baseline.set_aside {
            let _ = writeln!(text, "  set aside: {} ({})", visible(&test.to_string()), visible(why));
        }
    }
    if let Some(ranking) = walk.ranking.as_ref().filter(|ranking| !ranking.lines.is_empty()) {
        let shown = ranking.lines.len().min(SUSPECTS);
        let of =
            if shown < ranking.lines.len() { format!(", {shown} of {}", ranking.lines.len()) } else { String::new() };
        let _ = writeln!(text, "\n{HEAD}SUSPICIOUS LINES{HEAD:#}  {}{of}", visible_line(&ranking.source.to_string()));
        for suspect in &ranking.lines[..shown] {
            let place = format!("{}  {}", suspect.location, suspect.method.as_deref().unwrap_or(""));
            let (place, why) = (visible_line(&place), visible_line(&suspect.reasons.join(", ")));
            let _ = writeln!(text, "  {:.3}  {place}  {SOFT}{why}{SOFT:#}", suspect.score);
        }
    }
    text
}

fn agent(run: &AgentRun, prompts: bool) -> String {
    let spent = [run.decided_by().to_owned(), cost(&run.usage())];
    let spent: Vec<String> = spent.into_iter().filter(|part| !part.is_empty()).collect();
    let mut text = format!("\n{HEAD}{}{HEAD:#}  {}\n", visible_line(&run.place()).to_uppercase(), spent.join(", "));
    for each in &run.cycles {
        text.push_str(&cycle(each, run.policy == Some(PolicyKind::Builtin), prompts));
    }
    if let Some(sums) = run.searched {
        let _ = writeln!(text, "  {}", searched(sums));
    }
    for mark in &run.marks {
        let _ = writeln!(text, "  marked {}", visible(&marked(mark)));
    }
    let how = run.ended.as_deref().unwrap_or(STOPPED);
    let _ = writeln!(text, "  {SOFT}= {}{SOFT:#}", visible(how));
    text
}

fn cycle(cycle: &Cycle, engine: bool, prompts: bool) -> String {
    let mut text = String::new();
    if cycle.number > 0 {
        let state = visible_line(cycle.calls.first().map_or("", |call| call.state.as_str()));
        let spent = cost(&cycle.usage());
        let _ = writeln!(text, "\n  {HEAD}cycle {}{HEAD:#} {state}  {SOFT}{spent}{SOFT:#}", cycle.number);
    }
    for (nth, each) in cycle.queries.iter().enumerate() {
        text.push_str(&query(each, nth > 0, prompts));
    }
    for call in &cycle.calls {
        text.push_str(&arguments(call, cycle));
    }
    text.push_str(&candidates(&cycle.candidates, engine));
    for call in &cycle.calls {
        text.push_str(&observation(call));
    }
    text
}

fn query(query: &Query, aside: bool, prompts: bool) -> String {
    let mut text = String::new();
    if prompts {
        for (role, content) in messages(&query.request) {
            let _ =
                writeln!(text, "    {SOFT}{}:\n{}{SOFT:#}", visible_line(role), indented(content, "    > ").trim_end());
        }
    }
    if let Some(failed) = &query.failed {
        let _ = writeln!(text, "    {BAD}no answer:{BAD:#} {}", visible(failed));
    }
    let Some(answer) = &query.answer else { return text };
    if !answer.reasoning.is_empty() {
        let _ = writeln!(text, "{SOFT}{}{SOFT:#}", indented(&answer.reasoning, "    ~ ").trim_end());
    }
    let thoughts = if aside { answer.text.clone() } else { answer.thoughts() };
    if !thoughts.trim().is_empty() {
        let what = if aside { "asked besides, answered:\n" } else { "" };
        let _ = writeln!(text, "    {what}{}", indented(&thoughts, "    ").trim());
    }
    text
}

/// The call, with arguments of several lines below their names. A patch is shown once, as it was applied.
fn arguments(call: &Call, cycle: &Cycle) -> String {
    let mut text = format!("    {HEAD}> {}{HEAD:#}\n", visible(call.name()));
    for (name, value) in call.arguments().into_iter().filter(|(name, _)| !is_applied(name, cycle)) {
        let name = visible(&name);
        if value.trim_end().contains('\n') {
            let _ = writeln!(text, "      {name}:\n{}", indented(&value, "        ").trim_end());
        } else {
            let _ = writeln!(text, "      {name}: {}", visible(value.trim_end()));
        }
    }
    text
}

fn observation(call: &Call) -> String {
    let style = if call.ok { SOFT } else { BAD };
    let mark = if call.ok { "<" } else { "< refused:" };
    let shown = indented(&call.observation, "      ");
    format!("    {style}{mark}{style:#} {}\n", shown.trim())
}

/// What was tried. An engine tries hundreds: then the words are counted, and what passed is shown.
fn candidates(all: &[Candidate], engine: bool) -> String {
    let mut text = String::new();
    let counted = engine && all.len() > CANDIDATES;
    if counted {
        let _ = writeln!(text, "    {}", outcomes(all.iter()));
    }
    for candidate in all.iter().filter(|candidate| !counted || candidate.passed()) {
        let style = if candidate.outcome == Outcome::Plausible { GOOD } else { BAD };
        let (outcome, detail) = (candidate.outcome, visible(&candidate.detail));
        let _ = writeln!(text, "    {style}{outcome}{style:#} in {:.1} s: {detail}", candidate.seconds);
        if engine || counted {
            let _ = writeln!(text, "      {}", visible(&candidate.origin));
        }
        for line in coloured(&candidate.diff).lines() {
            let _ = writeln!(text, "      {line}");
        }
    }
    text
}

/// Every line behind a margin, without what a terminal would obey.
fn indented(text: &str, margin: &str) -> String {
    visible(text).lines().map(|line| format!("{margin}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_stands_behind_its_margin() {
        assert_eq!(indented("x\n\u{1b}y", "> "), "> x\n> \\u{1b}y\n");
    }
}
