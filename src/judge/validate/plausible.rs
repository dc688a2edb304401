//! What plausible means: the only definition.
//!
//! A positive list is compared: every triggering test must have *passed*, and so must every other test that there is,
//! unless it does not pass without the patch either. Exit codes, printed text and the absence of failures prove nothing.
//! This file says what a report shows; `confirm.rs` asks the untouched code about the tests that are left open.

use super::records::Discovered;
use super::{Baseline, unable};
use crate::domain::{Loss, Outcome, RunEnd, TestId, TestReport, TestResult, TestStatus};
use std::collections::{BTreeMap, BTreeSet};

/// The judge's word on a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// `PassedWarm` when nothing speaks against the candidate so far.
    pub outcome: Outcome,
    /// What stands behind it, in one line.
    pub detail: String,
    /// Tests that decided, in order: failing, cut or missing ones; where none speaks against it, those that cannot tell.
    pub against: Vec<TestId>,
    /// Triggering tests that pass.
    pub fixed: usize,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestState {
    Passed,
    Failed,
    Skipped,
    Cut,
    Missing,
}

/// Judges what a report says of the triggering tests.
pub(crate) fn triggering(baseline: &Baseline, report: &TestReport) -> Judged {
    of_tests(baseline, &baseline.triggering, report)
}

/// Judges what a report says of some of the triggering tests.
pub fn of_tests(baseline: &Baseline, tests: &[TestId], report: &TestReport) -> Judged {
    let of = tests.len();
    let states: Vec<(&TestId, TestState)> = tests.iter().map(|id| (id, status(baseline, report, id))).collect();
    let with = |wanted| states.iter().filter(|(_, how)| *how == wanted).map(|(id, _)| (*id).clone()).collect();
    let fixed = states.iter().filter(|(_, how)| *how == TestState::Passed).count();
    let all = |outcome, detail: String, against| Judged { outcome, detail, against, fixed };
    // A process that ended itself decides before the test it took with it.
    if matches!(report.end, RunEnd::Crashed | RunEnd::OutOfMemory)
        && let Some((outcome, detail)) = ended_badly(report.end)
        && fixed < of
    {
        return all(outcome, detail.into(), report.failing().map(|result| result.id.clone()).collect());
    }
    let (failed, cut, skipped, missing): (Vec<TestId>, Vec<_>, Vec<_>, Vec<_>) =
        (with(TestState::Failed), with(TestState::Cut), with(TestState::Skipped), with(TestState::Missing));
    let is_short_of_memory =
        |id: &TestId| report.results.get(id).is_some_and(|result| result.loss == Some(Loss::Memory));
    if !failed.is_empty() && failed.iter().all(is_short_of_memory) {
        let detail = format!("{} of {of} triggering tests run out of memory", failed.len());
        all(Outcome::OutOfMemory, detail, failed)
    } else if !failed.is_empty() {
        let unknown = if missing.is_empty() { String::new() } else { format!(", and {} did not run", missing.len()) };
        let detail = format!("{} of {of} triggering tests still fail{unknown}", failed.len());
        all(Outcome::Failed, detail, failed)
    } else if !cut.is_empty() {
        all(Outcome::Timeout, format!("{} of {of} triggering tests were cut", cut.len()), cut)
    } else if !skipped.is_empty()
        && missing.is_empty()
        && (fixed > 0 || of < baseline.triggering.len())
        && skipped.iter().all(|id| unable::lacks_what_others_lack(baseline, report, id))
    {
        all(Outcome::PassedWarm, format!("{fixed} of {of} triggering tests pass{}", unable::told(&skipped)), skipped)
    } else if !skipped.is_empty() {
        all(Outcome::Failed, told_of_skipped(baseline, report, &skipped, of), skipped)
    } else if missing.is_empty() {
        all(Outcome::PassedWarm, format!("{of} of {of} triggering tests pass"), Vec::new())
    } else if let Some((outcome, detail)) = ended_badly(report.end) {
        all(outcome, detail.into(), report.failing().map(|result| result.id.clone()).collect())
    } else {
        let detail = format!("{} of {of} triggering tests did not run", missing.len());
        all(Outcome::MissingTests, detail, missing)
    }
}

