//! Tests that are cut: slow, endless, or without a processor on a busy machine.

use super::{FIRST, FailedBefore, LookResult};
use crate::benchmark::Runner;
use crate::domain::{Loss, TestId, TestReport, TestResult};
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::subject::Subject;
use crate::validate::{ValidateError, clean};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Time for a test that needs longer, before it is called endless.
const SECOND: Duration = FIRST.saturating_mul(3);
/// Time for a test that only waits, before it is called endless: it needs no processor.
const THIRD: Duration = Duration::from_secs(60);
/// Tests that wait and have that time, at most.
const WAITING: usize = 3;
/// Methods of Java in which a thread waits.
const WAITS: [&str; 7] = ["sleep", "sleep0", "sleepNanos", "wait", "wait0", "park", "parkNanos"];
/// Frames of a trace that are looked at for those.
const INNERMOST: usize = 4;
/// Tests that run again at once with more time. Where none of them passes then, that is no matter of slow tests.
const FEW: usize = 2;
/// Tests that need more time even then, after which no more is tried.
const SLOWEST: usize = 2;
/// Lifts the limits that tests of JUnit 5 set themselves.
const NO_LIMITS: &str = "-Djunit.jupiter.execution.timeout.mode=disabled";
/// Time that each of them gets.
const ROOM: Duration = Duration::from_secs(30);
/// Time for all of them.
const ALL: Duration = Duration::from_secs(45);
/// Time for all of them where the first ones are slow, and nothing else is waited for.
const ENOUGH: Duration = Duration::from_secs(15);

/// Where tests were cut and nothing fails by itself, they run again with more time, until one is cut again: a slow test is
/// no endless one, and one that only waits has more time still. Tells the tests that were cut again.
pub(super) async fn look_again(
    subject: &dyn Subject,
    report: &mut TestReport,
) -> Result<BTreeSet<TestId>, ValidateError> {
    let tests: Vec<TestId> = report.failing().map(|result| result.id.clone()).collect();
    if tests.is_empty() || !report.failing().all(TestResult::is_cut) {
        return Ok(BTreeSet::new());
    }
    let plan = subject.plan_of(tests, Deadlines::of(SECOND, subject.longest())).until_lost().for_long();
    let again = subject.run(&subject.copy()?, &plan).await?;
    let (endless, finished): (Vec<_>, Vec<_>) = again.results.into_iter().partition(|(_, result)| result.is_cut());
    report.results.extend(finished);
    let waiting = endless.iter().filter(|(_, result)| is_waiting(result)).map(|(id, _)| id.clone());
    let waiting: Vec<TestId> = waiting.take(WAITING).collect();
    let mut endless: BTreeSet<TestId> = endless.into_iter().map(|(id, _)| id).collect();
    if !waiting.is_empty() {
        let plan = subject.plan_of(waiting, Deadlines::of(THIRD, subject.longest())).until_lost();
        let ended = subject.run(&subject.copy()?, &plan).await?.results.into_iter().filter(|(_, r)| !r.is_cut());
        for (id, result) in ended {
            endless.remove(&id);
            report.results.insert(id, result);
        }
    }
    Ok(endless)
}

/// Whether a test was cut while its thread waited for a time or for another thread.
fn is_waiting(result: &TestResult) -> bool {
    let mut frames = result.failure.iter().flat_map(|failure| failure.frames.iter().take(INNERMOST));
    frames.any(|frame| frame.class.starts_with("java.") && WAITS.contains(&frame.method.as_str()))
}

/// The tests that were cut beside others that fail by themselves; none where no other fails.
pub(super) fn beside_others(report: &TestReport) -> Vec<TestId> {
    let (cut, others): (Vec<_>, Vec<_>) = report.failing().partition(|result| result.is_cut());
    if others.is_empty() { Vec::new() } else { cut.into_iter().map(|result| result.id.clone()).collect() }
}

/// The tests that were cut beside others that the last change broke, and do not end without it either, and those that fail
/// with it and do not end without it: they are slow, or of another bug, and the confirmation asks of them again. `None` where
/// the change broke none of the others, so that it says nothing of these.
pub(super) fn by_history(report: &TestReport, before: &FailedBefore) -> Option<Vec<TestId>> {
    let cut = beside_others(report);
    let is_older = |id: &TestId| before.tests.contains(id);
    let is_broken = |id: &TestId| !is_older(id) && !before.unknown.contains(id);
    let is_told = report.failing().any(|result| is_broken(&result.id));
    is_told.then(|| cut.iter().filter(|id| is_older(id)).chain(&before.unknown).cloned().collect())
}

