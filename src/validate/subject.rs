//! What the judge needs to know of a project, whatever language its tests are written in: how a patched copy is made and
//! how tests are run in it. Everything else (which tests, how long, what their results mean) is the judge's own.

use super::patience::lost;
use super::plan::{Deadlines, LEAST, OnCrash, Plan};
use super::records::Executed;
use super::{Baseline, Coverage, Options, ValidateError, coverage, io_error};
use crate::benchmark::{Checkout, private_copy};
use crate::domain::{Diagnostic, Outcome, Patch, RepoPath, TestId, TestReport, TestStatus, Validation};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;
use std::time::Duration;

/// Times its usual time that a whole run gets at least.
pub(super) const SLACK: u32 = 3;
/// A test in its first run, and one that was cut there.
pub(super) const FIRST: Duration = Duration::from_secs(10);

/// A throw-away copy of the checkout, with a patch written into it.
pub(super) struct Copy {
    /// Removed when dropped.
    _folder: tempfile::TempDir,
    /// The copy of the checkout.
    pub(super) tree: Utf8PathBuf,
    /// What is made from the patch, in front of the untouched product.
    pub(super) overlay: Utf8PathBuf,
    /// Folder for what is made on the way.
    pub(super) scratch: Utf8PathBuf,
}

impl Copy {
    /// A fresh copy of the untouched checkout, below an existing folder.
    pub(super) fn of(checkout: &Checkout, work: &Utf8Path) -> Result<Self, ValidateError> {
        let folder = tempfile::Builder::new().prefix("copy-").tempdir_in(work);
        let folder = folder.map_err(io_error("making a throw-away copy", work))?;
        let path = Utf8Path::from_path(folder.path()).unwrap_or(work);
        let path = path.canonicalize_utf8().map_err(io_error("finding the throw-away copy", path))?;
        let (tree, overlay, scratch) = (path.join("tree"), path.join("overlay"), path.join("scratch"));
        for each in [&tree, &overlay, &scratch] {
            std::fs::create_dir_all(each).map_err(io_error("making a throw-away copy", each))?;
        }
        private_copy(&checkout.root, &tree)?;
        Ok(Self { _folder: folder, tree, overlay, scratch })
    }

    /// Writes the files of a patch; returns where they are.
    pub(super) fn write(&self, patch: &Patch) -> Result<Vec<Utf8PathBuf>, ValidateError> {
        let mut changed = Vec::new();
        for file in &patch.files {
            let path = file.path.under(&self.tree);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(io_error("writing a candidate", folder))?;
            }
            std::fs::write(&path, &*file.after).map_err(io_error("writing a candidate", &path))?;
            changed.push(path);
        }
        Ok(changed)
    }
}

/// A project whose tests a runner of ours runs.
#[async_trait::async_trait]
pub(super) trait Subject: Send + Sync {
    /// The project.
    fn checkout(&self) -> &Checkout;
    /// How it was opened.
    fn options(&self) -> &Options;
    /// Classes or modules that may hold tests.
    fn tests(&self) -> &[String];
    /// Where what belongs to exactly this content is kept.
    fn kept(&self) -> &Utf8Path;
    /// Further arguments of the test process.
    fn args(&self) -> Vec<String> {
        Vec::new()
    }

    /// A copy with the patch in it, as far as it can be run; or why there is none.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn patched(&self, patch: &Patch) -> Result<Result<Copy, Validation>, ValidateError>;

    /// Runs a plan in fresh processes.
    ///
    /// # Errors
    /// No process can be started.
    async fn run(&self, copy: &Copy, plan: &Plan) -> Result<TestReport, ValidateError>;

    /// Runs a plan on the untouched code and tells what each test executed; `None` with a notice where that cannot be
    /// had.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn measured(&self, plan: Plan) -> Result<Option<(TestReport, Executed)>, ValidateError>;

    /// The product file that a measured name means.
    fn source(&self, name: &str) -> Option<RepoPath>;

    /// Lines that the triggering tests execute, all together.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn failing_coverage(&self, baseline: &Baseline) -> Result<Option<Coverage>, ValidateError>;

    /// What the compiler warns of in a file of the untouched code.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn warnings(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError>;

    /// Whether two patches compile to the same code; `None` where that cannot be told.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn same_code(&self, _: &Patch, _: &Patch) -> Result<Option<bool>, ValidateError> {
        Ok(None)
    }

    /// A fresh copy of the checkout.
    fn copy(&self) -> Result<Copy, ValidateError> {
        Copy::of(self.checkout(), &self.options().work_dir)
    }

    /// A plan over everything that may hold tests.
    fn plan(&self, only: Vec<TestId>, deadlines: Deadlines, on_crash: OnCrash) -> Plan {
        let (classes, args) = (self.tests().to_vec(), self.args());
        Plan { classes, only, skip: Vec::new(), deadlines, on_crash, args, roomy: false }
    }

    /// A candidate's plan for all tests: those that took their process with them before, and are not the bug, would
    /// take the candidate's too and say nothing of it.
    fn whole_plan(&self, baseline: &Baseline, deadlines: Deadlines) -> Plan {
        let says_nothing = |id: &&TestId| !baseline.triggering.contains(id) && !id.method.is_empty();
        let gone = baseline.report.results.values().filter(|result| lost(result)).map(|result| &result.id);
        let skip = gone.filter(says_nothing).cloned().collect();
        Plan { skip, ..self.plan(Vec::new(), deadlines, OnCrash::Stop) }
    }

    /// Deadlines from what tests took: max(2 s, 10 times that); 10 s for one that was cut. All together: their sum, at
    /// most `--max-time` or, for a slow suite, three times what it usually takes.
    fn deadlines(&self, report: &TestReport) -> Deadlines {
        let mut own = BTreeMap::new();
        for result in report.results.values() {
            let limit = match result.status {
                TestStatus::TimedOut => FIRST,
                _ => Duration::from_millis(result.millis.saturating_mul(10)).max(LEAST),
            };
            if limit > LEAST {
                own.insert(result.id.clone(), limit);
            }
        }
        let sum: Duration =
            own.values().sum::<Duration>() + LEAST * report.results.len().try_into().unwrap_or(u32::MAX);
        // A suite that takes minutes cannot be judged in less, whatever a search for candidates may take.
        let usual = Duration::from_millis(report.results.values().map(|result| result.millis).sum());
        Deadlines { default: LEAST, own, total: sum.min(self.options().max_time.max(usual * SLACK)) }
    }

    /// The plan that shows what the triggering tests execute. Measured code is slower, and a test that is cut too early
    /// hides where it hangs.
    fn shown_plan(&self, baseline: &Baseline) -> Plan {
        let mut plan = self.plan(coverage::shown(baseline), self.deadlines(&baseline.report), OnCrash::GoOn);
        plan.deadlines.default *= 2;
        plan.deadlines.own.extend(coverage::brief(baseline));
        plan
    }
}

/// The outcome of a candidate that changes nothing for the machine.
pub(super) fn same_code(detail: &str) -> Validation {
    Validation::without_tests(Outcome::Duplicate, detail)
}

/// The outcome of a candidate with these errors.
pub(super) fn does_not_compile(diagnostics: Vec<Diagnostic>) -> Validation {
    let lines = diagnostics.iter().take(5).map(|diagnostic| match &diagnostic.file {
        Some(file) => format!("{file}:{}: {}", diagnostic.line, diagnostic.message),
        None => diagnostic.message.clone(),
    });
    let detail = lines.collect::<Vec<_>>().join("\n");
    Validation { diagnostics, ..Validation::without_tests(Outcome::CompileError, detail) }
}
