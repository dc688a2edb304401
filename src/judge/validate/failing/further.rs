//! What else fails: a hint names the tests near a change, and the bug may show in others, too. A patch that is right for
//! the first class alone would pass as well as one that is right for all.

use super::earlier::{self, FailedBefore};
use super::{FIRST, LookResult, flaky, measure, own};
use crate::domain::{Loss, RunEnd, TestId};
use crate::validate::ValidateError;
use crate::validate::plan::Deadlines;
use crate::validate::subject::Subject;
use std::collections::BTreeSet;
use std::time::Duration;

/// Time for other classes.
const BRIEF: Duration = Duration::from_secs(4);
/// The same while the project's own command is asked about what is known to fail, which takes as long.
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

/// Runs the classes that did not run yet, for a short time; `None` when nothing fails in those.
pub(super) async fn look(subject: &dyn Subject, first: &LookResult) -> Result<Option<Further>, ValidateError> {
    let ran: BTreeSet<&str> = first.report.results.keys().map(TestId::outer_class).collect();
    let time = if subject.checkout().own.is_some() { MEANWHILE } else { BRIEF };
    let others = || subject.tests().iter().filter(|class| !ran.contains(crate::domain::outer_class(class)));
    let classes: Vec<String> = others().take(CLASSES).cloned().collect();
    if classes.is_empty() {
        return Ok(None);
    }
    let is_rest = classes.len() == others().count();
    subject.options().watcher.phase("looking for other failing tests");
    let plan = subject.plan(classes, Deadlines::of(FIRST, time));
    let mut report = subject.run(&subject.copy()?, &plan).await?;
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
