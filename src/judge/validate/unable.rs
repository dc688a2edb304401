//! Triggering tests that cannot tell whether a patch repairs them: with it they get as far as what is not there for others
//! either, and skip themselves. The project's own command skips them as well.

use super::{Baseline, suite};
use crate::domain::{Patch, TestId, TestReport, TestResult, TestStatus};

/// Whether a test is skipped for the very exception for which others are skipped without the patch.
pub(super) fn lacks_what_others_lack(baseline: &Baseline, report: &TestReport, id: &TestId) -> bool {
    let reason = |result: &TestResult| {
        let failure = result.failure.as_ref().filter(|_| result.status == TestStatus::Skipped)?;
        failure.message.contains("\ncaused by ").then(|| failure.message.clone())
    };
    let own = report.results.get(id).and_then(reason);
    let others = baseline.report.results.values().filter(|result| !suite::same_group(&result.id, id));
    own.is_some() && others.map(reason).any(|other| other == own)
}

/// Whether what makes a test skip itself goes through a file that a patch changes: then the patch may be the reason.
pub(super) fn is_of_patch(report: &TestReport, id: &TestId, patch: &Patch) -> bool {
    let names: Vec<&str> = patch.paths().filter_map(|path| path.as_str().rsplit('/').next()).collect();
    let failure = report.results.get(id).and_then(|result| result.failure.as_ref());
    let mut files = failure.into_iter().flat_map(|failure| &failure.frames).filter_map(|frame| frame.file.as_deref());
    files.any(|file| names.contains(&file))
}

/// What is said of such tests.
pub(super) fn told(tests: &[TestId]) -> String {
    match tests {
        [] => String::new(),
        [one] => format!(", {one} is skipped as others are without the patch"),
        [one, more @ ..] => format!(", {one} and {} more are skipped as others are without the patch", more.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, Outcome};
    use crate::validate::plausible::triggering;
    use TestStatus::{Failed, Passed, Skipped};

    #[test]
    fn a_test_that_lacks_what_others_lack_cannot_tell() {
        let because = |why: &str, name: &str, status| {
            let id: TestId = name.parse().unwrap();
            let failure = Failure { kind: "Skipped".into(), message: why.into(), frames: Vec::new() };
            (id.clone(), TestResult { id, status, failure: Some(failure), millis: 1, loss: None })
        };
        let with = |results: Vec<(TestId, TestResult)>| TestReport {
            results: results.into_iter().collect(),
            ..suite::empty()
        };
        let before = with(vec![
            because("no translations\ncaused by OSError: fr", "T#french", Skipped),
            because("", "T#silent", Skipped),
            because("too slow", "T#slow", Skipped),
        ]);
        let bug = Baseline {
            report: before.into(),
            triggering: ["T#days", "T#words"].map(|name| name.parse().unwrap()).into(),
            ..Baseline::default()
        };
        for (days, words, why, wanted) in [
            (Passed, Skipped, "no translations\ncaused by OSError: fr", Outcome::PassedWarm),
            (Passed, Skipped, "no dictionary\ncaused by OSError: fr", Outcome::Failed),
            (Passed, Skipped, "", Outcome::Failed),
            (Passed, Skipped, "too slow", Outcome::Failed),
            (Skipped, Skipped, "no translations\ncaused by OSError: fr", Outcome::Failed),
            (Failed, Skipped, "no translations\ncaused by OSError: fr", Outcome::Failed),
        ] {
            let judged = triggering(&bug, &with(vec![because(why, "T#days", days), because(why, "T#words", words)]));
            assert_eq!(judged.outcome, wanted, "{days:?} {words:?} {why}");
            assert_eq!(judged.fixed, usize::from(days == Passed));
        }
        let itself = with(vec![because("no translations\ncaused by OSError: fr", "T#words", Skipped)]);
        let bug = Baseline { report: itself.into(), ..bug };
        let now = with(vec![
            because("", "T#days", Passed),
            because("no translations\ncaused by OSError: fr", "T#words", Skipped),
        ]);
        assert_eq!(triggering(&bug, &now).outcome, Outcome::Failed, "no other test lacks it");
    }
}
