//! Gradle projects: Gradle itself compiles the private copy once, and an init script of ours asks it for source folders,
//! class paths and the settings of tests.
//!
//! Everything after that is the validator's, without Gradle.

mod answers;
mod complaint;
mod dependencies;
mod describe;
mod distribution;
mod home;
mod invoke;
mod launch;
mod own;

use super::modules::{self, Choice, Module, ModuleOutcome};
use super::reactor::{CompilesAll, Described, Modules};
use super::{BuildFacts, with_names_of};
use crate::benchmark::facts::Facts;
use crate::benchmark::settings::Settings;
use crate::benchmark::{BenchmarkError, History, Reactor};
use crate::domain::{RepoPath, TestStatus};
use answers::ModuleAnswer;
use camino::{Utf8Path, Utf8PathBuf};
use distribution::Distribution;
use invoke::{Gradle, Prepared, Request};
use own::GradleTest;
use std::sync::Arc;

/// Files that say that Gradle builds what lies beside them.
const SETTINGS: &[&str] = &["settings.gradle", "settings.gradle.kts"];
const BUILD_FILES: &[&str] = &["build.gradle", "build.gradle.kts"];
/// The usual folders of tests, below a module's.
const TESTS: &[&str] = &["src/test/java", "src/test/groovy", "src/test/kotlin"];
/// Where a module's reports usually are, below its folder.
const REPORTS: &str = "build/test-results/test";
/// Modules deeper than this are not looked for.
const MAX_DEPTH: usize = 8;

/// Whether Gradle builds a folder.
pub(super) fn builds(folder: &Utf8Path) -> bool {
    SETTINGS.iter().chain(BUILD_FILES).any(|file| folder.join(file).is_file())
}

/// The project that a module's folder belongs to, and the module's path in it; `None` when the folder is no module of a
/// project around it.
pub(super) fn project_of(folder: &Utf8Path) -> Option<(Utf8PathBuf, RepoPath)> {
    let folder = folder.canonicalize_utf8().ok()?;
    let has_settings = |folder: &Utf8Path| SETTINGS.iter().any(|file| folder.join(file).is_file());
    if has_settings(&folder) || !builds(&folder) {
        return None;
    }
    let top = folder.ancestors().skip(1).find(|above| has_settings(above))?;
    Some((top.to_owned(), RepoPath::new(folder.strip_prefix(top).ok()?.as_str()).ok()?))
}

/// Sets up the private copy `root` of the Gradle project in `original`.
///
/// # Errors
/// Gradle is missing; the project does not compile; no module has a failing test.
pub(super) async fn set_up(
    root: &Utf8Path,
    original: &Utf8Path,
    settings: &Settings,
    facts: &Facts,
    notes: &mut Vec<String>,
) -> Result<BuildFacts, BenchmarkError> {
    with_names_of(original, root, async |root| in_copy(root, original, settings, facts, notes).await).await
}

