//! Maven projects: Maven itself compiles the private copy once and says which class path and settings it uses.
//!
//! Everything after that is the validator's, without Maven. Checkers that only judge style are skipped; a plugin that
//! refuses this Maven is left out; where that does not help, the goals that compile are called directly.

mod cache;
mod complaint;
mod extension;
mod fetch;
mod invoke;
mod memory;
mod modules;
mod options;
mod own;
mod reactor;
mod request;
mod settings;
mod user;

use crate::benchmark::copy::io_error;
use crate::benchmark::facts::Facts;
use crate::benchmark::local::modules::{self as shared, Choice, Module};
use crate::benchmark::local::reactor::Modules;
use crate::benchmark::local::{BuildFacts, with_names_of};
use crate::benchmark::settings::Settings;
use crate::benchmark::xml::Element;
use crate::benchmark::{BenchmarkError, History, Project, Reactor};
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};
pub(super) use fetch::users_repositories;
use invoke::Maven;
use own::MavenTest;
use reactor::MavenModules;
use request::{Request, Run};
use std::fs;
use std::sync::Arc;

/// Sets up the private copy `root` of the Maven project in `original`.
///
/// # Errors
/// Maven is missing; the folder is a module of a larger project; the project does not compile; no module has tests.
pub(super) async fn set_up(
    root: &Utf8Path,
    original: &Utf8Path,
    settings: &Settings,
    facts: &Facts,
    notes: &mut Vec<String>,
) -> Result<BuildFacts, BenchmarkError> {
    with_names_of(original, root, async |root| in_copy(root, original, (settings, facts), notes).await).await
}

async fn in_copy(
    root: &Utf8Path,
    original: &Utf8Path,
    (settings, facts): (&Settings, &Facts),
    notes: &mut Vec<String>,
) -> Result<BuildFacts, BenchmarkError> {
    let all = modules::read(root)?;
    let choice = shared::choose(root, &all, facts.module.as_ref(), &settings.failing)?;
    let maven = Maven::find(settings.sandbox().await?, facts.java_home.as_deref(), Some(original))?;
    if !settings.trust_build {
        notes.extend(options::leave_out(root)?);
    }
    let is_tested = choice == Choice::RunAll;
    settings.watcher.phase(shared::building("Maven", is_tested));
    let (module, prepared) = match choice {
        Choice::One(module) => {
            let only = (all.len() > 1).then(|| module.folder.clone());
            (module, maven.prepare(&Request { root: root.to_owned(), only, tests: Run::Nothing }).await?)
        }
        Choice::RunAll => {
            let prepared = maven.prepare(&Request { root: root.to_owned(), only: None, tests: Run::All }).await?;
            let changes = shared::last_changes(History::of(original, &maven.sandbox).as_ref()).await;
            let (module, others) = failing_modules(root, (&all, &changes), prepared.left_out.as_deref())?;
            shared::tell_of(&others, original, notes);
            (module, prepared)
        }
    };
    notes.push(prepared.note);
    if all.len() > 1 {
        notes.push(shared::note(root, &all, &module));
    }
    let project = describe(root, &all, &module, notes)?;
    remove_traces(root, &all);
    let reactor: Option<Arc<dyn Reactor>> = (all.len() > 1).then(|| {
        let modules = MavenModules { maven: maven.clone(), root: root.to_owned(), all: all.clone() };
        Arc::new(Modules::new(modules, &all, &module)) as Arc<dyn Reactor>
    });
    let own = MavenTest {
        maven,
        store: prepared.store,
        invocation: prepared.invocation,
        module: module.folder.clone(),
        is_one_of_many: all.len() > 1,
    };
    Ok(BuildFacts { project, own: Arc::new(own), reactor, is_tested })
}

/// The module whose tests fail by surefire's reports, and the others. One that does not compile has no class path, and no
/// tests that could fail by running.
fn failing_modules(
    root: &Utf8Path,
    modules: (&[Module], &[Vec<RepoPath>]),
    left_out: Option<&str>,
) -> Result<(Module, Vec<Module>), BenchmarkError> {
    let ran = |module: &Module| {
        let folder = module.folder.under(root);
        folder
            .join(request::CLASS_PATH)
            .is_file()
            .then(|| shared::ModuleOutcome::by_reports(&folder.join(own::REPORTS)))
    };
    shared::those_that_fail(root, modules, ran, left_out, "mvn test")
}

