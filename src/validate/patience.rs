//! What a loop that hundreds of tests run into may cost. Every test that is cut, or takes its process with it, costs
//! its deadline and a new process; after some of them the next tell nothing new.

use super::plan::{Deadlines, LEAST, OnCrash, Plan};
use crate::domain::{Failure, TestId, TestReport, TestResult, TestStatus};
use std::collections::{BTreeMap, BTreeSet};

/// Lost processes after which tests without their own deadline get [`LEAST`].
const SOME: usize = 5;
/// Lost processes after which a class that lost [`IN_CLASS`] of them is left out.
const MANY: usize = 30;
const IN_CLASS: usize = 3;
/// Stands in a report for a class whose other tests did not run.
const LEFT_OUT: &str = "left out";

/// Kind of the failure of a test that took its process over the limit of memory.
pub(super) const NO_ROOM: &str = "out of memory";

/// Whether a test ended its process.
pub(super) fn lost(result: &TestResult) -> bool {
    result.status == TestStatus::TimedOut || kind(result) == "exit" || out_of_memory(result)
}

/// Whether a test wanted more memory than there was.
pub(super) fn out_of_memory(result: &TestResult) -> bool {
    kind(result) == NO_ROOM || kind(result).ends_with("OutOfMemoryError")
}

fn kind(result: &TestResult) -> &str {
    result.failure.as_ref().map_or("", |failure| failure.kind.as_str())
}

/// The plan for what is left, after what the report tells. A candidate's plan stays as it is: it ends at its first loss.
pub(super) fn shortened(plan: &Plan, report: &TestReport) -> Plan {
    let mut plan = plan.clone();
    if plan.on_crash == OnCrash::GoOn {
        let tired = tired_of(report);
        plan.classes.retain(|class| !tired.contains(class.as_str()));
        let Deadlines { default, .. } = &mut plan.deadlines;
        if report.results.values().filter(|result| lost(result)).count() >= SOME {
            *default = LEAST.min(*default);
        }
    }
    plan
}

/// Says in the report which classes of the plan were left out.
pub(super) fn tell(plan: &Plan, report: &mut TestReport) {
    if plan.on_crash == OnCrash::Stop {
        return;
    }
    let tired: Vec<String> = tired_of(report).into_iter().map(str::to_owned).collect();
    for class in tired.iter().filter(|class| plan.classes.contains(class)) {
        let message = format!("{IN_CLASS} of its tests were cut or ended their process; the others did not run");
        let failure = Failure { kind: LEFT_OUT.into(), message, frames: Vec::new() };
        let id = TestId::new(class, "");
        let result = TestResult { id: id.clone(), status: TestStatus::Skipped, failure: Some(failure), millis: 0 };
        report.results.entry(id).or_insert(result);
    }
}

/// Classes of which a report says that some of their tests did not run, each with the reason.
pub(super) fn left_out(report: &TestReport) -> impl Iterator<Item = (&TestId, &str)> {
    report.results.values().filter_map(|result| {
        let failure = result.failure.as_ref().filter(|failure| failure.kind == LEFT_OUT)?;
        Some((&result.id, failure.message.as_str()))
    })
}

fn tired_of(report: &TestReport) -> BTreeSet<&str> {
    let mut losses: BTreeMap<&str, usize> = BTreeMap::new();
    for result in report.results.values().filter(|result| lost(result)) {
        // Nested classes run with the one around them.
        *losses.entry(result.id.outer_class()).or_default() += 1;
    }
    if losses.values().sum::<usize>() < MANY {
        return BTreeSet::new();
    }
    losses.into_iter().filter(|(_, n)| *n >= IN_CLASS).map(|(class, _)| class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RunEnd;
    use std::time::Duration;

    fn plan(classes: &[&str], on_crash: OnCrash) -> Plan {
        let deadlines =
            Deadlines { default: Duration::from_secs(10), own: BTreeMap::new(), total: Duration::from_secs(60) };
        let classes = classes.iter().map(|class| (*class).to_owned()).collect();
        Plan { classes, only: Vec::new(), skip: Vec::new(), deadlines, on_crash, args: Vec::new(), roomy: false }
    }

    fn report(lost: usize, of: &str) -> TestReport {
        let results = (0..lost).map(|n| {
            let id = TestId::new(of, format!("t{n}"));
            (id.clone(), TestResult { id, status: TestStatus::TimedOut, failure: None, millis: 0 })
        });
        TestReport { end: RunEnd::Complete, results: results.collect(), output_tail: String::new() }
    }

    #[test]
    fn after_some_losses_tests_get_less_time_and_after_many_their_class_is_left_out() {
        let plan = plan(&["a.LoopTest", "a.OtherTest"], OnCrash::GoOn);
        assert_eq!(shortened(&plan, &report(4, "a.LoopTest")), plan);
        let some = shortened(&plan, &report(5, "a.LoopTest"));
        assert_eq!((some.classes.len(), some.deadlines.default), (2, LEAST));
        assert_eq!(shortened(&plan, &report(30, "a.LoopTest$Inner")).classes, ["a.OtherTest"]);
    }

    #[test]
    fn the_report_says_what_was_left_out() {
        let mut report = report(30, "a.LoopTest");
        tell(&plan(&["a.LoopTest", "a.OtherTest"], OnCrash::GoOn), &mut report);
        let named: Vec<_> = left_out(&report).map(|(id, _)| id.class.clone()).collect();
        assert_eq!(named, ["a.LoopTest"]);
    }

    #[test]
    fn a_candidate_is_not_spared() {
        let plan = plan(&["a.LoopTest"], OnCrash::Stop);
        assert_eq!(shortened(&plan, &report(40, "a.LoopTest")), plan);
    }
}
