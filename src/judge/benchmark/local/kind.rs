//! Kinds of projects that the folders of languages know by themselves.

use crate::benchmark::{BenchmarkError, Project, Runner};
use crate::domain::RepoPath;
use crate::language::{self, Java, Language, Python};
use camino::Utf8Path;

/// How projects of a language are recognised and set up, where its own build tools are asked for no more than commands.
pub struct ProjectKind {
    /// The language of its sources.
    pub language: &'static dyn Language,
    /// What a folder holds that is such a project, in words that go on after "nor".
    pub looked_for: &'static str,
    /// Programs that build and test it, where they are there: name, what for, and how they are installed.
    pub programs: &'static [Program],
    /// Whether a folder is such a project, and says how its tests are run.
    pub builds: fn(&Utf8Path) -> bool,
    /// The project in a copy, with the commands of its own build; what a user should know is added to the notes.
    pub set_up: fn(&Utf8Path, &mut Vec<String>) -> Result<Project, BenchmarkError>,
    /// Folders of sources and of tests, where the user gave the commands.
    pub folders: fn(&Utf8Path) -> Folders,
}

/// A program by its name, what it is needed for, and how it is installed.
pub(crate) type Program = (&'static str, &'static str, &'static str);

/// Folders of sources, and folders of tests.
pub(crate) type Folders = (Vec<RepoPath>, Vec<RepoPath>);

inventory::collect!(ProjectKind);

/// All kinds, by the names of their languages.
fn all() -> Vec<&'static ProjectKind> {
    let mut all: Vec<&ProjectKind> = inventory::iter::<ProjectKind>().collect();
    all.sort_by_key(|kind| kind.language.name());
    all
}

/// Programs that projects of all kinds need.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    all().into_iter().flat_map(|kind| kind.programs)
}

/// What projects of all kinds hold, in words that go on after "no test module".
pub(super) fn looked_for() -> String {
    all().into_iter().map(|kind| format!(", nor {}", kind.looked_for)).collect()
}

/// The kind that a folder is.
pub(super) fn of(folder: &Utf8Path) -> Option<&'static ProjectKind> {
    all().into_iter().find(|kind| (kind.builds)(folder))
}

/// The kind of projects in a language.
pub(super) fn in_language(language: &dyn Language) -> Option<&'static ProjectKind> {
    all().into_iter().find(|kind| kind.language.name() == language.name())
}

/// The language of a project whose set-up is done: that of most of its sources, where its own commands run its tests, and
/// Java where no other has more.
pub(in crate::benchmark) fn language_of(project: &Project, root: &Utf8Path) -> &'static dyn Language {
    match project.runner {
        Runner::Jvm => &Java,
        Runner::Pytest => &Python,
        Runner::Command { .. } | Runner::Cases { .. } => {
            let files: Vec<RepoPath> = super::python::walk(root).collect();
            let count = |language: &dyn Language| {
                files
                    .iter()
                    .filter(|path| Utf8Path::new(path.as_str()).extension() == Some(language.extension()))
                    .count()
            };
            let is_java = |language: &dyn Language| language.name() == Java.name();
            let most = language::all().into_iter().max_by_key(|language| (count(*language), is_java(*language)));
            most.unwrap_or(&Java)
        }
    }
}
