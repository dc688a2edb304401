//! Tools that run the tests of a project in C one by one, CTest and Meson: how single tests are asked for, and what builds
//! them.

use camino::Utf8Path;
use serde::Deserialize;
use std::collections::BTreeSet;
use unidebug_base::domain::{TestId, TestReport};

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

/// Tests as CTest or Meson describes them.
#[derive(Deserialize)]
struct Tests {
    tests: Vec<Described>,
    /// What Meson can build.
    #[serde(default)]
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    #[serde(default)]
    command: Vec<String>,
    /// Identifiers of the targets that Meson builds for the test.
    #[serde(default)]
    depends: Vec<String>,
}

#[derive(Deserialize)]
struct Target {
    id: String,
    /// Absolute paths.
    #[serde(default)]
    filename: Vec<String>,
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

    /// The command that tells what these tests are; `None` where it names no folder of the build.
    pub(super) fn described<'i>(
        self,
        test: &[String],
        tests: impl IntoIterator<Item = &'i TestId>,
    ) -> Option<Vec<String>> {
        match self {
            Self::Ctest => Some([&self.only(test, tests)[..], &words(&["--show-only=json-v1"])].concat()),
            Self::Meson => Some(words(&["meson", "introspect", self.folder(test)?, "--tests", "--targets"])),
        }
    }

    /// The folder of the build that a test command names.
    fn folder(self, test: &[String]) -> Option<&str> {
        let option = if self == Self::Ctest { "--test-dir" } else { "-C" };
        test.iter().skip_while(|word| *word != option).nth(1).map(String::as_str)
    }

    /// The command that builds the programs of these tests alone, by what [`Driver::described`] printed; `None` where none is
    /// named.
    pub(super) fn build_of<'i>(
        self,
        test: &[String],
        tests: impl IntoIterator<Item = &'i TestId>,
        described: &[u8],
    ) -> Option<Vec<String>> {
        let described = serde_json::from_slice::<Tests>(described).ok()?;
        let folder = self.folder(test)?;
        let (command, targets) = match self {
            Self::Ctest => (vec!["cmake", "--build", folder, "--target"], described.programs()),
            Self::Meson => (vec!["ninja", "-C", folder], described.targets_of(tests, folder)),
        };
        let build = command.into_iter().chain(targets.iter().copied()).map(str::to_owned).collect();
        (!targets.is_empty()).then_some(build)
    }
}

impl Tests {
    /// The names of the programs that CTest starts, which are names of targets as a rule.
    fn programs(&self) -> BTreeSet<&str> {
        self.tests.iter().filter_map(|test| Utf8Path::new(test.command.first()?).file_name()).collect()
    }

    /// What these tests need, as Ninja calls it: by its path inside the folder of the build.
    fn targets_of<'i>(&self, tests: impl IntoIterator<Item = &'i TestId>, folder: &str) -> BTreeSet<&str> {
        let names: BTreeSet<&str> = tests.into_iter().map(meson_name).collect();
        let wanted = self.tests.iter().filter(|test| names.contains(test.name.as_str()));
        let needed: BTreeSet<&String> = wanted.flat_map(|test| &test.depends).collect();
        let built =
            self.targets.iter().filter(|target| needed.contains(&target.id)).flat_map(|target| &target.filename);
        let inside = format!("/{folder}/");
        built.filter_map(|file| file.split_once(&inside).map(|(_, path)| path)).collect()
    }
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
            *failure = unidebug_judge::validate::command::failure(&[unidebug_base::domain::words::clipped(
                output.trim(),
                OUTPUT,
            )
            .as_str()]);
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
        let build = words(&["cmake", "--build", "out", "--target", "run_a"]);
        assert_eq!(driver.build_of(&test, &ids, described), Some(build));
        assert_eq!(driver.build_of(&test, &ids, b"{}"), None);
        let test = words(&["meson", "test", "-C", "out"]);
        let described = br#"{"tests": [{"name": "ring", "cmd": ["run.sh"], "depends": ["7@@ring"]}, {"name": "b", "depends": ["8"]}],
            "targets": [{"id": "8", "filename": ["/copy/out/b"]}, {"id": "7@@ring", "filename": ["/copy/out/tests/ring"]}]}"#;
        let ids = [TestId::new("p", "p:core / ring")];
        let built = Driver::Meson.build_of(&test, &ids, described);
        assert_eq!(built, Some(words(&["ninja", "-C", "out", "tests/ring"])));
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
