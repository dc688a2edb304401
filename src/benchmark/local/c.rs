//! Projects in C: a Makefile with a target for tests, or CMake with CTest.

use super::test_roots;
use crate::benchmark::{BenchmarkError, Project, Runner};
use crate::domain::RepoPath;
use crate::language::{C, Language};
use crate::sandbox::PROGRAM_PATH;
use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;

/// Files that make reads, in its own order.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
/// What CMake reads.
const CMAKE: &str = "CMakeLists.txt";
/// Targets that run tests, the usual one first.
const TARGETS: &[&str] = &["check", "test", "tests"];
/// Folders that hold nothing but tests, by their name.
const TEST_FOLDERS: &[&str] = &["test", "tests", "testing", "t", "unittest", "unittests"];
/// Programs that a project of CMake needs, each with its package.
const PROGRAMS_OF_CMAKE: &[(&str, &str)] = &[("cmake", "cmake"), ("ctest", "cmake"), ("cc", "gcc")];
/// Where CMake builds in a copy, and CTest reports: a name that no project has.
const BUILD: &str = "unidebug-build";
/// Sources deeper than this are not looked for.
const MAX_DEPTH: usize = 8;

/// Whether a folder is a project in C that says how its tests are run.
pub(super) fn builds(folder: &Utf8Path) -> bool {
    (folder.join(CMAKE).is_file() || makefile(folder).is_some()) && !files(folder).is_empty()
}

/// The project, with the commands of its own build.
///
/// # Errors
/// No target runs tests, or a program is missing.
pub(in crate::benchmark) fn set_up(root: &Utf8Path, notes: &mut Vec<String>) -> Result<Project, BenchmarkError> {
    // CTest tells tests apart, a target of make often does not.
    let ctest = || names_tests(root) && PROGRAMS_OF_CMAKE.iter().all(|(program, _)| is_installed(program));
    let (build, test, reports) = match makefile(root) {
        Some(file) if !root.join(CMAKE).is_file() || target(&file).is_some() && !ctest() => by_make(&file)?,
        _ => by_cmake(root)?,
    };
    notes.push(format!("C project: built by `{}`, tested by `{}`", build.join(" "), test.join(" ")));
    Ok(Project {
        source_roots: vec![RepoPath::default()],
        test_roots: test_roots(&files(root), TEST_FOLDERS),
        encoding: "UTF-8".into(),
        runner: Runner::Command { build: Some(build), test, reports },
        ..Project::default()
    })
}

type Commands = (Vec<String>, Vec<String>, Vec<RepoPath>);

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn by_make(file: &Utf8Path) -> Result<Commands, BenchmarkError> {
    needs(&[("make", "make"), ("cc", "gcc")])?;
    let target = target(file).ok_or_else(|| BenchmarkError::Root {
        what: format!("no target of the makefile runs tests ({})", TARGETS.join(", ")),
        path: file.to_owned(),
        hint: "give the target `check` a rule that runs the tests, or name a command with `--test`".into(),
    })?;
    // All tests run, whichever fails first.
    Ok((words(&["make"]), words(&["make", "-k", target]), Vec::new()))
}

fn by_cmake(root: &Utf8Path) -> Result<Commands, BenchmarkError> {
    needs(PROGRAMS_OF_CMAKE)?;
    if !names_tests(root) {
        return Err(BenchmarkError::Root {
            what: format!("{CMAKE} names no tests (`enable_testing`, `add_test`)"),
            path: root.join(CMAKE),
            hint: "add the tests to CTest, or name a command with `--test`".into(),
        });
    }
    let build = format!("cmake -S . -B {BUILD} -DCMAKE_BUILD_TYPE=Debug && cmake --build {BUILD}");
    // CTest takes the file below the folder that it tests.
    let test = words(&["ctest", "--test-dir", BUILD, "--output-on-failure", "--output-junit", "reports/ctest.xml"]);
    let reports = RepoPath::new(&format!("{BUILD}/reports")).into_iter().collect();
    Ok((words(&["sh", "-c", &build]), test, reports))
}

/// Whether CMake is told of tests.
fn names_tests(root: &Utf8Path) -> bool {
    let files = [CMAKE.to_owned()].into_iter().chain(TEST_FOLDERS.iter().map(|folder| format!("{folder}/{CMAKE}")));
    let mut texts = files.filter_map(|file| std::fs::read_to_string(root.join(file)).ok());
    texts.any(|text| text.contains("add_test") || text.contains("enable_testing"))
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':').chain(PROGRAM_PATH.split(':')).any(|folder| Utf8Path::new(folder).join(program).is_file())
}

/// Says which program is missing, and which package brings it.
fn needs(programs: &[(&str, &str)]) -> Result<(), BenchmarkError> {
    let missing = programs.iter().find(|(program, _)| !is_installed(program));
    missing.map_or(Ok(()), |(program, package)| {
        Err(BenchmarkError::Missing {
            what: format!("the project is built by `{program}`, which is not installed"),
            hint: format!("install the package `{package}`, or name other commands with `--build` and `--test`"),
        })
    })
}

fn makefile(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    MAKEFILES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// The target of a makefile that runs tests.
fn target(file: &Utf8Path) -> Option<&'static str> {
    let text = std::fs::read_to_string(file).ok()?;
    let rule = Regex::new(r"(?m)^([A-Za-z][\w .-]*?)\s*::?(?:[^=]|$)").ok()?;
    let known: Vec<&str> = rule
        .captures_iter(&text)
        .filter_map(|found| found.get(1))
        .flat_map(|names| names.as_str().split(' '))
        .collect();
    TARGETS.iter().copied().find(|target| known.contains(target))
}

/// Sources of C below a folder, by their path in it.
fn files(folder: &Utf8Path) -> Vec<RepoPath> {
    let mut walk = ignore::WalkBuilder::new(folder);
    walk.standard_filters(false).hidden(true).max_depth(Some(MAX_DEPTH)).sort_by_file_path(Ord::cmp);
    let entries = walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let paths = entries.filter_map(|entry| RepoPath::new(entry.path().strip_prefix(folder).ok()?.to_str()?).ok());
    paths.filter(|path| C.is_source(path.as_str().into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap().to_owned();
        for (file, text) in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        (temp, root)
    }

    #[test]
    fn a_makefile_names_its_target_of_tests() {
        for (text, wanted) in [
            ("all: a\ncheck: a\n\t./a\n", Some("check")),
            (".PHONY: test\ntest: a\n\t./a\n", Some("test")),
            ("all test: a\n", Some("test")),
            ("check := 3\ntested: a\n", None),
        ] {
            let (_keep, root) = project(&[("Makefile", text), ("a.c", ""), ("tests/test_a.c", "")]);
            assert!(builds(&root));
            assert_eq!(target(&root.join("Makefile")), wanted, "{text}");
        }
    }

    #[test]
    fn tests_are_closed_and_a_makefile_without_tests_is_told() {
        let (_keep, root) = project(&[("Makefile", "check:\n"), ("src/a.c", ""), ("tests/unit/test_a.c", "")]);
        let project_found = set_up(&root, &mut Vec::new()).unwrap();
        let roots: Vec<&str> = project_found.test_roots.iter().map(RepoPath::as_str).collect();
        assert_eq!(roots, ["", "tests"]);
        let (_keep, root) = project(&[("Makefile", "all:\n"), ("a.c", "")]);
        let error = set_up(&root, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("no target") && error.hint().contains("--test"), "{error}");
        let (_keep, root) = project(&[("Makefile", "check:\n"), ("a.py", "")]);
        assert!(!builds(&root));
    }
}
