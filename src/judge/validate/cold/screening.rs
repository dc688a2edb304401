//! The first look at candidates of which few are confirmed: the triggering tests, then the rest of their classes.

use super::{ColdJudge, answer};
use crate::domain::{Outcome, Patch, RunEnd, TestId, TestReport, TestStatus, Validation, outer_class};
use crate::validate::ValidateError;
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::plausible::{self, Judged};
use crate::validate::subject::Build;
use crate::validate::untouched;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for triggering tests before it is seen whether one fails; those that did not begin say nothing then.
const SOME: Duration = Duration::from_secs(2);
/// Classes whose tests take longer than this together are slow.
const SLOW: Duration = Duration::from_secs(10);
/// Further runs of tests that passed before and fail with a patch whose triggering tests pass.
const AGAIN: usize = 3;

/// Tests that run in children of a waiting process; each holds those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Served {
    Nothing,
    Triggering,
    Classes,
}

impl ColdJudge {
    /// Runs a plan with a patch in the quickest way that tells what fresh processes tell.
    async fn run_quickly(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        plan: &Plan,
        asked: Served,
    ) -> Result<TestReport, ValidateError> {
        let served = *self.served.get_or_init(|| self.served_alike()).await;
        match served >= asked {
            true => self.subject.run_served(patch, build, plan).await,
            false => self.subject.run(&self.subject.copy_with(patch, build)?, plan).await,
        }
    }

    /// Of which tests children of a waiting process say on the untouched tree what fresh processes said.
    async fn served_alike(&self) -> Served {
        let subject = &*self.subject;
        if !subject.is_quicker_served() {
            return Served::Nothing;
        }
        let (report, triggering) = (&self.baseline.report, &self.baseline.triggering);
        let classes = subject.classes_of(triggering);
        let inside = |id: &TestId| classes.iter().any(|class| outer_class(class) == id.outer_class());
        let took: u64 = report.results.values().filter(|result| inside(&result.id)).map(|result| result.millis).sum();
        // Of slow classes few candidates see more than the triggering tests.
        let asked = if Duration::from_millis(took) > SLOW { Served::Triggering } else { Served::Classes };
        let plan = match asked {
            Served::Classes => subject.plan(classes.clone(), subject.deadlines(report)),
            _ => subject.plan_of(triggering.clone(), subject.deadlines(report)),
        };
        let served = async {
            let build = Arc::new(Build::new(&subject.options().work_dir)?);
            subject.run_served(&Patch::default(), &build, &plan).await
        };
        let counts = |id: &TestId| match asked {
            Served::Classes => inside(id) && !self.baseline.set_aside.contains_key(id),
            _ => triggering.contains(id),
        };
        let statuses = |report: &TestReport| -> BTreeMap<TestId, TestStatus> {
            let all = report.results.values().filter(|result| counts(&result.id));
            all.map(|result| (result.id.clone(), result.status)).collect()
        };
        if served.await.is_ok_and(|served| statuses(&served) == statuses(report)) {
            return asked;
        }
        tracing::info!("candidates run in fresh processes: tests end otherwise in one that has loaded libraries");
        Served::Nothing
    }

    /// The triggering tests with a patch, and the rest of their classes if those pass: for candidates of which few are
    /// confirmed.
    pub(in crate::validate) async fn test_classes(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let subject = &*self.subject;
        let build = match subject.build(patch).await? {
            Ok(build) => Arc::new(build),
            Err(refused) => return Ok(Validation { seconds: begin.elapsed().as_secs_f64(), ..refused }),
        };
        let classes = subject.classes_of(&self.baseline.triggering);
        let deadlines = subject.quick_deadlines(&self.baseline.report);
        let plan = subject.plan_of(self.baseline.triggering.clone(), deadlines.clone()).until_lost();
        let some = Plan { deadlines: Deadlines { total: SOME, ..deadlines.clone() }, ..plan.clone() };
        let mut report = self.run_quickly(patch, &build, &some, Served::Triggering).await?;
        if report.end != RunEnd::Complete && report.failing().next().is_none() {
            report = self.run_quickly(patch, &build, &plan, Served::Triggering).await?;
        }
        let judged = plausible::triggering(&self.baseline, &report);
        if matches!(judged.outcome, Outcome::Failed | Outcome::Timeout) {
            return Ok(answer(&report, judged, begin.elapsed().as_secs_f64()));
        }
        let plan = subject.plan(classes, deadlines.clone()).until_lost();
        let report = self.run_quickly(patch, &build, &plan, Served::Classes).await?;
        let mut judged = plausible::triggering(&self.baseline, &report);
        let passed_before = |id: &&TestId| self.baseline.passing.contains(*id);
        let mut against: Vec<TestId> =
            plausible::not_passed(&self.baseline, &report).filter(passed_before).cloned().collect();
        // One that fails now and then is no regression; one that was cut would be cut again.
        let is_lost = against.iter().any(|id| report.results.get(id).is_none_or(|result| result.loss.is_some()));
        let again = if judged.outcome == Outcome::PassedWarm && !is_lost { AGAIN } else { 0 };
        for _ in 0..again {
            if against.is_empty() {
                break;
            }
            let plan = subject.plan_of(against.clone(), deadlines.clone());
            let again = self.run_quickly(patch, &build, &plan, Served::Classes).await?;
            against.retain(|id| untouched::passes(&again, id) != Some(true));
        }
        if let (Outcome::PassedWarm, Some(id)) = (judged.outcome, against.first()) {
            let detail = format!("{id} passed before and does not with the patch ({} such tests)", against.len());
            let outcome = plausible::objection(report.results.get(id));
            judged = Judged { outcome, detail, against, ..judged };
        }
        Ok(answer(&report, judged, begin.elapsed().as_secs_f64()))
    }
}
