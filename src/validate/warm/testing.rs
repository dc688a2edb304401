//! The test side: processes that stay, believed once they agree with the cold baseline, and the order of the tests.

use super::{Haste, Inner};
use crate::domain::{Outcome, TestId, TestReport, TestStatus};
use crate::validate::jvm::{Classes, WorkerSetup, Workers};
use crate::validate::memory::KILLERS;
use crate::validate::plan::{Deadlines, OnCrash};
use crate::validate::plausible::{Extent, Judged, judge};
use crate::validate::second_look::SecondLook;
use crate::validate::subject::Copy;
use crate::validate::suite::spelled;
use crate::validate::{Baseline, ValidateError, Validator, coverage, resources};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::Mutex;

/// Time of a test without end for a candidate of a batch: an endless candidate must not cost what twenty others do. A
/// candidate that is proposed by itself gets the whole time, and so does every confirmation.
const BRIEF: Duration = Duration::from_millis(1500);

/// The test side, once it has shown that it agrees with the cold baseline.
pub(super) struct Warm {
    pub(super) workers: Mutex<Workers>,
    /// The baseline without tests on which warm and cold disagree.
    pub(super) baseline: Baseline,
    /// Tests that must pass, as the runner spells them.
    must: Vec<String>,
    /// Working directory of the workers.
    _copy: Copy,
}

impl Inner {
    pub(super) async fn start_workers(&self) -> Result<Warm, ValidateError> {
        let (subject, jvm) = (&self.cold.subject, &self.jvm);
        let copy = subject.copy()?;
        let suite = jvm.suite(&copy);
        let resources = jvm.checkout.project.resources.iter().map(|folder| folder.under(&copy.tree));
        let beside = resources::beside(&jvm.classes, &copy.scratch)?;
        let libraries = resources.chain(beside).chain(jvm.class_path.libraries.iter().cloned()).collect();
        let plan = subject.plan(Vec::new(), subject.deadlines(&self.cold.baseline().report), OnCrash::GoOn);
        let mut workers = Workers::new(WorkerSetup {
            sandbox: jvm.sandbox.clone(),
            jdk: jvm.jdk.clone(),
            runner: jvm.harness.classes.clone(),
            classes: jvm.classes.clone(),
            libraries,
            cwd: suite.cwd.clone(),
            writable: suite.writable.clone(),
            heap_mib: jvm.options.heap_mib,
            jvm_args: plan.args.clone(),
        });
        // What passes in a process of its own must pass here too, before anything here is believed.
        let cold = self.cold.baseline();
        let mut trial: Vec<TestId> = cold.passing.iter().cloned().collect();
        trial.extend(quick_failures(cold));
        let report = if trial.is_empty() {
            cold.report.clone()
        } else {
            let plan = subject.plan(trial, subject.deadlines(&cold.report), OnCrash::Stop);
            workers.run(&Classes::new(), &plan, &[]).await?
        };
        let baseline = agreed(cold, &report)?;
        let must = baseline.passing.iter().map(spelled).collect();
        Ok(Warm { workers: Mutex::new(workers), baseline, must, _copy: copy })
    }

    /// The ladder from the tests on.
    pub(super) async fn test(
        &self,
        warm: &Warm,
        classes: &Classes,
        haste: Haste,
    ) -> Result<(TestReport, Judged), ValidateError> {
        let subject = &self.cold.subject;
        let mut workers = warm.workers.lock().await;
        let deadlines = subject.deadlines(&warm.baseline.report);
        let mut first = deadlines.clone();
        if haste == Haste::Batch {
            first.own.extend(coverage::endless(&warm.baseline).map(|id| (id.clone(), brief(&warm.baseline, id))));
        }
        let triggering = subject.plan(warm.baseline.triggering.clone(), first, OnCrash::Stop);
        let mut report = workers.run(classes, &triggering, &[]).await?;
        let judged = judge(&warm.baseline, &report, Extent::Triggering);
        if judged.outcome != Outcome::PassedWarm {
            let Some(look) = SecondLook::at(&warm.baseline, &report, &judged, &triggering.deadlines) else {
                return Ok((report, judged));
            };
            let alone = self.alone(&mut workers, classes, &look).await?;
            if !look.clears(&alone) {
                return Ok((report, look.stands(judged)));
            }
            report.results.extend(alone.results);
        }
        let killers = self.memory.killers();
        if !killers.is_empty() && warm.baseline.passing.len() > 2 * KILLERS {
            let plan = subject.plan(killers, deadlines.clone(), OnCrash::Stop);
            let mut first = workers.run(classes, &plan, &warm.must).await?;
            first.results.extend(report.results.clone());
            let judged = judge(&warm.baseline, &first, Extent::Full);
            if matches!(judged.outcome, Outcome::Regression | Outcome::Crash | Outcome::OutOfMemory) {
                return Ok((first, judged));
            }
        }
        let (all, judged) = self.run_all(warm, &mut workers, classes, &deadlines, &report).await?;
        let Some(look) = SecondLook::at(&warm.baseline, &all, &judged, &deadlines) else { return Ok((all, judged)) };
        if !look.clears(&self.alone(&mut workers, classes, &look).await?) {
            return Ok((all, look.stands(judged)));
        }
        let (all, judged) = self.run_all(warm, &mut workers, classes, &look.all, &report).await?;
        Ok((all, look.revised(judged)))
    }

