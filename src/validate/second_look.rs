//! A second look at cuts. A machine that is short of everything may cut a test that has no fault; so when nothing but
//! tests that passed before and were cut or came to a limit of their own, or triggering ones that came to theirs without a
//! processor, speaks against a candidate, these run once more by themselves and with more time, and only then is it
//! judged.

use super::Baseline;
use super::plan::Deadlines;
use super::plausible::Judged;
use crate::domain::{Outcome, TestId, TestReport, TestResult, TestStatus};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a test gets at least in its second run.
const LEAST: Duration = Duration::from_secs(5);
/// What the runner says of a test that it cut.
const CUT: &str = "unidebug.runner.Clock$Cut";
/// Times its own limit that it gets. Little, because most of what is cut hangs.
const ROOM: u32 = 2;

/// Tests to run again, and how long they may take.
pub(super) struct SecondLook {
    /// The tests that were cut.
    pub(super) tests: Vec<TestId>,
    /// For them alone.
    pub(super) alone: Deadlines,
    /// For the whole suite, should they pass alone.
    pub(super) all: Deadlines,
}

impl SecondLook {
    /// Whether a run asks for one.
    pub(super) fn at(baseline: &Baseline, report: &TestReport, judged: &Judged, deadlines: &Deadlines) -> Option<Self> {
        let counts = |id: &&TestId| baseline.passing.contains(*id) || baseline.triggering.contains(*id);
        let tests: Vec<TestId> = judged.against.iter().filter(counts).cloned().collect();
        let undecided = |id: &TestId| {
            report.results.get(id).is_some_and(|result| match (baseline.passing.contains(id), result.status) {
                (true, TestStatus::TimedOut) => true,
                (true, TestStatus::Failed) => own_limit(result),
                (false, TestStatus::TimedOut) => starved(result, baseline.report.results.get(id)),
                _ => false,
            })
        };
        let late = matches!(judged.outcome, Outcome::Timeout | Outcome::Regression);
        if !late || tests.is_empty() || !tests.iter().all(undecided) {
            return None;
        }
        let room = |id: &TestId| (*deadlines.own.get(id).unwrap_or(&deadlines.default) * ROOM).max(LEAST);
        let own: BTreeMap<TestId, Duration> = tests.iter().map(|id| (id.clone(), room(id))).collect();
        let total = own.values().sum();
        let mut all = deadlines.clone();
        all.total = all.total.saturating_add(total);
        all.own.extend(own.clone());
        Some(Self { tests, alone: Deadlines { default: deadlines.default, own, total }, all })
    }

    /// Whether all of them passed by themselves.
    pub(super) fn clears(&self, alone: &TestReport) -> bool {
        let passed = |id| alone.results.get(id).is_some_and(|result| result.status == TestStatus::Passed);
        self.tests.iter().all(passed)
    }

    /// The first judgement, which stands.
    pub(super) fn stands(&self, judged: Judged) -> Judged {
        let detail = format!("{}; {} did not pass alone and with more time either", judged.detail, self.named());
        Judged { detail, ..judged }
    }

    /// The judgement of the run that followed.
    pub(super) fn revised(&self, judged: Judged) -> Judged {
        let detail = format!("{} ({}: late at first, passed alone)", judged.detail, self.named());
        Judged { detail, ..judged }
    }

    fn named(&self) -> String {
        let names: Vec<String> = self.tests.iter().map(ToString::to_string).collect();
        names.join(", ")
    }
}

/// Whether a test came to a limit of its own, which goes by the wall clock: one that passed near it may come to it once.
fn own_limit(result: &TestResult) -> bool {
    let kind = result.failure.as_ref().map_or("", |why| why.kind.as_str());
    kind != CUT
        && kind.rsplit(['.', '$']).next().is_some_and(|name| name.contains("TimedOut") || name.contains("Timeout"))
}

