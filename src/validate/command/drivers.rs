//! Tools that run the tests of a project in C one by one, CTest and Meson: how single tests are asked for, and what builds
//! them.

use crate::domain::{TestId, TestReport};
use camino::Utf8Path;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Where Meson logs what each test printed, in the folder of its reports.
const MESON_LOG: &str = "testlog.json";
/// A larger log is not read, in bytes.
const MOST_LOG: u64 = 64 << 20;
/// Longest output that a failure keeps, in characters.
const OUTPUT: usize = 2000;

/// Such a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Driver {
    Ctest,
    Meson,
}

/// Tests as CTest describes them.
#[derive(Deserialize)]
struct Tests {
    tests: Vec<Described>,
}

#[derive(Deserialize)]
struct Described {
    #[serde(default)]
    command: Vec<String>,
}

/// A line of Meson's log.
#[derive(Deserialize)]
struct Logged {
    name: String,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
}

/// Words of a command.
pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Driver {
    /// The tool that a test command is, if it is one.
    pub(super) fn of(test: &[String]) -> Option<Self> {
        match test.first().map(String::as_str) {
            Some("ctest") => Some(Self::Ctest),
            Some("meson") => Some(Self::Meson),
            _ => None,
        }
    }

    /// The command for these tests alone.
    pub(super) fn only<'i>(self, test: &[String], tests: impl IntoIterator<Item = &'i TestId>) -> Vec<String> {
        match self {
            Self::Ctest => [test, &words(&["-R", &pattern(tests)])].concat(),
            Self::Meson => {
                let names: BTreeSet<&str> = tests.into_iter().map(meson_name).collect();
                test.iter().cloned().chain(names.into_iter().map(str::to_owned)).collect()
            }
        }
    }

    /// The command that tells what these tests are; `None` where the tool cannot.
    pub(super) fn described<'i>(
        self,
        test: &[String],
        tests: impl IntoIterator<Item = &'i TestId>,
    ) -> Option<Vec<String>> {
        (self == Self::Ctest).then(|| [&self.only(test, tests)[..], &words(&["--show-only=json-v1"])].concat())
    }
}

/// The command that builds the programs of tests that CTest described, by the names of their files; `None` where none is
/// named.
pub(super) fn build_of(test: &[String], described: &[u8]) -> Option<Vec<String>> {
    let described = serde_json::from_slice::<Tests>(described).ok()?;
    let targets = described.tests.iter().filter_map(|test| Utf8Path::new(test.command.first()?).file_name());
    let targets: BTreeSet<&str> = targets.collect();
    let folder = test.iter().skip_while(|word| *word != "--test-dir").nth(1)?;
    let mut build = words(&["cmake", "--build", folder, "--target"]);
    build.extend(targets.iter().map(|target| (*target).to_owned()));
    (!targets.is_empty()).then_some(build)
}

/// Adds what tests printed to failures of which Meson's report tells no more than that they failed.
pub(super) fn add_output(reports: &Utf8Path, report: &mut TestReport) {
    let file = reports.join(MESON_LOG);
    let is_small = std::fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() < MOST_LOG);
    let text = if is_small { std::fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
    let logged: Vec<Logged> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for result in report.results.values_mut() {
        let Some(failure) = result.failure.as_mut().filter(|failure| failure.message.is_empty()) else { continue };
        let name = meson_name(&result.id);
        if let Some(found) = logged.iter().find(|logged| bare(&logged.name) == name) {
            let output = format!("{}\n{}", found.stdout, found.stderr);
            *failure = super::printed::failure(&[crate::domain::words::clipped(output.trim(), OUTPUT).as_str()]);
        }
    }
}

/// The pattern of CTest for exactly these tests. CTest's report names a test as its own class.
fn pattern<'i>(tests: impl IntoIterator<Item = &'i TestId>) -> String {
    let name = |id: &TestId| regex::escape(if id.method.is_empty() { &id.class } else { &id.method });
    let names: Vec<String> = tests.into_iter().map(name).collect();
    format!("^({})$", names.join("|"))
}

/// The name of a test in Meson's description: `project:suite / name`, or the name alone, is a result of its exit status; a
/// test that prints TAP is the class `project.project / name` around its results.
fn meson_name(id: &TestId) -> &str {
    let is_whole = id.method.is_empty() || id.class.contains(" / ");
    bare(if is_whole { &id.class } else { &id.method })
}

fn bare(name: &str) -> &str {
    name.split_once(" / ").map_or(name, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_tests_are_built_alone() {
        let test = words(&["ctest", "--test-dir", "out"]);
        let ids = [TestId::new("a+b", ""), TestId::new("c", "d")];
        let driver = Driver::of(&test).unwrap();
        assert_eq!(driver.only(&test, &ids)[3..], words(&["-R", r"^(a\+b|d)$"]));
        let described =
            br#"{"kind": "ctestInfo", "tests": [{"name": "a+b", "command": ["/copy/out/run_a", "-v"]}, {"name": "d"}]}"#;
        assert_eq!(build_of(&test, described), Some(words(&["cmake", "--build", "out", "--target", "run_a"])));
        assert_eq!(build_of(&test, b"{}"), None);
    }

    #[test]
    fn tests_of_meson_are_asked_for_by_their_own_names() {
        let test = words(&["meson", "test"]);
        let ids = [
            TestId::new("ring", "ring:core / exit test"),
            TestId::new("alone", ""),
            TestId::new("ring.ring / tap", "1 - one"),
            TestId::new("ring.ring / tap", "2 - two"),
        ];
        assert_eq!(Driver::of(&test).unwrap().only(&test, &ids)[2..], words(&["alone", "exit test", "tap"]));
        assert_eq!(Driver::of(&words(&["make", "check"])), None);
    }
}
