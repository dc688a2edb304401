//! The Python side of the judge: our plugin in pytest, or unittest where there is no pytest, run in fresh processes, and
//! a look at changed files before that.
//!
//! There is nothing to compile. Verdicts come from fresh processes; the first look at a candidate runs in a child of a
//! process that has loaded pytest and the libraries of the tests. Everything that decides (which tests, what passed, how
//! long) is the same as for the JVM.

mod ambient;
mod check;
mod imports;
mod modules;
mod newly;
mod original;
mod plugins;
mod programs;
mod rewritten;
mod server;

use super::content::content_key;
use super::drawn::Draw;
use super::observe::Watch;
use super::plan::{PLAIN_VARIABLES, Plan};
use super::records::{Discovered, Executed};
use super::refuse::refuse;
use super::subject::{Build, Copy, Subject, does_not_compile, same_code};
use super::suite::{self, Process, RunRequest, START};
use super::{Options, ValidateError, WorkDir, io_error};
use crate::benchmark::python::{self, Interpreter};
use crate::benchmark::{Checkout, age, jars};
use crate::domain::{Diagnostic, FileChange, Outcome, Patch, RepoPath, TestReport, Validation};
use crate::language::{Language, Python as Grammar, is_test};
use crate::patch::suspicious;
use crate::sandbox::{Finished, Job, Sandbox, Served};
use camino::{Utf8Path, Utf8PathBuf};
pub(super) use plugins::is_plugin;
use programs::code;
use rewritten::Rewritten;
use server::{ServedSuite, Servers};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Memory that tests may hold.
const MOST_MIB: u64 = 2048;
/// Asks the runner to tell what each test executes.
const LINES: &str = "lines";
/// The variable that decides about hashes of texts, and by them about the order of sets.
const HASH_SEED: &str = "PYTHONHASHSEED";
/// A zone some hours and a half away, and the charset and language of a machine without any.
const OTHER_SETTINGS: [(&str, &str); 4] =
    [("TZ", "FAR9:30"), ("LC_ALL", "C"), ("PYTHONUTF8", "0"), ("PYTHONCOERCECLOCALE", "0")];

/// A project whose tests pytest or unittest runs.
pub(super) struct Python {
    checkout: Checkout,
    sandbox: Sandbox,
    options: Options,
    interpreter: Interpreter,
    /// Test modules, each with its file relative to the working directory.
    files: Vec<(String, String)>,
    /// Their names.
    modules: Vec<String>,
    /// Submodules that they import.
    imported: BTreeSet<String>,
    project_cache: Utf8PathBuf,
    /// The folder for the copies that test processes of more than one candidate may write.
    served: WorkDir,
    servers: Servers,
    /// Test modules as pytest rewrote them, where it runs the tests.
    rewritten: Option<Rewritten>,
    /// Processes that wait for changed files to look at.
    checkers: std::sync::Mutex<Vec<Served>>,
}

impl Python {
    /// Finds the interpreter and the test modules.
    pub(super) async fn prepare(
        checkout: &Checkout,
        sandbox: &Sandbox,
        options: Options,
    ) -> Result<Self, ValidateError> {
        let wants = python::wants(&checkout.root);
        let interpreter = python::find(checkout.project.python.as_deref(), &checkout.root, wants, sandbox).await?;
        if interpreter.pytest.is_none() {
            options.watcher.phase(format!("Python {} has no pytest: unittest runs the tests", interpreter.version));
        }
        let cache = jars::cache_dir();
        std::fs::create_dir_all(&cache).map_err(io_error("making the cache", &cache))?;
        let Interpreter { program, version, pytest, installed, .. } = &interpreter;
        let code = code(&interpreter);
        let runner = format!("{} {program} {version} {pytest:?} {installed} {code}", options.heap_mib);
        let project_cache = cache.join("projects").join(content_key(checkout, &runner)?);
        std::fs::create_dir_all(&project_cache).map_err(io_error("making the project's cache", &project_cache))?;
        age::used(&project_cache);
        age::forget_old(&cache.join("projects"));
        let rewritten = interpreter.pytest.is_some().then(|| Rewritten::of(&interpreter)).transpose()?;
        let mut subject = Self {
            checkout: checkout.clone(),
            sandbox: sandbox.clone(),
            served: Self::served_folder(&options)?,
            options,
            interpreter,
            files: Vec::new(),
            modules: Vec::new(),
            imported: BTreeSet::new(),
            project_cache,
            servers: Servers::default(),
            rewritten,
            checkers: std::sync::Mutex::default(),
        };
        subject.files = subject.found().await?;
        subject.modules = subject.files.iter().map(|(module, _)| module.clone()).collect();
        subject.imported = subject.texts().flat_map(|text| imports::submodules(&text)).collect();
        Ok(subject)
    }

