//! The cold judge: every candidate in a fresh copy, a fresh compiler and fresh test processes. Slow and sure; it stays
//! the confirmation behind every faster way.

use super::baseline::ROOM;
use super::jvm::Jvm;
use super::plan::{Deadlines, OnCrash};
use super::plausible::{Extent, Judged, judge};
use super::python::Python;
use super::second_look::SecondLook;
use super::subject::{Copy, Subject};
use super::{
    Baseline, Coverage, Options, Spectrum, SpectrumScope, ValidateError, Validator, baseline, clean, coverage,
};
use crate::benchmark::{Checkout, Runner};
use crate::domain::{Diagnostic, Failure, Outcome, Patch, RepoPath, TestId, TestReport, TestStatus, Validation};
use crate::sandbox::Sandbox;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Failures told of one candidate.
const MAX_TOLD: usize = 20;

/// Judges candidates in fresh processes.
pub struct ColdValidator {
    pub(super) subject: Arc<dyn Subject>,
    baseline: Baseline,
    /// Outcomes by what the candidate is.
    seen: Mutex<BTreeMap<u64, Validation>>,
    coverage: tokio::sync::OnceCell<Option<Coverage>>,
    warned: tokio::sync::Mutex<BTreeMap<RepoPath, Vec<Diagnostic>>>,
}

impl ColdValidator {
    /// Compiles the project and makes the baseline, or takes both from the cache.
    ///
    /// # Errors
    /// The project does not compile, no test fails, a named test does not fail, or a tool is missing.
    pub async fn open(checkout: &Checkout, sandbox: &Sandbox, mut options: Options) -> Result<Self, ValidateError> {
        loop {
            let subject: Arc<dyn Subject> = match checkout.project.runner {
                Runner::Pytest => Arc::new(Python::prepare(checkout, sandbox, options.clone()).await?),
                Runner::Jvm | Runner::Command { .. } | Runner::Cases { .. } => {
                    Arc::new(Jvm::prepare(checkout, sandbox, options.clone()).await?)
                }
            };
            match Self::over(subject).await? {
                Some(judge) => return Ok(judge),
                None => options.heap_mib = ROOM,
            }
        }
    }

    /// Makes the baseline of a project that is ready, or takes it from the cache; `None` when its tests want [`ROOM`].
    pub(super) async fn over(subject: Arc<dyn Subject>) -> Result<Option<Self>, ValidateError> {
        let Some(baseline) = baseline::make(&*subject).await? else { return Ok(None) };
        let (seen, coverage, warned) = Default::default();
        Ok(Some(Self { subject, baseline, seen, coverage, warned }))
    }

    /// Triggering tests first; the rest only for who passes them.
    async fn test(&self, copy: &Copy) -> Result<(TestReport, Judged), ValidateError> {
        let triggering = self.baseline.triggering.clone();
        let plan = self.subject.plan(triggering, self.deadlines(Duration::MAX), OnCrash::Stop);
        let first = self.subject.run(copy, &plan).await?;
        let judged = judge(&self.baseline, &first, Extent::Triggering);
        if judged.outcome != Outcome::PassedWarm {
            match SecondLook::at(&self.baseline, &first, &judged, &plan.deadlines) {
                Some(look) if self.clears(copy, &look).await? => {}
                Some(look) => return Ok((first, look.stands(judged))),
                None => return Ok((first, judged)),
            }
        }
        self.test_all(copy, Duration::MAX).await
    }

    async fn test_all(&self, copy: &Copy, total: Duration) -> Result<(TestReport, Judged), ValidateError> {
        let deadlines = self.deadlines(total);
        let (report, judged) = self.run_all(copy, &deadlines).await?;
        let Some(look) = SecondLook::at(&self.baseline, &report, &judged, &deadlines) else {
            return Ok((report, judged));
        };
        if !self.clears(copy, &look).await? {
            return Ok((report, look.stands(judged)));
        }
        let (report, judged) = self.run_all(copy, &look.all).await?;
        Ok((report, look.revised(judged)))
    }

    async fn clears(&self, copy: &Copy, look: &SecondLook) -> Result<bool, ValidateError> {
        let alone = self.subject.plan(look.tests.clone(), look.alone.clone(), OnCrash::Stop);
        Ok(look.clears(&self.subject.run(copy, &alone).await?))
    }

