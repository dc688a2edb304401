//! Triggering tests that are slow by nature: how long one fails says nothing of how long it takes to pass.

use super::ColdJudge;
use crate::domain::{Patch, TestId, TestReport};
use crate::validate::plan::{Deadlines, LONG};
use crate::validate::plausible::{self, Judged};
use crate::validate::subject::Build;
use crate::validate::{Baseline, ValidateError, untouched};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// How much more time the tests get, once, that alone did not end, where the others pass.
const MOST: u32 = 10;

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
            let result = report.results.get(id).filter(|result| result.passed() && result.millis >= LONG);
            if let Some(result) = result {
                let known = took.entry(id.clone()).or_default();
                *known = result.millis.max(*known);
            }
        }
    }

    /// What a confirmation holds patches against: the baseline, with the time that triggering tests need to pass.
    pub(super) fn timed(&self) -> Cow<'_, Baseline> {
        let took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        if took.is_empty() { Cow::Borrowed(&self.baseline) } else { Cow::Owned(with_times(&self.baseline, &took)) }
    }
}

/// A baseline that knows of some tests how long they take to pass.
fn with_times(baseline: &Baseline, took: &BTreeMap<TestId, u64>) -> Baseline {
    let mut all = baseline.took.clone();
    for (id, millis) in took {
        let known = all.entry(id.clone()).or_default();
        *known = (*known).max(*millis);
    }
    Baseline { took: all, ..baseline.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TestResult, TestStatus};
    use crate::validate::plan::{Plan, UNKNOWN};

    #[test]
    fn a_test_that_took_long_to_pass_has_the_better_compiler() {
        let id = TestId::new("FuzzTest", "inserts");
        let result = TestResult { id: id.clone(), status: TestStatus::Failed, failure: None, millis: 3, loss: None };
        let mut report = crate::validate::suite::empty();
        report.results.insert(id.clone(), result);
        let baseline = Baseline { report: report.into(), triggering: vec![id.clone()], ..Baseline::default() };
        let is_long = |baseline: &Baseline| {
            let plan = Plan::of(Vec::new(), Deadlines::of(UNKNOWN, UNKNOWN));
            plan.for_times_of(baseline).long
        };
        let took = |millis| with_times(&baseline, &[(id.clone(), millis)].into());
        assert!(!is_long(&baseline) && !is_long(&took(500)) && is_long(&took(23_000)));
        let earlier = Baseline { took: [(id.clone(), 40_000)].into(), ..baseline.clone() };
        assert_eq!(with_times(&earlier, &[(id.clone(), 23_000)].into()).took[&id], 40_000);
    }
}
