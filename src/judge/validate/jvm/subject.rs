//! A project on the JVM: a checkout with its compiled classes, its class path and its tests.

mod beside;
mod bytecode;
mod compile;
mod names;
mod test_forms;

pub(in crate::validate) use compile::{Made, SAME_CODE};

use super::compiler::WarmCompiler;
use super::coverage::{self, SourceFolders};
use super::references::References;
use super::{ClassPath, Harness, Suite, runs_tests_of, test_classes};
use crate::benchmark::jdk::{self, Jdk};
use crate::benchmark::{Checkout, age, jars};
use crate::domain::{Diagnostic, Fingerprint, Patch, RepoPath, TestReport, Validation, outer_class};
use crate::sandbox::Sandbox;
use crate::validate::content::content_key;
use crate::validate::drawn::Draw;
use crate::validate::observe::Watch;
use crate::validate::plan::Plan;
use crate::validate::records::{Discovered, Executed};
use crate::validate::subject::{Build, Copy, Subject};
use crate::validate::{Options, ValidateError, io_error, suite};
use camino::{Utf8Path, Utf8PathBuf};
use compile::made_in;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Classes of a patch that are shown in the places of those that the build made, at most.
const MOST_COVERED: usize = 200;

/// Everything a run of tests or a compilation needs to know.
pub(in crate::validate) struct Jvm {
    pub(in crate::validate) checkout: Checkout,
    pub(in crate::validate) sandbox: Sandbox,
    pub(in crate::validate) jdk: Jdk,
    pub(in crate::validate) harness: Harness,
    pub(in crate::validate) class_path: ClassPath,
    /// Compiled classes of the untouched project.
    pub(in crate::validate) folders: ClassFolders,
    references: OnceLock<References>,
    /// The compiler that stays, without annotation processors.
    pub(in crate::validate) compiler: WarmCompiler,
    /// One that runs them.
    pub(in crate::validate) processing_compiler: WarmCompiler,
    /// Classes that may hold tests.
    pub(in crate::validate) tests: Vec<String>,
    pub(in crate::validate) options: Options,
    /// Where what belongs to exactly this content is kept.
    pub(in crate::validate) project_cache: Utf8PathBuf,
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
        let class_path = ClassPath::of(&checkout.project, &checkout.root, (sandbox, &options.watcher)).await?;
        let cache = jars::cache_dir();
        std::fs::create_dir_all(&cache).map_err(io_error("making the cache", &cache))?;
        let cache = cache.canonicalize_utf8().map_err(io_error("finding the cache", &cache))?;
        let harness = Harness::prepare(sandbox, &jdk, (&checkout.project.tests, &class_path.libraries), &cache).await?;
        let runner = format!("{} {} {} {}", options.heap_mib, jdk.home, jdk.version, harness.hash);
        let key = content_key(checkout, &runner)?;
        let mut subject = Self {
            checkout: checkout.clone(),
            sandbox: sandbox.clone(),
            jdk,
            harness,
            class_path,
            folders: ClassFolders::default(),
            references: OnceLock::new(),
            compiler: WarmCompiler::new(false),
            processing_compiler: WarmCompiler::new(true),
            tests: Vec::new(),
            options,
            project_cache: cache.join("projects").join(key),
        };
        age::used(&subject.project_cache);
        age::forget_old(&cache.join("projects"));
        subject.folders = subject.compile_untouched().await?;
        subject.tests = test_classes(&checkout.project, &checkout.root, &subject.folders.tests);
        Ok(subject)
    }

    /// The class path behind our runner, with these folders in front.
    pub(in crate::validate) fn class_path_with(&self, front: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        front.iter().chain(self.folders.all()).chain(&self.class_path.libraries).cloned().collect()
    }

    /// The test classes, those first that are nearest to changed classes, which are named with slashes.
    pub(in crate::validate) fn by_distance(&self, changed: &BTreeSet<String>) -> Vec<String> {
        let steps = self.references().distances(changed);
        let mut tests = self.tests.clone();
        tests.sort_by_key(|class| steps.get(outer_class(class)).copied().unwrap_or(u32::MAX));
        tests
    }

    /// Which class of the project refers to which.
    pub(in crate::validate) fn references(&self) -> &References {
        self.references.get_or_init(|| {
            let folders: Vec<Utf8PathBuf> = self.folders.all().cloned().collect();
            References::read(&folders)
        })
    }

    /// What a test process sees, in its order: tests, what the patch made, product and resources as they are, then libraries.
    /// A test that asks for its own folder must find the one of the tests, as build tools have it. Changed forms of tests
    /// come before all. It is the same for the first look, coverage and confirmation.
    pub(in crate::validate) fn suite<'a>(&'a self, copy: &Copy) -> Result<Suite<'a>, ValidateError> {
        let project = &self.checkout.project;
        let build = &copy.build;
        let mut class_path = Vec::new();
        for folder in self.folders.all() {
            class_path.push(masked(folder, &build.removed, &build.scratch)?);
        }
        let holds_tests = made_in(&build.overlay).into_iter().any(|name| self.is_test_class(&name));
        class_path.insert(if holds_tests { 0 } else { self.folders.tests.len() }, build.overlay.clone());
        class_path.extend(project.resources.iter().map(|folder| folder.under(&copy.tree)));
        class_path.extend(self.class_path.libraries.iter().cloned());
        Ok(Suite {
            sandbox: &self.sandbox,
            jdk: &self.jdk,
            harness: &self.harness,
            class_path,
            checkout: &self.checkout,
            cwd: project.cwd().under(&copy.tree),
            writable: copy.tree.clone(),
            covers: self.covers(&build.overlay),
            heap_mib: self.options.heap_mib,
        })
    }
}

