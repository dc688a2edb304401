//! What the judge needs to know of a project, whatever language its tests are written in: how a patched copy is made and
//! how tests are run in it. Everything else (which tests, how long, what their results mean) is the judge's own.

use super::plan::{Deadlines, LEAST, Plan, UNKNOWN};
use super::records::{Discovered, Executed};
use super::{Options, ValidateError, io_error};
use crate::benchmark::{Checkout, copy_with_outputs, private_copy};
use crate::domain::{Diagnostic, Outcome, Patch, RepoPath, TestId, TestReport, TestStatus, Validation, outer_class};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// What a failing test gets at least, once a candidate may let it pass.
const ONCE_IT_PASSES: Duration = Duration::from_secs(10);

/// What was made of a patch, shared by all copies it is tested in.
pub(super) struct Build {
    /// Removed when dropped.
    _folder: tempfile::TempDir,
    /// What is made from the patch, in front of the untouched product.
    pub(super) overlay: Utf8PathBuf,
    /// Folder for what is made on the way.
    pub(super) scratch: Utf8PathBuf,
    /// Classes that the patch takes away, named with slashes.
    pub(super) removed: BTreeSet<String>,
    /// What its code refers to.
    pub(super) news: News,
}

/// What the code of a patch refers to, that what stood there before did not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Why a person should look at it, for what a repair hardly needs.
    pub(super) doubts: Vec<String>,
    /// Whether it refers to something by which code can tell where it runs.
    pub(super) senses: bool,
}

/// A throw-away copy of the checkout, with a patch written into it.
pub(super) struct Copy {
    /// Removed when dropped.
    _folder: tempfile::TempDir,
    /// The copy of the checkout.
    pub(super) tree: Utf8PathBuf,
    /// What was made of the patch.
    pub(super) build: Arc<Build>,
}

/// All that lies below a folder, and itself; parents first.
fn all_below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build().flatten();
    walk.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok()).collect()
}

/// A fresh folder below another, with its path.
fn fresh(prefix: &str, work: &Utf8Path) -> Result<(tempfile::TempDir, Utf8PathBuf), ValidateError> {
    let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(work);
    let folder = folder.map_err(io_error("making a throw-away folder", work))?;
    let path = Utf8Path::from_path(folder.path()).unwrap_or(work);
    let path = path.canonicalize_utf8().map_err(io_error("finding the throw-away folder", path))?;
    Ok((folder, path))
}

impl Build {
    /// An empty one below an existing folder.
    pub(super) fn new(work: &Utf8Path) -> Result<Self, ValidateError> {
        let (folder, path) = fresh("build-", work)?;
        let (overlay, scratch) = (path.join("overlay"), path.join("scratch"));
        for each in [&overlay, &scratch] {
            std::fs::create_dir_all(each).map_err(io_error("making a folder for classes", each))?;
        }
        Ok(Self { _folder: folder, overlay, scratch, removed: BTreeSet::new(), news: News::default() })
    }
}

impl Copy {
    /// A fresh copy of the untouched checkout, below an existing folder.
    pub(super) fn of(checkout: &Checkout, work: &Utf8Path) -> Result<Self, ValidateError> {
        Self::with(checkout, work, &Patch::default(), Arc::new(Build::new(work)?))
    }

    /// A fresh copy with a patch written into it, beside what was made of the patch.
    pub(super) fn with(
        checkout: &Checkout,
        work: &Utf8Path,
        patch: &Patch,
        build: Arc<Build>,
    ) -> Result<Self, ValidateError> {
        let copy = Self::named(checkout, work, ["copy-", "tree"], patch, build)?;
        copy.link_outputs(checkout)?;
        Ok(copy)
    }

    /// The same in a folder whose names say nothing of tests.
    pub(super) fn plain(
        checkout: &Checkout,
        work: &Utf8Path,
        patch: &Patch,
        build: Arc<Build>,
    ) -> Result<Self, ValidateError> {
        let outside = Utf8PathBuf::from_path_buf(std::env::temp_dir()).ok().filter(|folder| folder.is_dir());
        let own = outside.filter(|_| work.as_str().contains("unidebug"));
        let copy = Self::named(checkout, own.as_deref().unwrap_or(work), ["srv-", "app"], patch, build)?;
        copy.without_compiled_tests(checkout);
        if tests_name_outputs(checkout) {
            copy.link_outputs(checkout)?;
        }
        Ok(copy)
    }

    /// Puts what the build made where tests look for it, as links that cannot be written through. The folder around it can
    /// be written: many tests leave their files in `target`.
    fn link_outputs(&self, checkout: &Checkout) -> Result<(), ValidateError> {
        for folder in checkout.project.compiled.iter().chain(&checkout.project.compiled_tests) {
            let (made, link) = (folder.under(&checkout.root), folder.under(&self.tree));
            if !made.is_dir() || std::fs::symlink_metadata(&link).is_ok() {
                continue;
            }
            let around = link.parent().unwrap_or(&self.tree);
            std::fs::create_dir_all(around).map_err(io_error("making a folder for what was built", around))?;
            std::os::unix::fs::symlink(&made, &link).map_err(io_error("linking what was built", &link))?;
        }
        Ok(())
    }

