//! The test side: processes that stay, and when a failure here is believed.
//!
//! A candidate that is proposed by itself runs the triggering tests only: who passes them goes to the confirmation at once.
//! One of a batch also runs the tests near its change, within a short time, because few of a batch are confirmed.

use super::trust::Trust;
use super::{Haste, Inner};
use crate::domain::{Outcome, Patch, TestId, TestReport, Validation, outer_class};
use crate::validate::jvm::{Classes, WorkerSetup, Workers};
use crate::validate::own::is_doubtful;
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::plausible::{self, Judged, not_passed, objection};
use crate::validate::subject::Build;
use crate::validate::suite::spelled;
use crate::validate::untouched::passes;
use crate::validate::{Baseline, Judge, ValidateError, clean, cold, coverage, resources};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Time for the tests near a change, for a candidate of a batch.
const NEAR: Duration = Duration::from_secs(3);
/// Steps from a changed class to a test class that is near.
const STEPS: u32 = 2;
/// Tests that stopped earlier candidates and are asked before the rest.
const KILLERS: usize = 20;
/// Triggering tests that are tried without a patch, at most: some of many stand for the others.
const TRIED: usize = 100;

/// The test side, once it has shown that it tells a failure from a pass.
pub(super) struct Warm {
    pub(super) workers: Mutex<Workers>,
    pub(super) trust: Mutex<Trust>,
    /// The triggering tests that end here as in a process of their own, as far as they were tried.
    pub(super) asked: Vec<TestId>,
    /// Copies of the resources beside the classes.
    _resources: Build,
}

impl Inner {
    pub(super) async fn start_workers(&self) -> Result<Warm, ValidateError> {
        let jvm = &self.jvm;
        let scratch = Build::new(&jvm.options.work_dir)?;
        let classes: Vec<_> = jvm.folders.all().cloned().collect();
        let copied = resources::copied(&classes, &scratch.scratch)?;
        let mut workers = Workers::new(WorkerSetup {
            sandbox: jvm.sandbox.clone(),
            jdk: jvm.jdk.clone(),
            runner: jvm.harness.classes.clone(),
            classes,
            copied,
            libraries: jvm.class_path.libraries.clone(),
            checkout: jvm.checkout.clone(),
            work_dir: jvm.options.work_dir.clone(),
            heap_mib: jvm.options.heap_mib,
            jvm_args: self.cold.subject.args(),
        });
        let baseline = self.cold.baseline();
        let quick: Vec<TestId> = quick_failures(baseline).collect();
        let trial: Vec<TestId> = quick.iter().step_by(quick.len().div_ceil(TRIED).max(1)).cloned().collect();
        let odd = match trial.is_empty() {
            true => BTreeSet::new(),
            false => {
                let report = workers.run(&Classes::new(), &self.plan(trial.clone()), &[]).await?;
                self.odd(&report, &trial)?
            }
        };
        let trust = self.trust(&mut workers).await?;
        let asked = baseline.triggering.iter().filter(|id| !odd.contains(id)).cloned().collect();
        Ok(Warm { workers: Mutex::new(workers), trust: Mutex::new(trust), asked, _resources: scratch })
    }

