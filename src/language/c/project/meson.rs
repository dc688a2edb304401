//! Meson: tests that it is told of.

use super::{BUILD, Commands, needs, texts_hold, words};
use camino::Utf8Path;
use unidebug_base::domain::RepoPath;
use unidebug_judge::benchmark::BenchmarkError;

/// What Meson reads.
pub(super) const FILE: &str = "meson.build";
/// Programs that it needs, each with its package.
pub(super) const PROGRAMS: &[(&str, &str)] = &[("meson", "meson"), ("ninja", "ninja-build"), ("cc", "gcc")];

/// The commands of a project of Meson.
///
/// # Errors
/// It names no tests, or a program is missing.
pub(super) fn commands(root: &Utf8Path) -> Result<Commands, BenchmarkError> {
    needs(PROGRAMS)?;
    if !names_tests(root) {
        return Err(BenchmarkError::Root {
            what: format!("{FILE} names no tests (`test`)"),
            path: root.join(FILE),
            hint: "add the tests to Meson, or name a command with `--test`".into(),
        });
    }
    // Parts that it would download are left out: the sandbox has no network.
    let build = format!("meson setup {BUILD} --wrap-mode=nodownload && ninja -C {BUILD} -j {}", super::jobs());
    let test = words(&["meson", "test", "-C", BUILD, "--no-rebuild"]);
    let reports = RepoPath::new(&format!("{BUILD}/meson-logs")).into_iter().collect();
    Ok((Some(words(&["sh", "-c", &build])), test, reports))
}

/// Whether Meson is told of tests.
pub(super) fn names_tests(root: &Utf8Path) -> bool {
    texts_hold(root, FILE, &["test(", "test ("])
}
