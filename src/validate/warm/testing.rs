//! The test side: processes that stay, the order of the tests, and when a failure here is believed.

use super::selection::changed;
use super::{Haste, Inner};
use crate::domain::{Outcome, TestId, TestReport, TestStatus, outer_class};
use crate::validate::jvm::{Classes, WorkerSetup, Workers};
use crate::validate::memory::KILLERS;
use crate::validate::plan::{Deadlines, OnCrash, Plan};
use crate::validate::plausible::{Extent, Judged, judge};
use crate::validate::second_look::SecondLook;
use crate::validate::subject::Copy;
use crate::validate::suite::spelled;
use crate::validate::{Baseline, ValidateError, Validator, coverage, resources};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Time of a test without end for a candidate of a batch: an endless candidate must not cost what twenty others do. A
/// candidate that is proposed by itself gets the whole time, and so does every confirmation.
const BRIEF: Duration = Duration::from_millis(1500);

/// The test side, once it has shown that it tells a failure from a pass.
pub(super) struct Warm {
    pub(super) workers: Mutex<Workers>,
    /// The baseline, with the tests on which warm and cold were seen to disagree set aside.
    baseline: Mutex<Trusted>,
    /// Working directory of the workers.
    _copy: Copy,
}

/// The baseline as far as a warm process can be believed.
struct Trusted {
    baseline: Arc<Baseline>,
    /// Tests that passed on the untouched code in a warm process: when they fail, it is the candidate.
    seen: BTreeSet<TestId>,
}

