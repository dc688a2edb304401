//! What plausible means: the only definition.
//!
//! A positive list is compared: every triggering test and every test that passed in the baseline must have *passed*.
//! Exit codes, printed text and the absence of failures prove nothing.

use super::Baseline;
use crate::domain::{Outcome, RunEnd, TestId, TestReport, TestResult, TestStatus};
use std::collections::BTreeSet;

/// Which part of the suite a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The triggering tests alone.
    Triggering,
    /// All tests.
    Full,
}

/// The judge's word on a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// `PassedWarm` when nothing speaks against the candidate within the extent.
    pub outcome: Outcome,
    /// What stands behind it, in one line.
    pub detail: String,
    /// Tests that decided, in order: failing, cut or missing ones.
    pub against: Vec<TestId>,
    /// Triggering tests that pass.
    pub fixed: usize,
}

/// Judges what a candidate's tests told against the baseline.
pub fn judge(baseline: &Baseline, report: &TestReport, extent: Extent) -> Judged {
    let fixed = baseline.triggering.iter().filter(|id| status(report, id) == Seen::Passed).count();
    let of = baseline.triggering.len();
    // A process that ended itself decides before the test it took with it.
    let fatal = matches!(report.end, RunEnd::Crashed | RunEnd::OutOfMemory);
    let (outcome, detail, against) = fatal
        .then(|| ended_badly(report))
        .flatten()
        .or_else(|| triggering(baseline, report))
        .or_else(|| ended_badly(report))
        .or_else(|| (extent == Extent::Full).then(|| rest(baseline, report)).flatten())
        .unwrap_or_else(|| (Outcome::PassedWarm, format!("{of} of {of} triggering tests pass"), Vec::new()));
    Judged { outcome, detail, against, fixed }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Passed,
    Failed,
    Skipped,
    TimedOut,
    Missing,
}

type Against = (Outcome, String, Vec<TestId>);

/// How a test ended. A class that could not be set up stands for all its tests.
fn status(report: &TestReport, id: &TestId) -> Seen {
    if let Some(result) = report.results.get(id) {
        return seen(result);
    }
    if let Some(class) = report.results.get(&TestId::new(&id.class, "")) {
        return seen(class);
    }
    if id.method.is_empty() {
        // The class failed as a whole in the baseline; now its tests speak for it.
        let mut tests = report.results.values().filter(|result| result.id.class == id.class).peekable();
        return match (tests.peek().is_some(), tests.find(|result| result.status != TestStatus::Passed)) {
            (false, _) => Seen::Missing,
            (true, None) => Seen::Passed,
            (true, Some(result)) if result.status == TestStatus::Skipped => Seen::Passed,
            (true, Some(result)) => seen(result),
        };
    }
    Seen::Missing
}

fn seen(result: &TestResult) -> Seen {
    match result.status {
        TestStatus::Passed => Seen::Passed,
        TestStatus::Failed => Seen::Failed,
        TestStatus::Skipped => Seen::Skipped,
        TestStatus::TimedOut => Seen::TimedOut,
    }
}

fn with(report: &TestReport, ids: impl Iterator<Item = TestId>, wanted: Seen) -> Vec<TestId> {
    ids.filter(|id| status(report, id) == wanted).collect()
}

fn triggering(baseline: &Baseline, report: &TestReport) -> Option<Against> {
    let of = baseline.triggering.len();
    let ids = || baseline.triggering.iter().cloned();
    let failed = with(report, ids(), Seen::Failed);
    if !failed.is_empty() {
        let detail = format!("{} of {of} triggering tests still fail", failed.len());
        return Some((Outcome::Failed, detail, failed));
    }
    let cut = with(report, ids(), Seen::TimedOut);
    if !cut.is_empty() {
        return Some((Outcome::Timeout, format!("{} of {of} triggering tests were cut", cut.len()), cut));
    }
    let skipped = with(report, ids(), Seen::Skipped);
    if !skipped.is_empty() {
        let detail = format!("{} of {of} triggering tests were skipped, which is no pass", skipped.len());
        return Some((Outcome::Failed, detail, skipped));
    }
    let missing = with(report, ids(), Seen::Missing);
    if missing.is_empty() {
        return None;
    }
    // A process that ended early explains what is missing better than the gap does.
    ended_badly(report).or_else(|| {
        Some((Outcome::MissingTests, format!("{} of {of} triggering tests did not run", missing.len()), missing))
    })
}

fn ended_badly(report: &TestReport) -> Option<Against> {
    let (outcome, detail) = match report.end {
        RunEnd::Complete => return None,
        RunEnd::TimedOut => (Outcome::Timeout, "the run was cut at its deadline"),
        RunEnd::OutOfMemory => (Outcome::OutOfMemory, "the test process ran out of memory"),
        RunEnd::Crashed => (Outcome::Crash, "the test process ended before its results were complete"),
    };
    let open = report.failing().map(|result| result.id.clone()).collect();
    Some((outcome, detail.into(), open))
}

fn rest(baseline: &Baseline, report: &TestReport) -> Option<Against> {
    let of = baseline.passing.len();
    let ids = || baseline.passing.iter().filter(|id| !baseline.set_aside.contains_key(*id)).cloned();
    let failed = with(report, ids(), Seen::Failed);
    if !failed.is_empty() {
        let detail = format!("{} of {of} tests that passed before fail", failed.len());
        return Some((Outcome::Regression, detail, failed));
    }
    let cut = with(report, ids(), Seen::TimedOut);
    if !cut.is_empty() {
        return Some((Outcome::Timeout, format!("{} of {of} tests that passed before were cut", cut.len()), cut));
    }
    let unmeasured = left_out(baseline, report);
    if !unmeasured.is_empty() {
        let detail =
            format!("{} tests fail that did not run before, because others of their class hang", unmeasured.len());
        return Some((Outcome::Failed, detail, unmeasured));
    }
    let mut missing = with(report, ids(), Seen::Missing);
    missing.extend(with(report, ids(), Seen::Skipped));
    if missing.is_empty() {
        return None;
    }
    missing.sort();
    Some((Outcome::MissingTests, format!("{} of {of} tests that passed before did not run", missing.len()), missing))
}

