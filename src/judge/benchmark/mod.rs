//! Where bugs come from: one adapter a benchmark, one line in the list.
//!
//! An adapter lists ids and makes a private [`Checkout`] that holds what a developer with the failing checkout would
//! see. The developer's patch travels beside it as an [`Oracle`], which only `report` and explicit `--localization
//! perfect|file` may open.

pub(crate) mod age;
pub mod choose;
mod contests;
mod copy;
pub mod defects4j;
mod error;
pub mod facts;
mod fixtures;
mod gitbug_java;
mod history;
mod jsonl;
pub mod junit_xml;
mod layout;
mod lines;
mod local;
mod mirror;
mod mvn;
mod nearest;
mod own;
mod product;
mod product_change;
mod quixbugs;
mod registry;
mod repaired;
mod sets;
mod settings;
mod submodules;
#[cfg(test)]
mod testing;
mod xml;

pub use copy::copy_files;
pub(crate) use copy::is_output;
pub use copy::{Copied, Stamps, copy_with_outputs, private_copy, private_copy_again};
pub use error::BenchmarkError;
pub use history::{History, HistoryError, LastChange};
pub use local::{ProjectKind, programs, test_roots};
pub use nearest::nearest;
pub use own::{Hint, OwnCommand, OwnQuestion, OwnRun, Reactor};
pub use product::product_resources;
pub use product_change::ProductChange;
pub use registry::{describe, find, names, parse_bug, select, typed};
pub use sets::{NamedSet, named, set_names};
pub use settings::Settings;
pub use submodules::absent_submodules;
pub mod jars;
pub mod jdk;
pub mod keyed;
pub mod python;
pub mod twin;

use crate::domain::{BugId, Failure, Outcome, Patch, RepoPath, TestId};
use camino::{Utf8Path, Utf8PathBuf};
use std::sync::Arc;

/// The benchmark that a directory belongs to.
pub const LOCAL: &str = "local";

/// How the tests of a project are run.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Runner {
    /// Our own runner on the JVM, under the project's class path.
    #[default]
    Jvm,
    /// Our own plugin in pytest, under the project's interpreter.
    Pytest,
    /// The project's own commands, whose results arrive as JUnit XML, or are what the tests print.
    Command {
        /// Builds the project; words, never a shell line.
        build: Option<Vec<String>>,
        /// Runs the tests.
        test: Vec<String>,
        /// Folders in which the XML reports appear; with none, results are what the tests print, or how they end.
        reports: Vec<RepoPath>,
    },
    /// A program that reads its input and prints its answer.
    Cases {
        /// Builds the program; words, never a shell line.
        build: Option<Vec<String>>,
        /// Runs it, once for each case.
        run: Vec<String>,
        /// What it must print for which input.
        cases: Vec<Case>,
    },
}

/// What a program must print for an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name, unique in the bug.
    pub name: String,
    /// What the program reads from its standard input.
    pub input: String,
    /// What it must print; spaces at the end of lines do not count.
    pub output: String,
    /// Numbers may differ by so much from what is expected, or by this share of it, where the set says so.
    pub tolerance: Option<f64>,
}

impl Case {
    /// The test that it is, as reports name it: `cases#3`.
    pub fn test(&self) -> TestId {
        TestId::new("cases", self.name.clone())
    }
}

/// Which classes hold tests, when the build tool says so; patterns as in surefire (`**/*Test.java`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestPatterns {
    /// Files that count; empty means the runner's own defaults.
    pub include: Vec<String>,
    /// Files that do not.
    pub exclude: Vec<String>,
    /// Whether only engines of the JUnit Platform run tests. Then those of JUnit 3 and 4 wait for an engine of their own.
    pub platform_only: bool,
}

