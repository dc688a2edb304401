//! How tests end without the patch: asked only of those that do not pass with it, in fresh processes, and remembered.

use super::ValidateError;
use super::failing::{keep, passing_without};
use super::plan::{Deadlines, UNKNOWN};
use super::subject::Subject;
use super::suite::{self, same_group};
use crate::domain::{TestId, TestReport, TestResult, TestStatus};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Runs that tell whether a test passes without the patch.
const RUNS: usize = 3;

/// Times the first deadline that a test gets which is cut here and ends with the patch.
const LONGER: u32 = 4;

/// How a test ends without the patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Before {
    /// It passes every time.
    Passes,
    /// It fails every time.
    Fails,
    /// It is cut every time, so nobody knows how it would end.
    Cut,
    /// It is skipped every time.
    Skipped,
    /// Now this, now that.
    Flaky,
    /// There is no such test.
    Absent,
}

/// A test without the patch, in runs of its own.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Seen {
    before: Before,
    /// What the longest of them took, in milliseconds; 0 where nobody knows.
    millis: u64,
}

/// What is known of the untouched code.
pub(super) struct Untouched {
    known: Mutex<BTreeMap<TestId, Seen>>,
    /// Whether tests pass without the last change of the product, too.
    before_change: Mutex<BTreeMap<TestId, bool>>,
    file: camino::Utf8PathBuf,
}

