//! Tests that fail because a class could not be initialized. The first that needs the class is told the reason; the others
//! are told the name of the class, and where it was thrown last, which says less.

use crate::domain::{Failure, Frame, TestReport};
use std::collections::BTreeMap;

/// What the JVM says of a class that could not be initialized before.
const EARLIER: &str = "Could not initialize class ";
/// The method that initializes a class.
const INITIALIZER: &str = "<clinit>";

/// Gives the tests that are told a name the frames of a test that was told the reason.
pub(super) fn with_reasons(report: &mut TestReport) {
    let mut reasons: BTreeMap<String, Vec<Frame>> = BTreeMap::new();
    for failure in report.results.values().filter_map(|result| result.failure.as_ref()) {
        let initialized = failure.frames.iter().filter(|frame| frame.method == INITIALIZER);
        if class_of(&failure.message).is_none() {
            for frame in initialized {
                reasons.entry(frame.class.clone()).or_insert_with(|| failure.frames.clone());
            }
        }
    }
    // A class whose superclass could not be initialized has no reason of its own.
    let mut all = reasons.values();
    let only = all.next().filter(|one| all.all(|other| one.first() == other.first()));
    for failure in report.results.values_mut().filter_map(|result| result.failure.as_mut()) {
        if let Some(frames) = class_of(&failure.message).and_then(|class| reasons.get(class).or(only)) {
            failure.frames.clone_from(frames);
        }
    }
}

/// Whether a test fails for a class that cannot be initialized, by its reason or by its name.
pub(in crate::validate) fn is_of_class(failure: &Failure) -> bool {
    class_of(&failure.message).is_some() || failure.frames.iter().any(|frame| frame.method == INITIALIZER)
}

/// The class that a message says could not be initialized before.
fn class_of(message: &str) -> Option<&str> {
    message.strip_prefix(EARLIER)?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TestId, TestResult, TestStatus};
    use crate::validate::suite;

    fn failing(name: &str, message: &str, frames: &[(&str, &str, u32)]) -> (TestId, TestResult) {
        let id = TestId::new("shop.CartTest", name);
        let frame = |(class, method, line): &(&str, &str, u32)| Frame {
            class: (*class).into(),
            method: (*method).into(),
            file: None,
            line: Some(*line),
        };
        let frames = frames.iter().map(frame).collect();
        let failure = Failure { kind: "java.lang.Error".into(), message: message.into(), frames };
        let status = TestStatus::Failed;
        (id.clone(), TestResult { id, status, failure: Some(failure), millis: 1, loss: None })
    }

    #[test]
    fn a_test_that_is_told_the_name_of_a_class_has_the_reason_of_another() {
        let reason = [("shop.Rates", "read", 12), ("shop.Rates", INITIALIZER, 3)];
        let later = [("shop.Rates", "read", 20), ("shop.Rates", INITIALIZER, 3)];
        let results = [
            failing("a", "Index -1", &reason),
            failing("b", "Could not initialize class shop.Rates\ncaused by x", &later),
            failing("c", "Could not initialize class shop.LocalRates", &[("shop.CartTest", "c", 7)]),
        ];
        let mut report = TestReport { results: results.into(), ..suite::empty() };
        with_reasons(&mut report);
        let line = |name: &str| {
            report.results[&TestId::new("shop.CartTest", name)].failure.as_ref().and_then(|why| why.frames[0].line)
        };
        assert_eq!([line("a"), line("b"), line("c")], [Some(12), Some(12), Some(12)]);
    }
}
