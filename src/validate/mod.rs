//! The judge. What counts as plausible is defined in `plausible.rs` and nowhere else.
//!
//! A [`Validator`] is the door: it judges the candidates of one checkout, and nobody else calls a [`Judge`]. The checkout
//! is never written. What differs by language stands in `jvm/` and `python/`.

mod ambient;
pub mod clean;
pub(crate) mod cold;
pub(crate) mod command;
mod confidence;
mod confirm;
mod controls;
mod copies;
mod coverage;
pub mod drawn;
mod failing;
mod jvm;
mod kept;
mod keys;
mod lanes;
mod losses;
mod memory;
mod method;
pub mod observe;
mod own;
mod plain;
mod plan;
pub mod plausible;
mod python;
mod records;
mod refuse;
mod reproduce;
mod resources;
pub(crate) mod subject;
mod suite;
mod tested;
mod untouched;
mod validator;
mod warm;

pub use cold::ColdJudge;
pub use command::{ADDRESSES, CommandJudge};
pub use confidence::against;
pub use reproduce::{NewTest, Reproduced, Untested};
pub use validator::{Doubts, Validator, Verdict};
pub use warm::WarmJudge;

use crate::benchmark::jdk::Jdk;
use crate::benchmark::{BenchmarkError, Checkout, Runner};
use crate::domain::{
    Diagnostic, Disagreement, Failure, HeldOut, Patch, RepoPath, RunEnd, TestId, TestReport, Validation, Watcher,
};
use crate::sandbox::{Sandbox, SandboxError};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// What the untouched bug does.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// Results of what ran before the first query, with failures as they were thrown.
    pub report: Arc<TestReport>,
    /// Tests that fail and must pass.
    pub triggering: Vec<TestId>,
    /// Tests that fail for another reason, one group a bug.
    pub others: Vec<Vec<TestId>>,
    /// Tests that passed, of those that ran.
    pub passing: BTreeSet<TestId>,
    /// Tests that count neither way, with the reason: flaky, no network, file outside.
    pub set_aside: BTreeMap<TestId, String>,
    /// What the tests of the failing classes execute, as far as it could be measured.
    pub spectrum: Arc<Spectrum>,
    /// Whether all tests of the project ran.
    pub whole: bool,
    /// Seconds it took.
    pub seconds: f64,
}

impl Default for Baseline {
    /// Before anything ran.
    fn default() -> Self {
        let report = TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: String::new() };
        Self {
            report: report.into(),
            triggering: Vec::new(),
            others: Vec::new(),
            passing: BTreeSet::new(),
            set_aside: BTreeMap::new(),
            spectrum: Arc::default(),
            whole: false,
            seconds: 0.0,
        }
    }
}

/// Lines of product code that ran under some tests.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Coverage {
    /// For each file the lines that were executed, counted from 1.
    pub lines: BTreeMap<RepoPath, BTreeSet<u32>>,
}

/// What every single test executed. Tests repeat each other: the same lines of a file are held once.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spectrum {
    /// Lines of a file, counted from 1, as one test or several ran them.
    runs: Vec<(RepoPath, BTreeSet<u32>)>,
    /// Each test with whether it passed, and which of the runs are its own.
    tests: Vec<(TestId, bool, Vec<u32>)>,
}

impl Spectrum {
    /// Of tests, each with whether it passed and the lines it ran.
    pub fn of(tests: impl IntoIterator<Item = (TestId, bool, Coverage)>) -> Self {
        let mut known: BTreeMap<(RepoPath, BTreeSet<u32>), u32> = BTreeMap::new();
        let mut number = |run| {
            let next = known.len() as u32;
            *known.entry(run).or_insert(next)
        };
        let tests =
            tests.into_iter().map(|(id, passed, ran)| (id, passed, ran.lines.into_iter().map(&mut number).collect()));
        let tests = tests.collect();
        let mut runs: Vec<_> = known.into_iter().collect();
        runs.sort_by_key(|(_, number)| *number);
        Self { runs: runs.into_iter().map(|(run, _)| run).collect(), tests }
    }

    /// This one and another of other tests.
    pub fn with(&self, more: Self) -> Self {
        let coverage = |ran: &mut dyn Iterator<Item = (&RepoPath, &BTreeSet<u32>)>| {
            let mut lines: BTreeMap<RepoPath, BTreeSet<u32>> = BTreeMap::new();
            ran.for_each(|(file, own)| lines.entry(file.clone()).or_default().extend(own));
            Coverage { lines }
        };
        let mut tests: Vec<(TestId, bool, Coverage)> = Vec::new();
        for (id, passed, mut ran) in self.tests().chain(more.tests()) {
            tests.push((id.clone(), passed, coverage(&mut ran)));
        }
        Self::of(tests)
    }

    /// Each test with whether it passed, and the files it ran with their lines.
    pub fn tests(&self) -> impl Iterator<Item = (&TestId, bool, impl Iterator<Item = (&RepoPath, &BTreeSet<u32>)>)> {
        let run = |number: &u32| self.runs.get(*number as usize).map(|(file, lines)| (file, lines));
        self.tests.iter().map(move |(id, passed, own)| (id, *passed, own.iter().filter_map(run)))
    }

