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
    let failure =
        |result: &TestResult| result.failure.as_ref().map(|why| (why.kind.clone(), without_long_numbers(&why.message)));
    let leans = |id: &&TestId| match (report.results.get(*id), together.results.get(*id)) {
        (Some(alone), Some(after)) => after.passed() || failure(alone) != failure(after),
        _ => false,
    };
    Ok(texts.into_iter().filter(leans).cloned().collect())
}

/// A message without its long numbers: ports, addresses and times are others in every run.
fn without_long_numbers(message: &str) -> String {
    const LONG: usize = 4;
    let is_short = |word: &&str| word.chars().filter(char::is_ascii_digit).count() < LONG;
    message.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).filter(is_short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_difference_and_a_value_is() {
        let at = |text| without_long_numbers(text);
        assert_eq!(at("no answer of http://127.0.0.1:39711/form"), at("no answer of http://127.0.0.1:40213/form"));
        assert_eq!(at("<Cart at 0x7f3c91d0>"), at("<Cart at 0x7e2b80c1>"));
        assert_ne!(at("Expected: 12\nGot: 15"), at("Expected: 12\nGot: 16"));
        assert_ne!(at("name 'cart' is not defined"), at("name 'shop' is not defined"));
    }
}