/// What is known of a project's build: everything the validator needs to compile and test it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project {
    /// Home of the JDK the project wants; `None` leaves the choice to the validator.
    pub jdk: Option<Utf8PathBuf>,
    /// The Python interpreter the project wants; `None` leaves the choice to the validator.
    pub python: Option<Utf8PathBuf>,
    /// The module the tests run in; the root for single modules.
    pub module: RepoPath,
    /// The tests' working directory, where the build names another than the module's folder; it may not be there yet.
    pub working_directory: Option<RepoPath>,
    /// Folders of product sources, relative to the checkout.
    pub source_roots: Vec<RepoPath>,
    /// Folders of test sources.
    pub test_roots: Vec<RepoPath>,
    /// Folders whose files are put on the class path as they are (main and test resources).
    pub resources: Vec<RepoPath>,
    /// Jars and folders on the class path, absolute; test libraries included.
    pub class_path: Vec<Utf8PathBuf>,
    /// Folders of product classes the build tool already made, in the checkout; empty when the validator compiles all.
    pub compiled: Vec<RepoPath>,
    /// Folders of test classes the build tool already made.
    pub compiled_tests: Vec<RepoPath>,
    /// Folders of test classes of other modules, which the tests use and which are not run here.
    pub compiled_helpers: Vec<RepoPath>,
    /// Folders of sources that the build tool generates; no patch touches them.
    pub generated: Vec<RepoPath>,
    /// Source level as `javac --release` takes it, when the build tool names one.
    pub release: Option<String>,
    /// Charset of the sources as `javac -encoding` takes it; empty means UTF-8.
    pub encoding: String,
    /// Further arguments of the compiler.
    pub javac_args: Vec<String>,
    /// Arguments of the test JVM.
    pub jvm_args: Vec<String>,
    /// Variables that the build tool sets for tests, with their values.
    pub environment: Vec<(String, String)>,
    /// The system property in which the build tool tells tests their class path: some compile or start something with it.
    pub class_path_property: Option<&'static str>,
    /// Which classes hold tests.
    pub tests: TestPatterns,
    /// How tests are run.
    pub runner: Runner,
    /// Why a patch's word is the program's own: the benchmark has a runner, and nobody saw it agree.
    pub unverified: Option<String>,
}

impl Project {
    /// The tests' working directory.
    pub(crate) fn cwd(&self) -> &RepoPath {
        self.working_directory.as_ref().unwrap_or(&self.module)
    }
}

/// The developer's repair; kept apart from everything an agent can reach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Oracle {
    /// Repaired files: path and bytes.
    pub files: Vec<(RepoPath, Vec<u8>)>,
    /// A text that occurs in the repair and nowhere else; found in anything an agent saw, it proves a leak.
    pub canary: Option<String>,
}

/// A private copy of a buggy project.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// Which bug.
    pub bug: BugId,
    /// The folder of the copy; no candidate ever writes to it.
    pub root: Utf8PathBuf,
    /// The user's folder that it is a copy of, where there is one.
    pub original: Option<Utf8PathBuf>,
    /// The language's name.
    pub language: String,
    /// How to build and test it.
    pub project: Project,
    /// Triggering tests the benchmark names; `None` when the baseline decides.
    pub triggering: Option<Vec<TestId>>,
    /// Requirements in natural language.
    pub requirements: Option<String>,
    /// The developer's repair, when the benchmark has one.
    pub oracle: Option<Oracle>,
    /// Cases that nobody who repairs may see: they tell whether a plausible patch holds beyond the tests.
    pub held_out: Vec<Case>,
    /// The benchmark's own judge, where it has one: asked besides ours before a patch is called plausible.
    pub official: Option<Arc<dyn OfficialJudge>>,
    /// The project's own test command, where there is one: the last instance where our runner may be wrong.
    pub own: Option<Arc<dyn OwnCommand>>,
    /// The other modules, where the project has several.
    pub reactor: Option<Arc<dyn Reactor>>,
    /// Whether the project has several modules with tests, and its module is only the likeliest one.
    pub is_guess: bool,
    /// Tests that probably fail, the best hint first; each is confirmed by running it.
    pub hints: Vec<Hint>,
    /// Test files that differ from the last commit, with what they were there; none where more than tests differs.
    pub edited_tests: Vec<(RepoPath, Option<Vec<u8>>)>,
    /// The last change of the product, where the project's history tells.
    pub last_change: Option<ProductChange>,
    /// What was found by looking, for people: one line a guess.
    pub notes: Vec<String>,
}

impl Checkout {
    /// Whether the project has a module or package of that name, where files of the language have this extension.
    pub fn has_module(&self, name: &str, extension: &str) -> bool {
        let folders = self.project.source_roots.iter().map(|folder| folder.under(&self.root));
        folders
            .chain([self.root.clone()])
            .any(|folder| folder.join(name).is_dir() || folder.join(format!("{name}.{extension}")).is_file())
    }

