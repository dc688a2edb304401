//! A project on the JVM: a checkout with its compiled classes, its class path and its tests.

mod bytecode;
mod compile;

pub(in crate::validate) use compile::{SAME_CODE, is_local};

use super::coverage::{self, Grain, SourceFolders};
use super::{ClassPath, Harness, Suite, test_classes};
use crate::benchmark::jdk::{self, Jdk};
use crate::benchmark::{Checkout, age, jars};
use crate::domain::{Diagnostic, Patch, RepoPath, TestReport, Validation};
use crate::sandbox::Sandbox;
use crate::validate::kept::content_key;
use crate::validate::plan::Plan;
use crate::validate::records::Executed;
use crate::validate::subject::{Copy, Subject};
use crate::validate::{Baseline, Coverage, Options, ValidateError, io_error, suite};
use camino::{Utf8Path, Utf8PathBuf};

/// Everything a run of tests or a compilation needs to know.
pub(in crate::validate) struct Jvm {
    pub(in crate::validate) checkout: Checkout,
    pub(in crate::validate) sandbox: Sandbox,
    pub(in crate::validate) jdk: Jdk,
    pub(in crate::validate) harness: Harness,
    pub(in crate::validate) class_path: ClassPath,
    /// Compiled classes of the untouched project: tests, then product.
    pub(in crate::validate) classes: Vec<Utf8PathBuf>,
    /// Classes that may hold tests.
    pub(in crate::validate) tests: Vec<String>,
    pub(in crate::validate) options: Options,
    /// Where what belongs to exactly this content is kept.
    pub(in crate::validate) kept: Utf8PathBuf,
}

impl Jvm {
    /// Finds tools and libraries and compiles the untouched project, or takes its classes from the cache.
    pub(in crate::validate) async fn prepare(
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
        let runner = format!("{} {} {} {}", options.heap_mib, jdk.home, jdk.version, harness.hash);
        let key = content_key(checkout, &runner)?;
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

    /// The class path behind our runner, with these folders in front.
    pub(in crate::validate) fn class_path_with(&self, front: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        front.iter().chain(&self.classes).chain(&self.class_path.libraries).cloned().collect()
    }

    /// The suite in a copy.
    pub(in crate::validate) fn suite<'a>(&'a self, copy: &Copy) -> Suite<'a> {
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
}

#[async_trait::async_trait]
impl Subject for Jvm {
    fn checkout(&self) -> &Checkout {
        &self.checkout
    }
    fn options(&self) -> &Options {
        &self.options
    }
    fn tests(&self) -> &[String] {
        &self.tests
    }
    fn kept(&self) -> &Utf8Path {
        &self.kept
    }
    fn args(&self) -> Vec<String> {
        let args = &self.checkout.project.jvm_args;
        // Placeholders that only the build tool can fill would stop the JVM.
        args.iter().filter(|arg| !arg.contains("${") && !arg.contains("@{")).cloned().collect()
    }
    async fn patched(&self, patch: &Patch) -> Result<Result<Copy, Validation>, ValidateError> {
        self.compiled(patch).await
    }
    async fn run(&self, copy: &Copy, plan: &Plan) -> Result<TestReport, ValidateError> {
        suite::run(&self.suite(copy), plan, &mut Vec::new()).await
    }
    async fn measured(&self, plan: Plan) -> Result<Option<(TestReport, Executed)>, ValidateError> {
        coverage::measured(self, plan, Grain::Lines).await
    }
    fn source(&self, name: &str) -> Option<RepoPath> {
        SourceFolders::of(self).find(name)
    }
    async fn failing_coverage(&self, baseline: &Baseline) -> Result<Option<Coverage>, ValidateError> {
        coverage::of_tests(self, baseline).await
    }
    async fn warnings(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError> {
        self.lint(file).await
    }
    async fn same_code(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError> {
        self.same_bytecode(a, b).await
    }
}
