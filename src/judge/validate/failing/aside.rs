//! Failing tests that say nothing of the code: flaky ones, those that the project's own command passes, and those that lack
//! something here.

use super::surroundings::{Surroundings, lacks, lacks_test_data, likely, not_fetched, outside, wants_older_java};
use super::{group, unloadable};
use crate::domain::{Failure, RepoPath, TestId, TestReport, TestResult};
use crate::validate::losses;
use camino::Utf8Path;
use std::collections::{BTreeMap, BTreeSet};

/// Why a failing test says nothing of the code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum AsideReason {
    /// The project's settings want this package of Python.
    #[error("it needs the package `{0}`, which is not installed here")]
    NotInstalled(String),
    /// The test needs a class that Java had until its version 10, or 14.
    #[error("it needs a class that came with older versions of Java only")]
    GoneFromJava,
    /// The library that the test uses reaches into Java as newer versions do not allow.
    #[error("a library that it uses does not work on a Java as new as this one")]
    LibraryTooOld,
    /// The test reads files of this submodule.
    #[error("it needs files of the submodule `{0}`, which is not here")]
    NotFetched(RepoPath),
    /// Anything else, in a sentence.
    #[error("{0}")]
    Other(String),
}

impl AsideReason {
    /// What to do so that the test can run here.
    pub(in crate::validate) fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotInstalled(_) => Some(
                "install it in the project's `.venv`, or name another interpreter in `.unidebug.toml` (`python = …`)",
            ),
            Self::GoneFromJava | Self::LibraryTooOld => {
                Some("test with an older JDK (`--java-home DIR`), or update that library")
            }
            Self::NotFetched(_) => Some("fetch it with `git submodule update --init`"),
            Self::Other(_) => None,
        }
    }
}

impl<S: Into<String>> From<S> for AsideReason {
    fn from(reason: S) -> Self {
        Self::Other(reason.into())
    }
}

/// Failing tests that say nothing of the code by how they ended in other runs, each with the reason; `own` names the
/// project's own command.
pub(super) fn by_other_runs(
    report: &TestReport,
    flaky: &BTreeSet<TestId>,
    own_passes: &BTreeSet<TestId>,
    own: &str,
) -> BTreeMap<TestId, AsideReason> {
    let mut all: BTreeMap<TestId, AsideReason> = BTreeMap::new();
    for class in losses::left_out(report) {
        let why = "too many of its tests were cut or ended their process; the others did not run";
        all.insert(TestId::new(class, ""), why.into());
    }
    for id in own_passes {
        let how = report.results.get(id).and_then(|result| result.failure.as_ref()).map_or("", |why| why.kind.as_str());
        let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
        all.insert(id.clone(), format!("it passes by {own}, and fails here{how}").into());
    }
    for id in flaky {
        all.insert(id.clone(), "flaky: it failed once and passed then".into());
    }
    all
}

/// Adds those that say nothing of the code by what they say, and by what is around them; `asked_for` are those that made a
/// connection beyond this machine, or tried to, each with the host.
pub(super) fn by_failures(
    report: &TestReport,
    (around, asked_for): (&Surroundings, &BTreeMap<TestId, String>),
    set_aside: &mut BTreeMap<TestId, AsideReason>,
) {
    for result in report.failing() {
        let by_java = |failure: &Failure| wants_older_java(failure, group::place(&result.id, report).is_some());
        let why = |failure: &Failure| {
            let outside = || outside(&result.id, failure).or_else(|| not_fetched(failure, &around.absent));
            outside().or_else(|| lacks(failure, &around.settings)).or_else(|| by_java(failure))
        };
        if let Some(reason) = result.failure.as_ref().and_then(why) {
            set_aside.entry(result.id.clone()).or_insert(reason);
        }
    }
    unloadable::set_aside(report, set_aside);
    set_aside_beside_others(report, (&around.folder, asked_for), set_aside);
}