async fn in_copy(
    root: &Utf8Path,
    original: &Utf8Path,
    settings: &Settings,
    facts: &Facts,
    notes: &mut Vec<String>,
) -> Result<BuildFacts, BenchmarkError> {
    let sandbox = settings.sandbox().await?;
    let history = History::of(original, &sandbox);
    let choice = choose(root, facts.module.as_ref(), &settings.failing)?;
    let gradle = Gradle::new(sandbox, facts.java_home.as_deref(), original)?;
    let only = match &choice {
        Choice::One(module) => Some(module.folder.clone()),
        Choice::RunAll => None,
    };
    let is_tested = choice == Choice::RunAll;
    let request = Request { root: root.to_owned(), run_tests: is_tested, only };
    settings.watcher.phase(modules::building("Gradle", is_tested));
    let prepared = gradle.prepare(&request).await?;
    notes.push(prepared.note.clone());
    let all = modules_of(root, &prepared);
    if prepared.build.modules.iter().all(|module| module.test.is_none()) {
        let used = &prepared.build.gradle;
        let other = Distribution::wanted(root).filter(|wanted| wanted.version() != used.as_str());
        return Err(BenchmarkError::Root {
            what: format!("Gradle {used} knows no module in Java with tests"),
            path: root.to_owned(),
            hint: match other {
                Some(wanted) => {
                    let version = wanted.version();
                    format!("the project wants Gradle {version}: run `./gradlew help` once, which fetches it")
                }
                None => "name the folder of a project in Java, or use `--build` and `--test`".into(),
            },
        });
    }
    let module = match choice {
        Choice::One(module) => module,
        Choice::RunAll => {
            let changes = modules::last_changes(history.as_ref()).await;
            let (module, others) = failing_modules(root, (&all, &changes), &prepared)?;
            modules::tell_of(&others, original, notes);
            module
        }
    };
    let unknown = || no_module(&module, &all);
    let nth = all.iter().position(|known| known.folder == module.folder).ok_or_else(unknown)?;
    if all.len() > 1 {
        notes.push(modules::note(root, &all, &module));
    }
    let compiled = prepared.answers.compiled(nth).ok_or_else(unknown)?;
    let project = describe::project(root, &prepared.build, &prepared.build.modules[nth], &compiled, notes);
    let reactor: Option<Arc<dyn Reactor>> = (all.len() > 1).then(|| {
        let modules = GradleModules { gradle: gradle.clone(), root: root.to_owned() };
        Arc::new(Modules::new(modules, &all, &module)) as Arc<dyn Reactor>
    });
    let task = prepared.build.modules[nth].test.clone().unwrap_or_else(|| "test".into());
    let own = GradleTest { gradle, launch: prepared.launch, store: prepared.store, module: module.folder, nth, task };
    Ok(BuildFacts { project, own: Arc::new(own), reactor, is_tested })
}

/// The module of the Gradle project in a user's folder that the bug is likely in, as far as modules lie where they usually
/// do.
pub(super) fn likeliest(folder: &Utf8Path, changes: &[Vec<RepoPath>]) -> Option<RepoPath> {
    modules::likeliest(folder, &look(folder), REPORTS, changes)
}

/// The module of the bug, as far as looking tells: the one that was named or holds the failing test, or the only one with
/// tests.
fn choose(root: &Utf8Path, named: Option<&RepoPath>, failing: &[String]) -> Result<Choice, BenchmarkError> {
    let modules_seen = look(root);
    if let Some(named) = named {
        let is_named = |module: &&Module| module.folder == *named;
        let tests = Vec::new();
        let unseen = || Module { folder: named.clone(), name: named.to_string(), tests };
        return Ok(Choice::One(modules_seen.iter().find(is_named).cloned().unwrap_or_else(unseen)));
    }
    if modules_seen.is_empty() {
        // Its tests lie where only Gradle knows.
        return Ok(Choice::RunAll);
    }
    modules::choose(root, &modules_seen, None, failing)
}

/// Folders that have tests in the usual place, and the top.
fn look(root: &Utf8Path) -> Vec<Module> {
    let mut folders = Vec::new();
    let mut walk = ignore::WalkBuilder::new(root);
    walk.standard_filters(false).max_depth(Some(MAX_DEPTH)).sort_by_file_path(Ord::cmp);
    for entry in walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir())) {
        let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
        // What the build writes, and builds of its own plug-ins, are no modules.
        let is_module = TESTS.iter().any(|tests| path.join(tests).is_dir());
        if is_module && !path.as_str().contains("/buildSrc") && !path.components().any(|c| c.as_str() == "build") {
            folders.extend(describe::inside(root, path));
        }
    }
    let module = |folder: RepoPath| Module {
        name: if folder.as_str().is_empty() { "the top".into() } else { folder.to_string() },
        tests: TESTS.iter().filter_map(|tests| folder.join(tests).ok()).collect(),
        folder,
    };
    folders.into_iter().map(module).collect()
}