impl Untouched {
    /// What earlier runs of this program found out about exactly this content.
    pub(super) fn of(subject: &dyn Subject) -> Self {
        let file = subject.project_cache().join("untouched-4.json");
        let known = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<CachedRuns>(&bytes).ok());
        let known = known.unwrap_or_default().into_iter().collect();
        Self { known: Mutex::new(known), before_change: Mutex::default(), file }
    }

    /// Says how tests end that the baseline saw several times.
    pub(super) fn learn(&self, id: &TestId, before: Before) {
        self.known().insert(id.clone(), Seen { before, millis: 0 });
    }

    /// How these tests end without any patch. A name without invocation means all of its invocations.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn ask(
        &self,
        subject: &dyn Subject,
        tests: &[TestId],
    ) -> Result<BTreeMap<TestId, Before>, ValidateError> {
        let open: Vec<TestId> = {
            let known = self.known();
            tests.iter().filter(|id| !known.contains_key(*id)).cloned().collect()
        };
        if !open.is_empty() {
            self.remember(ask(subject, &open).await?);
        }
        let known = self.known();
        Ok(tests.iter().map(|id| (id.clone(), known.get(id).map_or(Before::Absent, |seen| seen.before))).collect())
    }

    /// How tests end that were cut, with more time.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn ask_longer(
        &self,
        subject: &dyn Subject,
        tests: &[TestId],
    ) -> Result<BTreeMap<TestId, Before>, ValidateError> {
        let deadlines = Deadlines::of(UNKNOWN * LONGER, subject.longest());
        let plan = subject.plan_of(suite::wanted(tests), deadlines).for_long();
        let runs = [subject.run(&subject.copy()?, &plan).await?];
        let seen: BTreeMap<TestId, Seen> = tests.iter().map(|id| (id.clone(), seen(&runs, id))).collect();
        let ends = seen.iter().map(|(id, seen)| (id.clone(), seen.before)).collect();
        self.remember(seen);
        Ok(ends)
    }

    /// Which of some failing tests pass without the last change of the product; `report` tells how long they take.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn broken_by_change(
        &self,
        subject: &dyn Subject,
        report: &TestReport,
        tests: &[TestId],
    ) -> Result<BTreeSet<TestId>, ValidateError> {
        let known = || self.before_change.lock().unwrap_or_else(PoisonError::into_inner);
        let open: Vec<TestId> = tests.iter().filter(|id| !known().contains_key(*id)).cloned().collect();
        if !open.is_empty() {
            let passing = passing_without(subject, report, &open).await?;
            known().extend(open.into_iter().map(|id| (id.clone(), passing.contains(&id))));
        }
        Ok(tests.iter().filter(|id| known().get(*id) == Some(&true)).cloned().collect())
    }

    /// What a test may take by itself, by what it took so without the patch.
    pub(super) fn usual(&self, id: &TestId) -> Duration {
        Deadlines::usual(self.known().get(id).map_or(0, |seen| seen.millis))
    }

    /// How many invocations of a test's method do not pass without the patch and are not in a report with it.
    pub(super) fn gone(&self, id: &TestId, report: &TestReport) -> usize {
        let known = self.known();
        let same = known.iter().filter(|(other, _)| is_invocation(other) && same_group(other, id));
        same.filter(|(other, seen)| seen.before != Before::Passes && !report.results.contains_key(*other)).count()
    }

    fn remember(&self, new: BTreeMap<TestId, Seen>) {
        let cached: CachedRuns = {
            let mut known = self.known();
            known.extend(new);
            known.iter().map(|(id, seen)| (id.clone(), *seen)).collect()
        };
        if let Err(error) = keep(&self.file, &cached) {
            tracing::warn!("what the untouched code does will be asked again: {error}");
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<TestId, Seen>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type CachedRuns = Vec<(TestId, Seen)>;

async fn ask(subject: &dyn Subject, open: &[TestId]) -> Result<BTreeMap<TestId, Seen>, ValidateError> {
    let wanted = suite::wanted(open);
    let mut runs: Vec<TestReport> = Vec::new();
    for _ in 0..RUNS {
        let deadlines = Deadlines::of(UNKNOWN, subject.longest());
        let run = subject.run(&subject.copy()?, &subject.plan_of(wanted.clone(), deadlines)).await?;
        runs.push(run);
        // What does not pass in the first run will not pass every time.
        if runs.len() == 1 && open.iter().all(|id| passes(&runs[0], id) != Some(true)) {
            break;
        }
    }
    let mut ends: BTreeMap<TestId, Seen> = open.iter().map(|id| (id.clone(), seen(&runs, id))).collect();
    // The invocations that there are tell which of them a patch takes away.
    let invocations = runs.iter().flat_map(|run| run.results.keys()).filter(|id| is_invocation(id));
    for id in invocations.filter(|id| open.iter().any(|other| same_group(id, other))) {
        ends.insert(id.clone(), seen(&runs, id));
    }
    Ok(ends)
}

fn is_invocation(id: &TestId) -> bool {
    id.bare_method() != id.method
}

fn seen(runs: &[TestReport], id: &TestId) -> Seen {
    let millis = runs.iter().filter_map(|run| run.results.get(id)).map(|result| result.millis).max();
    Seen { before: before(runs, id), millis: millis.unwrap_or(0) }
}

fn before(runs: &[TestReport], id: &TestId) -> Before {
    let results: Vec<Option<bool>> = runs.iter().map(|run| passes(run, id)).collect();
    let has_others = |run: &TestReport| run.results.keys().any(|other| other != id && same_group(other, id));
    if is_invocation(id) && runs.iter().all(|run| !run.results.contains_key(id) && has_others(run)) {
        return Before::Absent;
    }
    if results.iter().all(Option::is_none) {
        Before::Absent
    } else if results.iter().all(|pass| *pass == Some(true)) {
        Before::Passes
    } else if runs.iter().all(|run| run.results.get(id).is_some_and(|r| r.status == TestStatus::Skipped)) {
        Before::Skipped
    } else if runs.iter().all(|run| run.results.get(id).is_some_and(|r| r.status == TestStatus::TimedOut)) {
        Before::Cut
    } else if results.iter().all(|pass| *pass == Some(false)) {
        Before::Fails
    } else {
        Before::Flaky
    }
}

/// Whether a test passes in a run; a name that is not there is judged by the others of its method, and a class by its
/// tests. `None` when there is nothing of it.
pub(super) fn passes(run: &TestReport, id: &TestId) -> Option<bool> {
    let pass = |result: &TestResult| result.status == TestStatus::Passed;
    if let Some(result) = run.results.get(id) {
        return Some(pass(result));
    }
    let mut group = run.results.values().filter(|result| same_group(&result.id, id)).peekable();
    match group.peek() {
        Some(_) => Some(group.all(pass)),
        None => run.results.get(&TestId::new(&id.class, "")).map(pass),
    }
}
