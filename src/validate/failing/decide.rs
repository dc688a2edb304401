//! From facts to the bug: which failing tests trigger, which say nothing of the code, and which belong to another bug.

use super::edited::{Edited, without_older};
use super::group;
use crate::benchmark::{Checkout, Hint};
use crate::domain::{Failure, Fingerprint, Frame, Loss, TestId, TestReport, TestStatus, outer_class};
use crate::validate::subject::Subject;
use crate::validate::{Baseline, Options, Spectrum, ValidateError, clean, losses};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

const SCHEMA: u32 = 7;

/// What is kept between runs of this program: facts, no decisions.
#[derive(Serialize, Deserialize)]
pub(in crate::validate) struct Facts {
    schema: u32,
    report: TestReport,
    /// Failing tests that do not fail every time.
    flaky: BTreeSet<TestId>,
    /// Failing tests that pass by the project's own command, where it was asked.
    own_passes: BTreeSet<TestId>,
    /// What the tests of failing classes execute.
    spectrum: Spectrum,
    /// Whether all tests of the project ran.
    whole: bool,
    seconds: f64,
}

impl Facts {
    pub(in crate::validate) fn new(
        report: TestReport,
        flaky: BTreeSet<TestId>,
        own: Option<BTreeSet<TestId>>,
        spectrum: Spectrum,
        whole: bool,
        seconds: f64,
    ) -> Self {
        Self { schema: SCHEMA, report, flaky, own_passes: own.unwrap_or_default(), spectrum, whole, seconds }
    }

    pub(super) fn is_readable(&self) -> bool {
        // That nothing ran is an accident, not a fact.
        self.schema == SCHEMA && !self.report.results.is_empty()
    }
}

/// Which tests somebody names.
pub(in crate::validate) struct Asked {
    by_user: Vec<TestId>,
    by_benchmark: Option<Vec<TestId>>,
    hints: Vec<Hint>,
    own: String,
    /// Class or module names of all tests.
    known: Vec<String>,
}

impl Asked {
    pub(super) fn of(subject: &dyn Subject) -> Self {
        Self::new(subject.checkout(), subject.options(), subject.tests().to_vec())
    }

    pub(in crate::validate) fn new(checkout: &Checkout, options: &Options, known: Vec<String>) -> Self {
        Self {
            by_user: options.failing.clone(),
            by_benchmark: checkout.triggering.clone(),
            hints: checkout.hints.clone(),
            own: checkout.own.as_ref().map_or("the project's own command".into(), |own| format!("`{}`", own.name())),
            known,
        }
    }

    /// The tests that must be the bug; empty when that is to be found out.
    pub(super) fn named(&self) -> &[TestId] {
        if self.by_user.is_empty() { self.by_benchmark.as_deref().unwrap_or_default() } else { &self.by_user }
    }

    /// Whether nobody says what the bug is.
    pub(super) fn is_open(&self) -> bool {
        self.named().is_empty()
    }

    /// A name for the question, as far as it decides which facts are found.
    pub(super) fn key(&self) -> String {
        let mut fingerprint = Fingerprint::default();
        let hints = self.hints.iter().filter(|_| self.is_open()).flat_map(|hint| &hint.tests);
        for id in self.named().iter().chain(hints) {
            fingerprint.add(id.to_string());
        }
        fingerprint.name()
    }
}

/// The classes that names mean, in the order of the names.
pub(in crate::validate) fn classes_of(known: &[String], named: &[TestId]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in named {
        let outer = name.outer_class();
        let is_meant = |class: &&String| {
            let class = outer_class(class);
            class == outer || !outer.contains('.') && class.rsplit('.').next() == Some(outer)
        };
        for class in known.iter().filter(is_meant) {
            if !found.contains(class) {
                found.push(class.clone());
            }
        }
    }
    found
}

