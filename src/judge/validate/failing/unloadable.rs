//! Classes and modules with tests that cannot be loaded here.

use super::aside::AsideReason;
use super::group;
use super::surroundings::{first_line, likely};
use crate::domain::words::clipped;
use crate::domain::{Failure, Frame, TestId, TestReport, TestResult};
use crate::validate::clean;
use crate::validate::subject::Subject;
use std::collections::BTreeMap;

/// Characters of a message at most that say why a module is set aside.
const SHOWN: usize = 120;

/// Classes and modules that cannot be loaded are the environment's, where tests fail by running and no line of the product
/// is among those that the failure names.
pub(super) fn set_aside(report: &TestReport, set_aside: &mut BTreeMap<TestId, AsideReason>) {
    let open: Vec<&TestId> =
        report.failing().map(|result| &result.id).filter(|id| !set_aside.contains_key(*id)).collect();
    let (unloadable, by_running): (Vec<&TestId>, Vec<_>) = open.into_iter().partition(|id| is_unloadable(id, report));
    if by_running.is_empty() {
        return;
    }
    for id in unloadable.into_iter().filter(|id| group::place(id, report).is_none()) {
        let why = report.results.get(id).and_then(|result| result.failure.as_ref());
        let why = why.map_or_else(String::new, |failure| {
            format!(" ({}: {})", failure.kind, clipped(first_line(&failure.message), SHOWN))
        });
        set_aside.insert(id.clone(), format!("it cannot be loaded here{why}").into());
    }
}

/// Whether a class or module cannot be loaded, so that none of its tests runs. A set-up that fails has run; a hook of a
/// `conftest.py` that fails before any test has not.
pub(super) fn is_unloadable(id: &TestId, report: &TestReport) -> bool {
    let failure = report.results.get(id).and_then(|result| result.failure.as_ref());
    let frames = failure.map(|why| why.frames.as_slice()).unwrap_or_default();
    let in_code = |frame: &Frame| !matches!(frame.method.as_str(), "<module>" | "<clinit>");
    let ran = || frames.iter().any(|frame| clean::is_project_frame(frame) && in_code(frame));
    let by_hook = || frames.last().is_some_and(|outermost| outermost.method.starts_with("pytest_"));
    is_whole(id) && (by_hook() || !ran())
}

/// Whether a test fails by running.
pub(super) fn fails_by_running(report: &TestReport) -> bool {
    report.failing().any(|result| !is_unloadable(&result.id, report))
}

/// Whether a failure may be the bug: a class or module that cannot be loaded for nothing in the product may be the
/// environment's, as may be what lacks something here, and is no reason to look no further.
pub(super) fn may_show_the_bug(report: &TestReport) -> bool {
    let is_of_product = |id: &TestId| !is_unloadable(id, report) || group::place(id, report).is_some();
    report.failing().any(|result| is_of_product(&result.id) && likely(result).is_none())
}

/// Whether a result is that of a class or module as a whole.
fn is_whole(id: &TestId) -> bool {
    id.method.is_empty() || id.method == "initializationError"
}

/// Whether a module with tests cannot be loaded for a package that neither the project nor this machine has.
pub(super) fn lacks_a_package(subject: &dyn Subject, result: &TestResult) -> bool {
    let package = result.failure.as_ref().and_then(missing_package);
    is_whole(&result.id) && package.is_some_and(|package| !subject.checkout().has_module(package, "py"))
}

/// The package of Python that an import does not find.
pub(super) fn missing_package(failure: &Failure) -> Option<&str> {
    let module = failure.message.split_once("No module named ")?.1.trim_matches(['\'', '"', '\n', ' ']);
    let package = module.split(['.', '\'']).next().filter(|name| !name.is_empty())?;
    failure.kind.ends_with("ModuleNotFoundError").then_some(package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RunEnd, TestStatus};

    const UNLOADABLE: &str = "test_b";

    fn at(class: &str, method: &str) -> Frame {
        Frame { class: class.into(), method: method.into(), file: None, line: Some(1) }
    }

    fn report(names: &[(&str, &[Frame])]) -> TestReport {
        let results = names.iter().map(|(name, frames)| {
            let id: TestId = name.parse().unwrap();
            let failure = Failure { kind: "Warning".into(), message: "old".into(), frames: frames.to_vec() };
            let status = TestStatus::Failed;
            (id.clone(), TestResult { id, status, failure: Some(failure), millis: 1, loss: None })
        });
        TestReport { end: RunEnd::Complete, results: results.collect(), output_tail: String::new() }
    }

    #[test]
    fn a_module_that_cannot_be_loaded_is_no_bug_where_tests_fail_by_running() {
        let open = |names: &[(&str, &[Frame])]| {
            let mut aside = BTreeMap::new();
            set_aside(&report(names), &mut aside);
            aside.into_keys().map(|id| id.to_string()).collect::<Vec<_>>()
        };
        let frame = |class: &str| at(class, "<module>");
        assert_eq!(open(&[("test_a#test_x", &[]), (UNLOADABLE, &[frame("test_b")])]), [UNLOADABLE]);
        assert!(open(&[(UNLOADABLE, &[frame("test_b")])]).is_empty(), "it is all there is");
        let set_up = [at("test_b", "prepare")];
        assert!(open(&[("test_a#test_x", &[]), (UNLOADABLE, &set_up)]).is_empty(), "its set-up ran");
        let hook = [at("conftest", "marked"), at("conftest", "pytest_collection_modifyitems")];
        assert_eq!(open(&[("test_a#test_x", &[]), (UNLOADABLE, &hook)]), [UNLOADABLE]);
        let by_product = [frame("shop.cart"), frame("test_b")];
        assert!(open(&[("test_a#test_x", &[]), (UNLOADABLE, &by_product)]).is_empty(), "the product fails");
    }

    #[test]
    fn a_module_that_cannot_be_loaded_ends_the_look_for_the_bug_where_the_product_fails() {
        let shows = |name: &str, frames: &[Frame]| {
            let report = report(&[(name, frames)]);
            (may_show_the_bug(&report), fails_by_running(&report))
        };
        assert_eq!(shows(UNLOADABLE, &[at("test_b", "<module>")]), (false, false));
        assert_eq!(shows(UNLOADABLE, &[at("shop.cart", "<module>"), at("test_b", "<module>")]), (true, false));
        assert_eq!(shows(UNLOADABLE, &[at("test_b", "prepare")]), (true, true));
        assert_eq!(shows("test_a#test_x", &[]), (true, true));
    }
}