    /// Some tests by themselves; the process that was cut is gone, so this one is fresh.
    async fn alone(
        &self,
        workers: &mut Workers,
        classes: &Classes,
        look: &SecondLook,
    ) -> Result<TestReport, ValidateError> {
        let plan = self.cold.subject.plan(look.tests.clone(), look.alone.clone(), OnCrash::Stop);
        Ok(workers.run(classes, &plan, &[]).await?)
    }

    /// All tests, after the triggering ones were told.
    async fn run_all(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        classes: &Classes,
        deadlines: &Deadlines,
        told: &TestReport,
    ) -> Result<(TestReport, Judged), ValidateError> {
        let plan = self.cold.subject.whole_plan(&warm.baseline, deadlines.clone());
        let mut report = workers.run(classes, &plan, &warm.must).await?;
        for (id, result) in &told.results {
            // A run that was stopped early may not have come to them again.
            report.results.entry(id.clone()).or_insert_with(|| result.clone());
        }
        let judged = judge(&warm.baseline, &report, Extent::Full);
        Ok((report, judged))
    }
}

/// What a test without end gets in a batch: where its neighbours are quick, so should it be.
fn brief(baseline: &Baseline, id: &TestId) -> Duration {
    let neighbours = baseline.report.results.values().filter(|result| result.id.class == id.class);
    let slowest = neighbours.filter(|result| result.status == TestStatus::Passed).map(|result| result.millis).max();
    slowest.map_or(BRIEF, |millis| Duration::from_millis(20 * millis).clamp(BRIEF / 2, BRIEF))
}

/// Triggering tests that fail by themselves and soon: cheap to see fail once more.
fn quick_failures(cold: &Baseline) -> impl Iterator<Item = TestId> + '_ {
    let quick = |id: &&TestId| {
        cold.report.results.get(*id).is_some_and(|result| {
            let by_itself = result.failure.as_ref().is_some_and(|why| why.kind.contains('.'));
            result.status == TestStatus::Failed && by_itself && result.millis < 300
        })
    };
    cold.triggering.iter().filter(quick).cloned()
}

/// The cold baseline without the tests that do not pass warm.
fn agreed(cold: &Baseline, warm: &TestReport) -> Result<Baseline, ValidateError> {
    let passes = |id: &TestId| warm.results.get(id).is_some_and(|result| result.status == TestStatus::Passed);
    let (passing, differ): (BTreeSet<TestId>, BTreeSet<TestId>) =
        cold.passing.iter().cloned().partition(|id| passes(id));
    if differ.len() * 2 > cold.passing.len() {
        return Err(ValidateError::Tool {
            what: format!("{} of {} tests do not pass in a warm process", differ.len(), cold.passing.len()),
            hint: "nothing to do; the cold judge is slower and right".into(),
        });
    }
    if let Some(id) = quick_failures(cold).find(|id| passes(id)) {
        return Err(ValidateError::Tool {
            what: format!("{id} fails in a process of its own and passes in a warm one"),
            hint: "nothing to do; the cold judge is slower and right".into(),
        });
    }
    if !differ.is_empty() {
        tracing::info!("{} tests are judged in cold processes only, {:?} among them", differ.len(), differ.first());
    }
    Ok(Baseline { passing, ..cold.clone() })
}
