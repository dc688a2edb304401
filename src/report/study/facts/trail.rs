//! A trajectory as lines for people.

use crate::domain::words::clipped;
use crate::domain::{Outcome, Scope};
use serde::Serialize;

/// Longest text of a step that is kept, in characters.
const STEP_CHARS: usize = 600;

/// One line of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Step {
    /// `L1 fixer cycle 2`.
    pub place: String,
    /// What happened, in a word: a tool, an outcome, `ended`.
    pub what: String,
    /// Its text, cut.
    pub text: String,
    /// How many further candidates of the same cycle came to the same; only the first is told.
    pub more: u64,
    #[serde(skip)]
    is_candidate: bool,
}

/// Adds what an agent did.
pub(super) fn push(steps: &mut Vec<Step>, scope: &Scope, what: &str, text: &str) {
    steps.push(step(scope, what, text, false));
}

/// Adds what became of a candidate. Hundreds of the engine's tell nothing one by one: those of one search that came to
/// the same are counted.
pub(super) fn push_candidate(steps: &mut Vec<Step>, scope: &Scope, outcome: Outcome, detail: &str) {
    let new = step(scope, outcome.label(), detail, true);
    let other = steps.iter().rposition(|step| !step.is_candidate || step.place != new.place);
    let search = other.map_or(0, |at| at + 1);
    match steps[search..].iter_mut().find(|step| step.what == new.what) {
        Some(same) => same.more += 1,
        None => steps.push(new),
    }
}

fn step(scope: &Scope, what: &str, text: &str, is_candidate: bool) -> Step {
    let attempt = if scope.attempt > 1 { format!("attempt {} ", scope.attempt) } else { String::new() };
    let place = format!("{attempt}{} {} cycle {}", scope.level, scope.agent, scope.cycle);
    Step { place, what: what.to_owned(), text: clipped(text, STEP_CHARS), more: 0, is_candidate }
}
