//! A run as a comment on a pull request: verdict, cause, patch, and how sure one can be; in Markdown.

use super::summary::{RunReport, VerdictWord};
use super::tally::Sums;
use super::terminal::visible;
use crate::domain::PolicyKind;
use crate::domain::words::{clipped, counted, listed};
use std::fmt::Write;

/// Failing tests that are named.
const TESTS: usize = 5;
/// Suspicious lines that are shown.
const LINES: usize = 3;
/// Characters of an explanation, and of a patch: a comment ends at 65,536.
const EXPLANATION: usize = 4_000;
const PATCH: usize = 40_000;

/// The comment. What models, tests and sources say stands where it is no Markdown of ours.
pub(crate) fn comment(report: &RunReport, sums: &Sums) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "### unidebug: {}\n", title(report));
    if !sums.known.failing.is_empty() {
        let names = listed(&sums.known.failing, TESTS);
        let _ = writeln!(text, "**Failing:** {}\n", inline(&names));
    }
    let cause = report.analysis.as_deref().map(str::trim).filter(|cause| !cause.is_empty());
    if let Some(cause) = cause {
        let _ = writeln!(text, "**Cause:**\n\n{}", fenced("text", &clipped(&visible(cause), EXPLANATION)));
    }
    if !sums.known.suspects.is_empty() {
        text.push_str("**Look first at:**\n\n");
        for suspect in sums.known.suspects.iter().take(LINES) {
            let place = inline(&format!("{}:{}", suspect.location.file, suspect.location.line));
            let _ = writeln!(text, "* {place}: {}", inline(&suspect.reasons.join("; ")));
        }
        text.push('\n');
    }
    if let Some(patch) = &report.patch {
        let _ = writeln!(text, "**Patch:**\n\n{}", fenced("diff", &clipped(&visible(patch), PATCH)));
        let _ = writeln!(text, "**Confidence:** {}\n", confidence(report));
    }
    let _ = writeln!(text, "<sub>{}</sub>", spent(report));
    text
}

fn title(report: &RunReport) -> &'static str {
    match report.verdict {
        VerdictWord::Plausible if !report.still_failing.is_empty() => "a patch that leaves other tests failing",
        VerdictWord::Plausible => "a patch that passes every test",
        VerdictWord::NoRepair => "no patch was found",
        VerdictWord::NotReproduced => "no test shows what the issue says",
        VerdictWord::StoppedAtCap => "stopped at its cap without a patch",
    }
}

/// What is known of the patch, and what is not.
fn confidence(report: &RunReport) -> String {
    let mut parts = vec![format!("{}, confirmed in fresh processes", report.what_passes())];
    parts.extend(report.still_failing().map(|still| inline(&still)));
    parts.extend(report.confirmed_by.as_ref().map(|name| format!("confirmed by {}", inline(name))));
    parts.extend(report.unverified.as_ref().map(|why| format!("unverified: {}", inline(why))));
    parts.push(match report.correct {
        Some(true) => "equal to the developer's patch".to_owned(),
        _ => "whether it is what was meant needs a review".to_owned(),
    });
    parts.join("; ")
}

fn spent(report: &RunReport) -> String {
    let usage = &report.usage;
    let by = report.by.as_ref().map(|by| match by.policy {
        PolicyKind::Builtin => by.policy.title().to_owned(),
        _ => inline(&report.model.name),
    });
    let money = match usage.cost_usd.0 {
        _ if usage.requests == 0 => "no model asked".to_owned(),
        Some(usd) => format!("{}, ${usd:.4}", counted(usage.requests, "request")),
        None => format!("{}, price unknown", counted(usage.requests, "request")),
    };
    let candidates = counted(report.candidates.proposed, "candidate");
    let by = by.map_or_else(String::new, |by| format!("by {by}; "));
    format!("{by}{candidates} tried; {money}; {:.0} s", report.seconds.wall)
}

/// Text as code on one line, whatever ticks it holds.
fn inline(text: &str) -> String {
    let text = visible(text).replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_ticks(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Text as a block that it cannot end.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_ticks(text) + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_cannot_leave_its_block() {
        assert_eq!(inline("a `b` c"), "``a `b` c``");
        assert_eq!(inline("`b`"), "`` `b` ``");
        assert_eq!(fenced("text", "x\n```\n@everyone"), "````text\nx\n```\n@everyone\n````\n");
    }
}
