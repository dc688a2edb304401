//! What agents make: typed products that go into the case file.

use super::{LineSpan, Location, Patch, RepoPath, Reproduction, Validation};
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
    /// What Locator says of the line.
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

/// Suspicious segments, cut from the original (FixAgent, section 3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Each with its file and its lines in the original; at least one.
    pub segments: Vec<(RepoPath, LineSpan)>,
    /// Why the cause is believed to lie there.
    pub explanation: String,
}

/// What one method does, in words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MethodSummary {
    /// The class, as the file declares it; empty when the agent named none.
    pub class: String,
    /// The method's bare name.
    pub method: String,
    /// Its parameters and what they mean.
    pub parameters: String,
    /// What it returns.
    pub returns: String,
    /// What it is for.
    pub description: String,
}

/// A file in words, method by method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The file that is put in words.
    pub file: RepoPath,
    /// Its methods, in the agent's order.
    pub entries: Vec<MethodSummary>,
    /// What the file as a whole is for, and what is striking about it.
    pub explanation: String,
}

/// A reference solution, made from retrieved material and adapted to the bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The solution in words and code.
    pub text: String,
    /// Ids or addresses of the material that was used.
    pub sources: Vec<String>,
    /// Why it fits this bug.
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
    /// Slicer: where to look.
    Slice(Slice),
    /// Summarizer: what a file does.
    Summary(Summary),
    /// RepoFocus: files that bear on the bug, the bug-located one among them.
    Files {
        /// The files, the most relevant first.
        paths: Vec<RepoPath>,
        /// Why these files bear on the bug.
        explanation: String,
    },
    /// Helper: how bugs like this one are repaired.
    Reference(Reference),
    /// Reproducer: a test that fails as an issue says.
    Test(Box<Reproduction>),
    /// Fixer, FixerPro: the patch that passed.
    Patch(PatchAttempt),
    /// The agent ended without what it was asked for, and why.
    Nothing {
        /// Its own words.
        explanation: String,
    },
}
