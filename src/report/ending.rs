//! What is known of a bug that stays without a repair: its tests, the lines to look at, the candidate that came nearest.

use super::diff::{Kind, lines};
use super::tally::{Known, Nearest};
use super::terminal::{visible, visible_line};
use crate::domain::words::{counted, first_of};
use crate::domain::{Outcome, TestId};
use std::fmt::Write;

/// Tests that are named.
const NAMED: usize = 5;
/// Changed lines of the nearest candidate that are shown.
const CHANGED: usize = 8;
/// Reasons of a suspicious line that are shown.
const REASONS: usize = 2;

/// Everything, under labels as wide as those of the report.
pub(super) fn ending(known: &Known) -> String {
    let mut text = String::new();
    labelled(&mut text, "failing:", &first_of(&known.failing, NAMED));
    labelled(&mut text, "aside:", &aside(&known.set_aside));
    let suspects = known.suspects.iter().map(|suspect| {
        let reasons: Vec<&str> = suspect.reasons.iter().take(REASONS).map(String::as_str).collect();
        format!("{}  {}", suspect.location, reasons.join("; "))
    });
    labelled(&mut text, "suspect:", &suspects.collect::<Vec<_>>());
    if let Some(nearest) = &known.nearest {
        labelled(&mut text, "nearest:", &near(nearest, known.failing.len()));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Failing tests and those that are set aside, as lines under a baseline.
pub(super) fn tests(failing: &[TestId], set_aside: &[(TestId, String)]) -> Vec<String> {
    let failing = first_of(failing, NAMED).into_iter().map(|name| format!("  fails: {name}"));
    failing.chain(aside(set_aside).into_iter().map(|name| format!("  set aside: {name}"))).collect()
}

/// Tests that are set aside, each with the reason.
fn aside(all: &[(TestId, String)]) -> Vec<String> {
    let named: Vec<String> = all.iter().map(|(test, why)| format!("{test} ({why})")).collect();
    first_of(&named, NAMED)
}

fn near(nearest: &Nearest, of: usize) -> Vec<String> {
    let Nearest { nth, outcome, fixed, diff, origin } = nearest;
    let but = match outcome {
        Outcome::Failed => String::new(),
        outcome => format!(", but: {}", outcome.title()),
    };
    let what = format!("candidate {nth} makes {fixed} of {} pass{but}", counted(of, "failing test"));
    let changed = lines(diff).into_iter().filter(|line| matches!(line.kind, Kind::Added | Kind::Removed));
    let changed: Vec<String> = changed.map(|line| line.text.to_owned()).collect();
    [what, origin.lines().next().unwrap_or_default().to_owned()]
        .into_iter()
        .chain(first_of(&changed, CHANGED))
        .collect()
}

fn labelled(text: &mut String, label: &str, all: &[String]) {
    for (nth, line) in all.iter().filter(|line| !line.is_empty()).enumerate() {
        let _ = writeln!(text, "{:<9}{}", if nth == 0 { label } else { "" }, visible_line(&visible(line)));
    }
}
