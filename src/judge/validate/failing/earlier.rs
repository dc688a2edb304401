//! Failing tests that fail without the last change of the product too: they failed before, and a repair of what that change
//! broke is none of them.

use super::super::untouched::passes;
use super::{FIRST, flaky};
use crate::benchmark::ProductChange;
use crate::domain::{RepoPath, TestId, TestReport, TestResult, TestStatus};
use crate::validate::plan::{Deadlines, UNKNOWN};
use crate::validate::plausible::is_within;
use crate::validate::subject::{Copy, Subject};
use crate::validate::{ValidateError, losses, suite};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Failing tests that take longer than this together are not run again to see when they began to fail.
const MOST: Duration = Duration::from_secs(60);

/// Tests that failed before a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedBefore {
    /// The change, for people: `commit 1a2b3c4`.
    pub change: String,
    /// The tests.
    pub tests: BTreeSet<TestId>,
    /// Tests of which nobody knows how they end without the change: they were cut there, or nearly so.
    pub unknown: BTreeSet<TestId>,
    /// Milliseconds that the others take without the change, where they pass.
    pub passing: BTreeMap<TestId, u64>,
    /// Tests of classes that cannot be loaded with the change, and how those end that do not pass without it.
    pub inside: BTreeMap<TestId, TestStatus>,
}

impl FailedBefore {
    /// Whether all of some failing tests are known to pass without the change.
    pub(super) fn all_pass_without(&self, failing: &[TestId]) -> bool {
        failing.iter().all(|id| !self.tests.contains(id) && !self.unknown.contains(id))
    }

    /// The same for some of the failing tests; `None` where the change broke all of them, or none.
    pub(super) fn among(&self, failing: &[TestId]) -> Option<Self> {
        let tests: BTreeSet<TestId> = failing.iter().filter(|id| self.tests.contains(id)).cloned().collect();
        let is_some = !tests.is_empty() && tests.len() < failing.len();
        is_some.then(|| Self { tests, ..self.clone() })
    }
}

/// Which of some failing tests fail without the last change of the product too; `None` where nobody can tell.
pub(super) async fn of(
    subject: &dyn Subject,
    report: &TestReport,
    failing: &[TestId],
) -> Result<Option<FailedBefore>, ValidateError> {
    let Some(change) = &subject.checkout().last_change else { return Ok(None) };
    // What was cut is asked about last: it takes long.
    let (mut cut, mut failing): (Vec<TestId>, Vec<TestId>) = failing.iter().cloned().partition(|id| report.is_cut(id));
    if failing.is_empty() {
        std::mem::swap(&mut cut, &mut failing);
    }
    let took: u64 = failing.iter().filter_map(|id| report.results.get(id)).map(|result| result.millis).sum();
    if Duration::from_millis(took) > MOST {
        return Ok(None);
    }
    let Some(copy) = copy_without(subject, change).await? else { return Ok(None) };
    let before = run_in(subject, &copy, report, (&failing, &cut)).await?;
    failing.retain(|id| passes(&before, id) != Some(false) || is_as_it_was(subject, change, id));
    let asked = failing.clone();
    let (tests, unknown) = told(&before, failing, cut);
    let passed = report.failing().filter_map(|result| before.results.get(&result.id)).filter(|result| result.passed());
    let passing = passed.map(|result| (result.id.clone(), result.millis)).collect();
    let inside = of_loaded(&before, &asked, &tests);
    Ok(Some(FailedBefore { change: change.name.clone(), tests, unknown, passing, inside }))
}

/// What a run without the change tells of tests that fail with it by themselves, and of those that were cut: those that fail
/// there too, and those of which nobody knows.
fn told(before: &TestReport, failing: Vec<TestId>, cut: Vec<TestId>) -> (BTreeSet<TestId>, BTreeSet<TestId>) {
    // A class that cannot be loaded with the change is loaded without it, whatever some of its tests do.
    let is_loaded = |id: &TestId| {
        let inside = |result: &&TestResult| is_within(&result.id.class, &id.class) && result.passed();
        id.method.is_empty() && before.results.values().any(|result| inside(&result))
    };
    // Of a class whose other tests did not end, some do not run.
    let left_out = losses::left_out(before);
    let is_untold = |id: &TestId| left_out.contains(id.outer_class()) && passes(before, id).is_none();
    let (untold, failing): (Vec<_>, Vec<_>) = failing.into_iter().partition(is_untold);
    let failing = failing.into_iter().filter(|id| passes(before, id) == Some(false) && !is_loaded(id));
    let (mut unknown, mut tests): (BTreeSet<TestId>, BTreeSet<TestId>) = failing.partition(|id| before.is_cut(id));
    unknown.extend(untold);
    let (passing, not_passing): (Vec<_>, Vec<_>) = cut.into_iter().partition(|id| passes(before, id) == Some(true));
    tests.extend(not_passing);
    // Who takes nearly as long without the change may have been cut for that alone.
    let is_slow =
        |id: &TestId| before.results.get(id).is_some_and(|result| Duration::from_millis(result.millis) > FIRST / 2);
    unknown.extend(passing.into_iter().filter(is_slow));
    (tests, unknown)
}

/// How tests end that do not pass without the change, in classes that it keeps from being loaded.
fn of_loaded(before: &TestReport, asked: &[TestId], tests: &BTreeSet<TestId>) -> BTreeMap<TestId, TestStatus> {
    let loaded: Vec<&TestId> = asked.iter().filter(|id| id.method.is_empty() && !tests.contains(id)).collect();
    let counts = |result: &&TestResult| {
        let is_inside = loaded.iter().any(|id| is_within(&result.id.class, &id.class));
        !result.passed() && result.status != TestStatus::TimedOut && is_inside
    };
    before.results.values().filter(counts).map(|result| (result.id.clone(), result.status)).collect()
}