/// The module of the Maven project in a user's folder that the bug is likely in.
pub(super) fn likeliest(folder: &Utf8Path, changes: &[Vec<RepoPath>]) -> Option<RepoPath> {
    shared::likeliest(folder, &modules::read(folder).ok()?, own::REPORTS, changes)
}

/// The project that a module's folder belongs to, and the module's path in it; `None` when the folder is no module of a
/// project around it.
pub(super) fn project_of(folder: &Utf8Path) -> Option<(Utf8PathBuf, RepoPath)> {
    let folder = folder.canonicalize_utf8().ok()?;
    let mut top = folder.clone();
    for above in folder.ancestors().skip(1) {
        let Ok(text) = fs::read(above.join("pom.xml")) else { continue };
        let pom = Element::parse(&String::from_utf8_lossy(&text));
        let lists = |below: &Utf8Path| {
            let inside = below.strip_prefix(above).ok();
            let project = pom.child("project");
            project.is_some_and(|pom| modules::listed(pom).any(|module| Some(module) == inside.map(Utf8Path::as_str)))
        };
        if !lists(&top) {
            break;
        }
        top = above.to_owned();
    }
    let module = folder.strip_prefix(&top).ok()?;
    (top != folder).then(|| RepoPath::new(module.as_str()).ok().map(|module| (top.clone(), module)))?
}

/// Reads what Maven left behind into a project.
fn describe(
    root: &Utf8Path,
    all: &[Module],
    module: &Module,
    notes: &mut Vec<String>,
) -> Result<Project, BenchmarkError> {
    let poms = effective_poms(root)?;
    let unknown = || BenchmarkError::Setup {
        what: format!("Maven did not describe the module `{}`", module.label()),
        hint: "see whether `mvn validate` works in the project".into(),
    };
    let places: Vec<(&Module, Places)> = all
        .iter()
        .filter_map(|module| Some((module, Places::of(root, module, find_pom(&poms, &module.name)?))))
        .collect();
    let (_, own) = places.iter().find(|(known, _)| *known == module).ok_or_else(unknown)?;
    let mut project = Project { module: module.folder.clone(), ..Project::default() };
    project.test_roots.extend(own.tests.iter().cloned());
    project.compiled_tests.push(own.test_output.clone());
    own.add_product(&mut project);
    for entry in class_path(root, module)? {
        add_entry(root, entry, &places, &mut project, notes);
    }
    let pom = find_pom(&poms, &module.name).ok_or_else(unknown)?;
    for entry in settings::added_class_path(pom) {
        add_named(root, module.folder.under(root).join(entry), &mut project);
    }
    let folder = module.folder.under(root);
    project.working_directory = settings::working_directory(pom)
        .and_then(|named| inside(root, &folder.join(named)))
        .filter(|named| *named != module.folder);
    settings::apply(pom, &mut project, notes);
    notes.push(format!(
        "class path of {} entries, {}, {}",
        project.class_path.len(),
        settings::level(&project),
        project.encoding
    ));
    Ok(project)
}

/// Adds an entry of the class path: what a module of the project makes, or a library.
fn add_entry(
    root: &Utf8Path,
    entry: Utf8PathBuf,
    places: &[(&Module, Places)],
    project: &mut Project,
    notes: &mut Vec<String>,
) {
    let maker = |made: fn(&Places) -> &RepoPath| {
        places.iter().map(|(_, places)| places).find(|places| made(places).under(root) == entry)
    };
    if let Some(sibling) = maker(|places| &places.output) {
        sibling.add_product(project);
    } else if let Some(sibling) = maker(|places| &places.test_output) {
        project.test_roots.extend(sibling.tests.iter().cloned());
        project.compiled_helpers.push(sibling.test_output.clone());
    } else if entry.exists() {
        project.class_path.push(entry);
    } else {
        notes.push(format!("left out of the class path, because it does not exist: {entry}"));
    }
}

