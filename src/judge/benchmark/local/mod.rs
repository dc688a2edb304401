//! `local`: a project in a directory: Maven, Gradle, Ant, plain folders, Python with pytest, or two commands whose
//! results arrive as JUnit XML.
//!
//! The kind is found by looking, in this order: commands given by option or `.unidebug.toml`; a `pom.xml`; Gradle's files;
//! Ant's; Java files in folders of a known layout; test modules of Python; a makefile or CMake beside C. The checkout
//! notes everything that was found. The user's tree is only read.

mod ant;
pub(super) mod gradle;
mod hints;
mod javac;
pub(super) mod kind;
mod maven;
mod modules;
mod own;
mod plain;
pub(super) mod python;
mod reactor;
mod store;

pub use kind::{ProjectKind, programs};

use super::LOCAL;
use super::copy::io_error;
use super::facts::{self, Facts, ProjectFile, Words};
use super::product_change;
use super::settings::Settings;
use super::{Benchmark, BenchmarkError, Checkout, History, OwnCommand, Project, Reactor, Summary, private_copy};
use crate::domain::{BugId, RepoPath};
use crate::sandbox::always_readable;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The adapter.
pub(super) struct Local {
    settings: Settings,
}

impl Local {
    /// An adapter for any directory.
    pub(super) fn new(settings: &Settings) -> Self {
        Self { settings: settings.clone() }
    }
}

/// What was found out about a project.
pub(in crate::benchmark) struct SetUp {
    pub(in crate::benchmark) project: Project,
    /// Its own test command, where there is one.
    pub(in crate::benchmark) own: Option<Arc<dyn OwnCommand>>,
    /// Its other modules, where it has several.
    pub(in crate::benchmark) reactor: Option<Arc<dyn Reactor>>,
    /// Whether the build tool ran the tests of the copy, and left its reports.
    pub(in crate::benchmark) is_tested: bool,
    /// For people, one line a guess.
    pub(in crate::benchmark) notes: Vec<String>,
}

/// Works in the private copy `root` of a project; people know the project by the folder they named, not by its copy, so
/// an error names the path there.
async fn with_names_of<T>(
    original: &Utf8Path,
    root: &Utf8Path,
    work: impl AsyncFnOnce(&Utf8Path) -> Result<T, BenchmarkError>,
) -> Result<T, BenchmarkError> {
    let root = root.canonicalize_utf8().map_err(|source| io_error("cannot open the copy", root, source))?;
    work(&root).await.map_err(|error| match error {
        BenchmarkError::Root { what, path, hint } => {
            let path = path.strip_prefix(&root).map_or_else(|_| path.clone(), |inside| original.join(inside));
            BenchmarkError::Root { what, path, hint }
        }
        other => other,
    })
}

/// What a build tool says of a project.
struct BuildFacts {
    /// The module of the bug.
    project: Project,
    /// What its developers type.
    own: Arc<dyn OwnCommand>,
    /// The other modules.
    reactor: Option<Arc<dyn Reactor>>,
    /// Whether all tests ran.
    is_tested: bool,
}

/// How a project is built.
#[derive(Clone, Copy)]
enum Kind {
    Commands,
    Maven,
    Gradle,
    Ant,
    Plain,
    Python,
    /// One that the folder of its language knows.
    Registered(&'static ProjectKind),
}

/// Looks at a directory before anything is copied.
fn look(folder: &Utf8Path, commands: bool) -> Result<Kind, BenchmarkError> {
    if commands {
        return Ok(Kind::Commands);
    }
    if folder.join("pom.xml").is_file() {
        return Ok(Kind::Maven);
    }
    if gradle::builds(folder) {
        return Ok(Kind::Gradle);
    }
    if folder.join(ant::FILE).is_file() {
        return Ok(Kind::Ant);
    }
    let root = |what: String, hint: String| BenchmarkError::Root { what, path: folder.to_owned(), hint };
    let python = python::has_tests(folder);
    // Packages of Python may hold sources in other languages.
    let registered = if python { None } else { kind::of(folder) };
    if super::layout::plain(folder).is_some_and(|(project, _)| plain::has_java(folder, &project)) {
        return Ok(Kind::Plain);
    }
    if let Some(kind) = registered {
        return Ok(Kind::Registered(kind));
    }
    if python {
        return Ok(Kind::Python);
    }
    let empty =
        folder.read_dir_utf8().map_err(|source| io_error("cannot list the folder", folder, source))?.next().is_none();
    let known = super::layout::known();
    if empty {
        return Err(root("the folder is empty".into(), "name the folder of a project with a failing test".into()));
    }
    let hint = match projects_in(folder).as_slice() {
        [] => format!("known layouts: {known}; or name folders in {}, or use `--build` and `--test`", facts::FILE),
        [only] => format!("a project lies in it: name its folder, {only}"),
        [first, ..] => format!("projects lie in it: name the folder of one, as {first}"),
    };
    let what = format!(
        "no project was found here: no pom.xml, no build.gradle, no known layout and no test module of pytest{}",
        kind::looked_for()
    );
    Err(root(what, hint))
}

/// Folders in a directory that hold a build file, in the order of their names.
fn projects_in(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let is_project = |folder: &Utf8PathBuf| {
        let files = ["pom.xml", ant::FILE, "pyproject.toml", "setup.py"];
        gradle::builds(folder) || files.iter().any(|file| folder.join(file).is_file())
    };
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let mut found: Vec<Utf8PathBuf> = entries.map(|entry| entry.into_path()).filter(is_project).collect();
    found.sort();
    found
}

#[async_trait::async_trait]
impl Benchmark for Local {
    fn name(&self) -> &'static str {
        LOCAL
    }

