//! What else fails: a hint names the tests near a change, and the bug may show in others, too. A patch that is right for
//! the first class alone would pass as well as one that is right for all.

use super::earlier::{self, FailedBefore};
use super::{LookResult, flaky, measure, own};
use crate::domain::{Loss, RunEnd, TestId, TestReport, outer_class};
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::subject::Subject;
use crate::validate::{ValidateError, coverage, suite};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Time for one round of other classes.
const ROUND: Duration = Duration::from_secs(4);
/// Time for each of their tests.
const QUICK: Duration = Duration::from_secs(2);
/// Time for all rounds while the project's own command is asked about what is known to fail.
const MEANWHILE: Duration = Duration::from_secs(10);
/// Time for all rounds in any case: a quarter of what the first tests took, at least and at most.
const LEAST: (Duration, Duration) = (Duration::from_secs(4), Duration::from_secs(20));
/// Other classes at most.
const CLASSES: usize = 150;
/// Those of the first round.
const FEW: usize = 50;

/// What a look at other classes found.
pub(super) struct Further {
    pub(super) found: LookResult,
    pub(super) flaky: BTreeSet<TestId>,
    pub(super) own_passes: BTreeSet<TestId>,
    pub(super) before: Option<FailedBefore>,
}

/// Runs the classes that did not run yet, those first that name what was changed last, for a short time beside what the
/// first ones took, and longer while `is_asking`; `None` when nothing fails in those.
pub(super) async fn look(
    subject: &dyn Subject,
    first: &LookResult,
    is_asking: impl Fn() -> bool,
) -> Result<Option<Further>, ValidateError> {
    let ran: BTreeSet<&str> = first.report.results.keys().map(TestId::outer_class).collect();
    let others = subject.tests().iter().filter(|class| !ran.contains(outer_class(class)));
    let mut classes: Vec<String> = others.cloned().collect();
    if classes.is_empty() {
        return Ok(None);
    }
    if let Some(change) = &subject.checkout().last_change {
        let names = coverage::names(subject, change.revert.paths());
        classes.sort_by_cached_key(|class| !coverage::names_one(subject, class, &names));
    }
    let is_rest = classes.len() <= CLASSES;
    classes.truncate(CLASSES);
    subject.options().watcher.phase("looking for other failing tests");
    let took: u64 = first.report.results.values().map(|result| result.millis).sum();
    let least = (Duration::from_millis(took) / 4).clamp(LEAST.0, LEAST.1);
    let is_wanted = |time: Duration| time < least || time + ROUND < MEANWHILE && is_asking();
    let mut report = run_while(subject, classes, is_wanted).await?;
    let whole = is_rest && report.end == RunEnd::Complete;
    // What was cut says nothing after so short a time.
    report.results.retain(|_, result| result.loss != Some(Loss::Cut));
    report.end = RunEnd::Complete;
    let failing: Vec<TestId> = report.failing().map(|result| result.id.clone()).collect();
    if failing.is_empty() {
        return Ok(None);
    }
    let (executed, flaky, own_passes, before) = tokio::try_join!(
        measure(subject, &report, &[]),
        flaky::of(subject, &report, &failing),
        own::passing(subject, None, &report),
        earlier::of(subject, &report, &failing)
    )?;
    let found = LookResult { by_hint: true, ..LookResult::of(report, Some(executed), whole) };
    Ok(Some(Further { found, flaky, own_passes, before }))
}

/// Runs classes in rounds, one at least, while more are wanted after some time.
async fn run_while(
    subject: &dyn Subject,
    classes: Vec<String>,
    is_wanted: impl Fn(Duration) -> bool,
) -> Result<TestReport, ValidateError> {
    let (begin, copy) = (Instant::now(), subject.copy()?);
    let (mut all, mut rounds) = (suite::empty(), Rounds { left: classes, few: FEW });
    loop {
        let (round, skip) = (Instant::now(), all.results.keys().cloned().collect());
        let plan = Plan { skip, ..subject.plan(rounds.now().to_vec(), Deadlines::of(QUICK, ROUND)) };
        let report = subject.run(&copy, &plan).await?;
        let end = report.end;
        let goes_on = rounds.end(&report, round.elapsed());
        all.end = RunEnd::Complete;
        suite::join(&mut all, report);
        if !goes_on || !is_wanted(begin.elapsed()) {
            all.end = if rounds.left.is_empty() { end } else { RunEnd::TimedOut };
            return Ok(all);
        }
    }
}

/// Classes that run in rounds: a few at first, for finding the tests of a class takes time, too.
struct Rounds {
    left: Vec<String>,
    few: usize,
}

impl Rounds {
    fn now(&self) -> &[String] {
        &self.left[..self.few.min(self.left.len())]
    }

    /// A round ended; whether another one makes sense.
    fn end(&mut self, report: &TestReport, took: Duration) -> bool {
        let ran: BTreeSet<&str> = report.results.keys().map(TestId::outer_class).collect();
        let last = self.now().iter().rposition(|class| ran.contains(outer_class(class)));
        let done = if report.end == RunEnd::Complete { self.now().len() } else { last.unwrap_or(0) };
        self.left.drain(..done);
        if report.end != RunEnd::Complete && !self.left.is_empty() {
            // The class in which time was up is a slow one.
            self.left.rotate_left(1);
        }
        self.few = (done.max(1) as f64 * ROUND.as_secs_f64() / took.as_secs_f64()).ceil() as usize;
        !self.left.is_empty() && (done > 0 || last.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TestResult, TestStatus};

    /// A run in which one test of each of these classes passed.
    fn ran(classes: &[&str], end: RunEnd) -> TestReport {
        let result = |class: &&str| {
            let id = TestId::new(*class, "test");
            (id.clone(), TestResult { id, status: TestStatus::Passed, failure: None, millis: 1, loss: None })
        };
        TestReport { end, results: classes.iter().map(result).collect(), output_tail: String::new() }
    }

    #[test]
    fn a_slow_class_waits_for_the_others() {
        let left = ["A", "B", "Slow", "C"].map(String::from).to_vec();
        let mut rounds = Rounds { left, few: 3 };
        assert_eq!(rounds.now(), ["A", "B", "Slow"]);
        assert!(rounds.end(&ran(&["A", "B", "Slow"], RunEnd::TimedOut), ROUND));
        assert_eq!((rounds.now(), rounds.few), (&["C".to_owned(), "Slow".to_owned()][..], 2));
        assert!(rounds.end(&ran(&["C", "Slow"], RunEnd::TimedOut), ROUND), "the slow one has tests left");
        assert!(!rounds.end(&ran(&["Slow"], RunEnd::Complete), ROUND));
        assert!(rounds.now().is_empty());
    }

    #[test]
    fn quick_rounds_grow_and_those_without_tests_go_on() {
        let mut rounds = Rounds { left: (0..9).map(|n| format!("T{n}")).collect(), few: 2 };
        assert!(rounds.end(&ran(&[], RunEnd::Complete), ROUND / 2), "classes without tests");
        assert_eq!(rounds.now(), ["T2", "T3", "T4", "T5"]);
        assert!(!rounds.end(&ran(&[], RunEnd::Crashed), ROUND), "nothing ran, and nothing would");
    }
}
