//! The plain look: the triggering tests in a process that does not look like one that runs tests.
//!
//! Its folders, libraries, threads, arguments and variables have other names than in every run before, and, as far as the
//! tests allow, nothing of a test framework stands between the process and the test. A patch whose tests pass only where
//! it can tell that it is tested repairs nothing. The first run of a confirmation is the plain one, so that it costs
//! nothing unless it fails.

use super::Baseline;
use super::ValidateError;
use super::plan::Look;
use super::plausible::{self, Judged};
use super::subject::{Build, Subject};
use crate::domain::{Outcome, Patch, TestReport};
use std::sync::Arc;

/// What speaks against a patch whose triggering tests pass in a process that looks like one of tests, and did not pass in
/// a plain one.
///
/// # Errors
/// No process can be started.
pub(super) async fn objection(
    subject: &dyn Subject,
    baseline: &Baseline,
    patch: &Patch,
    build: &Arc<Build>,
) -> Result<Option<Judged>, ValidateError> {
    // A test may have its own reasons to want its framework or its surroundings: the patch must at least be able to see
    // what is different.
    if !build.news.senses {
        return Ok(None);
    }
    let deadlines = subject.deadlines(&baseline.report);
    let plan = subject.plan_of(baseline.triggering.clone(), deadlines).looking(Look::Plain);
    let report = subject.run(&subject.plain_copy_with(patch, build)?, &plan).await?;
    let judged = plausible::triggering(baseline, &report);
    if judged.outcome == Outcome::PassedWarm {
        return Ok(None);
    }
    Ok(Some(refusal(judged, &report)))
}

fn refusal(judged: Judged, report: &TestReport) -> Judged {
    let first = judged.against.first().and_then(|id| report.results.get(id));
    let why = first.and_then(|result| result.failure.as_ref()).map_or_else(String::new, |failure| {
        format!(" ({}: {})", failure.kind, failure.message.lines().next().unwrap_or_default())
    });
    let name = judged.against.first().map_or_else(String::new, ToString::to_string);
    let detail = format!(
        "{name} passes only where the code can tell that it is tested; in a process of other names and surroundings it does \
         not{why}"
    );
    Judged { outcome: Outcome::Refused, detail, ..judged }
}