/// All modules, as Gradle tells them.
fn modules_of(root: &Utf8Path, prepared: &Prepared) -> Vec<Module> {
    let module = |answer: &ModuleAnswer| Module {
        folder: describe::inside(root, &answer.folder).unwrap_or_default(),
        name: answer.name.clone(),
        tests: describe::tests(root, answer),
    };
    prepared.build.modules.iter().map(module).collect()
}

/// The module with a failing test, and the others; where none has, those whose tests were cut or left no report.
fn failing_modules(
    root: &Utf8Path,
    (all, changes): (&[Module], &[Vec<RepoPath>]),
    prepared: &Prepared,
) -> Result<(Module, Vec<Module>), BenchmarkError> {
    let ran = |module: &Module| {
        let nth = all.iter().position(|known| known == module)?;
        prepared.answers.compiled(nth)?;
        let results = super::own::merged(std::iter::once(prepared.answers.results(nth)));
        let failed = results.values().any(|result| matches!(result.status, TestStatus::Failed | TestStatus::TimedOut));
        Some(match results.is_empty() {
            true => ModuleOutcome::Silent,
            false if failed => ModuleOutcome::Failed,
            false => ModuleOutcome::Passed,
        })
    };
    modules::those_that_fail(root, (all, changes), ran, prepared.left_out.as_deref(), "gradle test")
}

fn no_module(module: &Module, all: &[Module]) -> BenchmarkError {
    let known = all.iter().map(Module::label).collect::<Vec<_>>().join(", ");
    BenchmarkError::Setup {
        what: format!("Gradle did not describe a module with tests in `{}`", module.label()),
        hint: format!("modules in Java: {known}; see what `gradle projects` says"),
    }
}

/// All modules of a Gradle project, compiled and described.
#[derive(Debug)]
struct GradleModules {
    gradle: Gradle,
    root: Utf8PathBuf,
}

#[async_trait::async_trait]
impl CompilesAll for GradleModules {
    async fn compile_all(&self) -> Result<Vec<Described>, BenchmarkError> {
        let request = Request { root: self.root.clone(), only: None, run_tests: false };
        let prepared = self.gradle.prepare(&request).await?;
        tracing::info!("all modules: {}", prepared.note);
        let mut found = Vec::new();
        for (nth, module) in prepared.build.modules.iter().enumerate() {
            let Some(compiled) = prepared.answers.compiled(nth) else { continue };
            found.push(Described {
                folder: describe::inside(&self.root, &module.folder).unwrap_or_default(),
                outputs: describe::outputs(&self.root, module),
                project: describe::project(&self.root, &prepared.build, module, &compiled, &mut Vec::new()),
            });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn project(files: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        for path in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "").unwrap();
        }
        (temp, root)
    }

    #[test]
    fn the_module_is_found_by_looking() {
        let (_keep, root) = project(&[
            "settings.gradle",
            "core/src/test/java/a/CoreTest.java",
            "app/src/test/groovy/a/AppSpec.groovy",
            "app/build/src/test/java/a/CopyTest.java",
        ]);
        let chosen = |failing: &[String]| choose(&root, None, failing).unwrap();
        let folder = |choice: Choice| match choice {
            Choice::One(module) => module.folder.to_string(),
            Choice::RunAll => "all".into(),
        };
        assert_eq!(folder(chosen(&[])), "all");
        assert_eq!(folder(chosen(&["AppSpec".into()])), "app");
        assert_eq!(folder(choose(&root, Some(&RepoPath::new("odd").unwrap()), &[]).unwrap()), "odd");
        let changed = [vec![RepoPath::new("core/src/main/java/a/Core.java").unwrap()]];
        assert_eq!(likeliest(&root, &changed).unwrap().as_str(), "core");
    }

    #[test]
    fn a_modules_folder_leads_to_the_whole_project() {
        let (_keep, root) = project(&["settings.gradle.kts", "a/core/build.gradle", "other/readme"]);
        let found = project_of(&root.join("a/core")).unwrap();
        assert_eq!((found.0, found.1.as_str()), (root.clone(), "a/core"));
        assert_eq!(project_of(&root), None);
        assert_eq!(project_of(&root.join("other")), None);
    }
}
