//! What the tests of failing classes execute.

use super::{MEASURED, deadlines, group, last_line};
use crate::domain::{TestId, TestReport, TestResult, outer_class};
use crate::validate::plan::{Deadlines, LEAST, Plan};
use crate::validate::records::Executed;
use crate::validate::subject::Subject;
use crate::validate::{ValidateError, suite};
use std::time::Duration;

/// Tests without end that are measured, each in a process of its own: where more have none, those say where.
const ENDLESS: usize = 3;
/// Classes that are measured at once if their tests take no longer than this.
const QUICK: Duration = Duration::from_secs(3);
/// Time for what the passing tests of slower classes execute, at least and at most: a third of what they took.
const REST: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(15));
/// Time for a process to start.
const START: Duration = Duration::from_secs(2);
/// How many times as long tests may take while they are measured.
const MEASURING: u32 = 2;

/// Runs a plan once and tells what its tests execute.
pub(super) async fn measured(subject: &dyn Subject, plan: &Plan) -> Result<(TestReport, Executed), ValidateError> {
    match subject.measured(&subject.copy()?, plan).await? {
        Some((report, _)) if report.results.is_empty() && !plan.classes.is_empty() => {
            let line = last_line(&report).unwrap_or("nothing was printed");
            tracing::warn!("no coverage: no test ran while it was measured: {line}");
        }
        Some(measured) => return Ok(measured),
        None => {}
    }
    Ok((subject.run(&subject.copy()?, plan).await?, Vec::new()))
}

/// What the tests of failing classes execute, of many classes some: the failing ones all, the others as far as the time goes.
/// The tests to `skip` are not in the report, and do not run.
pub(super) async fn measure(
    subject: &dyn Subject,
    report: &TestReport,
    skip: &[TestId],
) -> Result<Executed, ValidateError> {
    let mut failing: Vec<TestId> = report.failing().map(|result| result.id.clone()).collect();
    let mut classes = subject.classes_of(&failing);
    if classes.is_empty() {
        return Ok(Vec::new());
    }
    if classes.len() > MEASURED {
        // Where so many fail, some of them say where.
        classes = group::to_measure(classes, report);
        failing.retain(|id| classes.iter().any(|class| id.outer_class() == outer_class(class)));
    }
    subject.options().watcher.phase("measuring what the failing tests run");
    // An endless loop shows its lines soon.
    let cut = report.failing().filter(|result| result.is_cut());
    let own = cut.map(|result| (result.id.clone(), LEAST)).collect();
    let deadlines = Deadlines { own, ..deadlines(subject) };
    let is_inside = |result: &&TestResult| classes.iter().any(|class| result.id.outer_class() == outer_class(class));
    let inside: Vec<&TestResult> = report.results.values().filter(is_inside).collect();
    let took = Duration::from_millis(inside.iter().map(|result| result.millis).sum());
    if took <= QUICK {
        return Ok(measured(subject, &Plan { skip: skip.to_vec(), ..subject.plan(classes, deadlines) }).await?.1);
    }
    let mut endless = 0;
    let is_shown = |id: &&TestId| {
        endless += usize::from(report.is_cut(id));
        !report.is_cut(id) || endless <= ENDLESS
    };
    let plan = subject.plan(classes, deadlines.clone()).only(failing.iter().filter(is_shown).cloned().collect());
    let mut executed = measured(subject, &plan).await?.1;
    let mut time = (took / 3).clamp(REST.0, REST.1);
    // Each test takes several times as long there.
    if subject.is_slow_when_measured() {
        time /= 2;
    }
    let passing: Vec<&TestResult> = inside.into_iter().filter(|result| result.passed()).collect();
    // A process that was ended early leaves tests of which nobody knows whether they end.
    let only = if endless > 0 { suite::wanted(&ids(&passing)) } else { Vec::new() };
    if endless > 0 && only.is_empty() {
        return Ok(executed);
    }
    let skip = [failing.as_slice(), skip, &slowest(passing, time)].concat();
    let deadlines = Deadlines { total: START + time * MEASURING, ..deadlines };
    let rest = Plan { skip, only, deadlines, ..plan };
    executed.extend(measured(subject, &rest).await?.1);
    Ok(executed)
}

fn ids(results: &[&TestResult]) -> Vec<TestId> {
    results.iter().map(|result| result.id.clone()).collect()
}

/// The slowest tests, without which the others end in a time: quick ones tell as much of lines, and more of them are run.
fn slowest(mut tests: Vec<&TestResult>, time: Duration) -> Vec<TestId> {
    tests.sort_by_key(|result| result.millis);
    let mut took = Duration::ZERO;
    let fits = |result: &&TestResult| {
        took += Duration::from_millis(result.millis);
        took <= time
    };
    let quick = tests.iter().copied().take_while(fits).count();
    ids(&tests[quick..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TestStatus;

    #[test]
    fn slow_tests_are_left_out_where_they_would_keep_quick_ones_from_running() {
        let result = |name: &str, millis| TestResult {
            id: TestId::new("CartTest", name),
            status: TestStatus::Passed,
            failure: None,
            millis,
            loss: None,
        };
        let tests = [result("slow", 2800), result("a", 10), result("slower", 9000), result("b", 200)];
        let left_out = |seconds| {
            let slowest = slowest(tests.iter().collect(), Duration::from_secs(seconds));
            slowest.into_iter().map(|id| id.method.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(left_out(3), ["slow", "slower"]);
        assert_eq!(left_out(4), ["slower"]);
        assert!(left_out(15).is_empty());
    }
}
