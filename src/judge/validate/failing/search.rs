//! The search for what fails where nothing names it: classes of the suite split over the lanes, until something fails, and a
//! little longer, in which more of the bug shows.

use super::slow::look_again;
use super::{Look, LookResult, deadlines, unloadable};
use crate::domain::{TestId, TestReport, outer_class};
use crate::validate::lanes::{self, Queue};
use crate::validate::plan::Plan;
use crate::validate::subject::Subject;
use crate::validate::{ValidateError, losses, suite};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much longer the suite goes on after the first failure, at least and at most.
const LONGER: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(90));
/// Losses after which a process that looks for a failure ends: other classes come first, and nobody waits for all tests that
/// run into one loop.
const LOSSES: usize = 2;
const PHASE: &str = "running the tests to see which fail";

/// Runs classes of the suite over all lanes.
pub(super) async fn run(subject: &dyn Subject, classes: &[String], look: Look) -> Result<LookResult, ValidateError> {
    let lanes = lanes::count();
    let queue = Queue::new(classes.to_vec(), lanes, &suite::empty());
    let found = Found { report: suite::empty(), endless: BTreeSet::new(), until: None };
    let search = Search { subject, queue, look, begin: Instant::now(), found: Mutex::new(found) };
    subject.options().watcher.steps(PHASE, 0, Some(classes.len()));
    futures::future::try_join_all((0..lanes).map(|_| search.lane())).await?;
    let Found { report, endless, until } = search.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ran: BTreeSet<&str> = report.results.keys().map(TestId::outer_class).collect();
    let is_over = until.is_none() && classes.len() == subject.tests().len();
    let whole = search.queue.is_empty() && (is_over || ran.len() == subject.tests().len());
    Ok(LookResult { endless, ..LookResult::of(report, None, whole) })
}

struct Search<'s> {
    subject: &'s dyn Subject,
    queue: Queue,
    look: Look,
    begin: Instant,
    found: Mutex<Found>,
}

/// What all lanes found.
struct Found {
    report: TestReport,
    /// Tests that were cut again when they had more time.
    endless: BTreeSet<TestId>,
    /// When the search is over; `None` before something fails.
    until: Option<Instant>,
}

impl Search<'_> {
    /// Runs pieces of the suite in a copy of its own, as long as there are any.
    async fn lane(&self) -> Result<(), ValidateError> {
        let copy = self.subject.copy()?;
        while let Some(classes) = self.queue.next() {
            let (count, started) = (classes.len(), Instant::now());
            let Some(plan) = self.plan(classes) else { continue };
            let mut report = self.subject.run(&copy, &plan).await?;
            let left = left(&plan, &report);
            let (done, of) = self.queue.finish(count - left.len(), started.elapsed(), &report);
            self.subject.options().watcher.steps(PHASE, done, Some(of));
            let endless =
                if self.asks_again() { look_again(self.subject, &mut report).await? } else { BTreeSet::new() };
            self.queue.put_back(left);
            self.add(report, endless);
        }
        Ok(())
    }

    /// How classes run after what is lost already; `None` where nothing is left to run.
    fn plan(&self, classes: Vec<String>) -> Option<Plan> {
        let found = self.found();
        let all: BTreeSet<&str> = classes.iter().map(|class| outer_class(class)).collect();
        let skip = found.report.results.keys().filter(|id| all.contains(id.outer_class())).cloned().collect();
        let mut plan = Plan { skip, ..self.subject.plan(classes.clone(), deadlines(self.subject)) };
        if self.look == Look::ForAFailure {
            plan.losses = LOSSES;
        }
        losses::shortened(&plan, &found.report)
    }

    /// Whether nothing is known yet of tests that were cut: where one was cut again with more time, or where others fail by
    /// themselves, nobody waits for each of them.
    fn asks_again(&self) -> bool {
        let found = self.found();
        found.endless.is_empty() && found.report.failing().all(|result| result.loss.is_some())
    }

    /// Adds what a piece told, and ends the search a little after the first failure.
    fn add(&self, report: TestReport, endless: BTreeSet<TestId>) {
        let fails = unloadable::may_show_the_bug(&report);
        let mut found = self.found();
        suite::join(&mut found.report, report);
        found.endless.extend(endless);
        if fails && self.look == Look::ForAFailure {
            found.until.get_or_insert_with(|| Instant::now() + self.begin.elapsed().clamp(LONGER.0, LONGER.1));
        }
        if found.until.is_some_and(|until| Instant::now() >= until) {
            self.queue.stop();
        }
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Classes of a run that ended for its losses that have tests left, as far as one can see.
fn left(plan: &Plan, report: &TestReport) -> Vec<String> {
    if losses::count(report) < plan.losses {
        return Vec::new();
    }
    let lost = report.results.values().filter(|result| result.loss.is_some());
    let lost: BTreeSet<&str> = lost.map(|result| result.id.outer_class()).collect();
    let ran: BTreeSet<&str> = report.results.keys().map(TestId::outer_class).collect();
    let is_left = |class: &&String| lost.contains(outer_class(class)) || !ran.contains(outer_class(class));
    plan.classes.iter().filter(is_left).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Loss, RunEnd, TestResult, TestStatus};
    use crate::validate::plan::Deadlines;

    #[test]
    fn a_process_that_ended_for_its_losses_leaves_classes_to_others() {
        let plan = |losses| Plan {
            losses,
            ..Plan::of(["A", "B", "C"].map(String::from).to_vec(), Deadlines::of(LONGER.0, LONGER.1))
        };
        let result = |class: &str, loss: Option<Loss>| {
            let id = TestId::new(class, "t");
            let status = if loss.is_some() { TestStatus::TimedOut } else { TestStatus::Passed };
            (id.clone(), TestResult { id, status, failure: None, millis: 1, loss })
        };
        let results = [result("A", None), result("B$Inner", Some(Loss::Cut))].into_iter().collect();
        let report = TestReport { results, end: RunEnd::TimedOut, ..suite::empty() };
        assert_eq!(left(&plan(1), &report), ["B", "C"]);
        assert!(left(&plan(2), &report).is_empty(), "it ended for something else, and would again");
    }
}
