//! What is known of a bug that stays without a repair: its tests, the lines to look at, the candidate that came nearest.

use super::diff::{Kind, lines};
use super::tally::{Known, Nearest};
use super::terminal::{visible, visible_line};
use crate::domain::words::{clipped, counted, first_of, on_one_line};
use crate::domain::{Failure, Outcome, TestId};
use std::fmt::Write;

/// Tests that are named.
const NAMED: usize = 5;
/// Changed lines of the nearest candidate that are shown.
const CHANGED: usize = 8;
/// Tests that fail under it and are named.
const UNMENDED: usize = 2;
/// Characters of what such a test says.
const SAYS: usize = 120;
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
    let Nearest { nth, outcome, fixed, failing, diff, origin } = nearest;
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
        .chain(failing.iter().take(UNMENDED).map(|(test, failure)| unmended(test, failure)))
        .collect()
}

/// A test that fails under the nearest candidate: whoever reads how sees whether it is of the same bug.
fn unmended(test: &TestId, failure: &Failure) -> String {
    let says = on_one_line(&failure.message);
    let colon = if says.is_empty() { "" } else { ": " };
    format!("fails then: {test} ({}{colon}{})", failure.kind, clipped(&says, SAYS))
}

fn labelled(text: &mut String, label: &str, all: &[String]) {
    for (nth, line) in all.iter().filter(|line| !line.is_empty()).enumerate() {
        let _ = writeln!(text, "{:<9}{}", if nth == 0 { label } else { "" }, visible_line(&visible(line)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_nearest_candidate_leaves_is_told_with_how_it_fails() {
        let failure = Failure { kind: "AssertionError".into(), message: "assert 1\n  == 2".into(), frames: vec![] };
        let failing = ["CartTest#a", "CartTest#b", "CartTest#c"].map(|name| (name.parse().unwrap(), failure.clone()));
        let (diff, origin) = ("-  a\n+  b\n".to_owned(), "replaced `a` by `b`".to_owned());
        let (outcome, failing) = (Outcome::Failed, failing.to_vec());
        let nearest = Nearest { nth: 7, outcome, fixed: 9, failing, diff, origin };
        let told = near(&nearest, 12);
        assert_eq!(told[0], "candidate 7 makes 9 of 12 failing tests pass");
        let left =
            ["CartTest#a", "CartTest#b"].map(|test| format!("fails then: {test} (AssertionError: assert 1 == 2)"));
        assert_eq!(told[told.len() - 2..], left, "two stand for all");
    }
}
