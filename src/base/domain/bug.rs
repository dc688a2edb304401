//! The bug as an agent may know it: FixAgent's *bug metadata* (paper section 3.1).

use super::{BugId, Failure, LineSpan, RepoPath, TestId};
use serde::{Deserialize, Serialize};

/// A triggering test: it fails before the repair and must pass after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailingTest {
    /// Its class or module, and its method.
    pub id: TestId,
    /// Its file, when found.
    pub file: Option<RepoPath>,
    /// The lines of the test method in that file, when found.
    pub span: Option<LineSpan>,
    /// The line of the statement that failed, from the stack trace.
    pub failing_line: Option<u32>,
    /// What was reported, with the frames of the project only.
    pub failure: Failure,
    /// Whether it was cut by its deadline.
    pub timed_out: bool,
}

/// What is known of a bug before any agent starts. It never holds anything taken from a fixed version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bug {
    /// Its benchmark, and its name there.
    pub id: BugId,
    /// The language's name: `java`.
    pub language: String,
    /// The triggering tests, in order.
    pub failing: Vec<FailingTest>,
    /// The bug-located file, found from stack traces, coverage of the failing tests and names.
    pub located: Option<RepoPath>,
    /// Requirements in natural language, when there are some.
    pub requirements: Option<String>,
    /// How many tests passed in the baseline.
    pub passing: usize,
}
