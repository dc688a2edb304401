//! The first look at candidates of which few are confirmed: the triggering tests, then the rest of their classes.

use super::asked::{cheap, few};
use super::{ColdJudge, answer};
use crate::domain::{Outcome, Patch, RunEnd, TestId, TestReport, Validation};
use crate::validate::plan::{Deadlines, Plan};
use crate::validate::plausible::{self, Judged};
use crate::validate::subject::Build;
use crate::validate::untouched::{self, Before};
use crate::validate::{Baseline, ValidateError, clean, coverage, suite};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Time for triggering tests before it is seen whether one fails; those that did not begin say nothing then.
const SOME: Duration = Duration::from_secs(2);
/// Time for the rest of their classes: what comes later has its word at the confirmation.
const REST: Duration = Duration::from_secs(10);
/// How often a candidate may have more time for a test than the others have. A test that failed at once may wait for seconds
/// before it passes, and most of what is cut never ends; the likeliest candidates come first. Where every test that passes
/// beside the failing ones is quick, one may.
const PATIENCE: usize = 4;
/// What a test takes at most that is quick, in milliseconds.
const QUICK: u64 = 500;
/// The time that a test has then.
const PATIENT: Duration = Duration::from_secs(8);
/// Of so many triggering tests one may end otherwise in a process that has loaded something, and the others count.
pub(in crate::validate) const ODD: usize = 20;
/// Further runs of tests that passed before and fail with a patch whose triggering tests pass.
const AGAIN: usize = 3;

impl ColdJudge {
    /// Runs a plan with a patch in a child of a process that waits, where those tell what fresh processes tell.
    async fn run_quickly(&self, patch: &Patch, build: &Arc<Build>, plan: &Plan) -> Result<TestReport, ValidateError> {
        match self.odd().await {
            Some(_) => self.subject.run_served(patch, build, plan).await,
            None => self.run_fresh(patch, build, plan).await,
        }
    }

    async fn run_fresh(&self, patch: &Patch, build: &Arc<Build>, plan: &Plan) -> Result<TestReport, ValidateError> {
        self.subject.run(&self.subject.copy_with(patch, build)?, plan).await
    }

    /// The triggering tests that end otherwise in a child of a process that waits than in a fresh one; `None` where candidates
    /// run in fresh processes.
    async fn odd(&self) -> Option<&BTreeSet<TestId>> {
        self.odd.get_or_init(|| self.odd_when_served()).await.as_ref()
    }

    /// Finds those tests out. Of the other tests of their classes those count alone that fail in a fresh process.
    async fn odd_when_served(&self) -> Option<BTreeSet<TestId>> {
        let subject = &*self.subject;
        if !subject.is_quicker_served() {
            return None;
        }
        let report = &self.baseline.report;
        // Of those without end one says enough, and has to be waited for.
        let dear: BTreeSet<&TestId> = coverage::endless(&self.baseline).skip(1).collect();
        let triggering: Vec<TestId> =
            cheap(&self.baseline).into_iter().filter(|id| !dear.contains(id)).cloned().collect();
        let mut deadlines = subject.deadlines(report);
        deadlines.own.extend(coverage::brief(&self.baseline));
        let plan = subject.plan_of(triggering.clone(), deadlines);
        let served = async {
            let build = Arc::new(Build::new(&subject.options().work_dir)?);
            subject.run_served(&Patch::default(), &build, &plan).await
        };
        let status = |report: &TestReport, id: &TestId| report.results.get(id).map(|result| result.status);
        let odd = served.await.ok().map(|served| {
            let is_odd = |id: &&TestId| status(&served, id) != status(report, id);
            triggering.iter().filter(is_odd).cloned().collect::<BTreeSet<TestId>>()
        });
        tracing::debug!(asked = triggering.len(), ?odd, "what ends otherwise in a child of a process that waits");
        let odd = odd.filter(|odd| odd.len() * ODD <= triggering.len());
        if odd.is_none() {
            tracing::info!("candidates run in fresh processes: tests end otherwise in one that has loaded libraries");
        }
        odd
    }

    /// The triggering tests whose word counts at the first look at a candidate.
    async fn counted(&self) -> Vec<TestId> {
        let odd = self.odd().await;
        let counts = |id: &&TestId| odd.is_none_or(|odd| !odd.contains(*id));
        self.baseline.triggering.iter().filter(counts).cloned().collect()
    }

    /// Those of them that are asked before the rest of their classes.
    async fn asked(&self) -> Vec<TestId> {
        let cheap: BTreeSet<&TestId> = cheap(&self.baseline).into_iter().collect();
        self.counted().await.into_iter().filter(|id| cheap.contains(id)).collect()
    }

    /// The refusal of a candidate with which a few of many triggering tests all still fail.
    async fn mends_none_of_few(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        tests: &[TestId],
        deadlines: &Deadlines,
    ) -> Result<Option<Validation>, ValidateError> {
        let Some(few) = few(tests, &self.baseline) else { return Ok(None) };
        let deadlines = Deadlines { total: SOME, ..deadlines.clone() };
        let report = self.run_quickly(patch, build, &self.subject.plan_of(few.clone(), deadlines).until_lost()).await?;
        let refused = mends_none(&few, &report, &self.baseline);
        Ok(refused.then(|| answer(&report, plausible::triggering(&self.baseline, &report), 0.0)))
    }

