//! What gcc, clang, gcov, the sanitizers, CTest and Meson add to the judge of projects in C.

mod built;
mod compilers;
mod drivers;
mod ends;
mod gcc;
mod gcov;
mod sanitized;
mod surroundings;

use camino::Utf8Path;
use std::time::Duration;
use tokio::sync::OnceCell;
use unidebug_base::domain::{Patch, TestReport, Validation};
use unidebug_judge::validate::command::{Checked, CommandJudge, KnownToolchain, Toolchain};
use unidebug_judge::validate::{Spectrum, ValidateError};

inventory::submit! {
    KnownToolchain { language: "c", open: || Box::new(Tools::default()), complaints: gcc::diagnostics }
}

/// Check names tests that pass only when it is verbose; Meson draws the value of fresh memory unless it is given.
const ENVIRONMENT: &[(&str, &str)] = &[("CK_VERBOSITY", "verbose"), ("MALLOC_PERTURB_", "0")];

/// The tools of C at work for one project. What they find out of the untouched project is asked once.
#[derive(Default)]
struct Tools {
    /// What tests execute.
    measured: OnceCell<Option<Spectrum>>,
    /// The project, built already, for candidates to be built in.
    built: built::BuiltCopies,
    /// How far the programs of the triggering tests run.
    ends: OnceCell<Option<ends::Programs>>,
    /// What compilers and sanitizers say.
    checked: OnceCell<Option<Checked>>,
}

#[async_trait::async_trait]
impl Toolchain for Tools {
    fn environment(&self) -> &'static [(&'static str, &'static str)] {
        ENVIRONMENT
    }

    fn forget_outputs(&self, patch: &Patch, tree: &Utf8Path) {
        // Makefiles rarely know which object includes which header.
        if patch.files.iter().any(|file| file.path.as_str().ends_with(".h")) {
            forget_objects(tree);
        }
    }

    fn add_output(&self, test: &[String], reports: &Utf8Path, report: &mut TestReport) {
        if drivers::Driver::of(test) == Some(drivers::Driver::Meson) {
            drivers::add_output(reports, report);
        }
    }

    async fn judge_built(
        &self,
        judge: &CommandJudge,
        patch: &Patch,
        wall: Duration,
    ) -> Result<Option<Validation>, ValidateError> {
        self.built.judge(judge, patch, wall).await
    }

    async fn objection(&self, judge: &CommandJudge, patch: &Patch) -> Result<Option<String>, ValidateError> {
        match surroundings::newly_decides(judge, patch) {
            Some(why) => Ok(Some(why)),
            None => ends::end_early(judge, patch, &self.ends).await,
        }
    }

    async fn spectrum(&self, judge: &CommandJudge, time: Duration) -> Result<Option<Spectrum>, ValidateError> {
        let untouched = Patch::default();
        self.measured.get_or_try_init(|| gcov::measure(judge, &untouched, time)).await.cloned()
    }

    async fn executed(
        &self,
        judge: &CommandJudge,
        patch: &Patch,
        time: Duration,
    ) -> Result<Option<Spectrum>, ValidateError> {
        if gcov::tells_tests_apart(judge) { gcov::measure(judge, patch, time).await } else { Ok(None) }
    }

    async fn checked(&self, judge: &CommandJudge) -> Result<Option<&Checked>, ValidateError> {
        Ok(self.checked.get_or_try_init(|| sanitized::check(judge)).await?.as_ref())
    }
}

/// Removes what was compiled before; the build makes it again.
fn forget_objects(tree: &Utf8Path) {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).build().flatten();
    let known = ["o", "a", "lo", "so"];
    let is_object = |path: &std::path::Path| path.extension().is_some_and(|end| known.iter().any(|one| end == *one));
    walk.filter(|entry| is_object(entry.path())).for_each(|entry| drop(std::fs::remove_file(entry.path())));
}
