//! What the engine works with: candidates, and the plans and places they come from.

use super::edit::Change;
use crate::benchmark::ProductChange;
use crate::code::CodeIndex;
use crate::domain::{FailingTest, LineSpan, Location, Patch, RepoPath};
use std::collections::HashMap;

/// What bounds and seeds the engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Same seed, same order. It only decides between candidates of equal score.
    pub seed: u64,
    /// Candidates at most.
    pub max_candidates: usize,
    /// The failures of the untouched code: they say which templates are likely, and which candidates moved something.
    pub failing: Vec<FailingTest>,
    /// Share of the passing tests that run a line, `0.0..=1.0`, where it is known.
    pub exposure: HashMap<Location, f64>,
    /// The change without which the failing tests pass, where it is known.
    pub broken_by: Option<ProductChange>,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 1, max_candidates: 10_000, failing: Vec::new(), exposure: HashMap::new(), broken_by: None }
    }
}

/// A patch to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The patch.
    pub patch: Patch,
    /// The family it came from; for two edits the second one's.
    pub template: &'static str,
    /// The statement it changes.
    pub location: Location,
    /// Share of the passing tests that run that statement; 0 when nobody knows.
    pub exposure: f64,
    /// How likely its kind of change is, whatever its place; comparable inside one engine only.
    pub likelihood: f64,
    /// What was changed, for people.
    pub note: String,
    /// How many single edits it is made of.
    pub edits: usize,
    /// Bytes added and removed, together.
    pub size: usize,
    /// What the engine made it of; `None` where it takes back a part of the last change.
    pub(super) plan: Option<usize>,
}

/// A suspicious statement.
pub(super) struct Place {
    pub(super) unit: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) location: Location,
    pub(super) suspicion: f64,
}

/// The method in which a candidate passed: tests that one change satisfies are satisfied by others near it, and the right
/// one may be among these, on a line that passing tests run as well.
pub(super) struct Focus {
    file: RepoPath,
    lines: LineSpan,
}

impl Focus {
    /// The method around a place; `None` outside of methods.
    pub(super) fn around(place: &Location, index: &CodeIndex) -> Option<Self> {
        let method = index.method_at(&place.file, place.line)?;
        Some(Self { file: place.file.clone(), lines: method.span })
    }

    /// Whether a place lies in it.
    pub(super) fn holds(&self, place: &Location) -> bool {
        place.file == self.file && self.lines.contains(place.line)
    }
}

/// An edit that can become a candidate.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) place: usize,
    pub(super) template: usize,
    pub(super) changes: Vec<Change>,
    pub(super) note: String,
    /// The name whose value it decides.
    pub(super) sets: Option<String>,
    /// How likely its kind of change is before anything was learnt, whatever its place.
    pub(super) likelihood: f64,
    pub(super) edits: usize,
    /// Share of the triggering tests that the better one of its parts repairs; 0 where it has none.
    pub(super) by_part: f64,
    pub(super) used: bool,
    /// Decides between equal scores, by the seed alone.
    pub(super) tie: u64,
}

#[cfg(test)]
impl Plan {
    /// A plan of one template at one place that changes nothing.
    pub(super) fn for_tests(place: usize, template: usize) -> Self {
        Self {
            place,
            template,
            changes: Vec::new(),
            note: String::new(),
            sets: None,
            likelihood: 1.0,
            edits: 1,
            by_part: 0.0,
            used: false,
            tie: 0,
        }
    }
}
