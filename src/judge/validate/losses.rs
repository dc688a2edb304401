//! What a loop that many tests run into may cost. Every test that is cut, or takes its process with it, costs
//! its deadline and a new process; after some of them the next tell nothing new.

use super::plan::{LEAST, Plan};
use crate::domain::{TestReport, TestResult};
use std::collections::{BTreeMap, BTreeSet};

/// Losses after which tests without a deadline of their own get [`LEAST`].
const SOME: usize = 3;
/// Losses after which a class with [`IN_CLASS`] of them is left out.
const MANY: usize = 12;
const IN_CLASS: usize = 3;

/// The plan for what is left, after what the report tells; `None` where no class is: a process that is asked for none may run
/// all that there are.
pub(super) fn shortened(plan: &Plan, report: &TestReport) -> Option<Plan> {
    let left_out = left_out(report);
    let mut plan = plan.clone();
    let is_left = |class: &String| !left_out.contains(class.as_str());
    if !plan.classes.is_empty() && !plan.classes.iter().any(is_left) {
        return None;
    }
    plan.classes.retain(is_left);
    // What made one test slow may lie before each of the others, such as a table that the first of a process makes.
    plan.long |= lost(report).any(TestResult::is_cut);
    if count(report) >= SOME {
        plan.deadlines.default = LEAST.min(plan.deadlines.default);
    }
    Some(plan)
}

/// Tests that were lost.
pub(super) fn count(report: &TestReport) -> usize {
    lost(report).count()
}

fn lost(report: &TestReport) -> impl Iterator<Item = &TestResult> {
    report.results.values().filter(|result| result.loss.is_some())
}

/// Classes of which too many tests are lost: their other tests do not run.
pub(super) fn left_out(report: &TestReport) -> BTreeSet<&str> {
    let mut losses: BTreeMap<&str, usize> = BTreeMap::new();
    for result in lost(report) {
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
    use crate::domain::{Loss, RunEnd, TestId, TestStatus};
    use crate::validate::plan::Deadlines;
    use std::time::Duration;

    fn plan(classes: &[&str]) -> Plan {
        let deadlines = Deadlines::of(Duration::from_secs(10), Duration::from_secs(60));
        Plan::of(classes.iter().map(|class| (*class).to_owned()).collect(), deadlines)
    }

    fn report(lost: usize, of: &str) -> TestReport {
        let results = (0..lost).map(|n| {
            let id = TestId::new(of, format!("t{n}"));
            let loss = Some(Loss::Cut);
            (id.clone(), TestResult { id, status: TestStatus::TimedOut, failure: None, millis: 0, loss })
        });
        TestReport { end: RunEnd::Complete, results: results.collect(), output_tail: String::new() }
    }

    #[test]
    fn after_some_losses_tests_get_less_time_and_after_many_their_class_is_left_out() {
        let plan = plan(&["a.LoopTest", "a.OtherTest"]);
        assert_eq!(shortened(&plan, &report(0, "")), Some(plan.clone()));
        assert_eq!(shortened(&plan, &report(2, "a.LoopTest")), Some(plan.clone().for_long()));
        let some = shortened(&plan, &report(3, "a.LoopTest")).unwrap();
        assert_eq!((some.classes.len(), some.deadlines.default), (2, LEAST));
        assert_eq!(shortened(&plan, &report(12, "a.LoopTest$Inner")).unwrap().classes, ["a.OtherTest"]);
        let alone = Plan { classes: vec!["a.LoopTest".into()], ..plan };
        assert_eq!(shortened(&alone, &report(12, "a.LoopTest")), None, "nothing is left to run");
        assert_eq!(left_out(&report(12, "a.LoopTest")), BTreeSet::from(["a.LoopTest"]));
    }
}
