//! The subject of validation: a checkout with its compiled classes, its class path and its tests.

use super::class_shape::shape;
use super::jvm::{
    ClassPath, Compiled, Deadlines, Harness, Javac, LEAST, Level, OnCrash, Plan, Suite, lost, test_classes,
};
use super::refuse::refuse;
use super::{Baseline, Options, ValidateError, io_error};
use crate::benchmark::jdk::{self, Jdk};
use crate::benchmark::{Checkout, jars, private_copy};
use crate::domain::{Diagnostic, Outcome, Patch, RepoPath, TestId, Validation};
use crate::sandbox::Sandbox;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::Duration;

/// Times its usual time that a whole run gets at least.
const SLACK: u32 = 3;
/// A test in its first run, and one that was cut there.
pub(super) const FIRST: Duration = Duration::from_secs(10);
/// Packages whose classes decide what a test result is.
const RESERVED: &[&str] =
    &["org/junit", "junit", "org/hamcrest", "org/opentest4j", "org/mockito", "org/assertj", "java", "unidebug/runner"];
/// What nobody opened for so long is made again when it is needed.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
const COMPILE_WALL: Duration = Duration::from_secs(600);

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

/// A throw-away copy of the checkout, with a patch written into it.
pub(super) struct Copy {
    /// Removed when dropped.
    _folder: tempfile::TempDir,
    /// The copy of the checkout.
    pub(super) tree: Utf8PathBuf,
    /// Classes made from the patch, in front of the untouched ones.
    pub(super) overlay: Utf8PathBuf,
    /// Folder for requests.
    pub(super) scratch: Utf8PathBuf,
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
        if let Ok(folder) = std::fs::File::open(&subject.kept) {
            // Only the age of what nobody opens decides; a time that cannot be set makes it older, no more.
            let _ = folder.set_modified(std::time::SystemTime::now());
        }
        forget_old(&cache.join("projects"));
        subject.classes = subject.compile_untouched().await?;
        Ok(subject)
    }

    /// The level of the project's build.
    pub(super) fn level(&self) -> Level {
        let project = &self.checkout.project;
        Level {
            release: project.release.clone(),
            encoding: project.encoding.clone(),
            args: project.javac_args.clone(),
            lint: false,
            processors: self.class_path.has_processors(),
        }
    }

    fn javac(&self) -> Javac<'_> {
        Javac { sandbox: &self.sandbox, jdk: &self.jdk, level: self.level(), wall: COMPILE_WALL }
    }

    /// What the compiler warns of in one file of the untouched project.
    pub(super) async fn warnings(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError> {
        let out = tempfile::Builder::new().prefix("lint-").tempdir_in(&self.options.work_dir);
        let out = out.map_err(io_error("making a folder for classes", &self.options.work_dir))?;
        let folder = Utf8Path::from_path(out.path()).unwrap_or(&self.options.work_dir);
        let folder = folder.canonicalize_utf8().map_err(io_error("finding the folder for classes", folder))?;
        let classes = folder.join("classes");
        std::fs::create_dir_all(&classes).map_err(io_error("making a folder for classes", &classes))?;
        let root = &self.checkout.root;
        let javac = Javac { level: Level { lint: true, ..self.level() }, ..self.javac() };
        let done = javac.compile(&[file.under(root)], &self.class_path_with(&[]), &classes, root).await?;
        Ok(done.diagnostics.into_iter().chain(done.warnings).collect())
    }

    async fn compile_untouched(&self) -> Result<Vec<Utf8PathBuf>, ValidateError> {
        let project = &self.checkout.project;
        if !project.compiled.is_empty() {
            return Ok(project.compiled.iter().map(|folder| folder.under(&self.checkout.root)).collect());
        }
        let kept = [self.kept.join("tests"), self.kept.join("product")];
        if kept.iter().all(|folder| folder.is_dir()) {
            return Ok(kept.to_vec());
        }
        std::fs::create_dir_all(&self.kept).map_err(io_error("making the project's cache", &self.kept))?;
        let copy = self.copy()?;
        let made = copy.scratch.join("all");
        if let Some(first) = self.compile_all(&copy.tree, &made).await?.first() {
            let place = first.file.as_ref().map_or(String::new(), |file| format!(" ({file}:{})", first.line));
            return Err(ValidateError::BaselineDoesNotCompile { first: format!("{}{place}", first.message) });
        }
        for (name, kept) in ["tests", "product"].into_iter().zip(&kept) {
            move_folder(&made.join(name), kept)?;
        }
        Ok(kept.to_vec())
    }

    /// Compiles all sources of a tree into `into/product` and `into/tests`; returns the errors.
    async fn compile_all(&self, tree: &Utf8Path, into: &Utf8Path) -> Result<Vec<Diagnostic>, ValidateError> {
        use super::jvm::java_files;
        let project = &self.checkout.project;
        let (product, tests) = (into.join("product"), into.join("tests"));
        for folder in [&product, &tests] {
            std::fs::create_dir_all(folder).map_err(io_error("making a folder for classes", folder))?;
        }
        let sources = java_files(tree, &project.source_roots, &project.test_roots);
        let mut class_path = self.class_path.libraries.clone();
        let first = self.javac().compile(&sources, &class_path, &product, tree).await?;
        if !first.ok {
            return Ok(complaints(first));
        }
        class_path.insert(0, product);
        let sources = java_files(tree, &project.test_roots, &[]);
        let second = self.javac().compile(&sources, &class_path, &tests, tree).await?;
        Ok(if second.ok { Vec::new() } else { complaints(second) })
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

    /// A copy with the patch written and compiled; or why there is none.
    pub(super) async fn patched(&self, patch: &Patch) -> Result<Result<Copy, Validation>, ValidateError> {
        if let Some(refused) = refuse(&self.checkout, patch) {
            return Ok(Err(refused));
        }
        let copy = self.copy()?;
        let mut changed = Vec::new();
        for file in &patch.files {
            let path = file.path.under(&copy.tree);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(io_error("writing a candidate", folder))?;
            }
            std::fs::write(&path, &*file.after).map_err(io_error("writing a candidate", &path))?;
            changed.push(path);
        }
        let alone = self.javac().compile(&changed, &self.class_path_with(&[]), &copy.overlay, &copy.tree).await?;
        if !alone.ok {
            return Ok(Err(does_not_compile(complaints(alone))));
        }
        if let Some(folder) = RESERVED.iter().find(|folder| self.is_new(&copy.overlay, folder)) {
            let detail = format!("it makes classes below {folder}, which belongs to the tests or to Java");
            return Ok(Err(Validation::without_tests(Outcome::Refused, detail)));
        }
        if self.shape_changed(&copy.overlay)? {
            // Who uses the class may no longer compile, or holds a copy of an old constant.
            let made = copy.scratch.join("all");
            let errors = self.compile_all(&copy.tree, &made).await?;
            if !errors.is_empty() {
                return Ok(Err(does_not_compile(errors)));
            }
            for name in ["tests", "product"] {
                move_folder(&made.join(name), &copy.overlay.join(name))?;
            }
        }
        Ok(Ok(copy))
    }

    /// Whether a patch brings classes of a package that the project itself does not have.
    fn is_new(&self, overlay: &Utf8Path, folder: &str) -> bool {
        overlay.join(folder).is_dir() && !self.classes.iter().any(|classes| classes.join(folder).is_dir())
    }

    fn shape_changed(&self, overlay: &Utf8Path) -> Result<bool, ValidateError> {
        for entry in ignore::WalkBuilder::new(overlay).standard_filters(false).build().flatten() {
            let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| path.extension() == Some("class")) else {
                continue;
            };
            let Ok(inside) = path.strip_prefix(overlay) else { continue };
            let new = std::fs::read(path).map_err(io_error("reading a compiled class", path))?;
            let old = self.classes.iter().find_map(|folder| std::fs::read(folder.join(inside)).ok());
            if inside.file_stem().is_some_and(is_local) {
                continue;
            }
            if old.is_none_or(|old| shape(&old).is_none() || shape(&old) != shape(&new)) {
                return Ok(true);
            }
        }
        Ok(false)
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
            scratch: copy.scratch.clone(),
            heap_mib: self.options.heap_mib,
        }
    }

    /// A plan over all classes with the project's own JVM arguments.
    pub(super) fn plan(&self, only: Vec<TestId>, deadlines: Deadlines, on_crash: OnCrash) -> Plan {
        let args = &self.checkout.project.jvm_args;
        // Placeholders that only the build tool can fill would stop the JVM.
        let jvm_args = args.iter().filter(|arg| !arg.contains("${") && !arg.contains("@{")).cloned().collect();
        let stop_at_cut = on_crash == OnCrash::Stop;
        Plan { classes: self.tests.clone(), only, skip: Vec::new(), deadlines, on_crash, stop_at_cut, jvm_args }
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

fn complaints(compiled: Compiled) -> Vec<Diagnostic> {
    if compiled.diagnostics.is_empty() {
        let message = compiled.said.lines().next().unwrap_or("the compiler gave no reason").to_owned();
        return vec![Diagnostic { file: None, line: 0, message }];
    }
    compiled.diagnostics
}

/// Whether a class is anonymous or local: nobody else can name it, so a new one changes nothing for others.
pub(super) fn is_local(name: &str) -> bool {
    name.split('$').skip(1).any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
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

/// Moves a folder; where another process was faster, its content is the same and stays.
fn move_folder(from: &Utf8Path, to: &Utf8Path) -> Result<(), ValidateError> {
    if to.is_dir() {
        return Ok(());
    }
    if std::fs::rename(from, to).is_ok() || to.is_dir() {
        return Ok(());
    }
    // Another file system: copy beside the goal, then rename.
    let parent = to.parent().unwrap_or(to);
    let beside = tempfile::tempdir_in(parent).map_err(io_error("keeping compiled classes", parent))?;
    let beside = Utf8Path::from_path(beside.path()).unwrap_or(parent).join("classes");
    copy_folder(from, &beside)?;
    match std::fs::rename(&beside, to) {
        Err(error) if !to.is_dir() => Err(io_error("keeping compiled classes", to)(error)),
        _ => Ok(()),
    }
}

fn copy_folder(from: &Utf8Path, to: &Utf8Path) -> Result<(), ValidateError> {
    let io = |path: &Utf8Path| io_error("copying compiled classes", path);
    std::fs::create_dir_all(to).map_err(io(to))?;
    for entry in from.read_dir_utf8().map_err(io(from))?.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target).map_err(io(&target))?;
        }
    }
    Ok(())
}

