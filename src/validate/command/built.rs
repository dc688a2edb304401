//! A project in C that is built already: a candidate costs what it changes and the triggering tests, and all tests where
//! those pass. A *no* of the triggering tests and a *yes* of all are taken from here; a regression is judged from nothing,
//! and so is every patch that is confirmed.

use super::copy::forget_objects;
use super::drivers::{self, Driver};
use super::{CommandJudge, Ran, Testing};
use crate::benchmark::{copy_with_outputs, private_copy};
use crate::domain::{FileChange, Outcome, Patch, Validation};
use crate::language::{C, Language};
use crate::validate::{ValidateError, cold, io_error, plausible, subject};
use camino::{Utf8Path, Utf8PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    kept: Utf8PathBuf,
    place: Utf8PathBuf,
    /// What builds the triggering tests alone, where that is known.
    build: Option<Vec<String>>,
}

impl CommandJudge {
    /// The word on a candidate that is built in a copy; `None` where a run from nothing must decide.
    pub(super) async fn judged_in_a_copy(
        &self,
        patch: &Patch,
        wall: Duration,
    ) -> Result<Option<Validation>, ValidateError> {
        if self.checkout.language != C.name() || self.built.fails.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let free = || self.built.free.lock().unwrap_or_else(PoisonError::into_inner);
        let known = free().pop();
        let built = match known {
            Some(built) => Some(built),
            None => self.build_once().await?,
        };
        let Some(built) = built else {
            self.built.fails.store(true, Ordering::Relaxed);
            return Ok(None);
        };
        let word = self.judged_in(&built, patch, wall).await;
        free().push(built);
        word
    }

    async fn judged_in(
        &self,
        built: &Built,
        patch: &Patch,
        wall: Duration,
    ) -> Result<Option<Validation>, ValidateError> {
        let begin = Instant::now();
        let Testing::Reports(test, folders) = &self.commands.test else { return Ok(None) };
        let place = &built.place;
        // Tests may have closed folders; a run from nothing decides then.
        if std::fs::remove_dir_all(place).and_then(|()| std::fs::create_dir(place)).is_err() {
            return Ok(None);
        }
        copy_with_outputs(&built.kept, place)?;
        subject::write_all(patch, place)?;
        if patch.files.iter().any(|file| file.path.as_str().ends_with(".h")) {
            forget_objects(place);
        }
        // A new file is found by what describes the build alone.
        let is_old = |file: &FileChange| file.before.is_some();
        let build = built.build.as_ref().filter(|_| patch.files.iter().all(is_old)).or(self.commands.build.as_ref());
        let test = self.triggering_only(test);
        let mut validation = match self.built_and_tested(place, build, (&test, folders), wall).await? {
            Ran::NotBuilt(diagnostics) => subject::does_not_compile(diagnostics),
            Ran::Tested(report) => {
                let judged = plausible::triggering(&self.baseline, &report);
                if judged.outcome == Outcome::PassedWarm {
                    let Some(passed) = self.all_pass_in(place, wall).await? else { return Ok(None) };
                    passed
                } else {
                    cold::answer(&report, judged, 0.0)
                }
            }
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(validation))
    }

    /// The word on a candidate whose triggering tests pass, where all others pass as well in the copy it is built in.
    async fn all_pass_in(&self, place: &Utf8Path, wall: Duration) -> Result<Option<Validation>, ValidateError> {
        let Testing::Reports(test, folders) = &self.commands.test else { return Ok(None) };
        let ran = self.built_and_tested(place, self.commands.build.as_ref(), (test, folders), wall).await?;
        let Ran::Tested(report) = ran else { return Ok(None) };
        let judged = self.judged(&report);
        Ok((judged.outcome == Outcome::PassedWarm).then(|| cold::answer(&report, judged, 0.0)))
    }

    /// The command for the triggering tests alone, where it can be told so.
    pub(super) fn triggering_only(&self, test: &[String]) -> Vec<String> {
        Driver::of(test).map_or_else(|| test.to_vec(), |driver| driver.only(test, &self.baseline.triggering))
    }

    /// Builds the untouched project, runs its triggering tests, which a makefile may build only then, and keeps what that
    /// made; `None` where it does not build.
    async fn build_once(&self) -> Result<Option<Built>, ValidateError> {
        let Testing::Reports(test, folders) = &self.commands.test else { return Ok(None) };
        let work = &self.options.work_dir;
        let failed = || io_error("making a built copy", work);
        let keep = tempfile::Builder::new().prefix("built-").tempdir_in(work).map_err(failed())?;
        let top = Utf8Path::from_path(keep.path()).unwrap_or(work).canonicalize_utf8().map_err(failed())?;
        let (place, kept) = (top.join("place"), top.join("kept"));
        std::fs::create_dir(&place).map_err(failed())?;
        std::fs::create_dir(&kept).map_err(failed())?;
        private_copy(&self.checkout.root, &place)?;
        let (build, wall) = (self.commands.build.as_ref(), self.options.max_time);
        let triggering = self.triggering_only(test);
        if let Ran::NotBuilt(_) = self.built_and_tested(&place, build, (&triggering, folders), wall).await? {
            return Ok(None);
        }
        let build = self.build_of_triggering(test, &place).await?;
        copy_with_outputs(&place, &kept)?;
        Ok(Some(Built { _keep: keep, kept, place, build }))
    }

    /// The command that builds the programs of the triggering tests; `None` where no tool names them, or where it fails.
    async fn build_of_triggering(
        &self,
        test: &[String],
        place: &Utf8Path,
    ) -> Result<Option<Vec<String>>, ValidateError> {
        let wall = self.wall(super::LEAST_FOR_A_CANDIDATE);
        let described = Driver::of(test).and_then(|driver| driver.described(test, &self.baseline.triggering));
        let Some(described) = described else { return Ok(None) };
        let told = self.sandbox.run(self.job(&described, place, wall)?).await?;
        let Some(build) = drivers::build_of(test, &told.stdout) else { return Ok(None) };
        let done = self.sandbox.run(self.job(&build, place, wall)?).await?;
        Ok(done.exit.success().then_some(build))
    }
}
