//! Which of the triggering tests a candidate is asked by first.

use crate::domain::TestId;
use crate::validate::{Baseline, coverage};
use std::collections::BTreeSet;
use std::time::Duration;

/// Triggering tests that a candidate is tried by first: one that mends none of them is not tried by the others.
const FEW: usize = 8;
/// Classes of those tests, at most.
const CLASSES: usize = 3;
/// Time that those tests take together, at most; two run in any case.
const FEW_TAKE: Duration = Duration::from_millis(300);
/// Triggering tests that are many where they take longer than that.
const MANY: usize = 5;
/// Further tests that stand for reasons which none of the few fails for, at most.
const REASONS: usize = 3;
/// Time that the triggering tests take together which the first look at a candidate asks. Dearer ones (a search for the
/// smallest input that fails takes its time) run once those pass.
const ASKED_TAKE: Duration = Duration::from_secs(2);

/// A few of many triggering tests, of a few classes: each class is loaded anew for every candidate. Where some have no end the
/// others say first whether a candidate mends anything. Tests that fail for other reasons are among them, for a candidate may
/// repair those alone. `None` where there are not so many.
pub(in crate::validate) fn few(tests: &[TestId], baseline: &Baseline) -> Option<Vec<TestId>> {
    let endless: BTreeSet<&TestId> = coverage::endless(baseline).collect();
    let mut near: Vec<&TestId> = tests.iter().filter(|id| !endless.contains(id)).collect();
    let are_all_endless = near.is_empty();
    if are_all_endless {
        near.extend(tests);
    }
    let take = |tests: &[&TestId]| Duration::from_millis(tests.iter().map(|id| millis(id, baseline)).sum());
    let are_many = near.len() >= 2 * FEW || near.len() >= MANY && take(&near) > FEW_TAKE;
    if !are_many && (are_all_endless || near.len() == tests.len()) {
        return None;
    }
    let all = near.clone();
    let mut classes: Vec<&str> = near.iter().map(|id| id.outer_class()).collect();
    classes.sort_unstable();
    classes.dedup();
    let classes: Vec<&str> = classes.iter().step_by(classes.len().div_ceil(CLASSES)).copied().collect();
    near.retain(|id| classes.contains(&id.outer_class()));
    let mut few = spread(&near);
    if take(&few) > FEW_TAKE {
        let mut times: Vec<u64> = near.iter().map(|id| millis(id, baseline)).collect();
        times.sort_unstable();
        let middle = times[times.len() / 2];
        near.retain(|id| millis(id, baseline) <= middle);
        few = within(spread(&near), FEW_TAKE, 2, baseline);
    }
    if baseline.found {
        few.extend(of_other_reasons(&few, all, baseline));
    }
    Some(few.into_iter().cloned().collect())
}

/// The quickest test of each reason for which none of the few fails.
fn of_other_reasons<'t>(few: &[&TestId], mut tests: Vec<&'t TestId>, baseline: &Baseline) -> Vec<&'t TestId> {
    tests.sort_by_key(|id| millis(id, baseline));
    let mut known: BTreeSet<_> = few.iter().map(|id| baseline.reason(id)).collect();
    tests.into_iter().filter(|id| known.insert(baseline.reason(id))).take(REASONS).collect()
}

/// A few of some tests, from all over them.
fn spread<'t>(tests: &[&'t TestId]) -> Vec<&'t TestId> {
    tests.iter().step_by(tests.len().div_ceil(FEW).max(1)).copied().collect()
}

/// Those of some triggering tests that end and take no long time together, where there are others among them.
pub(in crate::validate) fn cheap_of(tests: &[TestId], baseline: &Baseline) -> Option<Vec<TestId>> {
    let endless: BTreeSet<&TestId> = coverage::endless(baseline).collect();
    let ends: Vec<&TestId> = tests.iter().filter(|id| !endless.contains(id)).collect();
    let cheap = within(ends, ASKED_TAKE, 1, baseline);
    (!cheap.is_empty() && cheap.len() < tests.len()).then(|| cheap.into_iter().cloned().collect())
}

/// The triggering tests without end, and of the others those that take no long time together.
pub(super) fn cheap(baseline: &Baseline) -> Vec<&TestId> {
    let endless: BTreeSet<&TestId> = coverage::endless(baseline).collect();
    let cheap = cheap_of(&baseline.triggering, baseline);
    let is_cheap = |id: &&TestId| endless.contains(id) || cheap.as_ref().is_none_or(|cheap| cheap.contains(id));
    baseline.triggering.iter().filter(is_cheap).collect()
}