    /// Directories are not listed: any may be named.
    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        Ok(Vec::new())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        let title = format!("the project in {}", id.name);
        Ok(Summary::new(id.clone(), title))
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        let folder = Utf8PathBuf::from(&id.name);
        if !folder.is_dir() {
            return Err(BenchmarkError::Root {
                what: "no such directory".into(),
                path: folder,
                hint: "name the folder of a project".into(),
            });
        }
        let mut facts = ProjectFile::read(&folder)?.facts;
        // A module alone has neither its parent nor its siblings: the whole project is copied.
        let mut folder = folder;
        let mut id = id.clone();
        if let Some((top, module)) = maven::project_of(&folder).or_else(|| gradle::project_of(&folder)) {
            id.name = top.to_string();
            folder = top;
            facts.module = Some(module);
        }
        let history = History::of(&folder, &self.settings.sandbox().await?);
        let likely = match facts.module.is_none() && self.settings.failing.is_empty() && !self.settings.all_modules {
            true => self.set_up_likeliest(&folder, into, &facts, history.as_ref()).await?,
            false => None,
        };
        let is_guess = likely.is_some();
        let SetUp { project, own, reactor, is_tested, notes } = match likely {
            Some(likely) => likely,
            None => self.set_up(&folder, into, &facts, false).await?,
        };
        let mut uncommitted = match &history {
            Some(history) => history.uncommitted().await.unwrap_or_default(),
            None => Vec::new(),
        };
        uncommitted.retain(hints::is_written);
        let hints = hints::of(if is_tested { into } else { &folder }, &project, history.as_ref(), &uncommitted).await;
        let edited_tests = hints::edited_tests(&project, history.as_ref(), &uncommitted).await;
        let language = kind::language_of(&project, into).name();
        let mut checkout = Checkout {
            original: folder.canonicalize_utf8().ok(),
            own,
            reactor,
            is_guess,
            hints,
            edited_tests,
            notes,
            ..Checkout::new(id, into.to_owned(), language, project)
        };
        // Where nothing but tests was changed, they tell themselves which of them failed before.
        if let Some(history) = history.filter(|_| checkout.edited_tests.is_empty()) {
            checkout.last_change = product_change::of(&checkout, &history, &uncommitted).await;
        }
        Ok(checkout)
    }
}

impl Local {
    /// The project set up for the module that the bug is likely in; `None` where nothing tells which, or the set-up fails.
    async fn set_up_likeliest(
        &self,
        folder: &Utf8Path,
        into: &Utf8Path,
        facts: &Facts,
        history: Option<&History>,
    ) -> Result<Option<SetUp>, BenchmarkError> {
        let module = match look(folder, self.settings.test.is_some() || facts.test.is_some()) {
            Ok(Kind::Maven) => maven::likeliest(folder, &modules::last_changes(history).await),
            Ok(Kind::Gradle) => gradle::likeliest(folder, &modules::last_changes(history).await),
            _ => None,
        };
        let Some(module) = module else { return Ok(None) };
        let likely = Facts { module: Some(module), ..facts.clone() };
        match self.set_up(folder, into, &likely, false).await {
            Ok(found) => Ok(Some(found)),
            Err(error) => {
                tracing::info!("the module that was changed last is not set up, so all are tried: {error}");
                let emptied = std::fs::remove_dir_all(into).and_then(|()| std::fs::create_dir(into));
                emptied.map(|()| None).map_err(|source| io_error("cannot empty the copy", into, source))
            }
        }
    }

