//! A project in C that is built already: a candidate costs what it changes and the triggering tests, and all tests where
//! those pass. A *no* of the triggering tests and a *yes* of all are taken from here; a regression is judged from nothing,
//! and so is every patch that is confirmed.

use super::drivers::Driver;
use super::forget_objects;
use camino::{Utf8Path, Utf8PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use unidebug_base::domain::{FileChange, Outcome, Patch, RepoPath, TestId, Validation};
use unidebug_judge::benchmark::{copy_with_outputs, private_copy};
use unidebug_judge::validate::command::{CommandJudge, LEAST_FOR_A_CANDIDATE, LONGER, Ran, Testing};
use unidebug_judge::validate::{ValidateError, cold, io_error, plausible, subject};

/// Built copies in which no candidate is built now: as many as candidates were judged at once.
#[derive(Default)]
pub(super) struct BuiltCopies {
    free: Mutex<Vec<Built>>,
    /// Whether the untouched project does not build.
    fails: AtomicBool,
}

/// A built copy, and the place where it was built: build tools keep absolute paths, so each candidate is built there.
struct Built {
    _keep: tempfile::TempDir,
    outputs: Utf8PathBuf,
    place: Utf8PathBuf,
    /// One after the other; the first *no* counts.
    steps: Vec<Step>,
}

/// Triggering tests that are built and run in one go.
struct Step {
    tests: Vec<TestId>,
    /// What builds them alone, where that is known.
    build: Option<Vec<String>>,
    run: Vec<String>,
    /// What a candidate may take.
    wall: Duration,
}

impl BuiltCopies {
    /// The word on a candidate that is built in a copy; `None` where a run from nothing must decide.
    pub(super) async fn judge(
        &self,
        judge: &CommandJudge,
        patch: &Patch,
        wall: Duration,
    ) -> Result<Option<Validation>, ValidateError> {
        if self.fails.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let known = free().pop();
        let built = match known {
            Some(built) => Some(built),
            None => build_once(judge).await?,
        };
        let Some(built) = built else {
            self.fails.store(true, Ordering::Relaxed);
            return Ok(None);
        };
        let validation = built.judge(judge, patch, wall).await;
        free().push(built);
        validation
    }
}

impl Built {
    /// The word on a candidate that is built in this copy.
    async fn judge(
        &self,
        judge: &CommandJudge,
        patch: &Patch,
        wall: Duration,
    ) -> Result<Option<Validation>, ValidateError> {
        let begin = Instant::now();
        let Testing::Reports(_, folders) = &judge.commands.test else { return Ok(None) };
        let place = &self.place;
        // Tests may have closed folders; a run from nothing decides then.
        if std::fs::remove_dir_all(place).and_then(|()| std::fs::create_dir(place)).is_err() {
            return Ok(None);
        }
        copy_with_outputs(&self.outputs, place)?;
        subject::write_all(patch, place)?;
        if patch.files.iter().any(|file| file.path.as_str().ends_with(".h")) {
            forget_objects(place);
        }
        for step in &self.steps {
            if let Some(mut no) = refused_in(judge, place, step, (patch, folders), wall.min(step.wall)).await? {
                no.seconds = begin.elapsed().as_secs_f64();
                return Ok(Some(no));
            }
        }
        let passed = all_pass_in(judge, place, wall).await?;
        Ok(passed.map(|passed| Validation { seconds: begin.elapsed().as_secs_f64(), ..passed }))
    }
}

/// Why a candidate is refused by a step; `None` where its tests pass.
async fn refused_in(
    judge: &CommandJudge,
    place: &Utf8Path,
    step: &Step,
    (patch, folders): (&Patch, &[RepoPath]),
    wall: Duration,
) -> Result<Option<Validation>, ValidateError> {
    // A new file is found by what describes the build alone.
    let is_old = |file: &FileChange| file.before.is_some();
    let build = step.build.as_ref().filter(|_| patch.files.iter().all(is_old)).or(judge.commands.build.as_ref());
    let report = match judge.built_and_tested(place, build, (&step.run, folders), wall).await? {
        Ran::NotBuilt(diagnostics) => return Ok(Some(subject::does_not_compile(diagnostics))),
        Ran::Tested(report) => report,
    };
    let mut judged = plausible::of_tests(&judge.baseline, &step.tests, &report);
    if judged.outcome == Outcome::PassedWarm {
        return Ok(None);
    }
    let others = judge.baseline.triggering.len() - step.tests.len();
    if others > 0 {
        judged.detail = format!("{}; the other {others} did not run", judged.detail);
    }
    Ok(Some(cold::answer(&report, judged, 0.0)))
}

/// The word on a candidate whose triggering tests pass, where all others pass as well in the copy it is built in.
async fn all_pass_in(
    judge: &CommandJudge,
    place: &Utf8Path,
    wall: Duration,
) -> Result<Option<Validation>, ValidateError> {
    let Testing::Reports(test, folders) = &judge.commands.test else { return Ok(None) };
    let ran = judge.built_and_tested(place, judge.commands.build.as_ref(), (test, folders), wall).await?;
    let Ran::Tested(report) = ran else { return Ok(None) };
    let judged = judge.judged(&report);
    Ok((judged.outcome == Outcome::PassedWarm).then(|| cold::answer(&report, judged, 0.0)))
}

/// The command for the triggering tests alone, where it can be told so.
pub(super) fn triggering_only(judge: &CommandJudge, test: &[String]) -> Vec<String> {
    Driver::of(test).map_or_else(|| test.to_vec(), |driver| driver.only(test, &judge.baseline.triggering))
}

/// Builds the untouched project, runs its triggering tests, which a makefile may build only then, and keeps what that
/// made; `None` where it does not build.
async fn build_once(judge: &CommandJudge) -> Result<Option<Built>, ValidateError> {
    let Testing::Reports(test, folders) = &judge.commands.test else { return Ok(None) };
    let work = &judge.options.work_dir;
    let failed = || io_error("making a built copy", work);
    let keep = tempfile::Builder::new().prefix("built-").tempdir_in(work).map_err(failed())?;
    let top = Utf8Path::from_path(keep.path()).unwrap_or(work).canonicalize_utf8().map_err(failed())?;
    let (place, outputs) = (top.join("place"), top.join("kept"));
    std::fs::create_dir(&place).map_err(failed())?;
    std::fs::create_dir(&outputs).map_err(failed())?;
    private_copy(&judge.checkout.root, &place)?;
    let (build, wall) = (judge.commands.build.as_ref(), judge.options.max_time);
    let triggering = triggering_only(judge, test);
    if let Ran::NotBuilt(_) = judge.built_and_tested(&place, build, (&triggering, folders), wall).await? {
        return Ok(None);
    }
    let mut steps = Vec::new();
    if let (Some(_), Some((first, _))) = (Driver::of(test), judge.baseline.triggering.split_first()) {
        let first = step(judge, std::slice::from_ref(first), test, &place).await?;
        steps.extend(Some(first).filter(|first| first.build.is_some()));
    }
    steps.push(step(judge, &judge.baseline.triggering, test, &place).await?);
    steps.dedup_by(|one, other| one.tests == other.tests);
    copy_with_outputs(&place, &outputs)?;
    Ok(Some(Built { _keep: keep, outputs, place, steps }))
}

/// How these tests are built and run, in a copy that is built.
async fn step(
    judge: &CommandJudge,
    tests: &[TestId],
    test: &[String],
    place: &Utf8Path,
) -> Result<Step, ValidateError> {
    let Some(driver) = Driver::of(test) else {
        let wall = Duration::MAX;
        return Ok(Step { tests: tests.to_vec(), build: None, run: test.to_vec(), wall });
    };
    let wall = judge.wall(LEAST_FOR_A_CANDIDATE);
    let begin = Instant::now();
    let run = driver.only(test, tests);
    let mut build = None;
    if let Some(described) = driver.described(test, tests) {
        let listing = judge.sandbox.run(judge.job(&described, place, wall)?).await?;
        build = driver.build_of(test, tests, &listing.stdout);
    }
    if let Some(command) = &build
        && !judge.sandbox.run(judge.job(command, place, wall)?).await?.exit.success()
    {
        build = None;
    }
    judge.sandbox.run(judge.job(&run, place, wall)?).await?;
    // Where all is built anew the time of the whole project counts.
    let own = LEAST_FOR_A_CANDIDATE.max(begin.elapsed().mul_f64(LONGER));
    let wall = if build.is_some() { own } else { Duration::MAX };
    Ok(Step { tests: tests.to_vec(), build, run, wall })
}
