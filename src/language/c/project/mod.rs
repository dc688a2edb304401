//! Projects in C: CMake with CTest, Meson, a Makefile with a target for tests, or the GNU build system.

mod autotools;
mod cmake;
mod make;
mod meson;

use crate::C;
use camino::Utf8Path;
use unidebug_base::domain::RepoPath;
use unidebug_base::language::Language;
use unidebug_judge::benchmark::{BenchmarkError, Project, ProjectKind, Runner, test_roots};
use unidebug_sandbox::PROGRAM_PATH;

/// Folders that hold nothing but tests, by their name.
const TEST_FOLDERS: &[&str] = &["test", "tests", "testing", "t", "unittest", "unittests"];
/// Where CMake and Meson build in a copy: a name that no project has.
const BUILD: &str = "unidebug-build";
/// Compilers that work at once: more could take more memory than the sandbox gives a build.
const MOST_COMPILERS: usize = 4;
/// Sources deeper than this are not looked for.
const MAX_DEPTH: usize = 8;

/// How a project is built, if that is a step of its own, and tested; where reports lie.
type Commands = (Option<Vec<String>>, Vec<String>, Vec<RepoPath>);

inventory::submit! {
    ProjectKind {
        language: &C,
        looked_for: "a Makefile, CMakeLists.txt, meson.build or configure.ac beside sources in C",
        programs: &[
            ("gcc", "projects in C, and what their tests execute", "apt-get install gcc"),
            ("make", "projects in C with a makefile", "apt-get install make"),
            ("ctest", "projects in C with CMake", "apt-get install cmake"),
            ("meson", "projects in C with Meson", "apt-get install meson"),
            ("automake", "projects in C whose `configure` is not there yet", "apt-get install automake"),
        ],
        builds,
        set_up,
        folders,
    }
}

/// Whether a folder is a project in C that says how its tests are run.
fn builds(folder: &Utf8Path) -> bool {
    let described = [cmake::FILE, meson::FILE].iter().any(|file| folder.join(file).is_file());
    (described || make::makefile(folder).is_some() || autotools::describes(folder)) && !files(folder).is_empty()
}

/// The project, with the commands of its own build.
///
/// # Errors
/// No target runs tests, or a program is missing.
fn set_up(root: &Utf8Path, notes: &mut Vec<String>) -> Result<Project, BenchmarkError> {
    let (build, test, reports) = commands(root)?;
    let built = build.as_ref().map_or(String::new(), |build| format!("built by `{}`, ", build.join(" ")));
    notes.push(format!("C project: {built}tested by `{}`", test.join(" ")));
    let (source_roots, test_roots) = folders(root);
    Ok(Project {
        source_roots,
        test_roots,
        encoding: "UTF-8".into(),
        runner: Runner::Command { build, test, reports },
        ..Project::default()
    })
}

/// Where sources and tests lie: sources anywhere, tests in folders of that name.
fn folders(root: &Utf8Path) -> (Vec<RepoPath>, Vec<RepoPath>) {
    (vec![RepoPath::default()], test_roots(&files(root), TEST_FOLDERS))
}

/// CTest and Meson tell tests apart, a target of make often does not: they go first where they are installed.
fn commands(root: &Utf8Path) -> Result<Commands, BenchmarkError> {
    let all_installed = |programs: &[(&str, &str)]| programs.iter().all(|(program, _)| is_installed(program));
    if cmake::names_tests(root) && all_installed(cmake::PROGRAMS) {
        return cmake::commands(root);
    }
    if meson::names_tests(root) && all_installed(meson::PROGRAMS) {
        return meson::commands(root);
    }
    let makefile = make::makefile(root);
    if let Some(file) = makefile.as_ref().filter(|file| make::target(file).is_some()) {
        return make::commands(file);
    }
    if autotools::describes(root) {
        return autotools::commands(root);
    }
    // What is missing is said of the tool that has tests, or else of the one that there is.
    match makefile {
        _ if cmake::names_tests(root) => cmake::commands(root),
        _ if meson::names_tests(root) => meson::commands(root),
        Some(file) if !root.join(cmake::FILE).is_file() => make::commands(&file),
        _ if root.join(cmake::FILE).is_file() => cmake::commands(root),
        _ => meson::commands(root),
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Compilers that may work at once here.
fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_COMPILERS)
}

/// Whether a file of that name, in the root or a folder of tests, holds one of these words.
fn texts_hold(root: &Utf8Path, file: &str, wanted: &[&str]) -> bool {
    let folders = std::iter::once("").chain(TEST_FOLDERS.iter().copied());
    let mut texts = folders.filter_map(|folder| std::fs::read_to_string(root.join(folder).join(file)).ok());
    texts.any(|text| wanted.iter().any(|word| text.contains(word)))
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
    use camino::Utf8PathBuf;

    pub(super) fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Utf8PathBuf) {
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

    #[test]
    fn a_tool_without_tests_says_so_with_what_to_do() {
        for (file, text) in [("CMakeLists.txt", "project(a C)\n"), ("meson.build", "project('a', 'c')\n")] {
            let (_keep, root) = project(&[(file, text), ("a.c", "")]);
            assert!(builds(&root), "{file}");
            let error = set_up(&root, &mut Vec::new()).unwrap_err();
            let missing = error.to_string().contains("not installed");
            assert!(missing || error.to_string().contains(&format!("{file} names no tests")), "{error}");
            assert!(error.hint().contains("--test"), "{}", error.hint());
        }
    }

    #[test]
    fn a_project_of_the_gnu_build_system_is_configured_once() {
        let (_keep, root) = project(&[("configure.ac", "AC_INIT\n"), ("Makefile.am", "check:\n"), ("a.c", "")]);
        assert!(builds(&root));
        let Ok((build, test, _)) = commands(&root) else { return eprintln!("passed over: no automake here") };
        assert!(build.unwrap()[2].starts_with("{ test -f Makefile || {"));
        assert_eq!(test, words(&["make", "-k", "check", "VERBOSE=1"]));
    }
}
