//! Triggering tests that are slow by nature: how long one fails says nothing of how long it takes to pass.

use super::ColdJudge;
use crate::domain::{Patch, TestId, TestReport};
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::plausible::{self, Judged};
use crate::validate::subject::Build;
use crate::validate::{Baseline, ValidateError, untouched};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// How much more time the tests get, once, that alone did not end, where the others pass.
const MOST: u32 = 10;
/// Milliseconds of a test that count as many.
const MANY: u64 = 2_000;

impl ColdJudge {
    /// The triggering tests that did not pass in a report, with a patch, and with as much time as tests may need.
    pub(super) async fn test_long(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        mut report: TestReport,
        deadlines: Deadlines,
    ) -> Result<(TestReport, Judged), ValidateError> {
        let open = |id: &&TestId| untouched::passes(&report, id) != Some(true);
        let open: Vec<TestId> = self.baseline.triggering.iter().filter(open).cloned().collect();
        let plan = self.subject.plan_of(open, deadlines.times(MOST)).until_lost().for_long();
        let rest = self.subject.run(&self.subject.copy_with(patch, build)?, &plan).await?;
        report.results.extend(rest.results);
        report.end = rest.end;
        let judged = plausible::triggering(&self.baseline, &report);
        Ok((report, judged))
    }

    /// Notes how long the triggering tests took with a patch with which they pass.
    pub(super) fn note_times(&self, report: &TestReport, judged: &Judged) {
        if !judged.outcome.passes() {
            return;
        }
        let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        for id in &self.baseline.triggering {
            let result = report.results.get(id).filter(|result| result.passed() && result.millis >= MANY);
            if let Some(result) = result {
                let known = took.entry(id.clone()).or_default();
                *known = result.millis.max(*known);
            }
        }
    }

    /// What a confirmation holds patches against: the baseline, with the time that triggering tests need to pass.
    pub(super) fn timed(&self) -> Baseline {
        let took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        if took.is_empty() { self.baseline.clone() } else { with_times(&self.baseline, &took) }
    }
}

/// A baseline whose failing tests take as long as they took when they passed.
fn with_times(baseline: &Baseline, took: &BTreeMap<TestId, u64>) -> Baseline {
    let mut report = TestReport::clone(&baseline.report);
    for (id, millis) in took {
        if let Some(result) = report.results.get_mut(id).filter(|result| result.loss.is_none()) {
            result.millis = result.millis.max(*millis);
        }
    }
    Baseline { report: Arc::new(report), ..baseline.clone() }
}

impl Plan {
    /// The same, with the better compiler where the triggering tests of a baseline take long.
    pub(in crate::validate) fn for_times_of(self, baseline: &Baseline) -> Self {
        let millis = |id: &TestId| baseline.report.results.get(id).map_or(0, |result| result.millis);
        if baseline.triggering.iter().map(millis).max().is_some_and(|most| most >= MANY) {
            self.for_long()
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TestResult, TestStatus};

    #[test]
    fn a_test_that_took_long_to_pass_has_the_time_and_the_better_compiler() {
        let id = TestId::new("FuzzTest", "inserts");
        let result = TestResult { id: id.clone(), status: TestStatus::Failed, failure: None, millis: 3, loss: None };
        let mut report = crate::validate::suite::empty();
        report.results.insert(id.clone(), result);
        let baseline = Baseline { report: report.into(), triggering: vec![id.clone()], ..Baseline::default() };
        let plan = |baseline: &Baseline| {
            let plan = Plan::of(vec!["FuzzTest".into()], Deadlines::of(crate::validate::plan::UNKNOWN, MANY_SECONDS));
            plan.for_times_of(baseline)
        };
        assert!(!plan(&baseline).long);
        let timed = with_times(&baseline, &[(id.clone(), 23_000)].into());
        assert!(plan(&timed).long);
        assert_eq!((timed.report.results[&id].millis, timed.report.results[&id].status), (23_000, TestStatus::Failed));
    }

    const MANY_SECONDS: std::time::Duration = std::time::Duration::from_secs(100);
}