impl Jvm {
    /// Whether a class, named with slashes, lies among those of the tests.
    fn is_test_class(&self, name: &str) -> bool {
        self.folders.tests.iter().any(|folder| folder.join(format!("{name}.class")).is_file())
    }

    /// The classes of a patch in the places of those that the build made: a test may load classes from the folder of the
    /// output by itself.
    fn covers(&self, overlay: &Utf8Path) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
        let made = || self.folders.product.iter().filter(|folder| folder.starts_with(&self.checkout.root));
        if made().next().is_none() {
            return Vec::new();
        }
        let classes = made_in(overlay).into_iter().map(|name| format!("{name}.class"));
        let pairs = classes.flat_map(|class| made().map(move |folder| (overlay.join(&class), folder.join(&class))));
        let covers: Vec<_> = pairs.filter(|(_, place)| place.is_file()).collect();
        if covers.len() <= MOST_COVERED { covers } else { Vec::new() }
    }
}

/// Folders of compiled classes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::validate) struct ClassFolders {
    /// Of the tests.
    pub(in crate::validate) tests: Vec<Utf8PathBuf>,
    /// Of the product, and of modules it needs.
    pub(in crate::validate) product: Vec<Utf8PathBuf>,
    /// Of the tests of other modules, which these tests use.
    pub(in crate::validate) helpers: Vec<Utf8PathBuf>,
}

impl ClassFolders {
    /// Of tests, whoever runs them.
    pub(in crate::validate) fn of_tests(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.tests.iter().chain(&self.helpers)
    }

    /// Tests first, as build tools have it.
    pub(in crate::validate) fn all(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.tests.iter().chain(&self.product).chain(&self.helpers)
    }
}