    /// Lines that the failing tests ran, all together.
    pub fn failing(&self) -> Coverage {
        let mut coverage = Coverage::default();
        for (file, lines) in self.tests().filter(|(_, passed, _)| !passed).flat_map(|(.., ran)| ran) {
            coverage.lines.entry(file.clone()).or_default().extend(lines);
        }
        coverage
    }
}

/// Over which tests a spectrum is measured, and how long that may take. The triggering tests always are; of those that
/// never end a few speak for all.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectrumScope {
    /// Outer classes whose passing tests run too; `None` means all.
    pub classes: Option<BTreeSet<String>>,
    /// Wall time at most; what was measured until then counts.
    pub time: Duration,
}

/// What is said of a failing test whose package is missing.
const NOT_INSTALLED: &str = "which is not installed here";

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
    #[error("nothing to repair: no test fails{} and {passing} pass", but(aside))]
    NothingFails {
        /// How many tests passed.
        passing: usize,
        /// Tests that fail and say nothing about the code, each with the reason.
        aside: Vec<String>,
        /// The project's own command that ran them.
        command: Option<String>,
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

impl ValidateError {
    /// What to do about it, in one line.
    pub fn hint(&self) -> String {
        match self {
            Self::BaselineDoesNotCompile { .. } => {
                "make the project compile first; only its behaviour is repaired".into()
            }
            Self::NothingFails { aside, .. } if aside.iter().any(|why| why.contains(NOT_INSTALLED)) => {
                "install it in the project's `.venv`, or name another interpreter in `.unidebug.toml` (`python = …`)"
                    .into()
            }
            Self::NothingFails { aside, .. } if !aside.is_empty() => {
                "name one of them with --failing CLASS#METHOD, if it is the bug all the same".into()
            }
            Self::NothingFails { command: Some(command), .. } => {
                format!("`{command}` ran; name another command with --test, or a test with --failing")
            }
            Self::NothingFails { .. } => "name a failing test with --failing CLASS#METHOD".into(),
            Self::Triggering { hint, .. } | Self::Tool { hint, .. } => hint.clone(),
            Self::Io { .. } => "check the disk and the permissions of that path".into(),
        }
    }
}

impl From<SandboxError> for ValidateError {
    fn from(error: SandboxError) -> Self {
        let hint = match &error {
            SandboxError::Unavailable { hint, .. } => hint.clone(),
            SandboxError::Spawn { program, .. } => format!("check that {program} is installed and executable"),
            SandboxError::Io { .. } => "check the limits of open files and processes".into(),
        };
        Self::Tool { what: error.to_string(), hint }
    }
}

impl From<BenchmarkError> for ValidateError {
    fn from(error: BenchmarkError) -> Self {
        match error {
            BenchmarkError::Io { what, path, source } => Self::Io { what, path, source },
            other => Self::Tool { what: other.to_string(), hint: other.hint() },
        }
    }
}

/// What of the failing tests was set aside, for a sentence.
fn but(aside: &[String]) -> String {
    const NAMED: usize = 3;
    let more = if aside.len() > NAMED { format!("; {} more", aside.len() - NAMED) } else { String::new() };
    match aside {
        [] => String::new(),
        _ => format!(" but for reasons outside the code ({}{more})", aside[..aside.len().min(NAMED)].join("; ")),
    }
}

/// An [`ValidateError::Io`] about a path.
pub(crate) fn io_error(what: &str, path: &Utf8Path) -> impl FnOnce(std::io::Error) -> ValidateError + use<> {
    let (what, path) = (what.to_owned(), path.to_owned());
    move |source| ValidateError::Io { what, path, source }
}

/// The heap in MiB that a JVM takes by itself, within bounds: a test that passes by the project's own command must find as
/// much here.
fn default_heap() -> u64 {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().split(' ').next()?.parse().ok());
    (total.unwrap_or(4 << 20) / 4 / 1024).clamp(512, 4096)
}

/// How a validator is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The JDK; `None` takes the project's, else the one that is found.
    pub jdk: Option<Jdk>,
    /// Triggering tests the user names; a method may be left out to mean its class. Empty: the benchmark decides, else
    /// the baseline.
    pub failing: Vec<TestId>,
    /// Wall time a run of tests may take at most.
    pub max_time: Duration,
    /// An existing folder outside the checkout for copies and classes; its content is not kept.
    pub work_dir: Utf8PathBuf,
    /// Heap of the test process in MiB.
    pub heap_mib: u64,
    /// Hears how far long phases are.
    pub watcher: Watcher,
    /// Whether every candidate gets processes of its own: slower, and the same answers.
    pub cold: bool,
    /// Whether what tests cannot judge is accepted.
    pub accept_suspicious: bool,
}

impl Options {
    /// Defaults with this work folder: 30 minutes, and the heap that a JVM takes by itself.
    pub fn new(work_dir: impl Into<Utf8PathBuf>) -> Self {
        Self {
            jdk: None,
            failing: Vec::new(),
            max_time: Duration::from_secs(1800),
            work_dir: work_dir.into(),
            heap_mib: default_heap(),
            watcher: Watcher::default(),
            cold: false,
            accept_suspicious: false,
        }
    }
}