/// Whether a test came to a limit of its own while others had the processors, and without the candidate it failed before
/// that.
fn starved(now: &TestResult, before: Option<&TestResult>) -> bool {
    let own_limit = now.failure.as_ref().is_some_and(|why| why.kind.contains('.') && why.kind != CUT);
    own_limit && before.is_some_and(|result| result.status == TestStatus::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, RunEnd};
    use crate::validate::plausible::{Extent, judge};
    use TestStatus::{Failed, Passed, TimedOut};

    fn report(end: RunEnd, results: &[(&str, TestStatus)]) -> TestReport {
        let result = |&(name, status): &(&str, TestStatus)| {
            let id: TestId = name.parse().unwrap();
            (id.clone(), TestResult { id, status, failure: None, millis: 1 })
        };
        TestReport { end, results: results.iter().map(result).collect(), output_tail: String::new() }
    }

    fn asked(results: &[(&str, TestStatus)]) -> Option<SecondLook> {
        let baseline = Baseline {
            report: report(RunEnd::Complete, &[]).into(),
            triggering: vec!["T#bug".parse().unwrap()],
            passing: ["T#good", "T#slow"].map(|name| name.parse().unwrap()).into(),
            set_aside: BTreeMap::new(),
            seconds: 0.0,
        };
        let deadlines = Deadlines {
            default: Duration::from_secs(2),
            own: [("T#slow".parse().unwrap(), Duration::from_secs(30))].into(),
            total: Duration::from_secs(60),
        };
        let report = report(RunEnd::TimedOut, results);
        SecondLook::at(&baseline, &report, &judge(&baseline, &report, Extent::Full), &deadlines)
    }

    #[test]
    fn only_cuts_of_tests_that_passed_before_are_looked_at_again() {
        assert!(asked(&[("T#bug", Passed), ("T#good", TimedOut)]).is_some());
        assert!(asked(&[("T#good", TimedOut)]).is_some(), "the triggering test had no chance");
        assert!(asked(&[("T#bug", TimedOut)]).is_none(), "a loop that the bug had");
        assert!(asked(&[("T#bug", Failed), ("T#good", TimedOut)]).is_none());
        assert!(asked(&[("T#bug", Passed), ("T#good", TimedOut), ("T#slow", Failed)]).is_none());
        assert!(asked(&[("T#bug", Passed)]).is_none(), "nothing shows what hung");
    }

    #[test]
    fn a_test_that_passed_before_is_looked_at_again_when_it_comes_to_its_own_limit() {
        let failed = |kind: &str| {
            let failure = Some(Failure { kind: kind.into(), message: String::new(), frames: Vec::new() });
            TestResult { id: "T#good".parse().unwrap(), status: Failed, failure, millis: 3000 }
        };
        for (kind, wanted) in [
            ("org.junit.runners.model.TestTimedOutException", true),
            ("java.util.concurrent.TimeoutException", true),
            ("java.lang.AssertionError", false),
            ("", false),
        ] {
            assert_eq!(own_limit(&failed(kind)), wanted, "{kind}");
        }
        assert!(asked(&[("T#bug", Passed), ("T#good", Failed)]).is_none(), "it says what is wrong");
    }

    #[test]
    fn a_limit_of_the_test_itself_counts_only_where_the_bug_failed_before_it() {
        let result = |status, kind: &str| {
            let failure = Some(Failure { kind: kind.into(), message: String::new(), frames: Vec::new() });
            TestResult { id: "T#bug".parse().unwrap(), status, failure, millis: 3000 }
        };
        let limit = "org.junit.runners.model.TestTimedOutException";
        let wrong = result(Failed, "java.lang.AssertionError");
        assert!(starved(&result(TimedOut, limit), Some(&wrong)));
        assert!(!starved(&result(TimedOut, CUT), Some(&wrong)), "ours goes by what the test had");
        assert!(!starved(&result(TimedOut, limit), Some(&result(TimedOut, limit))), "so it was before");
        assert!(!starved(&result(TimedOut, "timeout"), Some(&wrong)), "the whole process hung");
    }

    #[test]
    fn there_is_room_for_it_in_every_limit() {
        let look = asked(&[("T#good", TimedOut), ("T#slow", TimedOut)]).unwrap();
        let limits: Vec<u64> = look.alone.own.values().map(Duration::as_secs).collect();
        assert_eq!((limits, look.alone.total, look.all.total.as_secs()), (vec![5, 60], Duration::from_secs(65), 125));
        assert_eq!(look.all.own, look.alone.own);
    }

    #[test]
    fn it_clears_only_what_passes() {
        let look = asked(&[("T#bug", Passed), ("T#good", TimedOut)]).unwrap();
        assert!(look.clears(&report(RunEnd::Complete, &[("T#good", Passed)])));
        for other in [&[("T#good", TimedOut)][..], &[("T#good", Failed)], &[]] {
            assert!(!look.clears(&report(RunEnd::Complete, other)), "{other:?}");
        }
    }
}
