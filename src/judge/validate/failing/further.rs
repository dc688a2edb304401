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

/// Time for other classes, after which it is seen whether somebody waits.
const BRIEF: Duration = Duration::from_secs(4);
/// Time for them while the project's own command is asked about what is known to fail, at most.
const MEANWHILE: Duration = Duration::from_secs(10);
/// Other classes at most: a process needs time to find the tests of each.
const CLASSES: usize = 150;

/// What a look at other classes found.
pub(super) struct Further {
    pub(super) found: LookResult,
    pub(super) flaky: BTreeSet<TestId>,
    pub(super) own_passes: BTreeSet<TestId>,
    pub(super) before: Option<FailedBefore>,
}

/// Runs the classes that did not run yet, for a short time, and longer while `is_asking`; `None` when nothing fails in
/// those.
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
    let mut report = run_while(subject, classes, is_asking).await?;
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

/// Runs classes in rounds, one at least.
async fn run_while(
    subject: &dyn Subject,
    mut classes: Vec<String>,
    is_asking: impl Fn() -> bool,
) -> Result<TestReport, ValidateError> {
    let (begin, copy) = (Instant::now(), subject.copy()?);
    let mut all = suite::empty();
    loop {
        let skip = all.results.keys().cloned().collect();
        let plan = Plan { skip, ..subject.plan(classes.clone(), Deadlines::of(FIRST, BRIEF)) };
        let report = subject.run(&copy, &plan).await?;
        let ran: BTreeSet<&str> = report.results.keys().map(TestId::outer_class).collect();
        // The class in which time was up goes on.
        let last = classes.iter().rposition(|class| ran.contains(outer_class(class)));
        let end = report.end;
        all.end = RunEnd::Complete;
        join(&mut all, report);
        let Some(last) = last else { return Ok(all) };
        classes.drain(..last);
        if end != RunEnd::TimedOut || !is_asking() || begin.elapsed() + BRIEF > MEANWHILE {
            return Ok(all);
        }
    }
}
