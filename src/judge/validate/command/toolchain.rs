//! What the compilers and test tools of a language add to the judge of projects that their own commands build and test.

use super::CommandJudge;
use crate::domain::{Diagnostic, Failure, Patch, TestReport, Validation};
use crate::validate::{Spectrum, ValidateError};
use camino::Utf8Path;
use std::time::Duration;

/// The compilers and test tools of a language, at work for one project; what they find out of it they keep.
#[async_trait::async_trait]
pub trait Toolchain: Send + Sync {
    /// Variables for the project's commands.
    fn environment(&self) -> &'static [(&'static str, &'static str)];

    /// Removes from a copy what its build would not make anew with the patch.
    fn forget_outputs(&self, patch: &Patch, tree: &Utf8Path);

    /// Adds to failures what the test command logged in a folder of its reports.
    fn add_output(&self, test: &[String], reports: &Utf8Path, report: &mut TestReport);

    /// The word on a candidate by a copy that is built already; `None` where a run from nothing must decide.
    async fn judge_built(
        &self,
        judge: &CommandJudge,
        patch: &Patch,
        wall: Duration,
    ) -> Result<Option<Validation>, ValidateError>;

    /// What speaks against a patch whose tests all pass, in words that go on after "all tests pass, but".
    async fn objection(&self, judge: &CommandJudge, patch: &Patch) -> Result<Option<String>, ValidateError>;

    /// What each test executes of the untouched project, passing ones as far as the time goes; `None` where it cannot be
    /// measured.
    async fn spectrum(&self, judge: &CommandJudge, time: Duration) -> Result<Option<Spectrum>, ValidateError>;

    /// The same with a patch; `None` also where tests have no names of their own.
    async fn executed(
        &self,
        judge: &CommandJudge,
        patch: &Patch,
        time: Duration,
    ) -> Result<Option<Spectrum>, ValidateError>;

    /// What compilers and checked builds say of the untouched project; `None` where it cannot be built so.
    async fn checked(&self, judge: &CommandJudge) -> Result<Option<&Checked>, ValidateError>;
}

/// What compilers and checked builds say of a project: evidence, never a verdict.
pub struct Checked {
    /// What the compiler warns of.
    pub warnings: Vec<Diagnostic>,
    /// What a checked run of the triggering tests reports.
    pub reports: Vec<Failure>,
}

/// A language whose projects the judge of commands knows more of; its folder submits it.
pub struct KnownToolchain {
    /// The language's name.
    pub language: &'static str,
    /// Its tools for a project.
    pub open: fn() -> Box<dyn Toolchain>,
    /// The compiler's complaints in what a build printed in a copy.
    pub complaints: fn(&str, &Utf8Path) -> Vec<Diagnostic>,
}

inventory::collect!(KnownToolchain);

/// The tools for a project in a language.
pub(super) fn open(language: &str) -> Option<Box<dyn Toolchain>> {
    inventory::iter::<KnownToolchain>().find(|known| known.language == language).map(|known| (known.open)())
}

/// The complaints of the compilers that are known, in what a build printed in a copy.
pub(super) fn complaints(output: &str, tree: &Utf8Path) -> Vec<Diagnostic> {
    inventory::iter::<KnownToolchain>().flat_map(|known| (known.complaints)(output, tree)).collect()
}
