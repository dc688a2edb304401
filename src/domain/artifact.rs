//! What agents make: typed products that go into the case file.

use super::{Location, Patch, Validation};
use serde::{Deserialize, Serialize};

/// Which of Locator's two marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// The line is wrong.
    Buggy,
    /// Something is missing right after the line.
    Missing,
}

/// A mark of Locator on one line of the original code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mark {
    /// The line it stands on; for `Missing` the line after which code is missing.
    pub location: Location,
    /// Which mark.
    pub kind: MarkKind,
    /// What the agent wrote behind the mark, if anything.
    pub note: String,
}

/// A patch that was tried, with what the judge said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchAttempt {
    /// What was tried.
    pub patch: Patch,
    /// The judge's answer.
    pub validation: Validation,
    /// The proposer's explanation, or the template's name.
    pub explanation: String,
}

/// A typed product of an agent run.
#[derive(Debug, Clone, PartialEq)]
pub enum Artifact {
    /// Locator: marked lines and why.
    Marks {
        /// The marks, ordered.
        marks: Vec<Mark>,
        /// The agent's reasoning over key variables.
        explanation: String,
    },
    /// Fixer, FixerPro: the patch that passed.
    Patch(PatchAttempt),
    /// The agent ended without what it was asked for, and why.
    Nothing {
        /// Its own words.
        explanation: String,
    },
}
