//! CTest: which tests it runs, and what builds them.

use crate::domain::TestId;
use camino::Utf8Path;
use serde::Deserialize;
use std::collections::BTreeSet;

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

/// Whether a test command is CTest.
pub(super) fn is(test: &[String]) -> bool {
    test.first().is_some_and(|word| word == "ctest")
}

/// Words of a command.
pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The command for these tests alone.
pub(super) fn only<'i>(test: &[String], tests: impl IntoIterator<Item = &'i TestId>) -> Vec<String> {
    [test, &words(&["-R", &pattern(tests)])].concat()
}

/// The command that tells what these tests are.
pub(super) fn described<'i>(test: &[String], tests: impl IntoIterator<Item = &'i TestId>) -> Vec<String> {
    [&only(test, tests)[..], &words(&["--show-only=json-v1"])].concat()
}

/// The command that builds the programs of described tests, by the names of their files; `None` where none is told.
pub(super) fn build_of(test: &[String], told: &[u8]) -> Option<Vec<String>> {
    let described = serde_json::from_slice::<Tests>(told).ok()?;
    let targets = described.tests.iter().filter_map(|test| Utf8Path::new(test.command.first()?).file_name());
    let targets: BTreeSet<&str> = targets.collect();
    let folder = test.iter().skip_while(|word| *word != "--test-dir").nth(1)?;
    let mut build = words(&["cmake", "--build", folder, "--target"]);
    build.extend(targets.iter().map(|target| (*target).to_owned()));
    (!targets.is_empty()).then_some(build)
}

/// The pattern for exactly these tests. CTest's report names a test as its own class.
fn pattern<'i>(tests: impl IntoIterator<Item = &'i TestId>) -> String {
    let name = |id: &TestId| regex::escape(if id.method.is_empty() { &id.class } else { &id.method });
    let names: Vec<String> = tests.into_iter().map(name).collect();
    format!("^({})$", names.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_tests_are_built_alone() {
        let test = words(&["ctest", "--test-dir", "out"]);
        let ids = [TestId::new("a+b", ""), TestId::new("c", "d")];
        assert_eq!(only(&test, &ids)[3..], words(&["-R", r"^(a\+b|d)$"]));
        let told = br#"{"kind": "ctestInfo", "tests": [{"name": "a+b", "command": ["/copy/out/run_a", "-v"]}, {"name": "d"}]}"#;
        assert_eq!(build_of(&test, told), Some(words(&["cmake", "--build", "out", "--target", "run_a"])));
        assert_eq!(build_of(&test, b"{}"), None);
    }
}