/// Runs tests that fail by themselves, then those that were cut, in a copy without a change.
async fn run_in(
    subject: &dyn Subject,
    copy: &Copy,
    report: &TestReport,
    (failing, cut): (&[TestId], &[TestId]),
) -> Result<TestReport, ValidateError> {
    let run =
        async |tests: &[TestId]| subject.run(copy, &subject.plan_of(tests.to_vec(), subject.deadlines(report))).await;
    let sample = flaky::sample(failing, report);
    let mut before = run(&sample).await?;
    // Where all of a sample pass, so do those that it stands for.
    if sample.len() < failing.len() && sample.iter().any(|id| passes(&before, id) != Some(true)) {
        before = run(failing).await?;
    }
    if !cut.is_empty() {
        // One that is slow by nature tells that the others are, too.
        let plan = subject.plan_of(cut.to_vec(), Deadlines::of(FIRST, MOST)).until_lost();
        suite::join(&mut before, subject.run(copy, &plan).await?);
    }
    Ok(before)
}

/// What was found of some tests and of others; `None` where nobody can tell of some.
pub(super) fn joined(one: Option<FailedBefore>, other: Option<FailedBefore>) -> Option<FailedBefore> {
    let (mut one, other) = one.zip(other)?;
    one.tests.extend(other.tests);
    one.unknown.extend(other.unknown);
    one.passing.extend(other.passing);
    one.inside.extend(other.inside);
    Some(one)
}

/// Which of the tests that fail in a report fail without what is not committed yet, too. If all do, what that change broke,
/// if it broke something, is among tests that did not run.
pub(super) async fn of_uncommitted(
    subject: &dyn Subject,
    report: &TestReport,
) -> Result<Option<FailedBefore>, ValidateError> {
    if subject.checkout().last_change.as_ref().is_none_or(|change| change.is_committed) {
        return Ok(None);
    }
    let failing: Vec<TestId> = report.failing().map(|result| result.id.clone()).collect();
    of(subject, report, &failing).await
}

/// Which of some failing tests pass without the last change of the product; of many the quickest are asked.
pub(in crate::validate) async fn passing_without(
    subject: &dyn Subject,
    report: &TestReport,
    failing: &[TestId],
) -> Result<BTreeSet<TestId>, ValidateError> {
    let Some(change) = &subject.checkout().last_change else { return Ok(BTreeSet::new()) };
    let took = |id: &TestId| report.results.get(id).map_or(0, |result| result.millis);
    let mut tests: Vec<TestId> = failing.iter().filter(|id| is_as_it_was(subject, change, id)).cloned().collect();
    tests.sort_by_key(|id| took(id));
    let mut sum = 0;
    tests.retain(|id| {
        sum += took(id);
        Duration::from_millis(sum) <= MOST
    });
    if tests.is_empty() {
        return Ok(BTreeSet::new());
    }
    let Some(copy) = copy_without(subject, change).await? else { return Ok(BTreeSet::new()) };
    let plan = subject.plan_of(suite::wanted(&tests), Deadlines::of(UNKNOWN, MOST * 2)).for_long();
    let before = subject.run(&copy, &plan).await?;
    Ok(tests.into_iter().filter(|id| passes(&before, id) == Some(true)).collect())
}

/// A copy without a change of the product; `None` where that does not compile, or where something else was changed with it
/// that may be what tests fail for.
async fn copy_without(subject: &dyn Subject, change: &ProductChange) -> Result<Option<Copy>, ValidateError> {
    let file_of = |class: &String| subject.test_file(class);
    let tests: BTreeSet<RepoPath> = subject.tests().iter().filter_map(file_of).collect();
    if !change.others.is_subset(&tests) {
        return Ok(None);
    }
    subject.options().watcher.phase(format!("running the failing tests without {}", change.name));
    let Ok(build) = subject.build(&change.revert).await? else { return Ok(None) };
    subject.copy_with(&change.revert, &Arc::new(build)).map(Some)
}

/// Whether a test's file was not changed together with the product.
fn is_as_it_was(subject: &dyn Subject, change: &ProductChange, id: &TestId) -> bool {
    let is_changed = |file: &RepoPath| change.others.contains(file) || change.texts.contains(file);
    !subject.test_file(&id.class).is_some_and(|file| is_changed(&file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Loss;

    #[test]
    fn a_test_that_did_not_run_beside_tests_without_end_is_unknown() {
        let mut before = suite::empty();
        let mut ends = |id: &TestId, status: TestStatus, loss: Option<Loss>| {
            let result = TestResult { id: id.clone(), status, failure: None, millis: 1, loss };
            before.results.insert(id.clone(), result);
        };
        for nth in 0..12 {
            ends(&TestId::new("a.Loop", format!("t{nth}")), TestStatus::TimedOut, Some(Loss::Cut));
        }
        let [older, broken, beside, new] =
            [("b.T", "older"), ("b.T", "broken"), ("a.Loop", "beside"), ("b.T", "new")].map(|(c, m)| TestId::new(c, m));
        ends(&older, TestStatus::Failed, None);
        ends(&broken, TestStatus::Passed, None);
        let failing = vec![older.clone(), broken, beside.clone(), new];
        assert_eq!(told(&before, failing, Vec::new()), (BTreeSet::from([older]), BTreeSet::from([beside])));
    }
}