    /// A file by its path from the working directory.
    fn inside<'f>(&self, file: &'f RepoPath) -> &'f str {
        file.below(&self.checkout.project.module).unwrap_or(file.as_str())
    }

    /// Where modules are imported from beside the working directory, in a copy of the project.
    fn paths(&self, tree: &Utf8Path) -> Vec<Utf8PathBuf> {
        self.checkout.project.resources.iter().map(|folder| folder.under(tree)).collect()
    }

    /// Whether a file is no module, and pytest runs the examples in it.
    fn is_text_with_tests(&self, path: &RepoPath) -> bool {
        let module = &self.checkout.project.module;
        let is_it = |file: &str| module.join(file).is_ok_and(|file| file == *path);
        !Grammar.is_source(path.as_str().into()) && self.files.iter().any(|(_, file)| is_it(file))
    }

    /// Whether a test module that names a changed module holds one of some words.
    fn tests_speak_of(&self, patch: &Patch, words: &[&str]) -> bool {
        let changed: Vec<&str> = patch.paths().filter_map(|path| Utf8Path::new(path.as_str()).file_stem()).collect();
        self.texts().any(|text| {
            changed.iter().any(|module| text.contains(module)) && words.iter().any(|word| text.contains(word))
        })
    }

    /// A job that does what a word says with tests in the working directory of a copy.
    fn job(&self, cwd: &Utf8Path, what: &str) -> Job {
        let mut job = self.interpreter.job(cwd, code(&self.interpreter));
        if let Some(rewritten) = &self.rewritten {
            job = job.args([what, rewritten.folder().as_str()]).read([rewritten.folder()]);
        }
        job.links = original::links(&self.checkout, cwd, &self.interpreter.folders);
        job.limits.memory_mib = self.options.heap_mib.min(MOST_MIB);
        job
    }

    fn suite<'a>(&'a self, copy: &Copy) -> Suite<'a> {
        Suite { subject: self, cwd: self.checkout.project.module.under(&copy.tree), tree: copy.tree.clone() }
    }
}

/// Where tests run.
struct Suite<'a> {
    subject: &'a Python,
    /// Working directory of the tests.
    cwd: Utf8PathBuf,
    /// The only folder that they may write.
    tree: Utf8PathBuf,
}

impl Suite<'_> {
    /// Whether a module with tests is none by itself: its examples stand in the product's own text.
    fn is_product(&self, file: &str) -> bool {
        let project = &self.subject.checkout.project;
        let path = project.module.join(file);
        path.is_ok_and(|path| !is_test(&path, &project.source_roots, &project.test_roots, &Grammar))
    }

    /// The request with what only this runner needs to know.
    fn request(&self, plan: &Plan, request: String) -> String {
        let project = &self.subject.checkout.project;
        let mut text = request;
        if plan.look.has_other_settings() {
            text.push_str("settings other\n");
        }
        for (module, file) in self.subject.files.iter().filter(|(module, _)| plan.classes.contains(module)) {
            text.push_str(&format!("file {module} {file}\n"));
            if self.is_product(file) {
                text.push_str(&format!("product {file}\n"));
            }
        }
        // A module that was added to this copy lies where its name says.
        for module in plan.classes.iter().filter(|module| !self.subject.modules.contains(module)) {
            text.push_str(&format!("file {module} {}.{}\n", module.replace('.', "/"), Grammar.extension()));
        }
        for root in &project.source_roots {
            let folder = root.below(&project.module).filter(|inside| !inside.is_empty()).unwrap_or(".");
            text.push_str(&format!("source {folder}\n"));
        }
        self.subject.paths(&self.tree).iter().for_each(|path| text.push_str(&format!("path {path}\n")));
        self.subject.imported.iter().for_each(|name| text.push_str(&format!("imported {name}\n")));
        // A word alone has nothing behind its blank; one with a value ends with it.
        let line = |word: &String| if word.contains(' ') { format!("{word}\n") } else { format!("{word} \n") };
        plan.args.iter().map(line).for_each(|line| text.push_str(&line));
        text
    }
}