/// Failing tests of classes that the baseline left out because too many of their tests hang. Where such a hang is the
/// bug, nothing but a pass shows that it is gone.
fn left_out(baseline: &Baseline, report: &TestReport) -> Vec<TestId> {
    let of_the_bug: BTreeSet<&str> = baseline.triggering.iter().map(TestId::outer_class).collect();
    let whole = baseline.set_aside.keys().filter(|id| id.method.is_empty()).map(TestId::outer_class);
    let whole: BTreeSet<&str> = whole.filter(|class| of_the_bug.contains(class)).collect();
    let unseen = |id: &TestId| whole.contains(id.outer_class()) && !baseline.report.results.contains_key(id);
    report.failing().map(|result| result.id.clone()).filter(unseen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn report(end: RunEnd, results: &[(&str, TestStatus)]) -> TestReport {
        let results = results.iter().map(|&(name, status)| {
            let id: TestId = name.parse().unwrap();
            (id.clone(), TestResult { id, status, failure: None, millis: 1 })
        });
        TestReport { end, results: results.collect(), output_tail: String::new() }
    }

    fn baseline() -> Baseline {
        Baseline {
            report: report(RunEnd::Complete, &[]).into(),
            triggering: vec!["T#bug".parse().unwrap()],
            passing: BTreeSet::from(["T#good".parse().unwrap(), "T#flaky".parse().unwrap()]),
            set_aside: BTreeMap::from([("T#flaky".parse().unwrap(), "flaky".to_owned())]),
            seconds: 0.0,
        }
    }

    fn outcome(end: RunEnd, results: &[(&str, TestStatus)]) -> Outcome {
        judge(&baseline(), &report(end, results), Extent::Full).outcome
    }

    use RunEnd::{Complete, Crashed, OutOfMemory};
    use TestStatus::{Failed, Passed, Skipped, TimedOut};

    type Row = (RunEnd, &'static [(&'static str, TestStatus)], Outcome);

    #[test]
    fn every_outcome_has_its_evidence() {
        let rows: &[Row] = &[
            (Complete, &[("T#bug", Passed), ("T#good", Passed)], Outcome::PassedWarm),
            (Complete, &[("T#bug", Passed), ("T#good", Passed), ("T#flaky", Failed)], Outcome::PassedWarm),
            (Complete, &[("T#bug", Passed), ("T#good", Passed), ("T#new", Failed)], Outcome::PassedWarm),
            (Complete, &[("T#bug", Failed), ("T#good", Failed)], Outcome::Failed),
            (Complete, &[("T#bug", Skipped), ("T#good", Passed)], Outcome::Failed),
            (Complete, &[("T#bug", TimedOut), ("T#good", Passed)], Outcome::Timeout),
            (Complete, &[("T#good", Passed)], Outcome::MissingTests),
            (Complete, &[], Outcome::MissingTests),
            (Complete, &[("T#bug", Passed), ("T#good", Failed)], Outcome::Regression),
            (Complete, &[("T#bug", Passed), ("T#good", TimedOut)], Outcome::Timeout),
            (Complete, &[("T#bug", Passed), ("T#good", Skipped)], Outcome::MissingTests),
            (Complete, &[("T#bug", Passed)], Outcome::MissingTests),
            (Complete, &[("T", Failed)], Outcome::Failed),
            (Crashed, &[], Outcome::Crash),
            (Crashed, &[("T#bug", Failed)], Outcome::Crash),
            (Crashed, &[("T#bug", Passed), ("T#good", Passed)], Outcome::Crash),
            (OutOfMemory, &[("T#good", Passed)], Outcome::OutOfMemory),
            (RunEnd::TimedOut, &[("T#bug", Passed)], Outcome::Timeout),
        ];
        for (end, results, wanted) in rows {
            assert_eq!(outcome(*end, results), *wanted, "{end:?} {results:?}");
        }
    }

    #[test]
    fn the_triggering_tests_alone_say_nothing_of_the_rest() {
        let told = report(Complete, &[("T#bug", Passed)]);
        let judged = judge(&baseline(), &told, Extent::Triggering);
        assert_eq!((judged.outcome, judged.fixed), (Outcome::PassedWarm, 1));
    }

    #[test]
    fn a_class_that_failed_as_a_whole_is_repaired_when_its_tests_pass() {
        let mut bug = baseline();
        bug.triggering = vec![TestId::new("T", "")];
        let judged = judge(&bug, &report(Complete, &[("T#good", Passed)]), Extent::Full);
        assert_eq!(judged.outcome, Outcome::PassedWarm, "{judged:?}");
        assert_eq!(judge(&bug, &report(Complete, &[("T", Failed)]), Extent::Full).outcome, Outcome::Failed);
    }

    #[test]
    fn a_test_that_the_baseline_left_out_because_its_class_hangs_must_pass() {
        let mut baseline = baseline();
        baseline.set_aside.insert(TestId::new("T", ""), "left out".into());
        let judged = |unseen| {
            let results = [("T#bug", TestStatus::Passed), ("T#good", TestStatus::Passed), ("T#unseen", unseen)];
            judge(&baseline, &report(RunEnd::Complete, &results), Extent::Full).outcome
        };
        assert_eq!(judged(TestStatus::Failed), Outcome::Failed);
        assert_eq!(judged(TestStatus::Passed), Outcome::PassedWarm);
    }
}