/// What is said of skipped tests; a class or module that failed as a whole is told by the tests in it.
fn told_of_skipped(baseline: &Baseline, report: &TestReport, skipped: &[TestId], of: usize) -> String {
    let [id] = skipped else {
        return format!("{} of {of} triggering tests were skipped, which is no pass", skipped.len());
    };
    if !id.method.is_empty() {
        return format!("1 of {of} triggering tests was skipped, which is no pass");
    }
    let inside: Vec<TestState> = of_class(baseline, report, &id.class).collect();
    let count = inside.iter().filter(|state| **state == TestState::Skipped).count();
    format!("{count} of {} tests of {} are skipped, which is no pass", inside.len(), id.class)
}

/// How a triggering test ended. A class that could not be set up stands for all its tests, and they for it.
fn status(baseline: &Baseline, report: &TestReport, id: &TestId) -> TestState {
    if id.method.is_empty() {
        return class_status(baseline, report, &id.class);
    }
    match report.results.get(id).or_else(|| report.results.get(&TestId::new(&id.class, ""))) {
        Some(result) => state(result),
        None => renamed(baseline, report, id),
    }
}

/// A class failed as a whole; now every test in it and in the classes nested in it must pass, but for those that end as they
/// do whatever the product does.
fn class_status(baseline: &Baseline, report: &TestReport, class: &str) -> TestState {
    let all: Vec<TestState> = of_class(baseline, report, class).collect();
    let order = [TestState::Failed, TestState::Cut, TestState::Skipped, TestState::Missing];
    order.into_iter().find(|wanted| all.contains(wanted)).unwrap_or(if all.is_empty() {
        TestState::Missing
    } else {
        TestState::Passed
    })
}

/// How the tests in a class ended, but for those that end so whatever the product does.
fn of_class(baseline: &Baseline, report: &TestReport, class: &str) -> impl Iterator<Item = TestState> {
    let inside = move |result: &&TestResult| is_within(&result.id.class, class) && !baseline.ends_alike(result);
    report.results.values().filter(inside).map(state)
}

/// Whether a class is this one or nested in it.
pub(super) fn is_within(class: &str, outer: &str) -> bool {
    class.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// An invocation whose name holds a value that the patch changed: the method's invocations stand for it, if there are as
/// many as the name's own group had.
fn renamed(baseline: &Baseline, report: &TestReport, id: &TestId) -> TestState {
    if id.bare_method() == id.method {
        return TestState::Missing;
    }
    let same = |result: &&TestResult| result.id.class == id.class && result.id.bare_method() == id.bare_method();
    let all: Vec<TestState> = report.results.values().filter(same).map(state).collect();
    let before = baseline.report.results.values().filter(same).count().max(1);
    let order = [TestState::Failed, TestState::Cut, TestState::Skipped, TestState::Missing];
    order.into_iter().find(|wanted| all.contains(wanted)).unwrap_or(if all.len() < before {
        TestState::Missing
    } else {
        TestState::Passed
    })
}

fn state(result: &TestResult) -> TestState {
    match result.status {
        TestStatus::Passed => TestState::Passed,
        TestStatus::Failed => TestState::Failed,
        TestStatus::Skipped => TestState::Skipped,
        TestStatus::TimedOut => TestState::Cut,
    }
}

/// The word for a run that did not come to its end.
pub(super) fn ended_badly(end: RunEnd) -> Option<(Outcome, &'static str)> {
    match end {
        RunEnd::Complete => None,
        RunEnd::TimedOut => Some((Outcome::Timeout, "the run was cut at its deadline")),
        RunEnd::OutOfMemory => Some((Outcome::OutOfMemory, "the test process ran out of memory")),
        RunEnd::Crashed => Some((Outcome::Crash, "the test process ended before its results were complete")),
    }
}

/// The word for a test that passes without the patch, by how it ended with it.
pub(super) fn objection(result: Option<&TestResult>) -> Outcome {
    match result {
        None => Outcome::MissingTests,
        Some(result) => match (result.status, result.loss) {
            (_, Some(Loss::Exit)) => Outcome::Crash,
            (_, Some(Loss::Memory)) => Outcome::OutOfMemory,
            (TestStatus::TimedOut, _) => Outcome::Timeout,
            (TestStatus::Skipped, _) => Outcome::MissingTests,
            (TestStatus::Failed | TestStatus::Passed, _) => Outcome::Regression,
        },
    }
}

/// Tests of a report that did not pass, triggering ones aside, and those of triggering classes but for what ends alike.
pub(super) fn not_passed<'r>(baseline: &Baseline, report: &'r TestReport) -> impl Iterator<Item = &'r TestId> {
    let triggering: BTreeSet<TestId> = baseline.triggering.iter().cloned().collect();
    let other = move |result: &&TestResult| {
        let is_in_one = triggering.contains(&TestId::new(&result.id.class, "")) && !baseline.ends_alike(result);
        !triggering.contains(&result.id) && !is_in_one
    };
    report.results.values().filter(|result| !result.passed()).filter(other).map(|result| &result.id)
}

