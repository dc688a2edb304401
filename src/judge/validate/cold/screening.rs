//! The first look at candidates of which few are confirmed: the triggering tests, then the rest of their classes.

use super::{ColdJudge, answer};
use crate::domain::{Outcome, Patch, RunEnd, TestId, TestReport, TestStatus, Validation};
use crate::validate::ValidateError;
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::plausible::{self, Judged};
use crate::validate::subject::Build;
use crate::validate::{coverage, untouched};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Triggering tests that a candidate is tried by first: one that mends none of them is not tried by the others.
const FEW: usize = 8;
/// Time for triggering tests before it is seen whether one fails; those that did not begin say nothing then.
const SOME: Duration = Duration::from_secs(2);
/// Further runs of tests that passed before and fail with a patch whose triggering tests pass.
const AGAIN: usize = 3;

impl ColdJudge {
    /// Runs a plan with a patch in a child of a process that waits, where those tell what fresh processes tell.
    async fn run_quickly(&self, patch: &Patch, build: &Arc<Build>, plan: &Plan) -> Result<TestReport, ValidateError> {
        let is_served = *self.is_served.get_or_init(|| self.is_served_alike()).await;
        match is_served {
            true => self.subject.run_served(patch, build, plan).await,
            false => self.run_fresh(patch, build, plan).await,
        }
    }

    async fn run_fresh(&self, patch: &Patch, build: &Arc<Build>, plan: &Plan) -> Result<TestReport, ValidateError> {
        self.subject.run(&self.subject.copy_with(patch, build)?, plan).await
    }

    /// Whether triggering tests end in a child of a process that waits as they did in a fresh one. Of the other tests of
    /// their classes those count alone that fail in a fresh one.
    async fn is_served_alike(&self) -> bool {
        let subject = &*self.subject;
        if !subject.is_quicker_served() {
            return false;
        }
        let report = &self.baseline.report;
        // Of those without end one says enough, and has to be waited for.
        let dear: BTreeSet<&TestId> = coverage::endless(&self.baseline).skip(1).collect();
        let triggering: Vec<TestId> =
            self.baseline.triggering.iter().filter(|id| !dear.contains(id)).cloned().collect();
        let mut deadlines = subject.deadlines(report);
        deadlines.own.extend(coverage::brief(&self.baseline));
        let plan = subject.plan_of(triggering.clone(), deadlines);
        let served = async {
            let build = Arc::new(Build::new(&subject.options().work_dir)?);
            subject.run_served(&Patch::default(), &build, &plan).await
        };
        let statuses = |report: &TestReport| -> Vec<Option<TestStatus>> {
            triggering.iter().map(|id| report.results.get(id).map(|result| result.status)).collect()
        };
        let alike = served.await.is_ok_and(|served| statuses(&served) == statuses(report));
        if !alike {
            tracing::info!("candidates run in fresh processes: tests end otherwise in one that has loaded libraries");
        }
        alike
    }

    /// The refusal of a candidate with which a few of many triggering tests all still fail.
    async fn mends_none_of_few(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        deadlines: &Deadlines,
    ) -> Result<Option<Validation>, ValidateError> {
        let triggering = &self.baseline.triggering;
        if triggering.len() < 2 * FEW {
            return Ok(None);
        }
        let few: Vec<TestId> = triggering.iter().step_by(triggering.len().div_ceil(FEW)).cloned().collect();
        let deadlines = Deadlines { total: SOME, ..deadlines.clone() };
        let report = self.run_quickly(patch, build, &self.subject.plan_of(few.clone(), deadlines).until_lost()).await?;
        let ended: Vec<bool> = few.iter().filter_map(|id| untouched::passes(&report, id)).collect();
        let none = !ended.is_empty() && !ended.contains(&true);
        Ok(none.then(|| answer(&report, plausible::triggering(&self.baseline, &report), 0.0)))
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
        let mut deadlines = subject.quick_deadlines(&self.baseline.report);
        deadlines.own.extend(coverage::brief(&self.baseline));
        if let Some(refused) = self.mends_none_of_few(patch, &build, &deadlines).await? {
            return Ok(Validation { seconds: begin.elapsed().as_secs_f64(), ..refused });
        }
        let plan = subject.plan_of(self.baseline.triggering.clone(), deadlines.clone()).until_lost();
        let some = Plan { deadlines: Deadlines { total: SOME, ..deadlines.clone() }, ..plan.clone() };
        let mut report = self.run_quickly(patch, &build, &some).await?;
        let mut judged = plausible::triggering(&self.baseline, &report);
        let is_open = report.end != RunEnd::Complete && report.failing().next().is_none();
        if is_open && judged.outcome != Outcome::PassedWarm {
            report = self.run_quickly(patch, &build, &plan).await?;
            judged = plausible::triggering(&self.baseline, &report);
        }
        if matches!(judged.outcome, Outcome::Failed | Outcome::Timeout) {
            return Ok(answer(&report, judged, begin.elapsed().as_secs_f64()));
        }
        let plan = subject.plan(classes, deadlines.clone()).until_lost();
        let report = self.run_quickly(patch, &build, &plan).await?;
        let mut judged = plausible::triggering(&self.baseline, &report);
        let passed_before = |id: &&TestId| self.baseline.passing.contains(*id);
        let mut against: Vec<TestId> =
            plausible::not_passed(&self.baseline, &report).filter(passed_before).cloned().collect();
        // One that fails now and then, or in children alone, is no regression; one that was cut would be cut again.
        let is_lost = against.iter().any(|id| report.results.get(id).is_none_or(|result| result.loss.is_some()));
        let again = if judged.outcome == Outcome::PassedWarm && !is_lost { AGAIN } else { 0 };
        for _ in 0..again {
            if against.is_empty() {
                break;
            }
            let plan = subject.plan_of(against.clone(), deadlines.clone());
            let again = self.run_fresh(patch, &build, &plan).await?;
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