    /// Takes the sources of tests away where tests are compiled and their sources lie by themselves.
    fn without_compiled_tests(&self, checkout: &Checkout) {
        let project = &checkout.project;
        let by_itself = |root: &&RepoPath| !project.source_roots.iter().any(|own| own.is_within(root));
        for root in project.test_roots.iter().filter(|_| checkout.language == "java").filter(by_itself) {
            let folder = root.under(&self.tree);
            // Nothing outside of the copy is ever taken away.
            if !folder.canonicalize_utf8().is_ok_and(|real| real == folder) {
                continue;
            }
            let walk = all_below(&folder);
            walk.iter()
                .filter(|path| path.extension() == Some("java"))
                .for_each(|path| drop(std::fs::remove_file(path)));
            // The deepest first; those that hold something else stay.
            walk.iter().rev().for_each(|path| drop(std::fs::remove_dir(path)));
        }
    }

    fn named(
        checkout: &Checkout,
        work: &Utf8Path,
        [prefix, name]: [&str; 2],
        patch: &Patch,
        build: Arc<Build>,
    ) -> Result<Self, ValidateError> {
        let (folder, path) = fresh(prefix, work)?;
        let tree = path.join(name);
        std::fs::create_dir_all(&tree).map_err(io_error("making a throw-away copy", &tree))?;
        private_copy(&checkout.root, &tree)?;
        let copy = Self { _folder: folder, tree, build };
        copy.write(patch)?;
        Ok(copy)
    }

    /// A copy for the project's own build tool, with what it made before; the files of a patch are newer than that.
    pub(super) fn for_build(checkout: &Checkout, work: &Utf8Path, patch: &Patch) -> Result<Self, ValidateError> {
        let (folder, path) = fresh("own-", work)?;
        let tree = path.join("tree");
        std::fs::create_dir_all(&tree).map_err(io_error("making a throw-away copy", &tree))?;
        copy_with_outputs(&checkout.root, &tree)?;
        let copy = Self { _folder: folder, tree, build: Arc::new(Build::new(work)?) };
        copy.write(patch)?;
        Ok(copy)
    }

    /// Writes the files of a patch and takes away those that it deletes; returns where the others are.
    pub(super) fn write(&self, patch: &Patch) -> Result<Vec<Utf8PathBuf>, ValidateError> {
        write_all(patch, &self.tree)
    }

    /// Writes one file; returns where it is.
    pub(super) fn write_file(&self, file: &RepoPath, bytes: &[u8]) -> Result<Utf8PathBuf, ValidateError> {
        write_one(file, bytes, &self.tree)
    }
}

/// Whether some test source has the name of a folder of build output in it. Where none does, a plain process sees no such
/// folder: a program would find it where it is tested, and nowhere else.
fn tests_name_outputs(checkout: &Checkout) -> bool {
    let project = &checkout.project;
    let made = project.compiled.iter().chain(&project.compiled_tests);
    let inside = made.filter_map(|folder| folder.below(&project.module)?.split('/').next());
    let spelled: BTreeSet<String> = inside.flat_map(|name| [format!("\"{name}"), format!("/{name}/")]).collect();
    let finders: Vec<_> = spelled.iter().map(memchr::memmem::Finder::new).collect();
    let tests = project.test_roots.iter().flat_map(|root| all_below(&root.under(&checkout.root)));
    let mut sources = tests.filter(|path| path.is_file()).filter_map(|path| std::fs::read(path).ok());
    sources.any(|text| finders.iter().any(|finder| finder.find(&text).is_some()))
}

/// Writes the files of a patch into a copy and takes away those that it deletes; returns where the others are.
pub(super) fn write_all(patch: &Patch, tree: &Utf8Path) -> Result<Vec<Utf8PathBuf>, ValidateError> {
    let (gone, there): (Vec<_>, Vec<_>) = patch.files.iter().partition(|file| file.deletes());
    for path in gone.into_iter().map(|file| file.path.under(tree)).filter(|path| path.is_file()) {
        std::fs::remove_file(&path).map_err(io_error("writing a candidate", &path))?;
    }
    there.into_iter().map(|file| write_one(&file.path, &file.after, tree)).collect()
}