/// Tests for which something here may be at fault are the environment's, where others fail by themselves.
fn set_aside_beside_others(
    report: &TestReport,
    (folder, asked_for): (&Utf8Path, &BTreeMap<TestId, String>),
    set_aside: &mut BTreeMap<TestId, AsideReason>,
) {
    let open = report.failing().filter(|result| !set_aside.contains_key(&result.id));
    let data = |result: &TestResult| lacks_test_data(result.failure.as_ref()?, folder);
    let network = |result: &TestResult| {
        let host = asked_for.get(&result.id)?;
        Some(format!("it asks the network for `{host}`, which tests cannot reach here").into())
    };
    let reason = |result: &TestResult| likely(result).or_else(|| data(result)).or_else(|| network(result));
    let all: Vec<(TestId, Option<AsideReason>)> = open.map(|result| (result.id.clone(), reason(result))).collect();
    if all.iter().any(|(_, reason)| reason.is_none()) {
        set_aside.extend(all.into_iter().filter_map(|(id, reason)| Some((id, reason?))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RunEnd, TestStatus};

    /// What is said of failing tests, each with its kind and message.
    fn aside(tests: &[(&str, &str, &str)]) -> Vec<String> {
        let result = |(name, kind, message): &(&str, &str, &str)| {
            let id: TestId = name.parse().unwrap();
            let failure = Failure { kind: (*kind).into(), message: (*message).into(), frames: vec![] };
            let status = TestStatus::Failed;
            (id.clone(), TestResult { id, status, failure: Some(failure), millis: 1, loss: None })
        };
        let results = tests.iter().map(result).collect();
        let report = TestReport { end: RunEnd::Complete, results, output_tail: String::new() };
        let mut aside = BTreeMap::new();
        let asked_for = BTreeMap::from([("a.MailTest#fetches".parse().unwrap(), "shop.example".to_owned())]);
        by_failures(&report, (&Surroundings::default(), &asked_for), &mut aside);
        aside.into_iter().map(|(id, why)| format!("{id}: {why}")).collect()
    }

    #[test]
    fn what_the_product_asks_to_install_is_no_bug_where_others_fail() {
        let asks = ("test_hash#test_a", "builtins.ImportError", "Do `pip install shop[hash]` to use this.");
        let other = ("test_cart#test_b", "builtins.AssertionError", "assert 1 == 2");
        let told = "test_hash#test_a: it asks for an installation: Do `pip install shop[hash]` to use this.";
        assert_eq!(aside(&[asks, other]), [told]);
        assert!(aside(&[asks]).is_empty(), "it is all there is");
        assert!(aside(&[("test_a#test", "builtins.ImportError", "cannot import name 'x'"), other]).is_empty());
    }

    #[test]
    fn what_wants_a_program_a_plugin_or_a_style_is_no_bug_where_others_fail() {
        let other = ("test_cart#test_b", "AssertionError", "assert 1 == 2");
        let draws = (
            "test_draw#test_a",
            "graphviz.ExecutableNotFound",
            "failed\ncaused by FileNotFoundError: [Errno 2] No such file or directory: 'dot' (the program to start)",
        );
        assert_eq!(aside(&[draws, other]), ["test_draw#test_a: it starts the program `dot`, which is not here"]);
        assert!(aside(&[draws]).is_empty(), "it is all there is");
        let java = ("a.DrawTest#draws", "java.io.IOException", "Cannot run program \"dot\": error=2, No such file");
        assert_eq!(aside(&[java, other]), ["a.DrawTest#draws: it starts the program `dot`, which is not here"]);
        let plugin = ("test_fast#test_a", "FixtureLookupError", "fixture 'benchmark' not found");
        let told = "test_fast#test_a: it needs the fixture `benchmark`, which no plugin of pytest here gives";
        assert_eq!(aside(&[plugin, draws, other])[1], told);
        let style = ("shop#cart.py", "pytest_pycodestyle.PyCodeStyleError", "cart.py:1:80 E501");
        assert_eq!(aside(&[style, other]), ["shop#cart.py: it checks the style of a file"]);
        let fetches = ("a.MailTest#fetches", "java.lang.AssertionError", "expected not null");
        let told = "a.MailTest#fetches: it asks the network for `shop.example`, which tests cannot reach here";
        assert_eq!(aside(&[fetches, other]), [told]);
        assert!(aside(&[fetches]).is_empty(), "it is all there is");
        let written = ("test_out#test_a", "FileNotFoundError", "[Errno 2] No such file or directory: 'out'");
        assert!(aside(&[written, other]).is_empty(), "the product was to write it");
    }
}