impl Warm {
    /// What candidates are judged against here.
    pub(super) async fn baseline(&self) -> Arc<Baseline> {
        self.baseline.lock().await.baseline.clone()
    }
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
        let cold = self.cold.baseline();
        let trial: Vec<TestId> = quick_failures(cold).collect();
        if !trial.is_empty() {
            let plan = subject.plan(trial, subject.deadlines(&cold.report), OnCrash::Stop);
            fails_here_too(cold, &workers.run(&Classes::new(), &plan, &[]).await?)?;
        }
        let trusted = Trusted { baseline: Arc::new(cold.clone()), seen: BTreeSet::new() };
        Ok(Warm { workers: Mutex::new(workers), baseline: Mutex::new(trusted), _copy: copy })
    }

    /// The ladder from the tests on.
    pub(super) async fn test(
        &self,
        warm: &Warm,
        classes: &Classes,
        haste: Haste,
    ) -> Result<(TestReport, Judged), ValidateError> {
        let mut workers = warm.workers.lock().await;
        let (told, judged) = self.test_triggering(warm, &mut workers, classes, haste).await?;
        if judged.outcome != Outcome::PassedWarm {
            return Ok((told, judged));
        }
        loop {
            let baseline = warm.baseline().await;
            let (report, judged) = self.test_others(&baseline, &mut workers, classes, &told).await?;
            if self.believes(warm, &mut workers, &judged).await? {
                return Ok((report, judged));
            }
        }
    }

    /// Whether it is the candidate that speaks against itself: a test that passes cold may fail in every warm process,
    /// and then it is set aside here. Asked once of every test.
    async fn believes(&self, warm: &Warm, workers: &mut Workers, judged: &Judged) -> Result<bool, ValidateError> {
        let mut trusted = warm.baseline.lock().await;
        let passing = judged.against.iter().filter(|id| trusted.baseline.passing.contains(*id));
        let open: Vec<TestId> = passing.filter(|id| !trusted.seen.contains(*id)).cloned().collect();
        if open.is_empty() || judged.outcome == Outcome::MissingTests {
            return Ok(true);
        }
        let plan = self.cold.subject.plan(open.clone(), self.deadlines(&trusted.baseline), OnCrash::GoOn);
        let report = workers.run(&Classes::new(), &plan, &[]).await?;
        let (seen, differ): (BTreeSet<TestId>, BTreeSet<TestId>) = open.into_iter().partition(|id| passed(&report, id));
        trusted.seen.extend(seen);
        if differ.is_empty() {
            return Ok(true);
        }
        tracing::info!("judged in cold processes only: {}", named(&differ));
        let mut baseline = Baseline::clone(&trusted.baseline);
        baseline.passing.retain(|id| !differ.contains(id));
        if baseline.passing.len() * 2 < self.cold.baseline().passing.len() {
            return Err(ValidateError::Tool {
                what: "most tests do not pass in a warm process".into(),
                hint: "nothing to do; the cold judge is slower and right".into(),
            });
        }
        trusted.baseline = Arc::new(baseline);
        Ok(false)
    }

    fn deadlines(&self, baseline: &Baseline) -> Deadlines {
        self.cold.subject.deadlines(&baseline.report)
    }

    /// The tests that must begin to pass.
    async fn test_triggering(
        &self,
        warm: &Warm,
        workers: &mut Workers,
        classes: &Classes,
        haste: Haste,
    ) -> Result<(TestReport, Judged), ValidateError> {
        let baseline = warm.baseline().await;
        let mut first = self.deadlines(&baseline);
        if haste == Haste::Batch {
            first.own.extend(coverage::endless(&baseline).map(|id| (id.clone(), brief(&baseline, id))));
        }
        let plan = self.cold.subject.plan(baseline.triggering.clone(), first, OnCrash::Stop);
        let mut report = workers.run(classes, &plan, &[]).await?;
        let judged = judge(&baseline, &report, Extent::Triggering);
        let Some(look) = SecondLook::at(&baseline, &report, &judged, &plan.deadlines) else {
            return Ok((report, judged));
        };
        let alone = self.alone(workers, classes, &look).await?;
        if !look.clears(&alone) {
            return Ok((report, look.stands(judged)));
        }
        report.results.extend(alone.results);
        // The run of all tests asks the others again.
        Ok((report, Judged { outcome: Outcome::PassedWarm, ..judged }))
    }

    /// The tests that stopped earlier candidates, then all that can notice the change.
    async fn test_others(
        &self,
        baseline: &Baseline,
        workers: &mut Workers,
        classes: &Classes,
        told: &TestReport,
    ) -> Result<(TestReport, Judged), ValidateError> {
        let deadlines = self.deadlines(baseline);
        let (plan, baseline) = self.selected(baseline, classes, deadlines.clone()).await?;
        let killers: Vec<TestId> =
            self.memory.killers().into_iter().filter(|id| baseline.passing.contains(id)).collect();
        if !killers.is_empty() && baseline.passing.len() > 2 * KILLERS {
            let plan = self.cold.subject.plan(killers, deadlines.clone(), OnCrash::Stop);
            let must: Vec<String> = plan.only.iter().map(spelled).collect();
            let mut first = workers.run(classes, &plan, &must).await?;
            first.results.extend(told.results.clone());
            let judged = judge(&baseline, &first, Extent::Full);
            if matches!(judged.outcome, Outcome::Regression | Outcome::Crash | Outcome::OutOfMemory) {
                return Ok((first, judged));
            }
        }
        let (all, judged) = run_all(&baseline, workers, classes, &plan, told).await?;
        let Some(look) = SecondLook::at(&baseline, &all, &judged, &deadlines) else { return Ok((all, judged)) };
        if !look.clears(&self.alone(workers, classes, &look).await?) {
            return Ok((all, look.stands(judged)));
        }
        let plan = Plan { deadlines: look.all.clone(), ..plan };
        let (all, judged) = run_all(&baseline, workers, classes, &plan, told).await?;
        Ok((all, look.revised(judged)))
    }

    /// The plan of the tests that can notice the change, cheapest class first, and the baseline as far as they go.
    async fn selected(
        &self,
        baseline: &Baseline,
        candidate: &Classes,
        deadlines: Deadlines,
    ) -> Result<(Plan, Baseline), ValidateError> {
        let mut plan = self.cold.subject.whole_plan(baseline, deadlines);
        let Some(selection) = self.selection().await else { return Ok((plan, baseline.clone())) };
        let changed = changed(&self.jvm, candidate);
        let triggering: BTreeSet<&str> = baseline.triggering.iter().map(TestId::outer_class).collect();
        let wanted = |class: &str| triggering.contains(class) || selection.holds(class, &changed);
        plan.classes.retain(|class| wanted(outer_class(class)));
        let mut cost: BTreeMap<&str, u64> = BTreeMap::new();
        for result in baseline.report.results.values() {
            *cost.entry(result.id.outer_class()).or_default() += result.millis;
        }
        plan.classes.sort_by_key(|class| cost.get(outer_class(class)).copied().unwrap_or_default());
        let mut selected = baseline.clone();
        selected.passing.retain(|id| wanted(id.outer_class()));
        Ok((plan, selected))
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
}

/// All tests of a plan, after the triggering ones were told.
async fn run_all(
    baseline: &Baseline,
    workers: &mut Workers,
    classes: &Classes,
    plan: &Plan,
    told: &TestReport,
) -> Result<(TestReport, Judged), ValidateError> {
    let must: Vec<String> = baseline.passing.iter().map(spelled).collect();
    let mut report = workers.run(classes, plan, &must).await?;
    for (id, result) in &told.results {
        // A run that was stopped early may not have come to them again.
        report.results.entry(id.clone()).or_insert_with(|| result.clone());
    }
    let judged = judge(baseline, &report, Extent::Full);
    Ok((report, judged))
}

fn passed(report: &TestReport, id: &TestId) -> bool {
    report.results.get(id).is_some_and(|result| result.status == TestStatus::Passed)
}

fn named(tests: &BTreeSet<TestId>) -> String {
    tests.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
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

/// What fails in a process of its own must fail here too, before anything here is believed.
fn fails_here_too(cold: &Baseline, warm: &TestReport) -> Result<(), ValidateError> {
    match quick_failures(cold).find(|id| passed(warm, id)) {
        None => Ok(()),
        Some(id) => Err(ValidateError::Tool {
            what: format!("{id} fails in a process of its own and passes in a warm one"),
            hint: "nothing to do; the cold judge is slower and right".into(),
        }),
    }
}
