//! A test that reproduces an issue: what was written, and how it fails before the repair.

use super::{Failure, FileChange, RepoPath, TestId};
use serde::{Deserialize, Serialize};

/// A test that fails on the present code for the reason that an issue gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reproduction {
    /// The file of the test.
    pub file: RepoPath,
    /// The text of the file before the test was added; `None` for a new file.
    pub before: Option<String>,
    /// The text of the file with the test.
    pub after: String,
    /// The test that was added.
    pub test: TestId,
    /// How the test fails.
    pub failure: Failure,
    /// Why this failure is what the issue reports, in the words of who wrote the test.
    pub explanation: String,
}

impl Reproduction {
    /// The test as a change of its file.
    pub fn change(&self) -> FileChange {
        FileChange {
            path: self.file.clone(),
            before: self.before.as_ref().map(|text| text.as_bytes().into()),
            after: self.after.as_bytes().into(),
        }
    }
}