/// Tests that there are without the patch and of which a report has fewer results, by class and bare method. A class that
/// failed as a whole has told so, for the classes nested in it, too.
pub(super) fn missing(expected: &Discovered, report: &TestReport) -> Vec<TestId> {
    let mut ran: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for id in report.results.keys() {
        *ran.entry((&id.class, id.bare_method())).or_default() += 1;
    }
    let failed_whole = |id: &TestId| {
        let nested = id.class.match_indices('$').map(|(at, _)| &id.class[..at]);
        nested.chain([id.class.as_str()]).any(|class| report.results.contains_key(&TestId::new(class, "")))
    };
    let is_missing = |(id, count): &(&TestId, &Option<usize>)| {
        // Where only a run can tell the number, at least one must have run.
        let wanted = count.unwrap_or(1);
        ran.get(&(id.class.as_str(), id.method.as_str())).copied().unwrap_or(0) < wanted
    };
    let named = expected.iter().filter(|(id, _)| !id.method.is_empty());
    named.filter(is_missing).map(|(id, _)| id.clone()).filter(|id| !failed_whole(id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(end: RunEnd, results: &[(&str, TestStatus)]) -> TestReport {
        let results = results.iter().map(|&(name, status)| {
            let id: TestId = name.parse().unwrap();
            (id.clone(), TestResult { id, status, failure: None, millis: 1, loss: None })
        });
        TestReport { end, results: results.collect(), output_tail: String::new() }
    }

    fn baseline(triggering: &[&str]) -> Baseline {
        let triggering = triggering.iter().map(|name| name.parse().unwrap()).collect();
        Baseline { triggering, ..Baseline::default() }
    }

    use RunEnd::{Complete, Crashed, OutOfMemory};
    use TestStatus::{Failed, Passed, Skipped, TimedOut};

    type Row = (RunEnd, &'static [(&'static str, TestStatus)], Outcome);

    #[test]
    fn every_outcome_has_its_evidence() {
        let rows: &[Row] = &[
            (Complete, &[("T#bug", Passed), ("T#good", Passed)], Outcome::PassedWarm),
            (Complete, &[("T#bug", Failed), ("T#good", Failed)], Outcome::Failed),
            (Complete, &[("T#bug", Skipped), ("T#good", Passed)], Outcome::Failed),
            (Complete, &[("T#bug", TimedOut), ("T#good", Passed)], Outcome::Timeout),
            (Complete, &[("T#good", Passed)], Outcome::MissingTests),
            (Complete, &[], Outcome::MissingTests),
            (Complete, &[("T", Failed)], Outcome::Failed),
            (Crashed, &[], Outcome::Crash),
            (Crashed, &[("T#bug", Failed)], Outcome::Crash),
            (OutOfMemory, &[("T#good", Passed)], Outcome::OutOfMemory),
            (RunEnd::TimedOut, &[], Outcome::Timeout),
        ];
        for (end, results, wanted) in rows {
            let judged = triggering(&baseline(&["T#bug"]), &report(*end, results));
            assert_eq!(judged.outcome, *wanted, "{end:?} {results:?}");
        }
    }

    #[test]
    fn a_class_that_failed_as_a_whole_is_repaired_when_all_its_tests_pass() {
        let rows: &[(&[(&str, TestStatus)], Outcome)] = &[
            (&[("T#good", Passed)], Outcome::PassedWarm),
            (&[("T", Failed)], Outcome::Failed),
            (&[("T#a", Skipped), ("T#b", Failed)], Outcome::Failed),
            (&[("T#a", Skipped), ("T#b", Passed)], Outcome::Failed),
            (&[("T#a", Passed), ("T$Inner#b", Failed)], Outcome::Failed),
            (&[("T#a", Passed), ("Tea#b", Failed)], Outcome::PassedWarm),
            (&[("Tea#b", Passed)], Outcome::MissingTests),
        ];
        for (results, wanted) in rows {
            let judged = triggering(&baseline(&["T"]), &report(Complete, results));
            assert_eq!(judged.outcome, *wanted, "{results:?}");
        }
        let skipped = report(Complete, &[("T#a", Skipped), ("T#b", Passed), ("T$Inner#c", Skipped)]);
        let judged = triggering(&baseline(&["T"]), &skipped);
        assert_eq!(judged.detail, "2 of 3 tests of T are skipped, which is no pass");
        let judged = triggering(&baseline(&["T#a", "T#b"]), &skipped);
        assert_eq!(judged.detail, "1 of 2 triggering tests was skipped, which is no pass");
    }

    #[test]
    fn an_invocation_that_the_patch_renames_is_judged_by_its_method() {
        let before = report(Complete, &[("T#sum[0: 2]", Passed), ("T#sum[1: 3]", Failed)]);
        let bug = Baseline { report: before.into(), ..baseline(&["T#sum[1: 3]"]) };
        for (results, wanted) in [
            (&[("T#sum[0: 2]", Passed), ("T#sum[1: 4]", Passed)][..], Outcome::PassedWarm),
            (&[("T#sum[0: 2]", Passed), ("T#sum[1: 4]", Failed)], Outcome::Failed),
            (&[("T#other[1: 3]", Passed)], Outcome::MissingTests),
            (&[("T#sum[0: 2]", Passed)], Outcome::MissingTests),
        ] {
            assert_eq!(triggering(&bug, &report(Complete, results)).outcome, wanted, "{results:?}");
        }
    }

    #[test]
    fn fewer_invocations_than_there_are_is_a_lost_test() {
        let expected: Discovered = [("T#one", Some(1)), ("T#three", Some(3)), ("T#some", None), ("U", None)]
            .map(|(name, count)| (name.parse().unwrap(), count))
            .into();
        let names = |results| missing(&expected, &report(Complete, results)).iter().map(TestId::to_string).collect();
        let none: Vec<String> = names(&[
            ("T#one", Passed),
            ("T#three[1]", Passed),
            ("T#three[2]", Passed),
            ("T#three[3]", Failed),
            ("T#some[1]", Passed),
        ]);
        assert!(none.is_empty(), "{none:?}");
        let some: Vec<String> = names(&[("T#one", Passed), ("T#three[1]", Passed), ("T#three[2]", Passed)]);
        assert_eq!(some, ["T#some", "T#three"]);
        let nested: Discovered = [("T$Inner#one".parse().unwrap(), Some(1))].into();
        assert!(missing(&nested, &report(Complete, &[("T", Failed)])).is_empty(), "nor do its nested ones run");
        let class: Vec<String> = names(&[("T", Failed)]);
        assert!(class.is_empty(), "the class has told that it failed");
    }
}