    /// The triggering tests with a patch, and the rest of their classes if those pass: for candidates of which few are
    /// confirmed.
    pub(in crate::validate) async fn test_classes(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let subject = &*self.subject;
        let build = match subject.build(patch).await? {
            Ok(build) => Arc::new(build),
            Err(refused) => return Ok(Validation { seconds: begin.elapsed().as_secs_f64(), ..refused }),
        };
        let tests = self.asked().await;
        let mut deadlines = subject.quick_deadlines(&self.baseline);
        deadlines.own.extend(coverage::brief(&self.baseline));
        if let Some(refused) = self.mends_none_of_few(patch, &build, &tests, &deadlines).await? {
            return Ok(Validation { seconds: begin.elapsed().as_secs_f64(), ..refused });
        }
        let (mut report, mut judged) = self.test_asked(patch, &build, &tests, &mut deadlines).await?;
        if judged.outcome == Outcome::Failed {
            // The others did not run.
            judged = plausible::triggering(&self.baseline, &report);
        }
        if matches!(judged.outcome, Outcome::Failed | Outcome::Timeout) {
            return Ok(answer(&report, judged, begin.elapsed().as_secs_f64()));
        }
        let counted = self.counted().await;
        let mut rest = deadlines.clone();
        if counted.len() == tests.len() {
            rest.total = rest.total.min(REST);
        }
        let plan = subject.plan(subject.classes_of(&self.baseline.triggering), rest);
        let plan = plan.until_lost().without(&self.baseline.unended);
        // What has no time there passed by itself.
        suite::join(&mut report, self.run_quickly(patch, &build, &plan).await?);
        let mut judged = plausible::of_tests(&self.baseline, &counted, &report);
        let against = self.broken(patch, &build, &deadlines, (&report, judged.outcome)).await?;
        if let (Outcome::PassedWarm, Some(id)) = (judged.outcome, against.first()) {
            let detail = format!("{id} passed before and does not with the patch ({} such tests)", against.len());
            let outcome = plausible::objection(report.results.get(id));
            judged = Judged { outcome, detail, against, ..judged };
        }
        Ok(answer(&report, judged, begin.elapsed().as_secs_f64()))
    }

    /// The triggering tests with a patch: for a short time first, then as long as they take. Where they need more time than
    /// these deadlines, those become longer.
    async fn test_asked(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        tests: &[TestId],
        deadlines: &mut Deadlines,
    ) -> Result<(TestReport, Judged), ValidateError> {
        let run = async |deadlines: &Deadlines| {
            let plan = self.subject.plan_of(tests.to_vec(), deadlines.clone()).until_lost();
            let report = self.run_quickly(patch, build, &plan).await?;
            let judged = plausible::of_tests(&self.baseline, tests, &report);
            Ok::<_, ValidateError>((report, judged))
        };
        let (mut report, mut judged) = run(&Deadlines { total: SOME, ..deadlines.clone() }).await?;
        let is_open = report.end != RunEnd::Complete && report.failing().next().is_none();
        if is_open && judged.outcome != Outcome::PassedWarm {
            (report, judged) = run(deadlines).await?;
        }
        let is_promising = needs_time(judged.outcome, judged.fixed)
            || match self.more_time(tests, &report) {
                Some((id, deadlines)) => {
                    let plan = self.subject.plan_of(vec![id.clone()], deadlines);
                    let passes = untouched::passes(&self.run_quickly(patch, build, &plan).await?, &id) == Some(true);
                    if passes {
                        self.was_worth_it();
                    }
                    passes
                }
                None => false,
            };
        if is_promising {
            *deadlines = self.patient_deadlines();
            (report, judged) = run(deadlines).await?;
            if judged.outcome != Outcome::Timeout {
                self.was_worth_it();
            }
        }
        Ok((report, judged))
    }

