//! A candidate that repairs a part of the triggering tests: the others may be of another bug.

use super::failing::place;
use super::{Baseline, clean};
use crate::domain::{Failure, Outcome, TestId, Validation};
use std::collections::BTreeSet;

/// How a test fails: the exception, and the place in the product where it was thrown, if it was thrown there.
pub(super) type Reason<'r> = (&'r str, Option<(&'r str, Option<u32>)>);

/// Repaired tests that make the others an exception, in a class with some of these: so many, and times as many as the others.
const MANY: usize = 9;
const MOST: usize = 3;

impl Baseline {
    /// The triggering tests that pass with a candidate, where the others fail as they did without it and are of another bug,
    /// as far as can be seen. `None` where somebody names the triggering tests, or where one change broke them all.
    pub fn repaired_part(&self, validation: &Validation) -> Option<Vec<TestId>> {
        let fail_then: Vec<&TestId> = validation.failing.iter().map(|(id, _)| id).collect();
        let is_told = fail_then.len() + validation.fixed == self.triggering.len();
        if !self.found || validation.outcome != Outcome::Failed || validation.fixed == 0 || !is_told {
            return None;
        }
        let (left, repaired): (Vec<&TestId>, Vec<&TestId>) =
            self.triggering.iter().partition(|id| fail_then.contains(id));
        let are_alike = validation.failing.iter().all(|(id, now)| self.fails_as_before(id, now));
        let is_part = !left.is_empty()
            && left.len() == fail_then.len()
            && are_alike
            && (self.are_apart(&repaired, &left) || are_far_more(&repaired, &left) && self.are_untouched(validation));
        is_part.then(|| repaired.into_iter().cloned().collect())
    }

    /// Whether the repaired tests failed for other reasons than those that are left.
    fn are_apart(&self, repaired: &[&TestId], left: &[&TestId]) -> bool {
        let reasons: Vec<Reason<'_>> = left.iter().filter_map(|id| self.reason(id)).collect();
        let is_apart = |id: &&TestId| self.reason(id).is_some_and(|reason| !reasons.contains(&reason));
        reasons.len() == left.len() && repaired.iter().all(is_apart)
    }

    /// Whether the tests that fail with a candidate say word for word what they said without it.
    fn are_untouched(&self, validation: &Validation) -> bool {
        let said = |failure: &Failure| clean::clean(failure).message;
        validation.failing.iter().all(|(id, now)| self.failure(id).is_some_and(|old| said(old) == said(now)))
    }

    /// All failing tests that count, one group a bug, the triggering ones first.
    pub fn bugs(&self) -> Vec<Vec<TestId>> {
        std::iter::once(&self.triggering).chain(&self.others).cloned().collect()
    }

    fn failure(&self, id: &TestId) -> Option<&Failure> {
        self.report.results.get(id)?.failure.as_ref()
    }

    pub(super) fn reason(&self, id: &TestId) -> Option<Reason<'_>> {
        Some((&*self.failure(id)?.kind, place(id, &self.report)))
    }

    /// Whether a test fails with a candidate by the same exception in the same method. Its lines may be others now.
    fn fails_as_before(&self, id: &TestId, now: &Failure) -> bool {
        let innermost = |failure: &Failure| {
            let frame = failure.frames.iter().find(|frame| clean::is_project_frame(frame));
            frame.map(|frame| (frame.class.clone(), frame.method.clone()))
        };
        let is_same = |before: &Failure| before.kind == now.kind && innermost(before) == innermost(now);
        self.failure(id).is_some_and(is_same)
    }
}

