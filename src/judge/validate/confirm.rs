//! The confirmation: all tests once, with the patch, in fresh processes, split over the lanes.
//!
//! A test that passes needs no baseline. One that does not pass is asked of the untouched code: if it does not pass there
//! either, it was broken before; if it passes there, it is run again by itself, with the patch and with more time, before
//! it speaks against it. So neither an old failure, nor a flaky test, nor a busy machine makes a no.

mod examine;
mod unseen;

use super::lanes::{self, Queue};
use super::plan::{Deadlines, Look, Plan};
use super::plausible::{self, Judged};
use super::records::Discovered;
use super::subject::{Build, Copy, Subject};
use super::untouched::{Untouched, passes};
use super::{Baseline, ValidateError, cold, coverage, plain, suite, unable};
use crate::domain::words::listed;
use crate::domain::{Outcome, Patch, RunEnd, TestId, TestReport, TestResult, Validation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much more time a test gets that is run again by itself.
const MORE: u32 = 3;
/// Time for a test of which nobody knows how long it takes, until one needs more.
const FIRST: Duration = Duration::from_secs(10);
/// How much more time than usual tests get after one of them was cut, beside a better compiler.
const LONGER: u32 = 2;
/// Tests of one reason that a verdict names.
const SHOWN: usize = 3;

/// All that a confirmation needs.
pub(super) struct Confirmation<'a> {
    pub(super) subject: &'a dyn Subject,
    pub(super) baseline: &'a Baseline,
    /// The bug, whose tests may be those of another module.
    pub(super) bug: &'a Baseline,
    pub(super) untouched: &'a Untouched,
    /// Tests that there are without the patch.
    pub(super) expected: &'a Discovered,
    pub(super) patch: &'a Patch,
    pub(super) build: Arc<Build>,
    /// Classes that hold tests, the nearest to the change first.
    pub(super) order: Vec<String>,
    /// Tests that pass by the project's own command, whatever they do here.
    pub(super) excused: &'a BTreeSet<TestId>,
}

/// What the lanes found so far.
#[derive(Default)]
struct Shared {
    report: Option<TestReport>,
    /// The first thing that speaks against the patch.
    against: Option<Judged>,
    /// Tests that did not pass and do not speak against the patch.
    cleared: Cleared,
}

/// Tests that did not pass and do not speak against the patch, each with the reason.
type Cleared = BTreeMap<TestId, Reason>;

/// Why a test that did not pass does not speak against a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// It fails without the patch, too.
    Broken,
    /// It has no end without the patch, or fails without it and has none with it.
    Cut,
    /// It is skipped without the patch, too.
    Skipped,
    /// It is flaky, without the patch or with it.
    Flaky,
}

