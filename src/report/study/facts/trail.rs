//! A trajectory as lines for people.

use crate::domain::{Outcome, Scope};
use serde::Serialize;

/// Longest text of a step that is kept, in characters.
const STEP_CHARS: usize = 600;

/// One line of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// `L1 fixer cycle 2`.
    pub place: String,
    /// What happened, in a word: a tool, an outcome, `ended`.
    pub what: String,
    /// Its text, cut.
    pub text: String,
    /// How many further steps of the same kind followed and are not told one by one.
    pub more: u64,
}

/// Adds a step. Hundreds of the engine's candidates tell nothing one by one: those that fail in a row are counted.
pub fn push(steps: &mut Vec<Step>, scope: &Scope, what: &str, text: &str) {
    if let Some(last) = steps.last_mut().filter(|last| last.what == what && what == Outcome::Failed.word()) {
        last.more += 1;
        return;
    }
    let attempt = if scope.attempt > 1 { format!("attempt {} ", scope.attempt) } else { String::new() };
    let place = format!("{attempt}{} {} cycle {}", scope.level, scope.agent, scope.cycle);
    let cut: String = text.chars().take(STEP_CHARS).collect();
    let text = if cut.len() < text.len() { format!("{cut} …") } else { cut };
    steps.push(Step { place, what: what.to_owned(), text, more: 0 });
}
