//! CMake: tests that it names to CTest.

use super::{BUILD, Commands, jobs, needs, texts_hold, words};
use camino::Utf8Path;
use unidebug_base::domain::RepoPath;
use unidebug_judge::benchmark::BenchmarkError;

/// What CMake reads.
pub(super) const FILE: &str = "CMakeLists.txt";
/// Programs that it needs, each with its package.
pub(super) const PROGRAMS: &[(&str, &str)] = &[("cmake", "cmake"), ("ctest", "cmake"), ("cc", "gcc")];

/// The commands of a project of CMake.
///
/// # Errors
/// It names no tests, or a program is missing.
pub(super) fn commands(root: &Utf8Path) -> Result<Commands, BenchmarkError> {
    needs(PROGRAMS)?;
    if !names_tests(root) {
        return Err(BenchmarkError::Root {
            what: format!("{FILE} names no tests (`enable_testing`, `add_test`)"),
            path: root.join(FILE),
            hint: "add the tests to CTest, or name a command with `--test`".into(),
        });
    }
    let jobs = jobs();
    let build = format!("cmake -S . -B {BUILD} -DCMAKE_BUILD_TYPE=Debug && cmake --build {BUILD} --parallel {jobs}");
    // CTest takes the file below the folder that it tests.
    let test = words(&["ctest", "--test-dir", BUILD, "--output-on-failure", "--output-junit", "reports/ctest.xml"]);
    let reports = RepoPath::new(&format!("{BUILD}/reports")).into_iter().collect();
    Ok((Some(words(&["sh", "-c", &build])), test, reports))
}

/// Whether CMake is told of tests.
pub(super) fn names_tests(root: &Utf8Path) -> bool {
    texts_hold(root, FILE, &["add_test", "enable_testing"])
}