/// Whether all failing tests of some classes are repaired, and fewer of others, or so many that the others are an exception.
fn are_far_more(repaired: &[&TestId], left: &[&TestId]) -> bool {
    let classes: BTreeSet<&str> = left.iter().map(|id| id.outer_class()).collect();
    let beside = repaired.iter().filter(|id| classes.contains(id.outer_class())).count();
    repaired.len() > 2 * beside || repaired.len() >= MANY && repaired.len() >= MOST * left.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Frame, TestResult, TestStatus};

    fn failure(kind: &str, class: &str, line: u32) -> Failure {
        let frame = Frame { class: class.into(), method: "m".into(), file: None, line: Some(line) };
        Failure { kind: kind.into(), message: String::new(), frames: vec![frame] }
    }

    /// Two tests that fail in the product, and one by an assertion.
    fn baseline(found: bool) -> Baseline {
        let of = |name: &str, failure| TestResult {
            id: TestId::new("tests.test_url", name),
            status: TestStatus::Failed,
            failure: Some(failure),
            millis: 1,
            loss: None,
        };
        let results = [
            of("test_hosts", failure("ValueError", "url", 9)),
            of("test_netloc", failure("ValueError", "url", 9)),
            of("test_set", failure("AssertionError", "tests.test_url", 40)),
        ];
        let triggering = results.iter().map(|result| result.id.clone()).collect();
        let mut report = crate::validate::suite::empty();
        report.results = results.map(|result| (result.id.clone(), result)).into();
        Baseline { report: report.into(), triggering, found, ..Baseline::default() }
    }

    fn answer(failing: &[(&str, Failure)]) -> Validation {
        let failing: Vec<_> =
            failing.iter().map(|(name, failure)| (TestId::new("tests.test_url", *name), failure.clone())).collect();
        Validation { fixed: 3 - failing.len(), failing, ..Validation::without_tests(Outcome::Failed, "") }
    }

    #[test]
    fn tests_that_fail_as_before_for_another_reason_are_of_another_part() {
        let moved = failure("ValueError", "url", 10);
        let rest = answer(&[("test_hosts", moved.clone()), ("test_netloc", moved.clone())]);
        let part = vec![TestId::new("tests.test_url", "test_set")];
        assert_eq!(baseline(true).repaired_part(&rest), Some(part));
        assert_eq!(baseline(false).repaired_part(&rest), None, "somebody named them");
        let otherwise = answer(&[("test_hosts", moved.clone()), ("test_netloc", failure("KeyError", "url", 9))]);
        assert_eq!(baseline(true).repaired_part(&otherwise), None, "one fails otherwise");
        let same_reason = answer(&[("test_netloc", moved)]);
        assert_eq!(baseline(true).repaired_part(&same_reason), None, "one that fails so was repaired");
        assert_eq!(baseline(true).repaired_part(&answer(&[])), None, "none is left");
    }

    #[test]
    fn tests_of_other_classes_that_fail_word_for_word_as_before_are_of_another_part() {
        let ids = ["DomTest#text", "DomTest#space", "StaxTest#high"].map(|name| name.parse::<TestId>().unwrap());
        let says =
            |class: &str, message: &str| Failure { message: message.into(), ..failure("AssertionError", class, 9) };
        let result = |id: &TestId| TestResult {
            id: id.clone(),
            status: TestStatus::Failed,
            failure: Some(says(&id.class, "expected:\r<a> but was:<b>")),
            millis: 1,
            loss: None,
        };
        let mut report = crate::validate::suite::empty();
        report.results = ids.iter().map(|id| (id.clone(), result(id))).collect();
        let baseline = Baseline { report: report.into(), triggering: ids.to_vec(), found: true, ..Baseline::default() };
        let left = |at: usize, message: &str| Validation {
            fixed: 2,
            failing: vec![(ids[at].clone(), says(&ids[at].class, message))],
            ..Validation::without_tests(Outcome::Failed, "")
        };
        assert_eq!(baseline.repaired_part(&left(2, "expected:<a> but was:<b>")), Some(ids[..2].to_vec()));
        assert_eq!(baseline.repaired_part(&left(2, "expected:<a> but was:<c>")), None, "it has a part in what comes");
        assert_eq!(baseline.repaired_part(&left(1, "expected:<a> but was:<b>")), None, "one of its class was repaired");
        let mut more = baseline.clone();
        more.triggering.extend(["UrlTest#a", "UrlTest#b"].map(|name| name.parse::<TestId>().unwrap()));
        let one_of_three = Validation { fixed: 4, ..left(1, "expected:<a> but was:<b>") };
        assert_eq!(more.repaired_part(&one_of_three).map(|part| part.len()), Some(4), "but most are of other classes");
    }
}