/// A folder of classes without some of them: itself, where it has none of them, else links to the others.
fn masked(folder: &Utf8Path, removed: &BTreeSet<String>, scratch: &Utf8Path) -> Result<Utf8PathBuf, ValidateError> {
    if !removed.iter().any(|name| folder.join(format!("{name}.class")).is_file()) {
        return Ok(folder.to_owned());
    }
    let name = Fingerprint::default().add(folder.as_str()).name();
    let into = scratch.join(format!("masked-{name}"));
    if into.is_dir() {
        return Ok(into);
    }
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build();
    for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
        let inside = path.strip_prefix(folder).unwrap_or(path);
        if inside.as_str().strip_suffix(".class").is_some_and(|name| removed.contains(name)) {
            continue;
        }
        let target = into.join(inside);
        let parent = target.parent().unwrap_or(&into);
        std::fs::create_dir_all(parent).map_err(io_error("making a folder of classes", parent))?;
        let linked = std::fs::hard_link(path, &target).or_else(|_| std::fs::copy(path, &target).map(drop));
        linked.map_err(io_error("linking a class", &target))?;
    }
    Ok(into)
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
    fn project_cache(&self) -> &Utf8Path {
        &self.project_cache
    }
    fn args(&self) -> Vec<String> {
        let args = &self.checkout.project.jvm_args;
        // Placeholders that only the build tool can fill would stop the JVM.
        let given = args.iter().filter(|arg| !arg.contains("${") && !arg.contains("@{")).cloned();
        given.chain(super::suite::seed(&self.class_path.libraries, args)).collect()
    }
    async fn build(&self, patch: &Patch) -> Result<Result<Build, Validation>, ValidateError> {
        self.built(patch).await
    }
    async fn run(&self, copy: &Copy, plan: &Plan) -> Result<TestReport, ValidateError> {
        suite::run(&self.suite(copy)?, plan, &mut Vec::new()).await
    }
    fn test_file(&self, class: &str) -> Option<RepoPath> {
        let inside = format!("{}.java", outer_class(class).replace('.', "/"));
        let roots = self.checkout.project.test_roots.iter();
        let places = roots.flat_map(|root| places_of(&inside, root));
        places.into_iter().find(|path| path.under(&self.checkout.root).is_file())
    }
    fn runs_tests_of(&self, file: &RepoPath) -> bool {
        self.in_package(file).is_some_and(|inside| runs_tests_of(&self.checkout.project, inside))
    }
    async fn with_tests(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        files: &[(RepoPath, Vec<u8>)],
    ) -> Result<Result<Copy, Vec<Diagnostic>>, ValidateError> {
        self.compiled_with_tests(patch, build, files).await
    }
    async fn discover(&self, copy: &Copy, plan: &Plan) -> Result<Discovered, ValidateError> {
        suite::discover(&self.suite(copy)?, plan).await
    }
    async fn measured(&self, copy: &Copy, plan: &Plan) -> Result<Option<(TestReport, Executed)>, ValidateError> {
        coverage::measured(self, copy, plan.clone()).await
    }
    async fn observed(&self, plan: &Plan, watch: &Watch) -> Result<Option<Executed>, ValidateError> {
        super::observe::observed(self, plan.clone(), watch).await
    }
    async fn drawn(&self, copy: &Copy, plan: &Plan, draw: &Draw) -> Result<Option<Executed>, ValidateError> {
        super::drawn::drawn(self, copy, plan.clone(), draw).await
    }
    fn order(&self, _: &Patch, build: &Build) -> Vec<String> {
        let changed: BTreeSet<String> = made_in(&build.overlay).into_iter().chain(build.removed.clone()).collect();
        self.by_distance(&changed)
    }
    fn source(&self, name: &str) -> Option<RepoPath> {
        SourceFolders::of(self).find(name)
    }
    async fn warnings(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError> {
        self.lint(file).await
    }
    async fn same_code(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError> {
        self.same_bytecode(a, b).await
    }
}

/// Where a source may lie below a root, which may stand for a part of its package as well: `tests` for `tests.unit`.
fn places_of(source: &str, root: &RepoPath) -> Vec<RepoPath> {
    let cuts = source.match_indices('/').map(|(at, _)| at);
    let shared = cuts.filter(|at| format!("/{root}").ends_with(&format!("/{}", &source[..*at])));
    let inside = shared.map(|at| &source[at + 1..]);
    std::iter::once(source).chain(inside).filter_map(|inside| root.join(inside).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_may_stand_for_the_begin_of_a_package() {
        let places = |source: &str, root: &str| {
            let found = places_of(source, &RepoPath::new(root).unwrap());
            found.iter().map(RepoPath::to_string).collect::<Vec<_>>()
        };
        assert_eq!(places("a/ATest.java", "src/test/java"), ["src/test/java/a/ATest.java"]);
        assert_eq!(
            places("tests/unit/ATest.java", "old/tests"),
            ["old/tests/tests/unit/ATest.java", "old/tests/unit/ATest.java"]
        );
        assert_eq!(places("tests/unit/ATest.java", "tests/unit").last().unwrap(), "tests/unit/ATest.java");
    }
}
