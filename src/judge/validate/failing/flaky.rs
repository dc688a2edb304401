//! Failing tests that do not fail every time.

use super::group;
use crate::domain::{Patch, TestId, TestReport, TestResult, TestStatus};
use crate::validate::plan::Plan;
use crate::validate::subject::{Build, Subject};
use crate::validate::{ValidateError, lanes};
use futures::StreamExt;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// Further runs of quick failing tests, of slower ones, and of slow ones.
const RUNS: [(Duration, usize); 3] = [(Duration::from_millis(800), 6), (Duration::from_secs(3), 3), (Duration::MAX, 2)];
/// Further runs at most where the project has a command of its own, which runs most of these tests as well.
const ASKED: usize = 4;
/// More failing tests than these run again so often at most: a bug that breaks so many shows in most of them every time.
const MANY: (usize, usize) = (30, 2);
/// Tests that fail by one exception at one place of the product, of which the first run again for all.
const SAMPLE: usize = 8;
/// Runs in processes of their own, with hashes of their own, where children of one that waits do for the others.
const FRESH: usize = 2;

/// Runs at once: other classes run meanwhile, and what the failing ones execute is measured.
fn at_once() -> usize {
    lanes::count().div_ceil(2)
}

/// Failing tests that pass in one of several runs, each in a fresh copy.
pub(super) async fn of(
    subject: &dyn Subject,
    report: &TestReport,
    failing: &[TestId],
) -> Result<BTreeSet<TestId>, ValidateError> {
    // A test that was cut would be cut again.
    let finished = |id: &&TestId| report.results.get(*id).is_some_and(|result| result.loss.is_none());
    let all: Vec<TestId> = failing.iter().filter(finished).cloned().collect();
    let sample = sample(&all, report);
    let flaky = among(subject, report, &sample).await?;
    // Where one of a sample is flaky, so may be those that it stands for.
    if flaky.is_empty() || sample.len() == all.len() {
        return Ok(flaky);
    }
    let rest: Vec<TestId> = all.into_iter().filter(|id| !sample.contains(id)).collect();
    Ok(flaky.into_iter().chain(among(subject, report, &rest).await?).collect())
}

/// Some of the failing tests that stand for all: where many fail by the same exception at the same place of the product, it
/// is that place that fails, and no whim of each of them.
pub(super) fn sample(failing: &[TestId], report: &TestReport) -> Vec<TestId> {
    let mut seen: HashMap<(&str, (&str, Option<u32>)), usize> = HashMap::new();
    let is_one = |id: &&TestId| {
        let failure = report.results.get(*id).and_then(|result| result.failure.as_ref());
        let Some((failure, place)) = failure.zip(group::place(id, report)) else { return true };
        let count = seen.entry((&failure.kind, place)).or_default();
        *count += 1;
        *count <= SAMPLE
    };
    failing.iter().filter(is_one).cloned().collect()
}

/// Those of some failing tests that pass in one of several runs.
async fn among(
    subject: &dyn Subject,
    report: &TestReport,
    again: &[TestId],
) -> Result<BTreeSet<TestId>, ValidateError> {
    if again.is_empty() {
        return Ok(BTreeSet::new());
    }
    subject.options().watcher.phase("running the failing tests again");
    let took: u64 = again.iter().filter_map(|id| report.results.get(id)).map(|result| result.millis).sum();
    let took = Duration::from_millis(took);
    let runs = RUNS.iter().find(|(most, _)| took <= *most).map_or(2, |(_, runs)| *runs);
    let runs = if subject.checkout().own.is_some() { runs.min(ASKED) } else { runs };
    let runs = if again.len() > MANY.0 { runs.min(MANY.1) } else { runs };
    let plan: Plan = subject.plan_of(again.to_vec(), subject.deadlines(report));
    let fresh = if subject.is_quicker_served() { runs.min(FRESH) } else { runs };
    let mut flaky = passing(subject, &plan, again, fresh).await?;
    if fresh < runs && flaky.is_empty() && !fail_when_served(subject, &plan, again, runs - fresh).await {
        flaky = passing(subject, &plan, again, runs - fresh).await?;
    }
    Ok(flaky)
}

/// Those that pass in one of some runs in fresh processes.
async fn passing(
    subject: &dyn Subject,
    plan: &Plan,
    tests: &[TestId],
    runs: usize,
) -> Result<BTreeSet<TestId>, ValidateError> {
    let one = |_| async { subject.run(&subject.copy()?, plan).await };
    let reports: Vec<_> = futures::stream::iter(0..runs).map(one).buffer_unordered(at_once()).collect().await;
    let mut found = BTreeSet::new();
    for report in reports {
        let report = report?;
        let passes = |id: &&TestId| report.results.get(*id).is_some_and(TestResult::passed);
        found.extend(tests.iter().filter(passes).cloned());
    }
    Ok(found)
}

/// Whether all tests fail in each of some runs in children of a process that waits. A test that passes there may do so for
/// what that process holds.
async fn fail_when_served(subject: &dyn Subject, plan: &Plan, tests: &[TestId], runs: usize) -> bool {
    let Ok(build) = Build::new(&subject.options().work_dir).map(Arc::new) else { return false };
    let one = async |_| {
        let Ok(report) = subject.run_served(&Patch::default(), &build, plan).await else { return false };
        let fails = |id: &TestId| report.results.get(id).is_some_and(|result| result.status == TestStatus::Failed);
        tests.iter().all(fails)
    };
    let mut all = futures::stream::iter(0..runs).map(one).buffer_unordered(at_once());
    while let Some(fail) = all.next().await {
        if !fail {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, Frame};
    use crate::validate::suite;

    fn failing(tests: &[(&str, &str, &str)]) -> TestReport {
        let result = |(name, kind, class): &(&str, &str, &str)| {
            let id = TestId::new("shop.CartTest", *name);
            let frame = Frame { class: (*class).into(), method: "total".into(), file: None, line: Some(7) };
            let failure = Failure { kind: (*kind).into(), message: String::new(), frames: vec![frame] };
            let status = TestStatus::Failed;
            (id.clone(), TestResult { id, status, failure: Some(failure), millis: 1, loss: None })
        };
        TestReport { results: tests.iter().map(result).collect(), ..suite::empty() }
    }

    #[test]
    fn many_that_fail_at_one_place_are_sampled_and_assertions_of_tests_are_not() {
        let names: Vec<String> = (0..20).map(|n| format!("t{n:02}")).collect();
        let sampled = |kind: &str, class: &str| {
            let report = failing(&names.iter().map(|name| (name.as_str(), kind, class)).collect::<Vec<_>>());
            sample(&report.results.keys().cloned().collect::<Vec<_>>(), &report).len()
        };
        assert_eq!(sampled("KeyError", "shop.Cart"), SAMPLE);
        assert_eq!(sampled("AssertionError", "shop.CartTest"), 20, "each test has its own reason");
    }
}