    /// A copy of which no more is known than where it lies and how it is built and tested.
    pub fn new(bug: BugId, root: Utf8PathBuf, language: &str, project: Project) -> Self {
        Self {
            bug,
            root,
            original: None,
            language: language.into(),
            project,
            triggering: None,
            requirements: None,
            oracle: None,
            held_out: Vec::new(),
            official: None,
            own: None,
            reactor: None,
            is_guess: false,
            hints: Vec::new(),
            edited_tests: Vec::new(),
            last_change: None,
            notes: Vec::new(),
        }
    }

    /// What the variables of the tests name inside this copy.
    pub(crate) fn named_in_environment(&self) -> Vec<Utf8PathBuf> {
        let values: Vec<String> = self.project.environment.iter().map(|(_, value)| value.clone()).collect();
        self.named_in(&values)
    }

    /// What the arguments of a test process name inside this copy, such as a folder of modules that the build filled.
    pub(crate) fn named_in(&self, args: &[String]) -> Vec<Utf8PathBuf> {
        let parts = args.iter().flat_map(|arg| arg.split([':', '=', ',', ';']));
        let inside = parts.map(Utf8Path::new).filter(|path| path.starts_with(&self.root) && *path != self.root);
        inside.filter_map(|path| path.canonicalize_utf8().ok()).filter(|path| path.starts_with(&self.root)).collect()
    }
}

/// A bug as a list shows it. It is for people: no agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Which bug.
    pub id: BugId,
    /// What is wrong, as a user would report it.
    pub title: String,
    /// What a repair takes: `single-line`, `multi-line`, `missing-code`, `multi-file`; `None` when nobody knows.
    pub kind: Option<String>,
    /// The day on which it was repaired, `2024-05-31`; `None` when nobody knows.
    pub repaired: Option<String>,
    /// The least that is expected to find a repair: `template`, `one-file`, `another-file`, `levels`.
    pub needs: Option<String>,
    /// Address of the report in its tracker; `None` when nobody knows.
    pub report: Option<String>,
}

impl Summary {
    /// A bug of which no more than that is known.
    pub fn new(id: BugId, title: String) -> Self {
        Self { id, title, kind: None, repaired: None, needs: None, report: None }
    }
}

/// What a benchmark's own judge says of a patch that our judge accepts.
#[derive(Debug, Clone, PartialEq)]
pub enum OfficialVerdict {
    /// It accepts the patch, too.
    Agrees {
        /// What it saw, in one phrase.
        how: String,
    },
    /// It does not.
    Rejects {
        /// The word for it.
        outcome: Outcome,
        /// What it saw, in one phrase.
        why: String,
        /// Tests that fail under it, with their failures.
        failing: Vec<(TestId, Failure)>,
    },
}

/// A benchmark's own judge of patches, asked besides ours.
#[async_trait::async_trait]
pub trait OfficialJudge: Send + Sync + std::fmt::Debug {
    /// Who judges: `Defects4J 3.0.1`.
    fn name(&self) -> String;

    /// What it says of a patch that our judge accepts, with the triggering tests as we name them. `work` is an existing
    /// folder for copies.
    ///
    /// # Errors
    /// Its commands do not work here, whatever the patch.
    async fn verdict(
        &self,
        patch: &Patch,
        triggering: &[TestId],
        work: &Utf8Path,
    ) -> Result<OfficialVerdict, BenchmarkError>;
}

/// A source of bugs.
#[async_trait::async_trait]
pub trait Benchmark: Send + Sync {
    /// The name used in bug ids.
    fn name(&self) -> &'static str;

    /// All bugs that can be run here, in order.
    ///
    /// # Errors
    /// The root is missing or is not this benchmark.
    fn list(&self) -> Result<Vec<BugId>, BenchmarkError>;

    /// What the bug is, for lists.
    ///
    /// # Errors
    /// Unknown id, unusable root.
    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError>;

    /// Makes a private copy of the buggy project below `into`, which exists and is empty.
    ///
    /// # Errors
    /// Unknown id, unusable root, failing set-up.
    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError>;

    /// Tries out the programs of the benchmark's own, where it has some, and says what was seen.
    ///
    /// # Errors
    /// They do not work here.
    async fn try_out(&self) -> Result<Option<String>, BenchmarkError> {
        Ok(None)
    }
}