/// Removes what was not made or opened for a month, so that the cache does not grow for ever.
fn forget_old(projects: &Utf8Path) {
    for entry in projects.read_dir_utf8().into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > KEPT_FOR) {
            // Another process may be faster; then there is nothing left to do.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// A name for exactly this content, build description, JDK and runner.
fn content_key(checkout: &Checkout, jdk: &Jdk, harness: &Harness, heap_mib: u64) -> Result<String, ValidateError> {
    let mut digest = Sha256::new();
    let mut project = checkout.project.clone();
    // Compiled folders are content, wherever they lie.
    project.jdk = None;
    digest.update(format!("1 {project:?} {heap_mib} {} {} {}", jdk.home, jdk.version, harness.hash));
    let mut walk = ignore::WalkBuilder::new(&checkout.root);
    walk.standard_filters(false).sort_by_file_path(std::cmp::Ord::cmp);
    for entry in walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
        let bytes = std::fs::read(path).map_err(io_error("reading the checkout", path))?;
        digest.update(path.strip_prefix(&checkout.root).unwrap_or(path).as_str());
        digest.update([0]);
        digest.update(bytes.len().to_le_bytes());
        digest.update(bytes);
    }
    for path in &checkout.project.class_path {
        let size = path.metadata().map_or(0, |meta| meta.len());
        digest.update(format!("{path} {size}"));
    }
    Ok(super::jvm::short_hash(digest))
}
