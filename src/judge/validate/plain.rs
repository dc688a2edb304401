//! The plain look: the triggering tests in a process that does not look like one that runs tests.
//!
//! Its folders, libraries, threads, arguments and variables have other names than in every run before, and, as far as the
//! tests allow, nothing of a test framework stands between the process and the test. A patch whose tests pass only where
//! it can tell that it is tested repairs nothing. The first run of a confirmation is the plain one, so that it costs
//! nothing unless it fails.
//!
//! Hashes are others there as well: those of texts, and those that objects have by where they lie. A repair does not need
//! an order that nothing promises. Language, zone, charset and ends of lines are others, too; as tests may want theirs,
//! [`settings`] says what a failure by them alone means.

use super::plan::Look;
use super::plausible::{self, Judged};
use super::subject::{Build, Subject};
use super::{Baseline, ValidateError, settings, suite};
use crate::domain::{Outcome, Patch, TestId, TestReport};
use std::sync::Arc;

/// What speaks against a patch with which some triggering tests pass in a process that looks like one of tests, and did not
/// pass in a plain one.
///
/// # Errors
/// No process can be started.
pub(super) async fn objection(
    subject: &dyn Subject,
    baseline: &Baseline,
    tests: &[TestId],
    patch: &Patch,
    build: &Arc<Build>,
) -> Result<Option<Judged>, ValidateError> {
    // A test may have its own reasons to want its framework or its surroundings: the patch must at least be able to see
    // what is different. No name in it shows that it lives on an order of objects.
    if !build.news.senses {
        return match in_another_order(subject, baseline, tests, patch, build).await? {
            None => settings::objection(subject, baseline, tests, patch, build).await,
            against => Ok(against),
        };
    }
    let deadlines = subject.deadlines_for(baseline);
    let plan = subject.plan_of(suite::wanted(tests), deadlines).looking(Look::Plain).for_times_of(baseline);
    let report = subject.run(&subject.plain_copy_with(patch, build)?, &plan).await?;
    let judged = plausible::of_tests(baseline, tests, &report);
    if judged.outcome == Outcome::PassedWarm {
        return settings::objection(subject, baseline, tests, patch, build).await;
    }
    let what = "passes only where the code can tell that it is tested; in a process of other names and surroundings it does not";
    Ok(Some(refusal(Outcome::Refused, what, judged, &report)))
}

/// Times that tests must fail where hashes are others, and nothing else is.
const ORDERS: usize = 2;

/// What speaks against a patch whose triggering tests pass with the hashes of a usual run alone: it depends on where
/// objects lie, or on an order of a set that nothing promises.
async fn in_another_order(
    subject: &dyn Subject,
    baseline: &Baseline,
    tests: &[TestId],
    patch: &Patch,
    build: &Arc<Build>,
) -> Result<Option<Judged>, ValidateError> {
    if subject.options().accept_suspicious {
        return Ok(None);
    }
    let mut against = None;
    for _ in 0..ORDERS {
        let deadlines = subject.deadlines_for(baseline);
        let plan = subject.plan_of(suite::wanted(tests), deadlines).looking(Look::Reordered).for_times_of(baseline);
        let report = subject.run(&subject.copy_with(patch, build)?, &plan).await?;
        let judged = plausible::of_tests(baseline, tests, &report);
        if judged.outcome == Outcome::PassedWarm {
            return Ok(None);
        }
        let what = "passes only with one order of sets and one place of objects, which nothing promises; with others it does not";
        against = Some(refusal(Outcome::Suspicious, what, judged, &report));
    }
    Ok(against)
}

pub(super) fn refusal(outcome: Outcome, what: &str, judged: Judged, report: &TestReport) -> Judged {
    let first = judged.against.first().and_then(|id| report.results.get(id));
    let why = first.and_then(|result| result.failure.as_ref()).map_or_else(String::new, |failure| {
        format!(" ({}: {})", failure.kind, failure.message.lines().next().unwrap_or_default())
    });
    let name = judged.against.first().map_or_else(String::new, ToString::to_string);
    Judged { outcome, detail: format!("{name} {what}{why}"), ..judged }
}
