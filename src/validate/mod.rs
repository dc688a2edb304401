//! The judge. What counts as plausible is defined in `plausible.rs` and nowhere else.
//!
//! A [`Validator`] owns one checkout: it makes the baseline once and then judges candidates against it. It never
//! writes to the checkout.

use crate::domain::{Patch, RepoPath, TestId, TestReport, Validation};
use camino::Utf8PathBuf;
use std::collections::{BTreeMap, BTreeSet};

/// What the untouched bug does.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// Results of the first run, with failures as they were thrown.
    pub report: TestReport,
    /// Tests that fail and must pass.
    pub triggering: Vec<TestId>,
    /// Tests that passed in every baseline run: a candidate must pass all of them.
    pub passing: BTreeSet<TestId>,
    /// Tests that count neither way, with the reason: flaky, no network, file outside.
    pub set_aside: BTreeMap<TestId, String>,
    /// Seconds the baseline took.
    pub seconds: f64,
}

/// Lines of product code that ran under some tests.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Coverage {
    /// For each file the lines that were executed, counted from 1.
    pub lines: BTreeMap<RepoPath, BTreeSet<u32>>,
}

/// What every single test executed.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spectrum {
    /// Each test with whether it passed, and the lines it ran.
    pub tests: Vec<(TestId, bool, Coverage)>,
}

/// Why nothing can be judged here: the environment's fault, never a candidate's.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// The buggy project does not compile.
    #[error("the project does not compile before any change: {first}")]
    BaselineDoesNotCompile {
        /// The compiler's first complaint.
        first: String,
    },
    /// No test fails.
    #[error("nothing to repair: no test fails and {passing} pass")]
    NothingFails {
        /// How many tests passed.
        passing: usize,
    },
    /// A test that was asked for does not fail or does not exist.
    #[error("{what}")]
    Triggering {
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A tool is missing or broken.
    #[error("{what}")]
    Tool {
        /// What went wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Reading or writing failed.
    #[error("{what}: {source} ({path})")]
    Io {
        /// What was being done.
        what: String,
        /// On which file.
        path: Utf8PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

/// Judges candidates for one checkout.
#[async_trait::async_trait]
pub trait Validator: Send + Sync {
    /// The baseline this validator judges against.
    fn baseline(&self) -> &Baseline;

    /// Judges one candidate; a pass is `PassedWarm` until it is confirmed.
    ///
    /// # Errors
    /// Only for faults of the environment; everything a candidate does wrong is an outcome.
    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError>;

    /// Confirms a candidate that passed: a cold, fresh process with the full suite. The only source of `Plausible`.
    ///
    /// # Errors
    /// As [`Validator::validate`].
    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError>;

    /// Runs some tests (all when empty) on the untouched code.
    ///
    /// # Errors
    /// As [`Validator::validate`].
    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError>;

    /// Lines the triggering tests execute; `None` with a notice where coverage cannot be had.
    ///
    /// # Errors
    /// As [`Validator::validate`].
    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError>;
}