/// The quickest of some tests, in their order: as many as take no more than a time together, but so many at least.
fn within<'t>(tests: Vec<&'t TestId>, time: Duration, least: usize, baseline: &Baseline) -> Vec<&'t TestId> {
    let mut quickest = tests.clone();
    quickest.sort_by_key(|id| millis(id, baseline));
    let mut left = time;
    let mut fits = |id: &TestId| {
        let fitting = left.checked_sub(Duration::from_millis(millis(id, baseline)));
        left = fitting.unwrap_or_default();
        fitting.is_some()
    };
    let chosen = quickest.iter().enumerate().take_while(|(at, id)| fits(id) || *at < least);
    let chosen: BTreeSet<&TestId> = chosen.map(|(_, id)| *id).collect();
    tests.into_iter().filter(|id| chosen.contains(id)).collect()
}

/// What a test took before, in milliseconds.
fn millis(id: &TestId, baseline: &Baseline) -> u64 {
    baseline.report.results.get(id).map_or(0, |result| result.millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, Loss, TestReport, TestResult, TestStatus};

    fn baseline(quick: usize, endless: usize) -> Baseline {
        let result = |n: usize| TestResult {
            id: TestId::new(format!("PoolTest{}", n % 5), format!("borrow{n}")),
            status: if n < quick { TestStatus::Failed } else { TestStatus::TimedOut },
            failure: None,
            millis: 9,
            loss: (n >= quick).then_some(Loss::Cut),
        };
        let results: Vec<TestResult> = (0..quick + endless).map(result).collect();
        let triggering = results.iter().map(|result| result.id.clone()).collect();
        let mut report = crate::validate::suite::empty();
        report.results = results.into_iter().map(|result| (result.id.clone(), result)).collect();
        Baseline { report: report.into(), triggering, ..Baseline::default() }
    }

    #[test]
    fn tests_that_end_are_asked_before_those_without_end() {
        let few_of = |quick, endless| {
            let baseline = baseline(quick, endless);
            few(&baseline.triggering, &baseline)
                .map(|few| (few.len(), few.iter().filter(|id| baseline.report.is_cut(id)).count()))
        };
        assert_eq!(few_of(2, 1), Some((2, 0)));
        assert_eq!(few_of(20, 9), Some((6, 0)), "of three classes of five");
        assert_eq!(few_of(3, 0), None, "few as they are");
        assert_eq!(few_of(0, 3), None);
        assert_eq!(few_of(0, 20), Some((6, 6)));
    }

    /// The same tests, each taking so long.
    fn taking(tests: Baseline, millis: u64) -> Baseline {
        let mut report = TestReport::clone(&tests.report);
        report.results.values_mut().for_each(|result| result.millis = millis);
        Baseline { report: report.into(), ..tests }
    }

    #[test]
    fn slow_tests_are_many_sooner() {
        let few_of = |quick, millis| few(&baseline(quick, 0).triggering, &taking(baseline(quick, 0), millis));
        assert_eq!(few_of(13, 70).map(|few| few.len()), Some(4));
        assert_eq!(few_of(13, 10), None);
        assert_eq!(few_of(4, 900), None);
    }

    #[test]
    fn tests_that_fail_otherwise_are_among_the_few() {
        let mut tests = Baseline { found: true, ..baseline(20, 0) };
        let mut report = TestReport::clone(&tests.report);
        let failing_by = |kind: &str| Some(Failure { kind: kind.into(), ..Failure::default() });
        for (at, result) in report.results.values_mut().enumerate() {
            result.failure = failing_by(if at == 19 { "KeyError" } else { "AssertionError" });
        }
        tests.report = report.into();
        let other = tests.report.results.keys().next_back().unwrap();
        assert_eq!(few(&tests.triggering, &tests).unwrap().last(), Some(other));
        tests.found = false;
        assert!(!few(&tests.triggering, &tests).unwrap().contains(other), "somebody named them");
    }

    #[test]
    fn dear_tests_come_after_the_others_and_the_few_are_quick() {
        let mut baseline = baseline(20, 1);
        let mut report = TestReport::clone(&baseline.report);
        for (at, result) in report.results.values_mut().enumerate().filter(|(_, result)| result.loss.is_none()) {
            result.millis = if at % 2 == 0 { 900 } else { 140 };
        }
        baseline.report = report.into();
        let millis = |id: &TestId| baseline.report.results[id].millis;
        let asked: BTreeSet<u64> = cheap(&baseline).into_iter().map(millis).collect();
        assert_eq!(asked, BTreeSet::from([140, 9]), "of 900 ms one is too many, and what has no end is not left out");
        let few = few(&baseline.triggering, &baseline).unwrap();
        assert_eq!(few.iter().map(millis).collect::<Vec<_>>(), [140, 140]);
    }
}
