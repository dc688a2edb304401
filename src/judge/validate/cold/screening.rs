//! The first look at candidates of which few are confirmed: the triggering tests, then the rest of their classes.

use super::{ColdJudge, answer};
use crate::domain::{Outcome, Patch, TestId, TestReport, TestStatus, Validation, outer_class};
use crate::validate::ValidateError;
use crate::validate::plan::Plan;
use crate::validate::plausible::{self, Judged};
use crate::validate::subject::Build;
use crate::validate::untouched;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Further runs of tests that passed before and fail with a patch whose triggering tests pass.
const AGAIN: usize = 3;

impl ColdJudge {
    /// Runs a plan with a patch in the quickest way that tells what fresh processes tell.
    async fn run_quickly(&self, patch: &Patch, build: &Arc<Build>, plan: &Plan) -> Result<TestReport, ValidateError> {
        let is_served = *self.is_served.get_or_init(|| self.is_served_alike()).await;
        match is_served {
            true => self.subject.run_served(patch, build, plan).await,
            false => self.subject.run(&self.subject.copy_with(patch, build)?, plan).await,
        }
    }

    /// Whether children of a waiting process say of the untouched tree what fresh processes said.
    async fn is_served_alike(&self) -> bool {
        let subject = &*self.subject;
        if !subject.is_quicker_served() {
            return false;
        }
        let classes = subject.classes_of(&self.baseline.triggering);
        let plan = subject.plan(classes.clone(), subject.deadlines(&self.baseline.report));
        let nothing = Patch::default();
        let served = async {
            let build = Arc::new(Build::new(&subject.options().work_dir)?);
            subject.run_served(&nothing, &build, &plan).await
        };
        let statuses = |report: &TestReport| -> BTreeMap<TestId, TestStatus> {
            let inside = |id: &TestId| classes.iter().any(|class| outer_class(class) == id.outer_class());
            let counts = |id: &TestId| inside(id) && !self.baseline.set_aside.contains_key(id);
            let all = report.results.values().filter(|result| counts(&result.id));
            all.map(|result| (result.id.clone(), result.status)).collect()
        };
        let alike = served.await.is_ok_and(|report| statuses(&report) == statuses(&self.baseline.report));
        if !alike {
            tracing::info!("candidates run in fresh processes: tests end otherwise in one that has loaded libraries");
        }
        alike
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
        let report = self.run_quickly(patch, &build, &plan).await?;
        let judged = plausible::triggering(&self.baseline, &report);
        if matches!(judged.outcome, Outcome::Failed | Outcome::Timeout) {
            return Ok(answer(&report, judged, begin.elapsed().as_secs_f64()));
        }
        let plan = subject.plan(classes, deadlines.clone()).until_lost();
        let report = self.run_quickly(patch, &build, &plan).await?;
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
            let again = self.run_quickly(patch, &build, &plan).await?;
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