    /// Copies the project in `folder` below `into` and finds out how it is built and tested. `plain` says that the facts
    /// tell all, whatever build file lies there.
    ///
    /// # Errors
    /// No project is found, or its set-up fails.
    pub(super) async fn set_up(
        &self,
        folder: &Utf8Path,
        into: &Utf8Path,
        facts: &Facts,
        plain: bool,
    ) -> Result<SetUp, BenchmarkError> {
        let test = self.settings.test.clone().or_else(|| facts.test.as_ref().and_then(Words::words));
        let named = !facts.sources.is_empty() && !facts.tests.is_empty();
        let found = if named && test.is_none() && (plain || !folder.join("pom.xml").is_file()) {
            if python::is_in(&facts.tests, folder) { Kind::Python } else { Kind::Plain }
        } else {
            look(folder, test.is_some())?
        };
        for words in [&facts.build, &facts.test].into_iter().filter_map(|words| words.as_ref()?.words()) {
            stays_inside(folder, &words)?;
        }
        let mut notes = private_copy(folder, into)?.left_out;
        for (path, bytes) in &self.settings.added {
            add(&path.under(into), bytes)?;
        }
        let (mut own, mut reactor, mut is_tested) = (None, None, false);
        let project = match found {
            Kind::Maven => {
                let found = maven::set_up(into, folder, &self.settings, facts, &mut notes).await?;
                (own, reactor, is_tested) = (Some(found.own), found.reactor, found.is_tested);
                found.project
            }
            Kind::Gradle => {
                let found = gradle::set_up(into, folder, &self.settings, facts, &mut notes).await?;
                (own, reactor, is_tested) = (Some(found.own), found.reactor, found.is_tested);
                found.project
            }
            Kind::Commands => plain::commands(into, &self.settings, facts, test.unwrap_or_default(), &mut notes)?,
            Kind::Ant => {
                with_names_of(folder, into, async |root| ant::set_up(root, &self.settings, facts, &mut notes).await)
                    .await?
            }
            Kind::Plain => {
                with_names_of(folder, into, async |root| plain::set_up(root, &self.settings, facts, &mut notes).await)
                    .await?
            }
            Kind::Python => python::set_up(into, folder, &mut notes),
            Kind::Registered(kind) => with_names_of(folder, into, async |root| (kind.set_up)(root, &mut notes)).await?,
        };
        Ok(SetUp { project: overridden(project, facts), own, reactor, is_tested, notes })
    }
}

/// Writes a file into the copy of a project, which holds no links that lead out of it.
fn add(file: &Utf8Path, bytes: &[u8]) -> Result<(), BenchmarkError> {
    let around = file.parent().unwrap_or(file);
    std::fs::create_dir_all(around).map_err(|source| io_error("adding a test", around, source))?;
    std::fs::write(file, bytes).map_err(|source| io_error("adding a test", file, source))
}

/// A command that a project's file names may be a program of the project or of the system: what lies around it is read.
fn stays_inside(folder: &Utf8Path, words: &[String]) -> Result<(), BenchmarkError> {
    let program = Utf8Path::new(words.first().map_or("", String::as_str));
    let climbs = program.components().any(|part| part == camino::Utf8Component::ParentDir);
    if !climbs && (!program.is_absolute() || always_readable(program)) {
        return Ok(());
    }
    Err(BenchmarkError::Root {
        what: format!("{} names a program outside of the project: {program}", facts::FILE),
        path: folder.to_owned(),
        hint: "give the command yourself, with `--build` and `--test`, if you trust it".into(),
    })
}

/// Facts replace what was found.
fn overridden(mut project: Project, facts: &Facts) -> Project {
    let replace = |found: &mut Vec<_>, given: &Vec<_>| {
        if !given.is_empty() {
            found.clone_from(given);
        }
    };
    replace(&mut project.source_roots, &facts.sources);
    replace(&mut project.test_roots, &facts.tests);
    replace(&mut project.resources, &facts.resources);
    project.jdk = facts.java_home.clone().or(project.jdk);
    project.python = facts.python.clone().or(project.python);
    project.release = facts.release.clone().or(project.release);
    project.encoding = facts.encoding.clone().unwrap_or(project.encoding);
    project.jvm_args.extend(facts.jvm_args.iter().cloned());
    project
}

/// Where tests lie: anywhere, and in folders that hold nothing but tests by their name, so that what is beside a test is
/// known for its own.
pub fn test_roots(files: &[RepoPath], names: &[&str]) -> Vec<RepoPath> {
    let mut roots = BTreeSet::from([RepoPath::default()]);
    for path in files {
        let folders: Vec<&str> = path.as_str().split('/').collect();
        if let Some(at) = folders[..folders.len() - 1].iter().position(|name| names.contains(name)) {
            roots.extend(RepoPath::new(&folders[..=at].join("/")));
        }
    }
    roots.into_iter().collect()
}
