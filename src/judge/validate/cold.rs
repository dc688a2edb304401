//! The cold judge: every candidate in a fresh copy, a fresh compiler and fresh test processes. Slow and sure; it stays
//! the confirmation behind every faster way.

mod asked;
mod confirmation;
mod screening;
mod slow;

use super::drawn::{self, Call, Draw};
use super::jvm::Jvm;
use super::known::Known;
use super::observe::{self, Trace, Watch};
use super::plan::Plan;
use super::plausible::{self, Judged};
use super::python::Python;
use super::subject::{Build, Subject};
use super::tested::Tested;
use super::untouched::Before;
use super::{
    Baseline, Coverage, Enough, Judge, OnResult, Options, Probe, Spectrum, SpectrumScope, ValidateError, clean,
    coverage, failing, lanes, suite,
};
use crate::benchmark::{Checkout, Runner};
use crate::domain::{
    Diagnostic, Disagreement, Failure, Outcome, Patch, RepoPath, TestId, TestReport, TestStatus, Validation,
};
use crate::sandbox::Sandbox;
pub(super) use asked::{cheap_of, few};
use confirmation::doubted;
use futures::StreamExt;
pub(super) use screening::{ODD, mends_none, needs_time};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Most failures in one answer.
const MAX_TOLD: usize = 20;
/// How much more time triggering tests get that run once more before a no is said.
const MORE: u32 = 3;

/// Judges candidates in fresh processes.
pub struct ColdJudge {
    pub(super) subject: Arc<dyn Subject>,
    baseline: Baseline,
    /// The project, or the module of the bug.
    own: Tested,
    /// Modules whose tests patches may break, by their folders.
    others: tokio::sync::Mutex<BTreeMap<RepoPath, Arc<Tested>>>,
    sandbox: Sandbox,
    warned: tokio::sync::Mutex<BTreeMap<RepoPath, Vec<Diagnostic>>>,
    /// What tests execute of patches, each measured once.
    executed: Mutex<HashMap<Patch, Arc<tokio::sync::OnceCell<Option<Spectrum>>>>>,
    /// How many patches may be measured at once.
    measuring: tokio::sync::Semaphore,
    /// The last patch that was confirmed, with what was made of it.
    confirmed: Mutex<Option<(Patch, Arc<Build>)>>,
    /// Where the project's own command disagreed, until somebody takes note.
    disagreements: Mutex<Vec<Disagreement>>,
    /// Triggering tests that end otherwise in children of a process that waits; `None` where candidates run in fresh ones.
    odd: tokio::sync::OnceCell<Option<BTreeSet<TestId>>>,
    /// Candidates that may still have more time for a test that is cut.
    patience: AtomicUsize,
    /// Whether a candidate had as much time as tests may need that are slow by nature.
    was_long: AtomicBool,
    /// Milliseconds that triggering tests took which passed with a patch, where those are many.
    took: Mutex<BTreeMap<TestId, u64>>,
    /// What the first ranking needs is measured.
    pub(super) measured: tokio::sync::Notify,
}

impl ColdJudge {
    /// Compiles the project and finds what fails, or takes both from the cache.
    ///
    /// # Errors
    /// The project does not compile, no test fails, a named test does not fail, or a tool is missing.
    pub async fn open(checkout: &Checkout, sandbox: &Sandbox, options: Options) -> Result<Self, ValidateError> {
        let subject: Arc<dyn Subject> = match checkout.project.runner {
            Runner::Pytest => Arc::new(Python::prepare(checkout, sandbox, options).await?),
            Runner::Jvm | Runner::Command { .. } | Runner::Cases { .. } => {
                Arc::new(Jvm::prepare(checkout, sandbox, options).await?)
            }
        };
        Self::over(subject, sandbox).await
    }

    /// Finds what fails in a project that is ready, or takes it from the cache.
    pub(super) async fn over(subject: Arc<dyn Subject>, sandbox: &Sandbox) -> Result<Self, ValidateError> {
        let baseline = failing::find(&*subject).await?;
        let own = Tested::new(subject.clone());
        for id in baseline.others.iter().flatten().chain(&baseline.triggering) {
            own.untouched.learn(id, Before::Fails);
        }
        let (others, warned, executed, confirmed, disagreements, odd) = Default::default();
        let sandbox = sandbox.clone();
        let (patience, measured) = (AtomicUsize::new(screening::patience(&baseline)), tokio::sync::Notify::new());
        Ok(Self {
            subject,
            baseline,
            own,
            others,
            sandbox,
            warned,
            executed,
            measuring: tokio::sync::Semaphore::new(lanes::count()),
            confirmed,
            disagreements,
            odd,
            patience,
            was_long: AtomicBool::new(false),
            took: Mutex::default(),
            measured,
        })
    }