/// What triggers: the tests the user names, else the benchmark's, else those that fail every time, by the project's own
/// command too, and do not want something outside.
pub(in crate::validate) fn decide(
    facts: Facts,
    asked: &Asked,
    edited: Option<&Edited>,
) -> Result<Baseline, ValidateError> {
    let Facts { report, flaky, own_passes, spectrum, whole, seconds, .. } = facts;
    if report.results.is_empty() {
        return Err(nothing_ran(asked, &report));
    }
    let mut set_aside = set_aside(&report, &flaky, &own_passes, asked);
    let passing: BTreeSet<TestId> = report.results.values().filter(|r| r.passed()).map(|r| r.id.clone()).collect();
    let mut others = Vec::new();
    let triggering = if asked.is_open() {
        for result in report.failing() {
            if let Some(reason) = result.failure.as_ref().and_then(|failure| outside(&result.id, failure)) {
                set_aside.entry(result.id.clone()).or_insert(reason);
            }
        }
        set_aside_unloadable(&report, &mut set_aside);
        set_aside_for_memory(&report, &mut set_aside);
        let failing = report.failing().map(|result| result.id.clone()).filter(|id| !set_aside.contains_key(id));
        let (failing, older) = without_older(failing.collect(), &report, edited);
        let mut groups = group::groups(failing, &report, &spectrum).into_iter();
        let first = groups.next().unwrap_or_default();
        others = groups.chain(group::groups(older, &report, &spectrum)).collect();
        first
    } else {
        chosen(&report, &flaky, asked)?
    };
    if triggering.is_empty() {
        let failing = report.failing().map(|result| &result.id);
        let aside = failing.filter_map(|id| Some(format!("{id}: {}", set_aside.get(id)?))).collect();
        return Err(ValidateError::NothingFails { passing: passing.len(), aside, command: None });
    }
    Ok(Baseline {
        report: report.into(),
        triggering,
        others,
        passing,
        set_aside,
        spectrum: spectrum.into(),
        whole,
        seconds,
    })
}

/// Classes and modules that cannot be loaded are the environment's, where tests fail by running and no line of the product
/// is among those that the failure names.
fn set_aside_unloadable(report: &TestReport, set_aside: &mut BTreeMap<TestId, String>) {
    let open: Vec<&TestId> =
        report.failing().map(|result| &result.id).filter(|id| !set_aside.contains_key(*id)).collect();
    // A set-up that fails has run.
    let ran = |id: &TestId| {
        let frames = report.results.get(id).and_then(|result| result.failure.as_ref()).map(|why| why.frames.as_slice());
        let in_code = |frame: &Frame| !matches!(frame.method.as_str(), "<module>" | "<clinit>");
        frames.unwrap_or_default().iter().any(|frame| clean::is_project_frame(frame) && in_code(frame))
    };
    let (unloadable, by_running): (Vec<&TestId>, Vec<_>) = open.into_iter().partition(|id| is_whole(id) && !ran(id));
    if by_running.is_empty() {
        return;
    }
    for id in unloadable.into_iter().filter(|id| group::place(id, report).is_none()) {
        let why = report.results.get(id).and_then(|result| result.failure.as_ref());
        let why =
            why.map_or_else(String::new, |failure| format!(" ({}: {})", failure.kind, first_line(&failure.message)));
        set_aside.insert(id.clone(), format!("it cannot be loaded here{why}"));
    }
}