fn write_one(file: &RepoPath, bytes: &[u8], tree: &Utf8Path) -> Result<Utf8PathBuf, ValidateError> {
    let path = file.under(tree);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io_error("writing a candidate", folder))?;
    }
    std::fs::write(&path, bytes).map_err(io_error("writing a candidate", &path))?;
    Ok(path)
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
    fn args(&self) -> Vec<String>;

    /// What is made of a patch; or why nothing can be.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn build(&self, patch: &Patch) -> Result<Result<Build, Validation>, ValidateError>;

    /// Runs a plan in fresh processes.
    ///
    /// # Errors
    /// No process can be started.
    async fn run(&self, copy: &Copy, plan: &Plan) -> Result<TestReport, ValidateError>;

    /// The file that holds a class of tests.
    fn test_file(&self, class: &str) -> Option<RepoPath>;

    /// A copy with a patch, in which some test files have another text; or why that does not compile.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn with_tests(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        files: &[(RepoPath, Vec<u8>)],
    ) -> Result<Result<Copy, Vec<Diagnostic>>, ValidateError>;

    /// Which tests there are in these classes.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn discover(&self, copy: &Copy, plan: &Plan) -> Result<Discovered, ValidateError>;

    /// Runs a plan on the untouched code and tells what each test executed; `None` with a notice where that cannot be
    /// had.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn measured(&self, plan: &Plan) -> Result<Option<(TestReport, Executed)>, ValidateError>;

    /// Classes that may hold tests, those first that are nearest to what a patch changes.
    fn order(&self, patch: &Patch, build: &Build) -> Vec<String>;

    /// The product file that a measured name means.
    fn source(&self, name: &str) -> Option<RepoPath>;

    /// What the compiler warns of in a file of the untouched code.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn warnings(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError>;

    /// Whether two patches compile to the same code; `None` where that cannot be told.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn same_code(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError>;
}

/// What every subject can do with what it has.
impl dyn Subject + '_ {
    /// A fresh copy of the untouched checkout.
    pub(super) fn copy(&self) -> Result<Copy, ValidateError> {
        Copy::of(self.checkout(), &self.options().work_dir)
    }

    /// A fresh copy with a patch.
    pub(super) fn copy_with(&self, patch: &Patch, build: &Arc<Build>) -> Result<Copy, ValidateError> {
        Copy::with(self.checkout(), &self.options().work_dir, patch, build.clone())
    }

    /// The same in a folder whose names say nothing of tests.
    pub(super) fn plain_copy_with(&self, patch: &Patch, build: &Arc<Build>) -> Result<Copy, ValidateError> {
        Copy::plain(self.checkout(), &self.options().work_dir, patch, build.clone())
    }

    /// A plan over some classes.
    pub(super) fn plan(&self, classes: Vec<String>, deadlines: Deadlines) -> Plan {
        Plan { args: self.args(), ..Plan::of(classes, deadlines) }
    }

    /// A plan of these tests alone.
    pub(super) fn plan_of(&self, tests: Vec<TestId>, deadlines: Deadlines) -> Plan {
        self.plan(self.classes_of(&tests), deadlines).only(tests)
    }

    /// The classes that hold these tests, in their order.
    pub(super) fn classes_of(&self, tests: &[TestId]) -> Vec<String> {
        let wanted: BTreeSet<&str> = tests.iter().map(TestId::outer_class).collect();
        self.tests().iter().filter(|class| wanted.contains(outer_class(class))).cloned().collect()
    }

    /// Wall time that a run of tests may take.
    pub(super) fn longest(&self) -> Duration {
        const SUITE: Duration = Duration::from_secs(15 * 60);
        self.options().max_time.max(SUITE)
    }

    /// Deadlines by what tests took; a test that nobody saw end has [`UNKNOWN`].
    pub(super) fn deadlines(&self, report: &TestReport) -> Deadlines {
        let mut own = BTreeMap::new();
        for result in report.results.values().filter(|result| result.loss.is_none()) {
            let limit = Deadlines::usual(result.millis);
            // How long a failing test takes says little of how long it takes once it passes.
            let failed = result.status != TestStatus::Passed;
            own.insert(result.id.clone(), if failed { limit.max(ONCE_IT_PASSES) } else { limit });
        }
        // What was cut gets no more than it had, until it runs by itself.
        let lost = report.results.values().filter(|result| result.loss.is_some());
        own.extend(lost.map(|result| (result.id.clone(), ONCE_IT_PASSES)));
        Deadlines { default: UNKNOWN, own, total: self.longest() }
    }

    /// Deadlines for quick looks, where a candidate that never ends must not cost what twenty others do: by what tests
    /// took, with little room for those that fail.
    pub(super) fn quick_deadlines(&self, report: &TestReport) -> Deadlines {
        let took = |millis| Deadlines::usual(millis).max(LEAST);
        let ended = report.results.values().filter(|result| result.loss.is_none());
        let own = ended.map(|result| (result.id.clone(), took(result.millis))).collect();
        Deadlines { default: LEAST * 5, own, total: self.longest() }
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