    /// The verdicts of earlier runs, where they are asked for.
    pub(super) fn known(&self) -> Option<Known> {
        Known::of(&*self.subject, &self.baseline, self.sandbox.name())
    }

    /// Finds out which tests there are, while nobody waits for it.
    pub(super) async fn discover(&self) -> Result<(), ValidateError> {
        self.own.expected().await.map(drop)
    }

    /// The triggering tests with a patch in fresh processes; before a no is said, once more with more time. Where some are
    /// dear and one of the others still fails, they are not asked.
    async fn test_triggering(&self, patch: &Patch, build: &Arc<Build>) -> Result<(TestReport, Judged), ValidateError> {
        let subject = &*self.subject;
        let deadlines = subject.deadlines_for(&self.baseline);
        if let Some(cheap) = cheap_of(&self.baseline.triggering, &self.baseline) {
            let plan = subject.plan_of(cheap, deadlines.clone()).until_lost();
            let report = subject.run(&subject.copy_with(patch, build)?, &plan).await?;
            let judged = plausible::triggering(&self.baseline, &report);
            if judged.outcome == Outcome::Failed {
                return Ok((report, judged));
            }
        }
        let plan = subject.plan_of(self.baseline.triggering.clone(), deadlines.clone()).until_lost();
        let first = subject.run(&subject.copy_with(patch, build)?, &plan).await?;
        let judged = plausible::triggering(&self.baseline, &first);
        // The patch may change a value that an invocation is named by.
        if judged.outcome == Outcome::MissingTests && judged.against.iter().all(|id| id.bare_method() != id.method) {
            let plan = plan.only(suite::wanted(&self.baseline.triggering));
            let renamed = subject.run(&subject.copy_with(patch, build)?, &plan).await?;
            let judged = plausible::triggering(&self.baseline, &renamed);
            return Ok((renamed, judged));
        }
        // A test that has no end without the patch either has had its time.
        if judged.outcome != Outcome::Timeout || coverage::endless(&self.baseline).next().is_some() {
            return Ok((first, judged));
        }
        let plan = Plan { deadlines: deadlines.times(MORE), ..plan }.for_long();
        let again = subject.run(&subject.copy_with(patch, build)?, &plan).await?;
        let judged = plausible::triggering(&self.baseline, &again);
        if !needs_time(judged.outcome, judged.fixed) || self.was_long.swap(true, Relaxed) {
            return Ok((again, judged));
        }
        self.test_long(patch, build, again, deadlines).await
    }

    /// What is made of a patch: of the one that was confirmed last it is there already; `None` where nothing can be made.
    async fn built(&self, patch: &Patch) -> Result<Option<Arc<Build>>, ValidateError> {
        let confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(match confirmed.filter(|(known, _)| known == patch) {
            Some((_, build)) => Some(build),
            None => self.subject.build(patch).await?.ok().map(Arc::new),
        })
    }
}

/// The judge's answer as agents see it.
pub fn answer(report: &TestReport, judged: Judged, seconds: f64) -> Validation {
    let failures = judged.against.iter().filter_map(|id| failure_of(report, id));
    Validation {
        outcome: judged.outcome,
        detail: judged.detail,
        diagnostics: Vec::new(),
        failing: failures.take(MAX_TOLD).collect(),
        fixed: judged.fixed,
        still_failing: Vec::new(),
        seconds,
    }
}

fn failure_of(report: &TestReport, id: &TestId) -> Option<(TestId, Failure)> {
    let class = TestId::new(&id.class, "");
    let result = report.results.get(id).or_else(|| report.results.get(&class))?;
    let failure = result.failure.as_ref().map(clean::clean).unwrap_or_default();
    let kind = match result.status {
        TestStatus::TimedOut => "timeout".to_owned(),
        TestStatus::Skipped => "skipped".to_owned(),
        _ => failure.kind.clone(),
    };
    Some((result.id.clone(), Failure { kind, ..failure }))
}