/// Tests that want more memory than there is are the environment's, where others fail by themselves.
fn set_aside_for_memory(report: &TestReport, set_aside: &mut BTreeMap<TestId, String>) {
    let open: Vec<_> = report.failing().filter(|result| !set_aside.contains_key(&result.id)).collect();
    let wants_memory = |loss: Option<Loss>| loss == Some(Loss::Memory);
    if open.iter().all(|result| wants_memory(result.loss)) {
        return;
    }
    for result in open.into_iter().filter(|result| wants_memory(result.loss)) {
        set_aside.insert(result.id.clone(), "it wants more memory than tests have here".to_owned());
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Whether a result is that of a class or module as a whole.
fn is_whole(id: &TestId) -> bool {
    id.method.is_empty() || id.method == "initializationError"
}

fn nothing_ran(asked: &Asked, report: &TestReport) -> ValidateError {
    if let Some(name) = asked.named().first() {
        let known = asked.known.iter().map(String::as_str);
        let near = crate::benchmark::nearest(&name.class, known, 5).join(", ");
        let hint = if near.is_empty() { "no test class was found".into() } else { format!("test classes: {near}") };
        let said = super::last_line(report).map_or_else(String::new, |line| format!(": {line}"));
        let what = format!("the test {name} did not run{said}");
        return ValidateError::Triggering { what, hint };
    }
    let last = super::last_line(report).unwrap_or("it printed nothing");
    ValidateError::Tool {
        what: format!("no test ran ({} classes were looked at): {last}", asked.known.len()),
        hint: "check the test folders and patterns, and that the test library is there".into(),
    }
}

/// Failing tests that say nothing of the code, each with the reason.
fn set_aside(
    report: &TestReport,
    flaky: &BTreeSet<TestId>,
    own_passes: &BTreeSet<TestId>,
    asked: &Asked,
) -> BTreeMap<TestId, String> {
    let mut all: BTreeMap<TestId, String> = BTreeMap::new();
    for class in losses::left_out(report) {
        let why = "too many of its tests were cut or ended their process; the others did not run";
        all.insert(TestId::new(class, ""), why.to_owned());
    }
    for id in own_passes {
        let how = report.results.get(id).and_then(|result| result.failure.as_ref()).map_or("", |why| why.kind.as_str());
        let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
        all.insert(id.clone(), format!("it passes by {}, and fails here{how}", asked.own));
    }
    for id in flaky {
        all.insert(id.clone(), "flaky: it failed once and passed then".to_owned());
    }
    all
}

/// The tests somebody named: each must exist and fail.
fn chosen(report: &TestReport, flaky: &BTreeSet<TestId>, asked: &Asked) -> Result<Vec<TestId>, ValidateError> {
    let mut all = BTreeSet::new();
    for name in asked.named() {
        let same: Vec<_> = report.results.values().filter(|result| matches(name, &result.id)).collect();
        let failing = same.iter().filter(|r| matches!(r.status, TestStatus::Failed | TestStatus::TimedOut));
        let failing: Vec<TestId> = failing.map(|result| result.id.clone()).collect();
        let (unsteady, failing): (Vec<_>, Vec<_>) = failing.into_iter().partition(|id| flaky.contains(id));
        let (what, hint) = if same.is_empty() {
            let near = crate::benchmark::nearest(&name.class, asked.known.iter().map(String::as_str), 5).join(", ");
            let hint = format!("failing: {}; test classes: {near}", some(report));
            (format!("the test {name} did not run"), hint)
        } else if failing.is_empty() && !unsteady.is_empty() {
            let what = format!("the test {name} is flaky: it failed once and passed then, before any change");
            (what, "a repair could not be told from luck; mend the test first, or name another with --failing".into())
        } else if failing.is_empty() {
            let hint = format!("its class ran by itself; failing there: {}", some(report));
            (format!("the test {name} passes before any change"), hint)
        } else {
            all.extend(failing);
            continue;
        };
        return Err(ValidateError::Triggering { what, hint });
    }
    Ok(all.into_iter().collect())
}

/// Whether a name means a test: exactly, by its method without the invocation, or by its class; a class may be given
/// without its package.
pub(in crate::validate) fn matches(name: &TestId, id: &TestId) -> bool {
    let class = name.class == id.class || !name.class.contains('.') && name.class == id.simple_class();
    class && (name.method.is_empty() || name.method == id.method || name.method == id.bare_method())
}

fn some(report: &TestReport) -> String {
    let names: Vec<String> = report.failing().take(5).map(|result| result.id.to_string()).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Why a failure says nothing about the code: it wants the network, or a file that is not here, or a class that only
/// the project's own build can load.
fn outside(id: &TestId, failure: &Failure) -> Option<String> {
    let text = format!("{} {}", failure.kind, failure.message);
    let holds = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if holds(&[
        "UnknownHostException",
        "NoRouteToHostException",
        "Network is unreachable",
        "socket.gaierror",
        "Name or service not known",
        "Temporary failure in name resolution",
    ]) {
        return Some("it needs the network".into());
    }
    if holds(&["PackageNotFoundError", "DistributionNotFound"]) {
        return Some("it needs the package to be installed".into());
    }
    if id.method.is_empty() && holds(&["UnsupportedClassVersionError"]) {
        return Some("its class is compiled for a newer Java than the one that runs the tests".into());
    }
    if id.method.is_empty() && failure.kind == "java.lang.ClassNotFoundException" {
        return Some("its class is not among those that the build made".into());
    }
    // A relative name is the project's own concern; an absolute one lies outside.
    let file = holds(&["FileNotFoundException", "java.nio.file.NoSuchFileException", "FileNotFoundError"]);
    let mut words = failure.message.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let absolute = words.find(|word| word.starts_with('/') && word.len() > 1);
    absolute.filter(|_| file).map(|path| format!("it needs a file outside the project: {path}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RunEnd, TestResult};

    #[test]
    fn failures_of_the_surroundings_are_told_apart() {
        let failure =
            |kind: &str, message: &str| Failure { kind: kind.into(), message: message.into(), frames: vec![] };
        let id = TestId::new("a.T", "x");
        assert!(outside(&id, &failure("java.net.UnknownHostException", "example.org")).is_some());
        assert!(
            outside(&id, &failure("java.io.FileNotFoundException", "/data/x.bin (No such file or directory)"))
                .is_some()
        );
        assert!(
            outside(&id, &failure("java.io.FileNotFoundException", "src/x.bin (No such file or directory)")).is_none()
        );
        assert!(outside(&id, &failure("java.lang.AssertionError", "expected </a> but was </b>")).is_none());
    }

    #[test]
    fn a_module_that_cannot_be_loaded_is_no_bug_where_tests_fail_by_running() {
        let unloadable = "test_b";
        let open = |names: &[(&str, &[Frame])]| {
            let results = names.iter().map(|(name, frames)| {
                let id: TestId = name.parse().unwrap();
                let failure = Failure { kind: "Warning".into(), message: "old".into(), frames: frames.to_vec() };
                let status = TestStatus::Failed;
                (id.clone(), TestResult { id, status, failure: Some(failure), millis: 1, loss: None })
            });
            let report = TestReport { end: RunEnd::Complete, results: results.collect(), output_tail: String::new() };
            let mut aside = BTreeMap::new();
            set_aside_unloadable(&report, &mut aside);
            aside.into_keys().map(|id| id.to_string()).collect::<Vec<_>>()
        };
        let at =
            |class: &str, method: &str| Frame { class: class.into(), method: method.into(), file: None, line: Some(1) };
        let frame = |class: &str| at(class, "<module>");
        assert_eq!(open(&[("test_a#test_x", &[]), (unloadable, &[frame("test_b")])]), [unloadable]);
        assert!(open(&[(unloadable, &[frame("test_b")])]).is_empty(), "it is all there is");
        let set_up = [at("test_b", "prepare")];
        assert!(open(&[("test_a#test_x", &[]), (unloadable, &set_up)]).is_empty(), "its set-up ran");
        let by_product = [frame("shop.cart"), frame("test_b")];
        assert!(open(&[("test_a#test_x", &[]), (unloadable, &by_product)]).is_empty(), "the product fails");
    }

    #[test]
    fn a_class_that_cannot_be_loaded_here_is_no_bug() {
        let class = TestId::new("a.T", "");
        let failure =
            |kind: &str| Failure { kind: format!("java.lang.{kind}"), message: String::new(), frames: vec![] };
        for kind in ["ClassNotFoundException", "UnsupportedClassVersionError"] {
            assert!(outside(&class, &failure(kind)).is_some(), "{kind}");
            assert!(outside(&class, &failure("ExceptionInInitializerError")).is_none());
        }
    }

    #[test]
    fn names_mean_classes() {
        let known = ["a.b.CTest", "x.CTest", "a.DTest"].map(String::from);
        let found = |name: &str| classes_of(&known, &[name.parse().unwrap()]);
        assert_eq!(found("CTest#x"), ["a.b.CTest", "x.CTest"]);
        assert_eq!(found("a.DTest$Inner#x"), ["a.DTest"]);
        assert!(found("b.CTest").is_empty());
    }

    #[test]
    fn a_test_is_named_in_short_or_in_full() {
        let id = TestId::new("a.b.CTest", "sum[2]");
        for name in ["a.b.CTest#sum[2]", "a.b.CTest#sum", "CTest#sum", "CTest"] {
            assert!(matches(&name.parse().unwrap(), &id), "{name}");
        }
        assert!(!matches(&"CTest#su".parse().unwrap(), &id));
    }
}