/// Tests that were cut, by us or by their framework, while others failed by themselves run once more with more time: those
/// that pass are slow, or the machine is busy, and they say nothing of the bug. When nothing else fails, the cut is the bug.
/// Where some are slow and time is up, the tests that nobody asked are told, too: likely they are slow as well. There is more
/// time while the project's own command is asked, `is_asking`.
pub(super) async fn with_more_time(
    subject: &dyn Subject,
    LookResult { report, endless, .. }: &LookResult,
    is_asking: impl Fn() -> bool,
) -> Result<(BTreeMap<TestId, TestResult>, Vec<TestId>), ValidateError> {
    let gave_up = |result: &TestResult| result.failure.as_ref().is_some_and(clean::gave_up);
    let cut = |result: &&TestResult| matches!(result.loss, Some(Loss::Cut | Loss::Memory)) || gave_up(result);
    let tests: Vec<TestId> = report.failing().filter(cut).map(|result| result.id.clone()).collect();
    let mut open = report.failing().filter(|result| !endless.contains(&result.id));
    // Where one was cut again with more time, so will be the others: nobody waits for each of them.
    let trusted = !endless.is_empty();
    let is_the_bug = open.all(|result| cut(&result) && (trusted || !is_starved(result)));
    if tests.is_empty() || is_the_bug {
        return Ok(Default::default());
    }
    subject.options().watcher.phase("running slow tests again, with more time");
    again(subject, &tests, if trusted { 1 } else { SLOWEST }, is_asking).await
}

/// Those of some tests that are slow, run a few at a time until some of these are lost, and those that nobody asked before
/// time was up.
async fn again(
    subject: &dyn Subject,
    tests: &[TestId],
    losses: usize,
    is_asking: impl Fn() -> bool,
) -> Result<(BTreeMap<TestId, TestResult>, Vec<TestId>), ValidateError> {
    let begin = Instant::now();
    let is_slow = |result: &TestResult| {
        result.loss.is_none() && (result.passed() || !result.failure.as_ref().is_some_and(clean::gave_up))
    };
    let (mut slow, mut unasked) = (BTreeMap::new(), Vec::new());
    for some in tests.chunks(FEW) {
        let time = ALL.saturating_sub(begin.elapsed()).min(subject.longest());
        let is_enough = !slow.is_empty() && begin.elapsed() >= ENOUGH && !is_asking();
        if time.is_zero() || is_enough {
            unasked.extend(some.to_vec());
            continue;
        }
        let mut plan = Plan { losses, ..subject.plan_of(some.to_vec(), Deadlines::of(ROOM, time)).for_long() };
        if subject.checkout().project.runner == Runner::Jvm {
            plan.args.push(NO_LIMITS.to_owned());
        }
        let again = subject.run(&subject.copy()?, &plan).await?;
        let before = slow.len();
        if begin.elapsed() >= ALL {
            // One that was cut before its time says as little as one that did not begin.
            let is_asked = |id: &&TestId| again.results.get(*id).is_some_and(|result| !is_early(result));
            unasked.extend(some.iter().filter(|id| !is_asked(id)).cloned());
        }
        slow.extend(again.results.into_iter().filter(|(_, result)| is_slow(result)));
        if slow.len() == before {
            break;
        }
    }
    // Where none is slow, those that were asked speak for the others.
    Ok(if slow.is_empty() { Default::default() } else { (slow, unasked) })
}

/// Whether a test was cut for the time of all, and not for its own.
fn is_early(result: &TestResult) -> bool {
    result.is_cut() && Duration::from_millis(result.millis) < ROOM
}

/// Whether a test was cut that had no processor for most of its time: that says more of the machine than of the test.
fn is_starved(result: &TestResult) -> bool {
    result.is_cut() && Duration::from_millis(result.millis) >= 2 * FIRST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, Frame, TestStatus};

    #[test]
    fn a_thread_that_waits_is_told_from_one_that_runs() {
        let cut_in = |innermost: (&str, &str)| {
            let frame = |(class, method): (&str, &str)| Frame {
                class: class.into(),
                method: method.into(),
                file: None,
                line: None,
            };
            let frames = [innermost, ("a.BreakerTest", "sleep")].map(frame).to_vec();
            let failure = Failure { frames, ..Failure::default() };
            let (id, status) = (TestId::new("a.BreakerTest", "closes"), TestStatus::TimedOut);
            is_waiting(&TestResult { id, status, failure: Some(failure), millis: 15_000, loss: Some(Loss::Cut) })
        };
        assert!(cut_in(("java.lang.Thread", "sleep0")) && cut_in(("java.lang.Object", "wait")));
        assert!(!cut_in(("a.Breaker", "closes")) && !cut_in(("java.lang.Character", "isWhitespace")));
    }
}