#[async_trait::async_trait]
impl Judge for ColdJudge {
    fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let mut validation = match self.subject.build(patch).await? {
            Err(refused) => refused,
            Ok(build) => {
                let (report, judged) = self.test_triggering(patch, &Arc::new(build)).await?;
                self.note_times(&report, &judged);
                answer(&report, judged, 0.0)
            }
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        Ok(validation)
    }

    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        // A build uses all cores by itself, an interpreter one.
        let lanes = if self.subject.checkout().project.runner == Runner::Pytest { lanes::count() } else { 1 };
        let tests: Vec<_> = patches.iter().map(|patch| self.test_classes(patch)).collect();
        let mut answers = std::pin::pin!(futures::stream::iter(tests).buffered(lanes).enumerate());
        while let Some((at, validation)) = answers.next().await {
            if on_result(at, &validation?).is_break() {
                break;
            }
        }
        Ok(())
    }

    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let mut validation = match self.subject.build(patch).await? {
            Err(refused) => refused,
            Ok(build) => match doubted(&build, self.subject.options()) {
                Some(doubted) => doubted,
                None => {
                    let build = Arc::new(build);
                    let answer = self.confirm_everywhere(patch, build.clone()).await?;
                    if answer.is_plausible() {
                        *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner) = Some((patch.clone(), build));
                    }
                    answer
                }
            },
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        Ok(validation)
    }

    fn disagreements(&self) -> Vec<Disagreement> {
        self.disagreements.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}

#[async_trait::async_trait]
impl Probe for ColdJudge {
    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError> {
        let subject = &*self.subject;
        let deadlines = subject.deadlines_for(&self.baseline);
        if tests.is_empty() {
            return subject.run(&subject.copy()?, &subject.plan(subject.tests().to_vec(), deadlines)).await;
        }
        let plan = subject.plan(failing::classes_of(subject.tests(), tests), deadlines);
        let mut report = match plan.classes.is_empty() {
            true => super::suite::empty(),
            false => subject.run(&subject.copy()?, &plan).await?,
        };
        report.results.retain(|id, _| tests.iter().any(|name| failing::matches(name, id)));
        if report.results.is_empty() {
            return Err(ValidateError::Triggering {
                what: format!(
                    "no test is named {}",
                    tests.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                ),
                hint: "use Class#method as in the list of failing tests".into(),
            });
        }
        Ok(report)
    }

    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError> {
        let coverage = self.baseline.spectrum.failing();
        Ok((!coverage.lines.is_empty()).then_some(coverage))
    }

    async fn spectrum(&self, scope: &SpectrumScope) -> Result<Option<Spectrum>, ValidateError> {
        let spectrum = coverage::by_test(&*self.subject, &self.baseline, scope).await;
        self.measured.notify_one();
        spectrum
    }

    async fn executed(&self, patch: &Patch, is_enough: &Enough<'_>) -> Result<Option<Spectrum>, ValidateError> {
        self.subject.options().watcher.phase("measuring what the tests run of the patch");
        let known =
            self.executed.lock().unwrap_or_else(PoisonError::into_inner).entry(patch.clone()).or_default().clone();
        let measure = async || {
            let _turn = self.measuring.acquire().await;
            match self.built(patch).await? {
                Some(build) => coverage::with_patch(&*self.subject, &self.baseline, (patch, &build), is_enough).await,
                None => Ok(None),
            }
        };
        known.get_or_try_init(measure).await.cloned()
    }

    async fn observed(&self, watch: &Watch) -> Result<Option<Vec<Trace>>, ValidateError> {
        observe::of(&*self.subject, &self.baseline, watch).await
    }

    async fn drawn(&self, patch: &Patch, draw: &Draw) -> Result<Option<Vec<Call>>, ValidateError> {
        self.subject.options().watcher.phase("comparing what it does with drawn inputs");
        let copy = match patch.is_empty() {
            true => self.subject.copy()?,
            false => match self.built(patch).await? {
                Some(build) => self.subject.copy_with(patch, &build)?,
                None => return Ok(None),
            },
        };
        drawn::of(&*self.subject, &self.baseline, &copy, draw).await
    }

    async fn same_code(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError> {
        self.subject.same_code(a, b).await
    }

    async fn warnings(&self, file: &RepoPath) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        // The code does not change: one look at a file is enough for all agents.
        let mut known = self.warned.lock().await;
        if let Some(warned) = known.get(file) {
            return Ok(Some(warned.clone()));
        }
        let warned = self.subject.warnings(file).await?;
        known.insert(file.clone(), warned.clone());
        Ok(Some(warned))
    }
}
