//! What the installation knows of one bug's build, asked once and kept: an `export` starts Ant and takes seconds.
//!
//! Kept are the exported facts and the classes of the official build. They belong to the bug, the installation and the
//! JDK, so that another of these asks anew.

use super::super::copy::io_error;
use super::cli::Cli;
use super::text::{self, ClassPath};
use crate::benchmark::{BenchmarkError, age, jars, private_copy};
use crate::domain::{Fingerprint, RepoPath, TestId};
use crate::sandbox::Sandbox;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use std::fs;

const FACTS: &str = "facts.json";
/// What lay in the working directory, under its path there.
const TREE: &str = "tree";
const SCHEMA: u32 = 1;

/// Facts of a bug's build. Paths are relative to its working directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Exported {
    schema: u32,
    /// Folder of product sources.
    pub(super) sources: RepoPath,
    /// Folder of test sources.
    pub(super) tests: RepoPath,
    /// Where the official build puts product classes.
    pub(super) classes: RepoPath,
    /// Where it puts test classes.
    pub(super) test_classes: RepoPath,
    /// What the tests are compiled and run with.
    pub(super) class_path: ClassPath,
    /// Test classes that count.
    pub(super) all: Vec<String>,
    /// The triggering tests.
    pub(super) trigger: Vec<TestId>,
    /// Source level of the official build, where its classes tell.
    pub(super) level: Option<u32>,
}

/// Facts with the folder that holds the classes.
pub(super) struct CachedFacts {
    pub(super) facts: Exported,
    /// Whether they were there already.
    pub(super) known: bool,
    folder: Utf8PathBuf,
}

impl CachedFacts {
    /// What is known of a bug whose buggy version was checked out to `tree`; asked for now where nothing is kept.
    ///
    /// # Errors
    /// The project does not build officially, or a command failed.
    pub(super) async fn of(
        cli: &Cli,
        sandbox: &Sandbox,
        (project, number): (&str, u32),
        tree: &Utf8Path,
    ) -> Result<Self, BenchmarkError> {
        let folder = jars::cache_dir().join("defects4j").join(key(cli, project, number));
        age::forget_old(folder.parent().unwrap_or(&folder));
        if let Some(facts) = read(&folder) {
            age::used(&folder);
            return Ok(Self { facts, known: true, folder });
        }
        let facts = ask(cli, sandbox, (project, number), tree).await?;
        keep(&facts, tree, &folder)?;
        Ok(Self { facts, known: false, folder })
    }

    /// Copies what the official build made to where a checkout has it.
    ///
    /// # Errors
    /// Reading or writing failed.
    pub(super) fn put_built(&self, into: &Utf8Path) -> Result<(), BenchmarkError> {
        self.facts.built().try_for_each(|place| bring(place, &self.folder.join(TREE), into))
    }
}

impl Exported {
    /// What the build may have made: the folders of classes, tests first, and all of the class path that lies in the
    /// working directory.
    fn built(&self) -> impl Iterator<Item = &RepoPath> {
        let outputs = [&self.test_classes, &self.classes];
        let others = self.class_path.inside.iter().filter(move |path| !outputs.contains(path));
        // A whole working directory is no output.
        outputs.into_iter().chain(others).filter(|path| !path.as_str().is_empty())
    }
}

/// A name for the bug, this installation and this JDK.
fn key(cli: &Cli, project: &str, number: u32) -> String {
    let mut fingerprint = Fingerprint::default();
    fingerprint.add(format!("{SCHEMA} {} {} {} {}", cli.root, cli.version, cli.jdk.home, cli.jdk.version));
    // An installation that was changed in place is another one.
    for file in [format!("{project}.build.xml"), format!("patches/{number}.src.patch")] {
        let path = cli.root.join(super::catalogue::PROJECTS).join(project).join(file);
        fingerprint.add(fs::read(path).unwrap_or_default());
    }
    format!("{project}-{number}-{}", fingerprint.name())
}

fn read(folder: &Utf8Path) -> Option<Exported> {
    let facts: Exported = serde_json::from_slice(&fs::read(folder.join(FACTS)).ok()?).ok()?;
    let there = facts.class_path.libraries.iter().all(|library| library.exists());
    (facts.schema == SCHEMA && there && facts.classes.under(&folder.join(TREE)).is_dir()).then_some(facts)
}

