//! The subject of validation: a checkout with its compiled classes, its class path and its tests.

mod compile;
mod kept;

pub(super) use compile::{does_not_compile, is_local, same_code};

use super::jvm::{ClassPath, Deadlines, Harness, LEAST, OnCrash, Plan, Suite, lost, test_classes};
use super::{Baseline, Options, ValidateError, io_error};
use crate::benchmark::jdk::{self, Jdk};
use crate::benchmark::{Checkout, age, jars, private_copy};
use crate::domain::TestId;
use crate::sandbox::Sandbox;
use camino::{Utf8Path, Utf8PathBuf};
use kept::content_key;
use std::collections::BTreeMap;
use std::time::Duration;

/// Times its usual time that a whole run gets at least.
const SLACK: u32 = 3;
/// A test in its first run, and one that was cut there.
pub(super) const FIRST: Duration = Duration::from_secs(10);

/// A throw-away copy of the checkout, with a patch written into it.
pub(super) struct Copy {
    /// Removed when dropped.
    _folder: tempfile::TempDir,
    /// The copy of the checkout.
    pub(super) tree: Utf8PathBuf,
    /// Classes made from the patch, in front of the untouched ones.
    pub(super) overlay: Utf8PathBuf,
    /// Folder for what is made on the way.
    pub(super) scratch: Utf8PathBuf,
}

/// Everything a run of tests or a compilation needs to know.
pub(super) struct Subject {
    pub(super) checkout: Checkout,
    pub(super) sandbox: Sandbox,
    pub(super) jdk: Jdk,
    pub(super) harness: Harness,
    pub(super) class_path: ClassPath,
    /// Compiled classes of the untouched project: tests, then product.
    pub(super) classes: Vec<Utf8PathBuf>,
    /// Classes that may hold tests.
    pub(super) tests: Vec<String>,
    pub(super) options: Options,
    /// Where what belongs to exactly this content is kept.
    pub(super) kept: Utf8PathBuf,
}

impl Subject {
    /// Finds tools and libraries and compiles the untouched project, or takes its classes from the cache.
    pub(super) async fn prepare(
        checkout: &Checkout,
        sandbox: &Sandbox,
        options: Options,
    ) -> Result<Self, ValidateError> {
        let jdk = match (&options.jdk, &checkout.project.jdk) {
            (Some(jdk), _) => jdk.clone(),
            (None, home) => jdk::find(home.as_deref())?,
        };
        let class_path = ClassPath::of(&checkout.project, &checkout.root, sandbox).await?;
        let cache = jars::cache_dir();
        std::fs::create_dir_all(&cache).map_err(io_error("making the cache", &cache))?;
        let cache = cache.canonicalize_utf8().map_err(io_error("finding the cache", &cache))?;
        let harness = Harness::prepare(sandbox, &jdk, &class_path.libraries, &cache).await?;
        let key = content_key(checkout, &jdk, &harness, options.heap_mib)?;
        let mut subject = Self {
            checkout: checkout.clone(),
            sandbox: sandbox.clone(),
            jdk,
            harness,
            class_path,
            classes: Vec::new(),
            tests: test_classes(&checkout.project, &checkout.root),
            options,
            kept: cache.join("projects").join(key),
        };
        age::used(&subject.kept);
        age::forget_old(&cache.join("projects"));
        subject.classes = subject.compile_untouched().await?;
        Ok(subject)
    }

    /// A fresh copy of the checkout.
    pub(super) fn copy(&self) -> Result<Copy, ValidateError> {
        let work = &self.options.work_dir;
        let folder = tempfile::Builder::new().prefix("copy-").tempdir_in(work);
        let folder = folder.map_err(io_error("making a throw-away copy", work))?;
        let path = Utf8Path::from_path(folder.path()).unwrap_or(work);
        let path = path.canonicalize_utf8().map_err(io_error("finding the throw-away copy", path))?;
        let (tree, overlay, scratch) = (path.join("tree"), path.join("overlay"), path.join("scratch"));
        for each in [&tree, &overlay, &scratch] {
            std::fs::create_dir_all(each).map_err(io_error("making a throw-away copy", each))?;
        }
        private_copy(&self.checkout.root, &tree)?;
        Ok(Copy { _folder: folder, tree, overlay, scratch })
    }

    /// The class path behind our runner, with these folders in front.
    pub(super) fn class_path_with(&self, front: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        front.iter().chain(&self.classes).chain(&self.class_path.libraries).cloned().collect()
    }

    /// The suite in a copy.
    pub(super) fn suite<'a>(&'a self, copy: &Copy) -> Suite<'a> {
        let project = &self.checkout.project;
        let whole = copy.overlay.join("product");
        // After a full compilation the untouched classes are stale and must not be seen.
        let mut class_path = if whole.is_dir() {
            vec![copy.overlay.join("tests"), whole]
        } else {
            let mut front = vec![copy.overlay.clone()];
            front.extend(self.classes.iter().cloned());
            front
        };
        class_path.extend(project.resources.iter().map(|folder| folder.under(&copy.tree)));
        class_path.extend(self.class_path.libraries.iter().cloned());
        Suite {
            sandbox: &self.sandbox,
            jdk: &self.jdk,
            harness: &self.harness,
            class_path,
            cwd: project.module.under(&copy.tree),
            writable: copy.tree.clone(),
            heap_mib: self.options.heap_mib,
        }
    }

    /// A plan over all classes with the project's own JVM arguments.
    pub(super) fn plan(&self, only: Vec<TestId>, deadlines: Deadlines, on_crash: OnCrash) -> Plan {
        let args = &self.checkout.project.jvm_args;
        // Placeholders that only the build tool can fill would stop the JVM.
        let jvm_args = args.iter().filter(|arg| !arg.contains("${") && !arg.contains("@{")).cloned().collect();
        Plan { classes: self.tests.clone(), only, skip: Vec::new(), deadlines, on_crash, jvm_args }
    }

    /// A candidate's plan for all tests: those that took their process with them before, and are not the bug, would
    /// take the candidate's too and say nothing of it.
    pub(super) fn whole_plan(&self, baseline: &Baseline, deadlines: Deadlines) -> Plan {
        let says_nothing = |id: &&TestId| !baseline.triggering.contains(id) && !id.method.is_empty();
        let gone = baseline.report.results.values().filter(|result| lost(result)).map(|result| &result.id);
        let skip = gone.filter(says_nothing).cloned().collect();
        Plan { skip, ..self.plan(Vec::new(), deadlines, OnCrash::Stop) }
    }

    /// Deadlines from what tests took: max(2 s, 10 times that); 10 s for one that was cut. All together: their sum, at
    /// most `--max-time` or, for a slow suite, three times what it usually takes.
    pub(super) fn deadlines(&self, report: &crate::domain::TestReport) -> Deadlines {
        let mut own = BTreeMap::new();
        for result in report.results.values() {
            let limit = match result.status {
                crate::domain::TestStatus::TimedOut => FIRST,
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
        Deadlines { default: LEAST, own, total: sum.min(self.options.max_time.max(usual * SLACK)) }
    }
}