    /// The tests of a trial that end otherwise here than in a process of their own: a library that loads classes of the
    /// product does not see them here.
    ///
    /// # Errors
    /// They are too many for the others to count.
    fn odd<'t>(&self, report: &TestReport, trial: &'t [TestId]) -> Result<BTreeSet<&'t TestId>, ValidateError> {
        // Who fails for another reason here, such as a resource that is not found, would fail with any patch.
        let is_odd = |id: &&TestId| passes(report, id) != Some(false) || self.fails_otherwise(report, id);
        let odd: BTreeSet<&TestId> = trial.iter().filter(is_odd).collect();
        let Some(first) = odd.first().filter(|_| odd.len() * cold::ODD > trial.len()) else {
            return Ok(odd);
        };
        let [cold, warm] = [&self.cold.baseline().report, report].map(|report| how(report, first));
        let what = format!("{first} ends in a process of its own by {cold}, and in a warm one by {warm}");
        Err(ValidateError::Tool { what, hint: "nothing to do; the cold judge is slower and right".into() })
    }

    /// A plan of some tests that ends at the first loss.
    pub(super) fn plan(&self, tests: Vec<TestId>) -> Plan {
        let subject = &*self.cold.subject;
        subject.plan_of(tests, subject.quick_deadlines(self.cold.baseline())).until_lost()
    }

    /// The steps from the tests on.
    pub(super) async fn test(
        &self,
        warm: &Warm,
        patch: &Patch,
        classes: &Classes,
        haste: Haste,
    ) -> Result<Validation, ValidateError> {
        let mut workers = warm.workers.lock().await;
        match haste {
            Haste::One => self.test_one(warm, &mut workers, patch, classes).await,
            Haste::Batch => {
                let answer = self.test_in_batch(warm, &mut workers, patch, classes).await?;
                self.seconded(warm, patch, haste, answer).await
            }
        }
    }

    /// Before a no is said, the triggering tests run in a fresh process and a fresh copy, where no earlier candidate left
    /// anything; what they do not explain by themselves is asked of the cold judge.
    async fn test_one(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        patch: &Patch,
        classes: &Classes,
    ) -> Result<Validation, ValidateError> {
        let is_fresh = workers.is_fresh();
        let (_, mut answer) = self.triggering(warm, workers, classes, &self.plan(warm.asked.clone())).await?;
        if answer.outcome == Outcome::PassedWarm {
            return Ok(answer);
        }
        if !is_fresh {
            workers.renew();
            answer = self.triggering(warm, workers, classes, &self.plan(warm.asked.clone())).await?.1;
        }
        if answer.outcome == Outcome::PassedWarm {
            return Ok(answer);
        }
        if answer.outcome == Outcome::Failed && !is_doubtful(&answer) {
            return self.seconded(warm, patch, Haste::One, answer).await;
        }
        let surer = self.cold.validate(patch).await?;
        self.note(&answer, &surer);
        Ok(surer)
    }

    async fn triggering(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        classes: &Classes,
        plan: &Plan,
    ) -> Result<(TestReport, Validation), ValidateError> {
        let report = workers.run(classes, plan, &[]).await?;
        let judged = plausible::of_tests(self.cold.baseline(), &warm.asked, &report);
        let answer = cold::answer(&report, judged, 0.0);
        Ok((report, answer))
    }

    async fn test_in_batch(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        patch: &Patch,
        classes: &Classes,
    ) -> Result<Validation, ValidateError> {
        let baseline = self.cold.baseline();
        let mut first = None;
        if let Some(few) = cold::few(&warm.asked, baseline) {
            let (report, answer) = self.test_clean(warm, workers, classes, &few).await?;
            if cold::mends_none(&few, &report, baseline) {
                return Ok(answer);
            }
            // Who is cut by a few is cut by all, too.
            let is_stuck = answer.outcome == Outcome::Timeout && answer.fixed == 0;
            first = is_stuck.then_some((report, answer));
        }
        if let (None, Some(cheap)) = (&first, cold::cheap_of(&warm.asked, baseline)) {
            first = Some(self.test_clean(warm, workers, classes, &cheap).await?);
        }
        let (report, mut answer) = match first {
            Some((_, answer)) if answer.outcome == Outcome::Failed => return Ok(answer),
            Some(cut) if cut.1.outcome == Outcome::Timeout => cut,
            _ => self.test_clean(warm, workers, classes, &warm.asked).await?,
        };
        let is_promising = cold::needs_time(answer.outcome, answer.fixed)
            || self.passes_later(warm, workers, classes, &report).await?;
        if is_promising {
            let plan = Plan { deadlines: self.cold.patient_deadlines(), ..self.plan(warm.asked.clone()) };
            answer = self.triggering(warm, workers, classes, &plan).await?.1;
            if answer.outcome != Outcome::Timeout {
                self.cold.was_worth_it();
            }
        }
        if answer.outcome != Outcome::PassedWarm {
            return Ok(answer);
        }
        self.test_near(warm, workers, patch, classes).await
    }

    /// Whether a triggering test that was cut passes with more time, where the candidate may have it.
    async fn passes_later(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        classes: &Classes,
        report: &TestReport,
    ) -> Result<bool, ValidateError> {
        let Some((id, deadlines)) = self.cold.more_time(&warm.asked, report) else {
            return Ok(false);
        };
        let plan = Plan { deadlines, ..self.plan(vec![id.clone()]) };
        let passes = passes(&workers.run(classes, &plan, &[]).await?, &id) == Some(true);
        if passes {
            self.cold.was_worth_it();
        }
        Ok(passes)
    }

    /// Some triggering tests, in a short time. Where they fail otherwise than before, and fail so without the candidate, too,
    /// an earlier candidate left something behind: they run again in a new process.
    async fn test_clean(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        classes: &Classes,
        tests: &[TestId],
    ) -> Result<(TestReport, Validation), ValidateError> {
        let mut plan = self.plan(tests.to_vec());
        plan.deadlines.own.extend(coverage::brief(self.cold.baseline()));
        let is_fresh = workers.is_fresh();
        let first = self.triggering(warm, workers, classes, &plan).await?;
        if first.1.outcome == Outcome::Failed && !is_fresh && self.fails_elsewhere(&first.1) {
            let untouched = workers.run(&Classes::new(), &plan, &[]).await?;
            if tests.iter().any(|id| self.fails_otherwise(&untouched, id)) {
                workers.renew();
                return self.triggering(warm, workers, classes, &plan).await;
            }
        }
        Ok(first)
    }

    /// The tests that stopped earlier candidates, then those near the change.
    async fn test_near(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        patch: &Patch,
        classes: &Classes,
    ) -> Result<Validation, ValidateError> {
        let baseline = self.cold.baseline();
        let mut trust = warm.trust.lock().await;
        let subject = &*self.cold.subject;
        let mut deadlines = subject.quick_deadlines(baseline);
        deadlines.total = NEAR;
        let killers = trust.agreed.clone();
        if !killers.is_empty() {
            let plan = subject.plan_of(killers.clone(), deadlines.clone()).until_lost();
            let must: Vec<String> = killers.iter().map(spelled).collect();
            let report = workers.run(classes, &plan, &must).await?;
            if let Some(against) = self.against(&mut trust, workers, patch, &report).await? {
                return Ok(against);
            }
        }
        let plan = self.near(classes, deadlines);
        let must: Vec<String> = trust.passing.union(&baseline.passing).map(spelled).collect();
        let report = workers.run(classes, &plan, &must).await?;
        if let Some(against) = self.against(&mut trust, workers, patch, &report).await? {
            return Ok(against);
        }
        let of = warm.asked.len();
        let judged = Judged {
            outcome: Outcome::PassedWarm,
            detail: format!("{of} of {of} triggering tests pass"),
            against: Vec::new(),
            fixed: of,
        };
        Ok(cold::answer(&report, judged, 0.0))
    }

    /// The classes of the triggering tests and those near the change.
    fn near(&self, classes: &Classes, deadlines: Deadlines) -> Plan {
        let changed: BTreeSet<String> = classes.keys().map(|name| name.replace('.', "/")).collect();
        let steps = self.jvm.references().distances(&changed);
        let baseline = self.cold.baseline();
        let triggering: BTreeSet<&str> = baseline.triggering.iter().map(TestId::outer_class).collect();
        let distance = |class: &str| match triggering.contains(class) {
            true => Some(0),
            false => steps.get(class).copied().filter(|steps| *steps <= STEPS),
        };
        let mut near: Vec<(u32, String)> =
            self.jvm.tests.iter().filter_map(|class| Some((distance(outer_class(class))?, class.clone()))).collect();
        near.sort();
        let classes = near.into_iter().map(|(_, class)| class).collect();
        self.cold.subject.plan(classes, deadlines).until_lost().without(&baseline.unended)
    }

    /// What speaks against a candidate in a report, once it is known to come from the candidate: the tests pass here
    /// without it, and a fresh process has seen them fail with some patch.
    async fn against(
        &self,
        trust: &mut Trust,
        workers: &mut Workers,
        patch: &Patch,
        report: &TestReport,
    ) -> Result<Option<Validation>, ValidateError> {
        let baseline = self.cold.baseline();
        let counts = |id: &&TestId| !trust.aside.contains(*id) && !baseline.set_aside.contains_key(*id);
        let failing: Vec<TestId> = not_passed(baseline, report).filter(counts).cloned().collect();
        self.ask_untouched(trust, workers, &failing).await?;
        let mut failing: Vec<TestId> = failing.into_iter().filter(|id| trust.passing.contains(id)).collect();
        while let Some(first) = failing.first().cloned() {
            let known = failing.iter().find(|id| trust.agreed.contains(id)).cloned();
            let by = match known {
                Some(id) => id,
                None if self.fails_cold(patch, &first).await? => {
                    trust.agreed.push(first.clone());
                    let over = trust.agreed.len().saturating_sub(KILLERS);
                    trust.agreed.drain(..over);
                    first
                }
                None => {
                    trust.aside.insert(first.clone());
                    failing.remove(0);
                    continue;
                }
            };
            let outcome = objection(report.results.get(&by));
            let n = failing.len();
            let detail = format!("{by} does not pass, and does without the patch ({n} such tests near the change)");
            let judged = Judged { outcome, detail, against: failing, fixed: baseline.triggering.len() };
            return Ok(Some(cold::answer(report, judged, 0.0)));
        }
        Ok(None)
    }

    /// Whether a test fails with a patch in a fresh process, too.
    async fn fails_cold(&self, patch: &Patch, id: &TestId) -> Result<bool, ValidateError> {
        let subject = &*self.cold.subject;
        let build = match subject.build(patch).await? {
            Ok(build) => Arc::new(build),
            Err(_) => return Ok(true),
        };
        let deadlines = subject.deadlines_for(self.cold.baseline());
        let plan = subject.plan_of(vec![id.clone()], deadlines);
        let report = subject.run(&subject.copy_with(patch, &build)?, &plan).await?;
        let fails = passes(&report, id) != Some(true);
        if !fails {
            let detail = format!("{id} does not pass in a process that stays, and does in a fresh one");
            self.disagree(Outcome::Regression, Outcome::PassedWarm, detail);
        }
        Ok(fails)
    }
}

/// How a test failed; what keeps a class from running is told of the class.
fn how(report: &TestReport, id: &TestId) -> String {
    let class = TestId::new(&id.class, "");
    let result = [id, &class].into_iter().find_map(|id| report.results.get(id));
    let failure = result.and_then(|result| result.failure.as_ref()).map(clean::clean);
    failure.map_or_else(|| "nothing".to_owned(), |why| format!("{}: {}", why.kind, why.message))
}

/// Triggering tests that fail by themselves and soon: cheap to see fail once more.
fn quick_failures(baseline: &Baseline) -> impl Iterator<Item = TestId> + '_ {
    let quick = |id: &&TestId| {
        baseline.report.results.get(*id).is_some_and(|result| {
            let by_itself = result.failure.as_ref().is_some_and(|why| why.kind.contains('.'));
            !result.passed() && result.loss.is_none() && by_itself && result.millis < 300
        })
    };
    baseline.triggering.iter().filter(quick).cloned()
}
