//! Projects whose tests pytest or unittest runs.

use super::test_roots;
use crate::benchmark::{Project, Runner, python};
use crate::domain::RepoPath;
use crate::language::{Language, Python};
use camino::Utf8Path;

/// Tests deeper than this are not looked for.
const MAX_DEPTH: usize = 8;
/// Folders that hold nothing but tests, by their name.
const TEST_FOLDERS: &[&str] = &["tests", "test", "testing"];

/// Whether a folder holds a test module, and a module that it may test: a lone script that is named as a test may build and
/// test something else.
pub(super) fn has_tests(folder: &Utf8Path) -> bool {
    let (files, named) = (files(folder), python::test_modules(folder));
    let is_test = |path: &RepoPath| is_test(path) || named.is_match(path.file_name());
    files.iter().any(is_test) && !files.iter().all(is_test)
}

/// Whether one of these folders of a project holds a module.
pub(super) fn is_in(folders: &[RepoPath], project: &Utf8Path) -> bool {
    folders.iter().any(|folder| !files(&folder.under(project)).is_empty())
}

/// A project of Python: sources in `src` where there are some, else anywhere; tests in folders of that name, and
/// wherever a module is named as one, by custom or by the project's settings.
pub(in crate::benchmark) fn set_up(root: &Utf8Path, original: &Utf8Path, notes: &mut Vec<String>) -> Project {
    let src = RepoPath::new("src").ok().filter(|src| files(&src.under(root)).iter().any(|path| !is_test(path)));
    let place = src.as_ref().map_or("anywhere", |_| "in src");
    let runner = match python::wants(root) {
        python::Wants::Pytest => "pytest",
        python::Wants::Either => "pytest, or unittest where there is none",
    };
    notes.push(format!("Python project: {runner}; sources {place}, tests where it looks for them"));
    let all = files(root);
    let named = python::test_modules(root);
    let mut test_roots = test_roots(&all, TEST_FOLDERS);
    // Nobody else knows that these are tests: each is a root of its own.
    test_roots
        .extend(all.into_iter().filter(|path| named.is_match(path.file_name()) && !Python.is_test_name(path.stem())));
    Project {
        // Modules in `src` are imported without its name, as if the project were installed.
        resources: src.iter().cloned().collect(),
        source_roots: vec![src.unwrap_or_default()],
        test_roots,
        python: python::of_project(original),
        runner: Runner::Pytest,
        ..Project::default()
    }
}

fn is_test(path: &RepoPath) -> bool {
    let stem = path.stem();
    stem != "conftest" && Python.is_test_name(stem)
}

/// Python files below a folder, by their path in it.
fn files(folder: &Utf8Path) -> Vec<RepoPath> {
    walk(folder).filter(|path| Python.is_source(path.as_str().into())).collect()
}

/// Files of a project, without environments and packages of others.
pub(super) fn walk(folder: &Utf8Path) -> impl Iterator<Item = RepoPath> + use<> {
    let mut walk = ignore::WalkBuilder::new(folder);
    walk.standard_filters(false).hidden(true).max_depth(Some(MAX_DEPTH)).sort_by_file_path(Ord::cmp);
    walk.filter_entry(|entry| {
        !entry.path().join("pyvenv.cfg").is_file()
            && entry.file_name() != "node_modules"
            && entry.file_name() != "site-packages"
    });
    let folder = folder.to_owned();
    let files = walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.filter_map(move |entry| RepoPath::new(entry.path().strip_prefix(&folder).ok()?.to_str()?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[&str]) -> (tempfile::TempDir, Project) {
        let temp = tempfile::tempdir().unwrap();
        for file in files {
            let path = temp.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let root = Utf8Path::from_path(temp.path()).unwrap().to_owned();
        let project = set_up(&root, &root, &mut Vec::new());
        (temp, project)
    }

    fn roots(project: &Project) -> (Vec<&str>, Vec<&str>) {
        (
            project.source_roots.iter().map(RepoPath::as_str).collect(),
            project.test_roots.iter().map(RepoPath::as_str).collect(),
        )
    }

    #[test]
    fn layouts_are_found_by_looking() {
        let (_keep, flat) = project(&["cart.py", "test_cart.py"]);
        assert_eq!(roots(&flat), (vec![""], vec![""]));
        let (_keep, with_src) = project(&["src/shop/cart.py", "tests/unit/test_cart.py", "src/shop/tests/test_x.py"]);
        assert_eq!(roots(&with_src), (vec!["src"], vec!["", "src/shop/tests", "tests"]));
    }

    #[test]
    fn a_lone_script_that_is_named_as_a_test_makes_no_project() {
        let (keep, _) = project(&["src/vec.c", "test/build_test.py"]);
        let root = Utf8Path::from_path(keep.path()).unwrap();
        assert!(!has_tests(root));
        std::fs::write(root.join("setup.py"), "").unwrap();
        assert!(has_tests(root), "it builds something");
    }

    #[test]
    fn modules_that_the_settings_of_pytest_name_are_tests() {
        let (keep, _) = project(&["cart.py", "check_cart.py"]);
        let root = Utf8Path::from_path(keep.path()).unwrap();
        assert!(!has_tests(root));
        std::fs::write(root.join("pytest.ini"), "[pytest]\npython_files = check_*.py\n").unwrap();
        assert!(has_tests(root));
        let project = set_up(root, root, &mut Vec::new());
        assert_eq!(roots(&project), (vec![""], vec!["", "check_cart.py"]));
        let is_test = |path| {
            let path = RepoPath::new(path).unwrap();
            crate::language::is_test(&path, &project.source_roots, &project.test_roots, &Python)
        };
        assert!(is_test("check_cart.py") && !is_test("cart.py"));
    }

    #[test]
    fn environments_and_hidden_folders_are_no_part_of_it() {
        let (keep, _) = project(&["env/pyvenv.cfg", "env/lib/test_them.py", ".tox/test_x.py", "cart.py"]);
        let root = Utf8Path::from_path(keep.path()).unwrap();
        assert!(!has_tests(root));
        for name in ["cart_test.py", "test.py"] {
            std::fs::write(root.join(name), "").unwrap();
            assert!(has_tests(root), "{name}");
            std::fs::remove_file(root.join(name)).unwrap();
        }
    }
}