async fn ask(
    cli: &Cli,
    sandbox: &Sandbox,
    (project, number): (&str, u32),
    tree: &Utf8Path,
) -> Result<Exported, BenchmarkError> {
    cli.expect(sandbox, &["compile", "-w", tree.as_str()], tree).await?;
    let export = async |property: &str| {
        cli.expect(sandbox, &["export", "-p", property, "-w", tree.as_str()], tree).await.map(|done| done.stdout)
    };
    let folder = async |property: &str| {
        let output = export(property).await?;
        text::folder(&output).ok_or_else(|| unusable(property, &output))
    };
    let class_path = ClassPath::read(&export("cp.test").await?, tree, &cli.root);
    let class_path = class_path.and(ClassPath::read(&export("cp.compile").await?, tree, &cli.root));
    let classes = folder("dir.bin.classes").await?;
    let all = export("tests.all").await?;
    let level = class_files(&classes.under(tree)).find_map(|file| text::level_of(&fs::read(file).ok()?));
    Ok(Exported {
        schema: SCHEMA,
        sources: folder("dir.src.classes").await?,
        tests: folder("dir.src.tests").await?,
        test_classes: folder("dir.bin.tests").await?,
        trigger: trigger(cli, sandbox, (project, number), tree).await?,
        all: Some(text::classes(&all)).filter(|all| !all.is_empty()).ok_or_else(|| unusable("tests.all", &all))?,
        classes,
        class_path,
        level,
    })
}

/// The triggering tests, from the metadata, or else from the build, which takes longer.
async fn trigger(
    cli: &Cli,
    sandbox: &Sandbox,
    (project, number): (&str, u32),
    tree: &Utf8Path,
) -> Result<Vec<TestId>, BenchmarkError> {
    const PROPERTY: &str = "tests.trigger";
    let answer = cli.run(sandbox, &["query", "-p", project, "-q", PROPERTY], tree, super::QUERY).await?;
    let cells = text::row(&answer.stdout, number).filter(|_| answer.exit.success()).unwrap_or_default();
    let found = text::tests(cells.join(";").as_bytes());
    if !found.is_empty() {
        return Ok(found);
    }
    let answer = cli.expect(sandbox, &["export", "-p", PROPERTY, "-w", tree.as_str()], tree).await?.stdout;
    Some(text::tests(&answer)).filter(|found| !found.is_empty()).ok_or_else(|| unusable(PROPERTY, &answer))
}

fn unusable(property: &str, output: &[u8]) -> BenchmarkError {
    let output: String = String::from_utf8_lossy(output).trim().chars().take(200).collect();
    BenchmarkError::Setup {
        what: format!("`defects4j export -p {property}` printed nothing that can be used: `{}`", output.escape_debug()),
        hint: "`unidebug doctor` looks at what Defects4J needs; try the same command by hand".into(),
    }
}

/// Puts facts and classes where the next run finds them, whole or not at all.
fn keep(facts: &Exported, tree: &Utf8Path, folder: &Utf8Path) -> Result<(), BenchmarkError> {
    let parent = folder.parent().unwrap_or(folder);
    let failed = |source| io_error("cannot keep what Defects4J exported", parent, source);
    fs::create_dir_all(parent).map_err(failed)?;
    let new = tempfile::tempdir_in(parent).map_err(failed)?;
    let new = Utf8Path::from_path(new.path()).unwrap_or(parent);
    let whole = new.join("whole");
    fs::create_dir_all(whole.join(TREE)).map_err(failed)?;
    facts.built().try_for_each(|place| bring(place, tree, &whole.join(TREE)))?;
    fs::write(whole.join(FACTS), serde_json::to_vec(facts).unwrap_or_default()).map_err(failed)?;
    if folder.is_dir() {
        // What lies there could not be used, or another run was faster; either way the new one is as good.
        let _ = fs::remove_dir_all(folder);
    }
    match fs::rename(&whole, folder) {
        Err(source) if !folder.is_dir() => Err(failed(source)),
        _ => Ok(()),
    }
}

/// Copies a file that is not there yet, or a folder; a link and what does not exist are passed over.
fn bring(place: &RepoPath, from: &Utf8Path, into: &Utf8Path) -> Result<(), BenchmarkError> {
    let (from, to) = (place.under(from), place.under(into));
    let Ok(meta) = fs::symlink_metadata(&from) else { return Ok(()) };
    let folder = if meta.is_dir() { &to } else { to.parent().unwrap_or(into) };
    fs::create_dir_all(folder).map_err(|source| io_error("cannot make the folder", folder, source))?;
    if meta.is_dir() {
        private_copy(&from, &to)?;
    } else if meta.is_file() && !to.exists() {
        fs::copy(&from, &to).map_err(|source| io_error("cannot copy the file", &from, source))?;
    }
    Ok(())
}

fn class_files(folder: &Utf8Path) -> impl Iterator<Item = std::path::PathBuf> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).sort_by_file_path(Ord::cmp).build();
    walk.flatten().map(ignore::DirEntry::into_path).filter(|path| path.extension().is_some_and(|end| end == "class"))
}
