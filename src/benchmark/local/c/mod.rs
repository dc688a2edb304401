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
/// Compilers that work at once.
const MOST_COMPILERS: usize = 4;
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
    let built = build.as_ref().map_or(String::new(), |build| format!("built by `{}`, ", build.join(" ")));
    notes.push(format!("C project: {built}tested by `{}`", test.join(" ")));
    Ok(Project {
        source_roots: vec![RepoPath::default()],
        test_roots: test_roots(&files(root), TEST_FOLDERS),
        encoding: "UTF-8".into(),
        runner: Runner::Command { build, test, reports },
        ..Project::default()
    })
}

/// How it is built, if that is a step of its own, and tested; where reports lie.
type Commands = (Option<Vec<String>>, Vec<String>, Vec<RepoPath>);

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
    // Where `make` runs the tests, too, a failing test would look like a failing build.
    let build = (!tests_by_default(&file_text(file), target)).then(|| words(&["make"]));
    // All tests run, whichever fails first.
    Ok((build, words(&["make", "-k", target]), Vec::new()))
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
    // More compilers at once could take more memory than the sandbox gives a build.
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_COMPILERS);
    let build = format!("cmake -S . -B {BUILD} -DCMAKE_BUILD_TYPE=Debug && cmake --build {BUILD} --parallel {cores}");
    // CTest takes the file below the folder that it tests.
    let test = words(&["ctest", "--test-dir", BUILD, "--output-on-failure", "--output-junit", "reports/ctest.xml"]);
    let reports = RepoPath::new(&format!("{BUILD}/reports")).into_iter().collect();
    Ok((Some(words(&["sh", "-c", &build])), test, reports))
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
    let rules = rules(&file_text(file));
    TARGETS.iter().copied().find(|target| rules.iter().any(|(name, _)| name == target))
}

/// Whether `make` without a target makes that one.
fn tests_by_default(makefile: &str, target: &str) -> bool {
    let rules = rules(makefile);
    let first = rules.iter().map(|(name, _)| name.as_str()).find(|name| !name.starts_with('.'));
    let mut reached: Vec<&str> = first.into_iter().collect();
    let mut at = 0;
    while let Some(name) = reached.get(at).copied() {
        let needed = rules.iter().filter(|(known, _)| known == name).flat_map(|(_, needed)| needed);
        let new: Vec<&str> = needed.map(String::as_str).filter(|needed| !reached.contains(needed)).collect();
        reached.extend(new);
        at += 1;
    }
    reached.contains(&target)
}

fn file_text(file: &Utf8Path) -> String {
    std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Targets in their order, each with what it needs.
fn rules(makefile: &str) -> Vec<(String, Vec<String>)> {
    let joined = makefile.replace("\\\n", " ");
    let Ok(rule) = Regex::new(r"(?m)^([A-Za-z.][\w ./-]*?)[ \t]*::?(?:[ \t]+([^=\n]*)|[ \t]*)$") else {
        return Vec::new();
    };
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut found = Vec::new();
    for rule in rule.captures_iter(&joined) {
        let needed =
            rule.get(2).map_or(Vec::new(), |needed| words(needed.as_str().split([';', '#']).next().unwrap_or("")));
        found.extend(words(&rule[1]).into_iter().map(|name| (name, needed.clone())));
    }
    found
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
    fn a_makefile_that_tests_by_default_needs_no_build() {
        for (text, wanted) in [
            ("test: a b\n\t./a\na:\n\tcc a.c\n", true),
            (".PHONY: all test\nall: lib \\\n  more\nmore: test\ntest:\n\t./t\n", true),
            ("-include config.mk\nCFLAGS = -g\nall: lib.a\n\nlib.a: a.o\n\ttest -f a.o\ntest: lib.a\n\t./t\n", false),
        ] {
            assert_eq!(tests_by_default(text, "test"), wanted, "{text}");
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
