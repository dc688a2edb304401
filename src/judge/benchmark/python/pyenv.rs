//! Which interpreters pyenv would start: those that somebody chose, before the others.

use camino::{Utf8Path, Utf8PathBuf};
use std::cmp::Reverse;

/// The folder of a pyenv, if there is one.
pub(super) fn root() -> Option<Utf8PathBuf> {
    let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let root = variable("PYENV_ROOT").or_else(|| variable("HOME").map(|home| format!("{home}/.pyenv")))?;
    Some(Utf8PathBuf::from(root)).filter(|root| root.is_dir())
}

/// The interpreters that `python3` means for a project, the first choice first: by `of_shell` (`$PYENV_VERSION`), by
/// `.python-version` in the project's folder, by the version for all.
pub(super) fn chosen(root: &Utf8Path, project: &Utf8Path, of_shell: Option<String>) -> Vec<Utf8PathBuf> {
    let of_shell = of_shell.map(|text| text.replace(':', "\n"));
    let of_project = || read(&project.join(".python-version"));
    let text = of_shell.filter(|text| !text.is_empty()).or_else(of_project).or_else(|| read(&root.join("version")));
    let text = text.unwrap_or_default();
    let names = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    // A version may be named in part, and the newest of that name is meant; a name is no way to another folder.
    let is_name = |name: &&str| !name.is_empty() && !name.contains('/') && *name != "..";
    let meant = |name: &str| {
        let of_name =
            |folder: &str| folder == name || folder.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        versions(root).into_iter().find(|(folder, _)| of_name(folder)).map(|(_, program)| program)
    };
    names.filter(is_name).filter_map(meant).collect()
}

/// All interpreters of a pyenv, the newest first.
pub(super) fn all(root: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    versions(root).into_iter().map(|(_, program)| program)
}

/// The folders of versions with their interpreters, the newest first; environments, which have names, last.
fn versions(root: &Utf8Path) -> Vec<(String, Utf8PathBuf)> {
    let entries = root.join("versions").read_dir_utf8().into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .map(|entry| (entry.file_name().to_owned(), entry.path().join("bin/python3")))
        .filter(|(_, program)| program.is_file())
        .collect();
    let numbers = |name: &str| -> Vec<u32> { name.split('.').map_while(|part| part.parse().ok()).collect() };
    found.sort_by_cached_key(|(name, _)| (Reverse(numbers(name)), name.clone()));
    found
}

fn read(file: &Utf8Path) -> Option<String> {
    std::fs::read_to_string(file).ok().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pyenv(versions: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().join("pyenv")).unwrap();
        for version in versions {
            let bin = root.join("versions").join(version).join("bin");
            std::fs::create_dir_all(&bin).unwrap();
            std::fs::write(bin.join("python3"), "").unwrap();
        }
        (folder, root)
    }

    fn names(programs: impl IntoIterator<Item = Utf8PathBuf>) -> Vec<String> {
        let name = |program: Utf8PathBuf| program.components().rev().nth(2).unwrap().to_string();
        programs.into_iter().map(name).collect()
    }

    #[test]
    fn newer_versions_come_first() {
        let (_folder, root) = pyenv(&["3.9.18", "3.13.0", "3.6.15", "shop", "3.13.1"]);
        assert_eq!(names(all(&root)), ["3.13.1", "3.13.0", "3.9.18", "3.6.15", "shop"]);
    }

    #[test]
    fn the_projects_choice_comes_before_the_one_for_all() {
        let (folder, root) = pyenv(&["3.9.18", "3.13.0", "3.13.1", "shop"]);
        let project = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        std::fs::write(root.join("version"), "3.13.0\n").unwrap();
        assert_eq!(names(chosen(&root, &project, None)), ["3.13.0"]);
        let choose = |text: &str| std::fs::write(project.join(".python-version"), text).unwrap();
        choose("shop # of its own\n3.13\n../3.9.18\n2.7\n");
        assert_eq!(names(chosen(&root, &project, None)), ["shop", "3.13.1"]);
        choose("\n");
        assert_eq!(names(chosen(&root, &project, None)), ["3.13.0"], "an empty file chooses nothing");
        assert_eq!(names(chosen(&root, &project, Some("3.9:shop".into()))), ["3.9.18", "shop"]);
    }
}
