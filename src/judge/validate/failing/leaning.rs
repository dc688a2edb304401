//! Texts with examples that lean on tests which run before them: what those put into the names of examples is there in a
//! run of all tests, and missing where the text runs by itself.

use super::FIRST;
use crate::domain::{TestId, TestReport, TestResult};
use crate::validate::ValidateError;
use crate::validate::plan::Deadlines;
use crate::validate::subject::Subject;
use std::collections::BTreeSet;
use std::time::Duration;

/// Time for all tests in one process.
const TOGETHER: Duration = Duration::from_secs(60);

/// Those of some failing tests that are texts, and pass or fail otherwise after all modules.
pub(super) async fn of(
    subject: &dyn Subject,
    report: &TestReport,
    failing: &[TestId],
) -> Result<BTreeSet<TestId>, ValidateError> {
    let is_text = |class: &str| subject.test_file(class).is_some_and(|file| subject.is_text(&file));
    let texts: Vec<&TestId> = failing.iter().filter(|id| is_text(&id.class)).collect();
    if texts.is_empty() {
        return Ok(BTreeSet::new());
    }
    subject.options().watcher.phase("running the failing examples of texts after all tests");
    let (last, mut classes): (Vec<String>, Vec<String>) =
        subject.tests().iter().cloned().partition(|class| is_text(class));
    classes.extend(last);
    let together = subject.run(&subject.copy()?, &subject.plan(classes, Deadlines::of(FIRST, TOGETHER))).await?;
    let failure = |result: &TestResult| result.failure.as_ref().map(|why| (why.kind.clone(), why.message.clone()));
    let leans = |id: &&TestId| match (report.results.get(*id), together.results.get(*id)) {
        (Some(alone), Some(after)) => after.passed() || failure(alone) != failure(after),
        _ => false,
    };
    Ok(texts.into_iter().filter(leans).cloned().collect())
}
