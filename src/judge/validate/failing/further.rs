//! What else fails: a hint names the tests near a change, and the bug may show in others, too. A patch that is right for
//! the first class alone would pass as well as one that is right for all.

use super::earlier::{self, FailedBefore};
use super::{FIRST, LookResult, flaky, join, measure, own};
use crate::domain::{Loss, RunEnd, TestId, TestReport, outer_class};
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::subject::Subject;
use crate::validate::{ValidateError, suite};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Time for one round of other classes.
const BRIEF: Duration = Duration::from_secs(4);
/// Time for all rounds while the project's own command is asked about what is known to fail.
const MEANWHILE: Duration = Duration::from_secs(10);
/// Time for all rounds in any case: a quarter of what the first tests took, at least and at most.
const LEAST: (Duration, Duration) = (Duration::from_secs(4), Duration::from_secs(20));
/// Other classes at most.
const CLASSES: usize = 150;
/// Those of the first round.
const FEW: usize = 20;

/// What a look at other classes found.
pub(super) struct Further {
    pub(super) found: LookResult,
    pub(super) flaky: BTreeSet<TestId>,
    pub(super) own_passes: BTreeSet<TestId>,
    pub(super) before: Option<FailedBefore>,
}

/// Runs the classes that did not run yet, for a short time beside what the first ones took, and longer while `is_asking`;
/// `None` when nothing fails in those.
pub(super) async fn look(
    subject: &dyn Subject,
    first: &LookResult,
    is_asking: impl Fn() -> bool,
) -> Result<Option<Further>, ValidateError> {
    let ran: BTreeSet<&str> = first.report.results.keys().map(TestId::outer_class).collect();
    let others = || subject.tests().iter().filter(|class| !ran.contains(outer_class(class)));
    let classes: Vec<String> = others().take(CLASSES).cloned().collect();
    if classes.is_empty() {
        return Ok(None);
    }
    let is_rest = classes.len() == others().count();
    subject.options().watcher.phase("looking for other failing tests");
    let took: u64 = first.report.results.values().map(|result| result.millis).sum();
    let least = (Duration::from_millis(took) / 4).clamp(LEAST.0, LEAST.1);
    let is_wanted = |time: Duration| time < least || time + BRIEF < MEANWHILE && is_asking();
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
        measure(subject, &report),
        flaky::of(subject, &report, &failing),
        own::passing(subject, None, &report),
        earlier::of(subject, &report, &failing)
    )?;
    let found = LookResult { by_hint: true, ..LookResult::of(report, executed, whole) };
    Ok(Some(Further { found, flaky, own_passes, before }))
}

/// Runs classes in rounds, one at least, while more are wanted after some time: a few at first, for finding the tests of a
/// class takes time, too.
async fn run_while(
    subject: &dyn Subject,
    mut classes: Vec<String>,
    is_wanted: impl Fn(Duration) -> bool,
) -> Result<TestReport, ValidateError> {
    let (begin, copy) = (Instant::now(), subject.copy()?);
    let (mut all, mut few) = (suite::empty(), FEW);
    loop {
        let (round, skip) = (Instant::now(), all.results.keys().cloned().collect());
        let now: Vec<String> = classes.iter().take(few).cloned().collect();
        let plan = Plan { skip, ..subject.plan(now.clone(), Deadlines::of(FIRST, BRIEF)) };
        let report = subject.run(&copy, &plan).await?;
        let end = report.end;
        let ran: BTreeSet<&str> = report.results.keys().map(TestId::outer_class).collect();
        // The class in which time was up goes on.
        let last = now.iter().rposition(|class| ran.contains(outer_class(class)));
        let done = if end == RunEnd::Complete { now.len() } else { last.unwrap_or(0) };
        let is_stuck = done == 0 && ran.is_empty();
        classes.drain(..done);
        all.end = RunEnd::Complete;
        join(&mut all, report);
        if classes.is_empty() || is_stuck || !is_wanted(begin.elapsed()) {
            all.end = if classes.is_empty() { end } else { RunEnd::TimedOut };
            return Ok(all);
        }
        few = (done.max(1) as f64 * BRIEF.as_secs_f64() / round.elapsed().as_secs_f64()).ceil() as usize;
    }
}