    async fn run_all(&self, copy: &Copy, deadlines: &Deadlines) -> Result<(TestReport, Judged), ValidateError> {
        let plan = self.subject.whole_plan(&self.baseline, deadlines.clone());
        let report = self.subject.run(copy, &plan).await?;
        let judged = judge(&self.baseline, &report, Extent::Full);
        Ok((report, judged))
    }

    fn deadlines(&self, total: Duration) -> Deadlines {
        let mut deadlines = self.subject.deadlines(&self.baseline.report);
        deadlines.total = deadlines.total.min(total);
        deadlines
    }

    fn earlier(&self, key: u64) -> Option<Validation> {
        let earlier = self.seen.lock().ok()?.get(&key)?.clone();
        Some(as_duplicate(&earlier))
    }
}

/// The answer to a candidate that was judged before: a pass stays one, all else is a duplicate of what it was.
pub(super) fn as_duplicate(earlier: &Validation) -> Validation {
    if earlier.outcome == Outcome::PassedWarm {
        return earlier.clone();
    }
    let detail = format!("equal to an earlier candidate, which was {}: {}", earlier.outcome, earlier.detail);
    Validation { outcome: Outcome::Duplicate, detail, ..earlier.clone() }
}

/// A name for what a patch makes of the code.
fn key(patch: &Patch) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    patch.hash(&mut hasher);
    hasher.finish()
}

/// The judge's answer as agents see it.
pub(super) fn answer(report: &TestReport, judged: Judged, seconds: f64) -> Validation {
    let told = judged.against.iter().filter_map(|id| failure_of(report, id));
    Validation {
        outcome: judged.outcome,
        detail: judged.detail,
        diagnostics: Vec::new(),
        failing: told.take(MAX_TOLD).collect(),
        fixed: judged.fixed,
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
impl Validator for ColdValidator {
    fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let key = key(patch);
        if let Some(earlier) = self.earlier(key) {
            return Ok(earlier);
        }
        let mut validation = match self.subject.patched(patch).await? {
            Err(refused) => refused,
            Ok(copy) => {
                let (report, judged) = self.test(&copy).await?;
                answer(&report, judged, 0.0)
            }
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        if let Ok(mut seen) = self.seen.lock() {
            seen.insert(key, validation.clone());
        }
        Ok(validation)
    }

    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let mut validation = match self.subject.patched(patch).await? {
            Err(refused) => refused,
            Ok(copy) => {
                let all = Duration::from_secs_f64((self.baseline.seconds * 5.0).clamp(60.0, 1e6));
                let (report, judged) = self.test_all(&copy, all.min(self.subject.options().max_time)).await?;
                answer(&report, judged, 0.0)
            }
        };
        if validation.outcome == Outcome::PassedWarm {
            validation.outcome = Outcome::Plausible;
            let passing = self.baseline.passing.len();
            validation.detail = format!("{}, and the {passing} that passed before still do", validation.detail);
        }
        validation.seconds = begin.elapsed().as_secs_f64();
        Ok(validation)
    }

    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError> {
        let known = self.baseline.report.results.keys();
        let named = |id: &&TestId| tests.iter().any(|name| baseline::matches(name, id));
        let only: Vec<TestId> = known.filter(named).cloned().collect();
        if !tests.is_empty() && only.is_empty() {
            return Err(ValidateError::Triggering {
                what: format!(
                    "no test is named {}",
                    tests.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                ),
                hint: "use Class#method as in the list of failing tests".into(),
            });
        }
        let copy = self.subject.copy()?;
        let only = if tests.is_empty() { Vec::new() } else { only };
        let plan = self.subject.plan(only, self.subject.deadlines(&self.baseline.report), OnCrash::GoOn);
        self.subject.run(&copy, &plan).await
    }

    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError> {
        let make = || self.subject.failing_coverage(&self.baseline);
        self.coverage.get_or_try_init(make).await.cloned()
    }

    async fn spectrum(&self, scope: &SpectrumScope) -> Result<Option<Spectrum>, ValidateError> {
        coverage::by_test(&*self.subject, &self.baseline, scope).await
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
