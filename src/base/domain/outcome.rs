//! The judge's words for a candidate patch.

use super::{Failure, RepoPath, TestId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What became of a candidate: the same words everywhere (prompts, journal, reports, `--json`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Passed everything, confirmed in a cold, fresh process with the full suite.
    Plausible,
    /// Passed everything in a fast run and waits for its confirmation; no report and no agent sees this word.
    PassedWarm,
    /// It does not fit the code.
    Unappliable,
    /// It touches what a patch may not touch.
    Refused,
    /// It does not compile.
    CompileError,
    /// A triggering test still fails.
    Failed,
    /// The triggering tests pass, and a test that passed before fails.
    Regression,
    /// A test or the run was cut by its deadline.
    Timeout,
    /// The test process ran out of memory.
    OutOfMemory,
    /// The test process ended before its results were complete.
    Crash,
    /// Not the same tests ran as in the baseline.
    MissingTests,
    /// It passed, and holds what tests cannot judge: exits, reflection tricks, test literals.
    Suspicious,
    /// Equal to an earlier candidate, or to the original.
    Duplicate,
}

impl Outcome {
    /// The word as reports and journals hold it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Plausible => "plausible",
            Self::PassedWarm => "passed_warm",
            Self::Unappliable => "unappliable",
            Self::Refused => "refused",
            Self::CompileError => "compile_error",
            Self::Failed => "failed",
            Self::Regression => "regression",
            Self::Timeout => "timeout",
            Self::OutOfMemory => "out_of_memory",
            Self::Crash => "crash",
            Self::MissingTests => "missing_tests",
            Self::Suspicious => "suspicious",
            Self::Duplicate => "duplicate",
        }
    }

    /// The same for people: `did not compile`.
    pub fn title(self) -> &'static str {
        match self {
            Self::PassedWarm => "passed so far",
            Self::Refused => "rejected",
            Self::Unappliable => "did not apply",
            Self::CompileError => "did not compile",
            Self::Regression => "broke another test",
            Self::OutOfMemory => "ran out of memory",
            Self::Timeout => "took too long",
            Self::MissingTests => "other tests ran",
            other => other.label(),
        }
    }

    /// Whether all tests that were run pass.
    pub fn passes(self) -> bool {
        matches!(self, Self::Plausible | Self::PassedWarm)
    }

    /// Whether the candidate compiled, so far as this outcome tells.
    pub fn compiled(self) -> bool {
        !matches!(self, Self::Unappliable | Self::Refused | Self::CompileError | Self::Duplicate)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// A complaint of the compiler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, when it lies in the checkout.
    pub file: Option<RepoPath>,
    /// The line in the *patched* file, counted from 1; 0 when unknown.
    pub line: u32,
    /// The message without the path.
    pub message: String,
}

/// How a patch does on tests that nobody who repaired could see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldOut {
    /// How many there are; at least one.
    pub tests: usize,
    /// How many of them pass.
    pub passed: usize,
}

impl HeldOut {
    /// Whether all pass.
    pub fn all_pass(self) -> bool {
        self.passed == self.tests
    }
}

/// The judge's full answer on one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// What became of the candidate, in one word.
    pub outcome: Outcome,
    /// What stands behind it, in one or a few lines for people and models.
    pub detail: String,
    /// Compiler complaints, when it did not compile.
    pub diagnostics: Vec<Diagnostic>,
    /// Tests that failed under the candidate, with cleaned failures; under a plausible one, triggering tests that are
    /// skipped because something is not there for them.
    pub failing: Vec<(TestId, Failure)>,
    /// Triggering tests that pass under the candidate.
    pub fixed: usize,
    /// Tests that fail under a plausible candidate and failed before: of two candidates, that with fewer repairs more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still_failing: Vec<TestId>,
    /// Seconds of wall time spent on it.
    pub seconds: f64,
}

impl Validation {
    /// An answer that needs no test results.
    pub fn without_tests(outcome: Outcome, detail: impl Into<String>) -> Self {
        let (diagnostics, failing, still_failing) = Default::default();
        Self { outcome, detail: detail.into(), diagnostics, failing, fixed: 0, still_failing, seconds: 0.0 }
    }

    /// Triggering tests that are skipped with a plausible candidate, and cannot tell whether it repairs them.
    pub fn skipped(&self) -> Vec<TestId> {
        let failing = self.failing.iter().filter(|_| self.is_plausible());
        failing.map(|(id, _)| id.clone()).collect()
    }

    /// Whether the candidate is plausible.
    pub fn is_plausible(&self) -> bool {
        self.outcome == Outcome::Plausible
    }
}