    /// Whether one more candidate may have more time than the others.
    fn has_patience(&self) -> bool {
        self.patience.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    /// Gives back the time that a candidate was worth, since its tests ended: the next one may have it, too.
    pub(in crate::validate) fn was_worth_it(&self) {
        let _ = self.patience.fetch_update(Relaxed, Relaxed, |left| (left < PATIENCE).then_some(left + 1));
    }

    /// A test that is cut with a candidate and failed soon before, with the time that it gets by itself.
    pub(in crate::validate) fn more_time(&self, tests: &[TestId], report: &TestReport) -> Option<(TestId, Deadlines)> {
        // A class or module that is loaded for so long has no end.
        let id = cut_now(tests, report, &self.baseline).filter(|id| !id.method.is_empty())?.clone();
        self.has_patience().then(|| (id, Deadlines::of(PATIENT, self.subject.longest())))
    }

    /// Deadlines by which a test that failed at once may take its time to pass; for a few candidates one without end may, too.
    pub(in crate::validate) fn patient_deadlines(&self) -> Deadlines {
        let mut deadlines = self.subject.deadlines_for(&self.baseline);
        if !self.has_patience() {
            deadlines.own.extend(coverage::brief(&self.baseline));
        }
        deadlines
    }

    /// Tests that passed before and do not with a patch. Where nothing else speaks against it, they run again, those that fail
    /// in the same way twice no further: one that fails now and then, in children alone, or without the patch as well where
    /// fewer tests run before it, is no regression; one that was cut would be cut again.
    async fn broken(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        deadlines: &Deadlines,
        (report, outcome): (&TestReport, Outcome),
    ) -> Result<Vec<TestId>, ValidateError> {
        let passed_before = |id: &&TestId| self.baseline.passing.contains(*id);
        let mut against: Vec<TestId> =
            plausible::not_passed(&self.baseline, report).filter(passed_before).cloned().collect();
        let is_lost = against.iter().any(|id| report.results.get(id).is_none_or(|result| result.loss.is_some()));
        if outcome != Outcome::PassedWarm || is_lost {
            return Ok(against);
        }
        let mut open = against.clone();
        for _ in 0..AGAIN {
            if open.is_empty() {
                break;
            }
            let plan = self.subject.plan_of(open.clone(), deadlines.clone());
            let again = self.run_fresh(patch, build, &plan).await?;
            let passes = |id: &TestId| untouched::passes(&again, id) == Some(true);
            against.retain(|id| !open.contains(id) || !passes(id));
            open.retain(|id| !passes(id) && !fails_as(id, report, &again));
        }
        if against.is_empty() {
            return Ok(against);
        }
        let before = self.own.untouched.ask(&*self.subject, &against).await?;
        against.retain(|id| before.get(id) == Some(&Before::Passes));
        Ok(against)
    }
}

/// How many candidates may have more time. The tests that pass beside the failing ones tell, in their classes where there are
/// any.
pub(super) fn patience(baseline: &Baseline) -> usize {
    let passing = || baseline.report.results.values().filter(|result| result.passed());
    let classes: BTreeSet<&str> = baseline.triggering.iter().map(TestId::outer_class).collect();
    let beside = passing().filter(|result| classes.contains(result.id.outer_class()));
    let slowest = beside.map(|result| result.millis).max().or(passing().map(|result| result.millis).max());
    let slowest = slowest.max(baseline.took.values().max().copied());
    if slowest.is_some_and(|slowest| slowest <= QUICK) { 1 } else { PATIENCE }
}

/// Whether triggering tests were cut and none failed, and others pass: how long a test took that failed says little of how
/// long it takes to pass.
pub(in crate::validate) fn needs_time(outcome: Outcome, fixed: usize) -> bool {
    outcome == Outcome::Timeout && fixed > 0
}

/// Whether a test fails in both reports, in the same way.
fn fails_as(id: &TestId, before: &TestReport, now: &TestReport) -> bool {
    let [before, now] = [before, now].map(|report| report.results.get(id)?.failure.as_ref());
    before.zip(now).is_some_and(|(before, now)| clean::fail_alike(before, now))
}

/// Whether some of these tests ended as they did before or otherwise, and none of them passed. One that ended before and is cut
/// now may be on its way to pass.
pub(in crate::validate) fn mends_none(tests: &[TestId], report: &TestReport, baseline: &Baseline) -> bool {
    let says_something = |id: &&TestId| !report.is_cut(id) || baseline.report.is_cut(id);
    let ended = tests.iter().filter(says_something).filter_map(|id| untouched::passes(report, id));
    let ended: Vec<bool> = ended.collect();
    !ended.is_empty() && !ended.contains(&true)
}

/// The first test that is cut now and ended before, where a candidate may have more time for it.
fn cut_now<'t>(tests: &'t [TestId], report: &TestReport, baseline: &Baseline) -> Option<&'t TestId> {
    let endless: BTreeSet<&TestId> = coverage::endless(baseline).collect();
    tests.iter().find(|id| report.is_cut(id) && !endless.contains(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TestResult, TestStatus};

    #[test]
    fn where_all_tests_are_quick_one_candidate_has_more_time() {
        let beside = |millis: u64, class_of_bug: &str| {
            let mut report = suite::empty();
            for (class, millis) in [("PoolTest", millis), ("LoadTest", 9_000)] {
                let id = TestId::new(class, "waits");
                let result =
                    TestResult { id: id.clone(), status: TestStatus::Passed, failure: None, millis, loss: None };
                report.results.insert(id, result);
            }
            let triggering = vec![TestId::new(class_of_bug, "fails")];
            patience(&Baseline { report: report.into(), triggering, ..Baseline::default() })
        };
        assert_eq!(
            (beside(40, "PoolTest"), beside(2_000, "PoolTest"), beside(40, "OtherTest")),
            (1, PATIENCE, PATIENCE)
        );
        assert_eq!(patience(&Baseline::default()), PATIENCE, "nothing is known");
    }
}