impl Confirmation<'_> {
    /// Runs everything and judges it.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn run(&self) -> Result<Validation, ValidateError> {
        let (first, against) = self.run_triggering().await?;
        if let Some(against) = against {
            return Ok(cold::answer(&first, against, 0.0));
        }
        let judged = plausible::triggering(self.baseline, &first);
        if judged.outcome != Outcome::PassedWarm {
            return Ok(cold::answer(&first, judged, 0.0));
        }
        if judged.against.iter().any(|id| unable::is_of_patch(&first, id, self.patch)) {
            let detail = format!("{}, which the patch may do", judged.detail);
            return Ok(cold::answer(&first, Judged { outcome: Outcome::Failed, detail, ..judged }, 0.0));
        }
        let unable = judged.against;
        let mut cleared = Cleared::new();
        let open = plausible::not_passed(self.baseline, &first).cloned().collect();
        if let Some(against) = self.examine(&first, open, &mut cleared).await? {
            return Ok(cold::answer(&first, against, 0.0));
        }
        self.subject.options().watcher.phase("confirming with all tests");
        let shared = Mutex::new(Shared { report: Some(first), against: None, cleared });
        let triggering: BTreeSet<&str> = self.baseline.triggering.iter().map(TestId::outer_class).collect();
        let rest: Vec<String> =
            self.order.iter().filter(|class| !triggering.contains(class.as_str())).cloned().collect();
        let queue = Queue::new(rest, lanes::count(), &self.baseline.report);
        futures::future::try_join_all((0..lanes::count()).map(|_| self.lane(&queue, &shared))).await?;
        let Shared { report, against, cleared } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let report = report.unwrap_or_else(suite::empty);
        if let Some(against) = against {
            return Ok(cold::answer(&report, against, 0.0));
        }
        let missing = plausible::missing(self.expected, &report);
        if let Some(against) = self.examine(&report, missing, &mut Cleared::new()).await? {
            return Ok(cold::answer(&report, against, 0.0));
        }
        Ok(self.plausible(&report, &cleared, unable))
    }

    /// The classes of the triggering tests, first in plain processes. What speaks against the patch when they pass in no
    /// such one comes with it.
    async fn run_triggering(&self) -> Result<(TestReport, Option<Judged>), ValidateError> {
        if self.baseline.triggering.is_empty() {
            return Ok((suite::empty(), None));
        }
        self.subject.options().watcher.phase("running the triggering tests in a process of their own");
        let plain = self.run_plain().await?;
        let fails = |id: &&TestId| {
            let tests = std::slice::from_ref(*id);
            plausible::of_tests(self.baseline, tests, &plain).outcome != Outcome::PassedWarm
        };
        let failing: Vec<TestId> = self.baseline.triggering.iter().filter(fails).cloned().collect();
        // What did not end is looked at beside the untouched tree, and not waited for twice here.
        let others: Vec<TestId> =
            plausible::not_passed(self.baseline, &plain).filter(|id| !plain.is_cut(id)).cloned().collect();
        if failing.is_empty() && others.is_empty() {
            return Ok((plain, None));
        }
        let report = match self.run_open(&plain, [failing.clone(), others].concat()).await? {
            Some(report) => report,
            None => self.run_as_tests().await?,
        };
        if failing.is_empty() || !self.is_repaired(&report) {
            return Ok((report, None));
        }
        let against = plain::objection(self.subject, self.baseline, &failing, self.patch, &self.build).await?;
        Ok((report, against))
    }

    /// The classes of the triggering tests in plain processes, split over the lanes.
    async fn run_plain(&self) -> Result<TestReport, ValidateError> {
        let classes = self.subject.classes_of(&self.baseline.triggering);
        let deadlines = self.subject.deadlines_for(self.baseline);
        let queue = Queue::new(classes, lanes::count(), &self.baseline.report);
        let lane = async |_| {
            let mut all = suite::empty();
            while let Some(classes) = queue.next() {
                let (count, begin) = (classes.len(), Instant::now());
                let plan = self.subject.plan(classes, deadlines.clone()).looking(Look::Elsewhere);
                let plan = plan.for_times_of(self.baseline);
                let copy = self.subject.plain_copy_with(self.patch, &self.build)?;
                let report = self.subject.run(&copy, &plan).await?;
                queue.finish(count, begin.elapsed(), &report);
                suite::join(&mut all, report);
            }
            Ok::<_, ValidateError>(all)
        };
        let reports = futures::future::try_join_all((0..lanes::count()).map(lane)).await?;
        let mut all = suite::empty();
        reports.into_iter().for_each(|report| suite::join(&mut all, report));
        Ok(all)
    }

    /// What did not pass in plain processes, in one that runs tests; with what passed there. `None` where the whole classes
    /// must tell: a test may need those before it.
    async fn run_open(&self, plain: &TestReport, open: Vec<TestId>) -> Result<Option<TestReport>, ValidateError> {
        if plausible::ended_badly(plain.end).is_some() {
            return Ok(None);
        }
        let plan = self.subject.plan_of(suite::wanted(&open), self.subject.deadlines_for(self.baseline));
        let plan = plan.for_times_of(self.baseline);
        let again = self.subject.run(&self.copy()?, &plan).await?;
        let mut report = plain.clone();
        suite::join(&mut report, again);
        let did_not_pass = |id: &TestId| passes(&self.baseline.report, id) == Some(false);
        let is_open = !plausible::not_passed(self.baseline, &report).all(did_not_pass);
        Ok((!is_open && self.is_repaired(&report)).then_some(report))
    }

    fn is_repaired(&self, report: &TestReport) -> bool {
        plausible::triggering(self.baseline, report).outcome == Outcome::PassedWarm
    }

    /// The classes of the triggering tests, in a process and a copy of their own. Before a no is said, the triggering
    /// tests run by themselves, with more time.
    async fn run_as_tests(&self) -> Result<TestReport, ValidateError> {
        let classes = self.subject.classes_of(&self.baseline.triggering);
        let deadlines = self.subject.deadlines_for(self.baseline);
        let plan = self.subject.plan(classes, deadlines.clone()).for_times_of(self.baseline);
        let mut report = self.subject.run(&self.copy()?, &plan).await?;
        if !self.is_repaired(&report) {
            let alone = self.subject.plan_of(suite::wanted(&self.baseline.triggering), deadlines.times(self.more()));
            let again = self.subject.run(&self.copy()?, &alone.for_long()).await?;
            if !self.is_repaired(&again) {
                return Ok(again);
            }
            report.results.extend(again.results);
            report.end = again.end;
        }
        Ok(report)
    }

    /// How much more time triggering tests get by themselves: none where they have no end without the patch either.
    fn more(&self) -> u32 {
        if coverage::endless(self.baseline).next().is_some() { 1 } else { MORE }
    }

    /// One lane's share of the other classes.
    async fn lane(&self, queue: &Queue, shared: &Mutex<Shared>) -> Result<(), ValidateError> {
        let watcher = &self.subject.options().watcher;
        let mut copy = None;
        while let Some(classes) = queue.next() {
            let (count, begin) = (classes.len(), Instant::now());
            let copy = match &mut copy {
                Some(copy) => copy,
                none => none.insert(self.copy()?),
            };
            let (report, against) = self.piece(classes, copy, shared).await?;
            let (done, of) = queue.finish(count, begin.elapsed(), &report);
            suite::join(lock(shared).report.get_or_insert_with(suite::empty), report);
            if let Some(against) = against {
                queue.stop();
                lock(shared).against.get_or_insert(against);
            }
            watcher.steps("confirming with all tests", done, Some(of));
        }
        Ok(())
    }

    /// Some classes, with a look at what does not pass in them. A loss is looked at before the rest of them runs; what is cut
    /// first is run again with more time before, for the tests after it may take long for the same reason.
    async fn piece(
        &self,
        classes: Vec<String>,
        copy: &Copy,
        shared: &Mutex<Shared>,
    ) -> Result<(TestReport, Option<Judged>), ValidateError> {
        let mut plan = self.subject.plan(classes, Deadlines { default: FIRST, ..self.deadlines() }).until_lost();
        let mut report = suite::empty();
        loop {
            let mut part = self.subject.run(copy, &plan).await?;
            let (end, before) = (part.end, report.results.len());
            let is_slower = !plan.long && part.results.values().any(TestResult::is_cut);
            if is_slower {
                part.results.retain(|_, result| !result.is_cut());
                part.end = RunEnd::Complete;
                plan = Plan { deadlines: self.deadlines().times(LONGER), ..plan }.for_long();
            }
            plan.skip.extend(part.results.keys().cloned());
            suite::join(&mut report, part);
            if is_slower {
                continue;
            }
            let open = plausible::not_passed(self.baseline, &report).cloned().collect();
            let mut cleared = lock(shared).cleared.clone();
            let against = self.examine(&report, open, &mut cleared).await?;
            lock(shared).cleared.extend(cleared);
            let brings_more = report.results.len() > before;
            let is_over = plausible::ended_badly(end).is_none() || !brings_more || against.is_some();
            if is_over {
                return Ok((report, against));
            }
        }
    }

    /// The word for a patch against which nothing speaks; `unable` are triggering tests that cannot tell.
    fn plausible(&self, report: &TestReport, cleared: &Cleared, unable: Vec<TestId>) -> Validation {
        let of = self.baseline.triggering.len();
        let (fixed, skipped) = (of.saturating_sub(unable.len()), unable::told(&unable));
        let passed = report.results.values().filter(|result| result.passed()).count();
        let others = passed.saturating_sub(fixed);
        let mut detail = format!("{fixed} of {of} triggering tests pass{skipped}, and so do the other {others} tests");
        let of_reason = |reason| cleared.iter().filter(move |(_, why)| **why == reason).map(|(id, _)| id);
        let still_failing: Vec<TestId> = of_reason(Reason::Broken).cloned().collect();
        if !still_failing.is_empty() {
            detail.push_str(&format!("; {} fail with the patch and without it", still_failing.len()));
        }
        let is_inside = |id: &&TestId| report.results.get(*id).is_some_and(|result| self.bug.ends_alike(result));
        let inside = of_reason(Reason::Skipped).filter(is_inside).count();
        if inside > 0 {
            detail.push_str(&format!("; skipped in repaired classes whatever the patch does: {inside}"));
        }
        let cut: Vec<&TestId> = of_reason(Reason::Cut).collect();
        if !cut.is_empty() {
            detail.push_str(&format!("; cut, which says nothing: {}", listed(&cut, SHOWN)));
        }
        let flaky: Vec<&TestId> = of_reason(Reason::Flaky).collect();
        if !flaky.is_empty() {
            detail.push_str(&format!("; not every time, and not counted: {}", listed(&flaky, SHOWN)));
        }
        let more = self.baseline.others.iter().flatten().filter(|id| passes(report, id) == Some(true)).count();
        if more > 0 {
            detail.push_str(&format!("; {more} other failing tests pass now, too"));
        }
        let judged = Judged { outcome: Outcome::Plausible, detail, against: unable, fixed };
        let answer = cold::answer(report, judged, 0.0);
        Validation { still_failing, ..answer }
    }
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