#[async_trait::async_trait]
impl Process for Suite<'_> {
    async fn start(&self, plan: &Plan, mut request: RunRequest, left: Duration) -> Result<Finished, ValidateError> {
        let subject = self.subject;
        subject.rewrite(&plan.classes).await;
        let mut job = subject.job(&self.cwd, "run").write(&self.tree).wall(left + START);
        if plan.look.is_plain() {
            job.env.extend(PLAIN_VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        if plan.look.reorders() {
            job.env.retain(|(name, _)| name != HASH_SEED);
            job.env.push((HASH_SEED.into(), rand::random_range(1..=u32::MAX).to_string()));
        }
        if plan.look.has_other_settings() {
            job.env.extend(OTHER_SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        request.request = self.request(plan, request.request);
        job.dialogue = Some(request.dialogue());
        Ok(subject.sandbox.run(job).await?)
    }

    fn copy(&self) -> &Utf8Path {
        &self.tree
    }
}

#[async_trait::async_trait]
impl Subject for Python {
    fn checkout(&self) -> &Checkout {
        &self.checkout
    }
    fn options(&self) -> &Options {
        &self.options
    }
    fn tests(&self) -> &[String] {
        &self.modules
    }
    fn project_cache(&self) -> &Utf8Path {
        &self.project_cache
    }

    fn args(&self) -> Vec<String> {
        Vec::new()
    }

    async fn build(&self, patch: &Patch) -> Result<Result<Build, Validation>, ValidateError> {
        if let Some(refused) = refuse(&self.checkout, patch) {
            return Ok(Err(refused));
        }
        if let Some(path) = patch.paths().find(|path| self.is_text_with_tests(path)) {
            let detail = format!("{path} holds tests: examples that pytest runs");
            return Ok(Err(Validation::without_tests(Outcome::Refused, detail)));
        }
        let mut build = Build::new(&self.options.work_dir)?;
        let checked = self.check(patch, &build.scratch).await?;
        if !checked.errors.is_empty() {
            return Ok(Err(does_not_compile(checked.errors)));
        }
        let is_program = |file: &FileChange| Grammar.is_source(file.path.as_str().into()) && !file.deletes();
        if checked.same && patch.files.iter().all(is_program) {
            return Ok(Err(same_code("but for comments and layout it is the original")));
        }
        if let Some(name) = newly::taken(&checked.news) {
            let detail = format!("it brings the module `{name}`, which others have; give it another name");
            return Ok(Err(Validation::without_tests(Outcome::Refused, detail)));
        }
        build.news =
            newly::read(&checked.news, &self.modules, |name| self.checkout.has_module(name, Grammar.extension()));
        let decides = |names: &_, place| suspicious::decides(patch, names, place, &Grammar);
        let checked =
            ambient::reasons(newly::asking(&checked.news), |words| self.tests_speak_of(patch, words), decides);
        build.news.doubts.extend(checked);
        Ok(Ok(build))
    }

    async fn run(&self, copy: &Copy, plan: &Plan) -> Result<TestReport, ValidateError> {
        suite::run(&self.suite(copy), plan, &mut Vec::new()).await
    }

    fn is_quicker_served(&self) -> bool {
        self.interpreter.pytest.is_some()
    }

    async fn run_served(&self, patch: &Patch, build: &Arc<Build>, plan: &Plan) -> Result<TestReport, ValidateError> {
        let copy = Copy::with(&self.checkout, &self.served, patch, build.clone())?;
        suite::run(&ServedSuite(self.suite(&copy)), plan, &mut Vec::new()).await
    }

    fn test_file(&self, class: &str) -> Option<RepoPath> {
        let module = class.split('$').next().unwrap_or(class);
        let (_, file) = self.files.iter().find(|(name, _)| name == module)?;
        self.checkout.project.module.join(file).ok()
    }

    fn is_text(&self, file: &RepoPath) -> bool {
        self.is_text_with_tests(file)
    }

    fn is_slow_when_measured(&self) -> bool {
        !self.interpreter.monitors()
    }

    async fn with_tests(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        files: &[(RepoPath, Vec<u8>)],
    ) -> Result<Result<Copy, Vec<Diagnostic>>, ValidateError> {
        let copy = Copy::with(&self.checkout, &self.options.work_dir, patch, build.clone())?;
        for (file, bytes) in files {
            copy.write_file(file, bytes)?;
        }
        Ok(Ok(copy))
    }

    async fn discover(&self, copy: &Copy, plan: &Plan) -> Result<Discovered, ValidateError> {
        suite::discover(&self.suite(copy), plan).await
    }

    async fn observed(&self, plan: &Plan, watch: &Watch) -> Result<Option<Executed>, ValidateError> {
        let copy = Copy::of(&self.checkout, &self.options.work_dir)?;
        let mut plan = plan.clone();
        for (file, lines) in &watch.places {
            plan.args.push(format!("watch {} {} {}", lines.first, lines.last, self.inside(file)));
        }
        plan.args.extend(watch.expressions.iter().map(|path| format!("expression {path}")));
        let mut executed = Vec::new();
        suite::run(&self.suite(&copy), &plan, &mut executed).await?;
        Ok(Some(executed))
    }

    async fn drawn(&self, copy: &Copy, plan: &Plan, draw: &Draw) -> Result<Option<Executed>, ValidateError> {
        let mut plan = plan.clone();
        plan.args.extend(draw.functions.iter().map(|(file, name)| format!("draw {name} {}", self.inside(file))));
        plan.args.extend(draw.first.iter().map(|id| format!("first {}", suite::spelled(id))));
        plan.args.extend(draw.constants.iter().map(|constant| format!("constant {constant}")));
        plan.args.extend(draw.around.iter().map(|input| format!("around {input}")));
        plan.args.extend(draw.absent.iter().map(|name| format!("absent {name}")));
        let mut executed = Vec::new();
        suite::run(&self.suite(copy), &plan, &mut executed).await?;
        Ok(Some(executed))
    }

    async fn measured(&self, copy: &Copy, plan: &Plan) -> Result<Option<(TestReport, Executed)>, ValidateError> {
        let mut plan = plan.clone();
        plan.args.push(LINES.to_owned());
        plan.args.extend(plan.files.iter().map(|file| format!("measured {}", self.inside(file))));
        let mut executed = Vec::new();
        let report = suite::run(&self.suite(copy), &plan, &mut executed).await?;
        Ok(Some((report, executed)))
    }

    fn order(&self, _: &Patch, _: &Build) -> Vec<String> {
        self.modules.clone()
    }

    fn source(&self, name: &str) -> Option<RepoPath> {
        self.checkout.project.module.join(name).ok()
    }

    async fn warnings(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError> {
        let copy = Copy::of(&self.checkout, &self.options.work_dir)?;
        let checked = self.look(&[(file.clone(), false)], &copy.tree).await?;
        Ok(checked.errors.into_iter().chain(checked.warnings).collect())
    }

    async fn same_code(&self, _: &Patch, _: &Patch) -> Result<Option<bool>, ValidateError> {
        Ok(None)
    }
}
