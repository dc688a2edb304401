//! Projects without a build file, and projects whose own commands build and test them.

use super::kind;
use crate::benchmark::facts::{self, Facts, Words};
use crate::benchmark::jars::Library;
use crate::benchmark::settings::Settings;
use crate::benchmark::{BenchmarkError, Project, Runner, layout};
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};

/// Folders where a plain project keeps its jars.
const JAR_FOLDERS: &[&str] = &["lib", "libs"];

/// Where build tools leave JUnit XML, unless the user says another place.
const REPORTS: &[&str] = &[
    "target/surefire-reports",
    "build/test-results/test",
    "build/test-results",
    "build/reports/tests",
    "test-results",
    "reports",
];

/// How much of a test file is searched for its imports.
const IMPORTS_WITHIN: usize = 16 << 10;

/// A project of a known layout, or of folders that the facts name.
pub(super) async fn set_up(
    root: &Utf8Path,
    settings: &Settings,
    facts: &Facts,
    notes: &mut Vec<String>,
) -> Result<Project, BenchmarkError> {
    let mut project = match layout::plain(root) {
        Some((project, name)) => {
            notes.push(format!("plain project: {name}"));
            project
        }
        None => Project { encoding: "UTF-8".into(), ..Project::default() },
    };
    project.class_path = jars(root, facts);
    if !facts.tests.is_empty() {
        project.test_roots.clone_from(&facts.tests);
    }
    add_libraries(root, &mut project, settings, notes).await?;
    Ok(project)
}

/// Adds the test libraries that the tests import and the project does not have.
///
/// # Errors
/// The folders of tests hold no Java file, or a library cannot be had.
pub(super) async fn add_libraries(
    root: &Utf8Path,
    project: &mut Project,
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Result<(), BenchmarkError> {
    let files = java_files(root, &project.test_roots);
    if files.is_empty() {
        return Err(BenchmarkError::Root {
            what: "the test folders hold no Java file".into(),
            path: root.to_owned(),
            hint: format!("name the folders in {} (`sources`, `tests`)", facts::FILE),
        });
    }
    for library in wanted_libraries(&files) {
        if !library.on(&project.class_path) {
            project.class_path.extend(settings.library(library).await?);
            notes.push(format!("{library:?} is not in the project and was added"));
        }
    }
    Ok(())
}

/// A project whose commands the user gave.
pub(super) fn commands(
    root: &Utf8Path,
    settings: &Settings,
    facts: &Facts,
    test: Vec<String>,
    notes: &mut Vec<String>,
) -> Result<Project, BenchmarkError> {
    let build = settings.build.clone().or_else(|| facts.build.as_ref().and_then(Words::words));
    if test.is_empty() || build.as_ref().is_some_and(Vec::is_empty) {
        return Err(BenchmarkError::Root {
            what: "a command of the project has no words".into(),
            path: root.to_owned(),
            hint: "give a program and its arguments: `--test \"ant test\"`".into(),
        });
    }
    let usual = || REPORTS.iter().filter_map(|folder| RepoPath::new(folder).ok()).collect();
    let reports = [&settings.reports, &facts.reports].into_iter().find(|given| !given.is_empty()).cloned();
    let named = test.join(" ");
    let runner = Runner::Command { build, test, reports: reports.unwrap_or_else(usual) };
    let project = Project { encoding: "UTF-8".into(), runner, ..Project::default() };
    let registered = kind::in_language(kind::language_of(&project, root));
    let results = if registered.is_some() { "JUnit XML, or what it prints" } else { "JUnit XML" };
    notes.push(format!("tested by `{named}`; results are read from {results}"));
    let (source_roots, test_roots) = registered.map_or_else(|| source_folders(root), |kind| (kind.folders)(root));
    Ok(Project { source_roots, test_roots, ..project })
}

/// Folders of sources and of tests of a project that may have modules: the known layout at the top, or every
/// `src/main/java` and `src/test/java`.
fn source_folders(root: &Utf8Path) -> (Vec<RepoPath>, Vec<RepoPath>) {
    if let Some((project, _)) = layout::plain(root) {
        return (project.source_roots, project.test_roots);
    }
    let folders: Vec<String> = ignore::WalkBuilder::new(root)
        .standard_filters(false)
        .max_depth(Some(8))
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_str()?.to_owned()))
        .collect();
    let ending = |end: &str| {
        let matching = folders.iter().filter(|folder| Utf8Path::new(folder).ends_with(end));
        let mut found: Vec<_> = matching.filter_map(|folder| RepoPath::new(folder).ok()).collect();
        found.sort();
        found
    };
    (ending("src/main/java"), ending("src/test/java"))
}

/// Jars of the project: what the facts name, else all in its folders for jars.
fn jars(root: &Utf8Path, facts: &Facts) -> Vec<Utf8PathBuf> {
    if !facts.class_path.is_empty() {
        return facts.class_path.iter().map(|path| path.under(root)).collect();
    }
    let mut found: Vec<_> = JAR_FOLDERS
        .iter()
        .filter_map(|folder| root.join(folder).read_dir_utf8().ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.into_path()))
        .filter(|path| path.extension() == Some("jar"))
        .collect();
    found.sort();
    found
}

/// Whether the folders of a layout hold a Java file.
pub(super) fn has_java(root: &Utf8Path, project: &Project) -> bool {
    let folders = [project.source_roots.clone(), project.test_roots.clone()].concat();
    !java_files(root, &folders).is_empty()
}

fn java_files(root: &Utf8Path, folders: &[RepoPath]) -> Vec<Utf8PathBuf> {
    let walk = |folder: &RepoPath| ignore::WalkBuilder::new(folder.under(root)).standard_filters(false).build();
    let files = folders.iter().flat_map(walk).flatten();
    let mut found: Vec<_> = files
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter(|path| path.extension() == Some("java"))
        .collect();
    found.sort();
    found
}

/// The test libraries that the tests import.
fn wanted_libraries(files: &[Utf8PathBuf]) -> Vec<Library> {
    let (mut four, mut five) = (false, false);
    for file in files {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(IMPORTS_WITHIN)]).into_owned();
        five |= head.contains("org.junit.jupiter");
        four |= head.replace("org.junit.jupiter", "").contains("org.junit.") || head.contains("junit.framework");
    }
    let mut wanted = Vec::new();
    if four {
        wanted.push(Library::JUnit4);
    }
    if five {
        wanted.push(Library::JUnit5);
    }
    wanted
}