/// Adds an entry that the settings of the tests name: a folder of classes, or a library.
fn add_named(root: &Utf8Path, entry: Utf8PathBuf, project: &mut Project) {
    match inside(root, &entry).filter(|_| !entry.is_file()) {
        Some(folder) => project.compiled.push(folder),
        None => project.class_path.push(entry),
    }
}

/// Folders of a module, relative to the project.
struct Places {
    sources: Vec<RepoPath>,
    tests: Vec<RepoPath>,
    output: RepoPath,
    test_output: RepoPath,
}

impl Places {
    fn of(root: &Utf8Path, module: &Module, pom: &Element) -> Self {
        let folder = module.folder.under(root);
        let build = |name: &str, usual: &str| {
            let named = pom.child("build").and_then(|build| build.child_text(name));
            let full = named.map_or_else(|| folder.join(usual), |text| folder.join(text));
            inside(root, &full).unwrap_or_default()
        };
        let existing = |main: RepoPath, goal: &str, others: Vec<String>| {
            let more = settings::added_sources(pom, goal).into_iter().chain(others);
            let more = more.filter_map(|text| inside(root, &folder.join(text)));
            [main].into_iter().chain(more).filter(|path| path.under(root).is_dir()).collect()
        };
        Self {
            sources: existing(
                build("sourceDirectory", "src/main/java"),
                "add-source",
                settings::versioned_sources(pom),
            ),
            tests: existing(
                build("testSourceDirectory", "src/test/java"),
                "add-test-source",
                modules::OTHER_TESTS.map(str::to_owned).to_vec(),
            ),
            output: build("outputDirectory", "target/classes"),
            test_output: build("testOutputDirectory", "target/test-classes"),
        }
    }

    fn add_product(&self, project: &mut Project) {
        project.source_roots.extend(self.sources.iter().cloned());
        project.compiled.push(self.output.clone());
    }
}

/// The path of a file of the project, relative to it.
fn inside(root: &Utf8Path, full: &Utf8Path) -> Option<RepoPath> {
    RepoPath::new(full.strip_prefix(root).ok()?.as_str()).ok()
}

/// The effective poms of all modules that took part.
fn effective_poms(root: &Utf8Path) -> Result<Vec<Element>, BenchmarkError> {
    let path = root.join(request::EFFECTIVE_POM);
    let bytes = fs::read(&path).map_err(|source| io_error("cannot read what Maven wrote", &path, source))?;
    let mut document = Element::parse(&String::from_utf8_lossy(&bytes));
    let children = document.children.drain(..);
    Ok(children.flat_map(|top| if top.name == "projects" { top.children } else { vec![top] }).collect())
}

fn find_pom<'a>(poms: &'a [Element], artifact: &str) -> Option<&'a Element> {
    poms.iter().find(|pom| pom.child_text("artifactId") == Some(artifact))
}

/// The class path Maven found for the tests of a module, without the module's own classes.
fn class_path(root: &Utf8Path, module: &Module) -> Result<Vec<Utf8PathBuf>, BenchmarkError> {
    let path = module.folder.under(root).join(request::CLASS_PATH);
    let text = fs::read_to_string(&path).map_err(|source| io_error("cannot read what Maven wrote", &path, source))?;
    Ok(text.trim().split(':').filter(|entry| !entry.is_empty()).map(Utf8PathBuf::from).collect())
}

/// What Maven wrote for us is no part of the project.
fn remove_traces(root: &Utf8Path, all: &[Module]) {
    for module in all {
        // Left behind it is only untidy, so a failure is no error.
        let _ = fs::remove_dir_all(module.folder.under(root).join(request::TRACES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tests_are_told_of_is_a_folder_of_classes_or_a_library() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs::create_dir_all(root.join("target/versions/11")).unwrap();
        fs::write(root.join("templates.jar"), "").unwrap();
        let mut project = Project::default();
        for named in ["target/versions/11", "templates.jar", "/opt/tools.jar"] {
            add_named(root, root.join(named), &mut project);
        }
        assert_eq!(project.compiled, [RepoPath::new("target/versions/11").unwrap()]);
        assert_eq!(project.class_path, [root.join("templates.jar"), "/opt/tools.jar".into()]);
    }
}
