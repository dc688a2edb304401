//! Failing tests that do not fail every time.

use crate::domain::{Patch, TestId, TestReport, TestResult, TestStatus};
use crate::validate::plan::Plan;
use crate::validate::subject::{Build, Subject};
use crate::validate::{ValidateError, lanes};
use futures::StreamExt;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Further runs of quick failing tests, of slower ones, and of slow ones.
const RUNS: [(Duration, usize); 3] = [(Duration::from_millis(800), 6), (Duration::from_secs(3), 3), (Duration::MAX, 2)];
/// Further runs at most where the project has a command of its own, which runs most of these tests as well.
const ASKED: usize = 4;
/// Runs in processes of their own, with hashes of their own, where children of one that waits do for the others.
const FRESH: usize = 2;

/// Failing tests that pass in one of several runs, each in a fresh copy.
pub(super) async fn of(
    subject: &dyn Subject,
    report: &TestReport,
    failing: &[TestId],
) -> Result<BTreeSet<TestId>, ValidateError> {
    // A test that was cut would be cut again.
    let finished = |id: &&TestId| report.results.get(*id).is_some_and(|result| result.loss.is_none());
    let again: Vec<TestId> = failing.iter().filter(finished).cloned().collect();
    if again.is_empty() {
        return Ok(BTreeSet::new());
    }
    subject.options().watcher.phase("running the failing tests again");
    let took: u64 = again.iter().filter_map(|id| report.results.get(id)).map(|result| result.millis).sum();
    let took = Duration::from_millis(took);
    let runs = RUNS.iter().find(|(most, _)| took <= *most).map_or(2, |(_, runs)| *runs);
    let runs = if subject.checkout().own.is_some() { runs.min(ASKED) } else { runs };
    let plan: Plan = subject.plan_of(again.clone(), subject.deadlines(report));
    let fresh = if subject.is_quicker_served() { runs.min(FRESH) } else { runs };
    let mut flaky = passing(subject, &plan, &again, fresh).await?;
    if fresh < runs && flaky.is_empty() && !fail_when_served(subject, &plan, &again, runs - fresh).await {
        flaky = passing(subject, &plan, &again, runs - fresh).await?;
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
    let reports: Vec<_> = futures::stream::iter(0..runs).map(one).buffer_unordered(lanes::count()).collect().await;
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
    let mut all = futures::stream::iter(0..runs).map(one).buffer_unordered(lanes::count());
    while let Some(fail) = all.next().await {
        if !fail {
            return false;
        }
    }
    true
}