/// Compiles the project, makes the baseline, and opens the judge for the project's kind of runner.
///
/// # Errors
/// The project does not compile, nothing fails, or a tool is missing.
pub async fn open(checkout: &Checkout, sandbox: &Sandbox, options: Options) -> Result<Validator, ValidateError> {
    let work_dir = options.work_dir.clone();
    let validator = match checkout.project.runner {
        Runner::Jvm if !options.cold => {
            let warm = Arc::new(WarmJudge::open(checkout, sandbox, options).await?);
            let (cold, memory) = (warm.cold(), warm.memory());
            Validator::new(warm, cold, work_dir).remembering(memory)
        }
        Runner::Jvm | Runner::Pytest => {
            let cold = Arc::new(ColdJudge::open(checkout, sandbox, options).await?);
            Validator::new(cold.clone(), cold, work_dir)
        }
        Runner::Command { .. } | Runner::Cases { .. } => {
            let command = Arc::new(CommandJudge::open(checkout, sandbox, options).await?);
            Validator::new(command.clone(), command, work_dir)
        }
    };
    Ok(validator.with_official(checkout.official.clone()))
}

/// Takes the answer on the candidate of that index, and says whether to go on.
pub type OnResult<'a> = dyn FnMut(usize, &Validation) -> ControlFlow<()> + Send + 'a;

/// Judges candidates for one checkout.
#[async_trait::async_trait]
pub trait Judge: Send + Sync {
    /// The baseline this judge holds candidates against.
    fn baseline(&self) -> &Baseline;

    /// A quick look at one candidate; a pass is `PassedWarm`.
    ///
    /// # Errors
    /// Only for faults of the environment; everything a candidate does wrong is an outcome.
    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError>;

    /// A quick look at candidates in their order; tells each answer as it comes, until there are no more or the caller
    /// breaks. A judge may overlap the work.
    ///
    /// # Errors
    /// As [`Judge::validate`].
    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError>;

    /// Confirms a candidate that passed: fresh processes with all tests. The only source of `Plausible`.
    ///
    /// # Errors
    /// As [`Judge::validate`].
    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError>;

    /// Where surer ways to judge said something else than quicker ones, since the last call.
    fn disagreements(&self) -> Vec<Disagreement>;
}

/// Tells facts about the code of one checkout. A judge that cannot find one out leaves it away.
#[async_trait::async_trait]
pub trait Probe: Send + Sync {
    /// Runs some tests (all when empty) on the untouched code.
    ///
    /// # Errors
    /// No test has such a name, or the environment is at fault.
    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError>;

    /// Lines the triggering tests execute; `None` with a notice where coverage cannot be had.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError> {
        Ok(None)
    }

    /// What each single test of a scope executes on the untouched code; `None` with a notice where it cannot be had.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn spectrum(&self, _scope: &SpectrumScope) -> Result<Option<Spectrum>, ValidateError> {
        Ok(None)
    }

    /// What tests do in watched places of the untouched code, step by step; `None` where it cannot be had.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn observed(&self, _watch: &observe::Watch) -> Result<Option<Vec<observe::Trace>>, ValidateError> {
        Ok(None)
    }

    /// What changed functions do with inputs near those of the tests, with a patch or, for an empty one, without; `None`
    /// where it cannot be had.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn drawn(&self, _patch: &Patch, _draw: &drawn::Draw) -> Result<Option<Vec<drawn::Call>>, ValidateError> {
        Ok(None)
    }

    /// Whether two patches compile to the same code; `None` where no compiler of ours is used, or one of them does not
    /// compile.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn same_code(&self, _a: &Patch, _b: &Patch) -> Result<Option<bool>, ValidateError> {
        Ok(None)
    }

    /// What the triggering tests, and others near the change, execute with a patch; `None` where it cannot be had.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn executed(&self, _patch: &Patch) -> Result<Option<Spectrum>, ValidateError> {
        Ok(None)
    }

    /// How a patch does on the cases that are held out; `None` where there are none.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn held_out(&self, _patch: &Patch) -> Result<Option<HeldOut>, ValidateError> {
        Ok(None)
    }

    /// What sanitizers report of the triggering tests on the untouched code: evidence, never a verdict; `None` where there
    /// are none.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn sanitized(&self) -> Result<Option<Vec<Failure>>, ValidateError> {
        Ok(None)
    }

    /// Whether a test that was just written fails on the untouched code for the reason that an issue gives.
    ///
    /// # Errors
    /// A failing test is known already, or the environment is at fault.
    async fn reproduces(&self, _test: &NewTest<'_>) -> Result<Reproduced, ValidateError> {
        Err(ValidateError::Tool {
            what: "a test is written for an issue only, before a failing test is known".into(),
            hint: "run it with --issue".into(),
        })
    }

    /// What the compiler warns of in a file of the untouched code; `None` where no compiler of ours is used.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn warnings(&self, _file: &RepoPath) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        Ok(None)
    }
}
