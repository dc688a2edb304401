//! The judge. What counts as plausible is defined in `plausible.rs` and nowhere else.
//!
//! A [`Validator`] is the door: it judges the candidates of one checkout, and nobody else calls a [`Judge`]. The checkout
//! is never written. What differs by language stands in `jvm/` and `python/`.

mod ambient;
pub mod clean;
pub mod cold;
pub mod command;
mod confidence;
mod confirm;
mod content;
mod controls;
mod copies;
mod coverage;
pub mod drawn;
mod error;
mod failing;
mod jvm;
mod keys;
mod known;
mod lanes;
mod losses;
mod memory;
mod method;
pub mod observe;
mod options;
mod own;
mod part;
mod plain;
mod plan;
pub mod plausible;
mod python;
mod records;
mod refuse;
mod reproduce;
mod resources;
mod served;
mod settings;
mod skips;
mod spectrum;
pub mod subject;
mod suite;
mod tested;
mod unable;
mod untouched;
mod validator;
mod warm;
mod work_dir;

pub use cold::ColdJudge;
pub use command::{ADDRESSES, CommandJudge};
pub use confidence::{BySource, LeftOpen};
pub use error::ValidateError;
pub use error::io_error;
pub use failing::{AsideReason, FailedBefore};
pub use options::Options;
pub use reproduce::{NewTest, Reproduced, Untested};
pub use spectrum::{ChooseScope, Coverage, Enough, Spectrum, SpectrumScope};
pub use validator::{Doubts, Validator, Verdict};
pub use warm::WarmJudge;
pub use work_dir::WorkDir;

use crate::benchmark::{Checkout, ProductChange, Runner};
use crate::domain::{
    Diagnostic, Disagreement, Failure, HeldOut, Patch, RepoPath, RunEnd, TestId, TestReport, TestResult, TestStatus,
    Validation,
};
use crate::patch::is_part_of;
use crate::sandbox::Sandbox;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What the untouched bug does.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// Results of what ran before the first query, with failures as they were thrown.
    pub report: Arc<TestReport>,
    /// Tests that fail and must pass.
    pub triggering: Vec<TestId>,
    /// Whether they were found by running, and nobody names them: then some may be of another bug.
    pub found: bool,
    /// Tests that fail for another reason, one group a bug.
    pub others: Vec<Vec<TestId>>,
    /// Those of them that failed before the last change, where that is known.
    pub before: Option<FailedBefore>,
    /// The last change, where all triggering tests pass without it.
    pub broken_by: Option<ProductChange>,
    /// Milliseconds that failing tests took without the last change, where they pass.
    pub took: BTreeMap<TestId, u64>,
    /// Tests that passed, of those that ran.
    pub passing: BTreeSet<TestId>,
    /// Tests that count neither way, with the reason: flaky, no network, file outside.
    pub set_aside: BTreeMap<TestId, String>,
    /// Tests that did not end in time and are not of the bug: candidates are tried without them, the confirmation asks of them.
    pub unended: BTreeSet<TestId>,
    /// Tests of classes that could not be loaded which are skipped whatever the product does.
    pub skipped: BTreeSet<TestId>,
    /// Tests of classes that cannot be loaded, and how those end that do not pass without the last change either.
    pub alike: BTreeMap<TestId, TestStatus>,
    /// What the tests of the failing classes execute, as far as it could be measured.
    pub spectrum: Arc<Spectrum>,
    /// Whether all tests of the project ran.
    pub whole: bool,
    /// Seconds it took to find out.
    pub seconds: f64,
    /// Seconds of that in this process: next to none where an earlier one found it out.
    pub spent: f64,
}

impl Baseline {
    /// The name of the change that broke the tests, where a patch only takes back some of it: `commit 1a2b3c4`.
    pub fn taken_back(&self, patch: &Patch) -> Option<&str> {
        let change = self.broken_by.as_ref().filter(|change| is_part_of(patch, &change.revert));
        change.map(|change| &*change.name)
    }

    /// Whether a test of a class that could not be loaded ends as it does whatever a patch does: it is always skipped, or ends
    /// so without the last change.
    pub(super) fn ends_alike(&self, result: &TestResult) -> bool {
        result.status == TestStatus::Skipped && self.skipped.contains(&result.id.of_method())
            || self.alike.get(&result.id) == Some(&result.status)
    }

    /// What a group of tests beside the triggering ones is, for people.
    pub fn name_of(&self, group: &[TestId]) -> String {
        match &self.before {
            Some(FailedBefore { change, tests, .. }) if group.iter().all(|id| tests.contains(id)) => {
                format!("failed before {change}, too")
            }
            _ => "another bug".to_owned(),
        }
    }
}

impl Default for Baseline {
    /// Before anything ran.
    fn default() -> Self {
        let report = TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: String::new() };
        Self {
            report: report.into(),
            triggering: Vec::new(),
            found: false,
            others: Vec::new(),
            before: None,
            broken_by: None,
            took: BTreeMap::new(),
            passing: BTreeSet::new(),
            set_aside: BTreeMap::new(),
            unended: BTreeSet::new(),
            skipped: BTreeSet::new(),
            alike: BTreeMap::new(),
            spectrum: Arc::default(),
            whole: false,
            seconds: 0.0,
            spent: 0.0,
        }
    }
}

/// Compiles the project, makes the baseline, and opens the judge for the project's kind of runner.
///
/// # Errors
/// The project does not compile, nothing fails, or a tool is missing.
pub async fn open(checkout: &Checkout, sandbox: &Sandbox, options: Options) -> Result<Validator, ValidateError> {
    let work_dir = options.work_dir.to_path_buf();
    let validator = match checkout.project.runner {
        Runner::Jvm if !options.cold => {
            let warm = Arc::new(WarmJudge::open(checkout, sandbox, options).await?);
            let (cold, memory) = (warm.cold(), warm.memory());
            let known = cold.known();
            Validator::new(warm, cold, work_dir).remembering(memory).knowing(known)
        }
        Runner::Jvm | Runner::Pytest => {
            let cold = Arc::new(ColdJudge::open(checkout, sandbox, options).await?);
            let known = cold.known();
            Validator::new(cold.clone(), cold, work_dir).knowing(known)
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

    /// Where surer ways to judge disagreed with quicker ones, since the last call.
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

    /// What the triggering tests, and others near the change, execute with a patch; `None` where it cannot be had. Where
    /// they take long, no more of them run once it is enough.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn executed(&self, _patch: &Patch, _is_enough: &Enough<'_>) -> Result<Option<Spectrum>, ValidateError> {
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
