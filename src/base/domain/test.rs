//! What a test run told: one positive record per test, and how the run itself ended.

use super::TestId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How one test ended. Only `Passed` counts as a pass: skipped tests and failed assumptions do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestStatus {
    /// Ran to its end without a complaint.
    Passed,
    /// An assertion or any other exception.
    Failed,
    /// Ignored, disabled, or its assumption did not hold.
    Skipped,
    /// Cut by its deadline.
    TimedOut,
}

/// What ended a test before it had a result of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// It was ended at our deadline.
    Cut,
    /// It ended its process.
    Exit,
    /// It ran out of memory.
    Memory,
}

/// A line of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Class with its package.
    pub class: String,
    /// The method that was running.
    pub method: String,
    /// File name without folders, when known.
    pub file: Option<String>,
    /// Line counted from 1, when known.
    pub line: Option<u32>,
}

/// Why a test did not pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The exception's class: `java.lang.AssertionError`.
    pub kind: String,
    /// Its message, as it was thrown; may hold several lines.
    pub message: String,
    /// All frames, innermost first; `validate` cleans them for agents.
    pub frames: Vec<Frame>,
}

impl Failure {
    /// The class of the exception that the innermost frames tell of: that of the last cause, else its own.
    pub fn root_kind(&self) -> &str {
        let cause = self.message.rsplit_once("\ncaused by ").and_then(|(_, cause)| cause.split(':').next());
        cause.unwrap_or(&self.kind)
    }

    /// What the language says of code that it cannot read, where that is the failure: `SyntaxError: expected ':' (cart.py,
    /// line 3)`.
    pub fn syntax_error(&self) -> Option<String> {
        const KINDS: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];
        if KINDS.contains(&self.kind.as_str()) {
            return Some(format!("{}: {}", self.kind, self.message.lines().next().unwrap_or_default().trim()));
        }
        let at = |line: &&str| KINDS.iter().filter_map(|kind| line.find(&format!("{kind}: "))).min();
        let named = self.message.lines().rfind(|line| at(line).is_some());
        named.and_then(|line| line.get(at(&line)?..)).map(|line| line.trim().to_owned())
    }
}

/// One test's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// Its class or module, and its method.
    pub id: TestId,
    /// How it ended.
    pub status: TestStatus,
    /// Why, unless it passed.
    pub failure: Option<Failure>,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// What ended it, when it did not end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
}

impl TestResult {
    /// Whether it passed.
    pub fn passed(&self) -> bool {
        self.status == TestStatus::Passed
    }

    /// Whether it was cut: how it would have ended is not known.
    pub fn is_cut(&self) -> bool {
        self.loss == Some(Loss::Cut)
    }
}

/// How a test process ended, judged by its private result channel and exit status together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// The end record came with the right nonce and count, and the process exited as it should.
    Complete,
    /// The process was ended at its deadline.
    TimedOut,
    /// The process ran out of memory.
    OutOfMemory,
    /// The process ended without its end record: exit, halt, signal.
    Crashed,
}

/// All results of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    /// How the run ended; without `Complete` nothing may be called plausible.
    pub end: RunEnd,
    /// Results by test.
    pub results: BTreeMap<TestId, TestResult>,
    /// Last lines of what the tests printed, for people.
    pub output_tail: String,
}

impl TestReport {
    /// Tests with that status, in order.
    pub fn with_status(&self, status: TestStatus) -> impl Iterator<Item = &TestResult> {
        self.results.values().filter(move |result| result.status == status)
    }

    /// Whether it holds a test that was cut.
    pub fn is_cut(&self, id: &TestId) -> bool {
        self.results.get(id).is_some_and(TestResult::is_cut)
    }

    /// Tests that ran and did not pass: failed or timed out.
    pub fn failing(&self) -> impl Iterator<Item = &TestResult> {
        self.results.values().filter(|r| matches!(r.status, TestStatus::Failed | TestStatus::TimedOut))
    }
}
