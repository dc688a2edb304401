//! Failing tests that say nothing of the code: flaky ones, those that the project's own command passes, and those that lack
//! something here.

use super::{group, unloadable};
use crate::domain::{Failure, Loss, RepoPath, TestId, TestReport, TestResult};
use crate::validate::{clean, losses};
use camino::{Utf8Path, Utf8PathBuf};
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

/// Adds those that say nothing of the code by what they say; `settings` are those of a project in Python, and `absent` its
/// submodules that nobody fetched.
pub(super) fn by_failures(
    report: &TestReport,
    (settings, absent): (&str, &[RepoPath]),
    set_aside: &mut BTreeMap<TestId, AsideReason>,
) {
    for result in report.failing() {
        let by_java = |failure: &Failure| wants_older_java(failure, group::place(&result.id, report).is_some());
        let why = |failure: &Failure| {
            let outside = || outside(&result.id, failure).or_else(|| not_fetched(failure, absent));
            outside().or_else(|| lacks(failure, settings)).or_else(|| by_java(failure))
        };
        if let Some(reason) = result.failure.as_ref().and_then(why) {
            set_aside.entry(result.id.clone()).or_insert(reason);
        }
    }
    unloadable::set_aside(report, set_aside);
    set_aside_beside_others(report, set_aside, &wants_memory);
    set_aside_beside_others(report, set_aside, &wants_an_installation);
}

/// Tests for which something here may be at fault are the environment's, where others fail by themselves.
fn set_aside_beside_others(
    report: &TestReport,
    set_aside: &mut BTreeMap<TestId, AsideReason>,
    why: &dyn Fn(&TestResult) -> Option<AsideReason>,
) {
    let open = report.failing().filter(|result| !set_aside.contains_key(&result.id));
    let all: Vec<(TestId, Option<AsideReason>)> = open.map(|result| (result.id.clone(), why(result))).collect();
    if all.iter().any(|(_, reason)| reason.is_none()) {
        set_aside.extend(all.into_iter().filter_map(|(id, reason)| Some((id, reason?))));
    }
}

/// Why a test that ran out of memory may be the environment's.
fn wants_memory(result: &TestResult) -> Option<AsideReason> {
    (result.loss == Some(Loss::Memory)).then(|| "it wants more memory than tests have here".into())
}

/// Why a test may be the environment's for which the product itself says that something is to be installed.
fn wants_an_installation(result: &TestResult) -> Option<AsideReason> {
    let failure = result.failure.as_ref()?;
    let is_import = ["ImportError", "ModuleNotFoundError"].iter().any(|kind| failure.kind.ends_with(kind));
    let is_asked = is_import && failure.message.contains("install");
    is_asked.then(|| format!("it asks for an installation: {}", first_line(&failure.message)).into())
}

pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Why a failure says nothing about the code: it wants the network, a display, or a file that is not here, or a class
/// that only the project's own build can load.
fn outside(id: &TestId, failure: &Failure) -> Option<AsideReason> {
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
    if holds(&["HeadlessException", "couldn't connect to display", "no display name and no $DISPLAY"]) {
        return Some("it needs a display".into());
    }
    if holds(&["unsupported locale setting"]) {
        return Some("it needs a locale that this machine does not have (`locale -a` lists them)".into());
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
    // A relative name is the project's own concern, and so is what a test makes for itself.
    let mut words = failure.message.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let own = [Utf8PathBuf::from("/tmp"), std::env::temp_dir().try_into().unwrap_or_default()];
    let is_made =
        |word: &str| own.iter().any(|folder| !folder.as_str().is_empty() && Utf8Path::new(word).starts_with(folder));
    let is_outside = |word: &str| word.starts_with('/') && word.len() > 1 && !is_made(word);
    let path = words.find(|word| is_outside(word)).filter(|_| lacks_file(failure))?;
    Some(format!("it needs a file outside the project: {path}").into())
}

/// Whether a file is not there.
fn lacks_file(failure: &Failure) -> bool {
    let text = format!("{} {}", failure.kind, failure.message);
    ["FileNotFoundException", "java.nio.file.NoSuchFileException", "FileNotFoundError"]
        .iter()
        .any(|kind| text.contains(kind))
}

/// Why a failure says nothing about the code: the file lies in a submodule that nobody fetched.
fn not_fetched(failure: &Failure, absent: &[RepoPath]) -> Option<AsideReason> {
    let is_named = |path: &&RepoPath| failure.message.contains(path.as_str());
    absent.iter().find(is_named).filter(|_| lacks_file(failure)).cloned().map(AsideReason::NotFetched)
}

/// Packages that Java had until its version 10, or 14.
const GONE: &[&str] = &["javax.xml.bind.", "javax.activation.", "javax.xml.ws.", "javax.jws.", "jdk.nashorn."];
/// What libraries that make classes while they run say on a Java that is newer than they are.
const TOO_NEW: &[&str] = &[
    "InaccessibleObjectException",
    "Unsupported class file major version",
    "is not supported by the current version of Byte Buddy",
    "The Security Manager is deprecated",
];

/// Why a failure says nothing about the code: it, or a library that the test uses, wants an older Java than this one.
fn wants_older_java(failure: &Failure, in_product: bool) -> Option<AsideReason> {
    let cannot_load =
        |kind: &str| ["NoClassDefFoundError", "ClassNotFoundException"].iter().any(|end| kind.ends_with(end));
    let is_gone = |(kind, message): (&str, &str)| {
        let names = message.replace('/', ".");
        cannot_load(kind) && GONE.iter().any(|package| names.contains(package))
    };
    if causes(failure).any(is_gone) {
        return Some(AsideReason::GoneFromJava);
    }
    // The class that could not be initialized failed for the reason above, in an earlier test.
    let is_left_over = |(kind, message): (&str, &str)| {
        let class = message.strip_prefix("Could not initialize class ").and_then(|rest| rest.split_whitespace().next());
        cannot_load(kind) && class.is_some_and(clean::is_framework)
    };
    let is_refused = TOO_NEW.iter().any(|words| failure.kind.contains(words) || failure.message.contains(words));
    (!in_product && (is_refused || causes(failure).any(is_left_over))).then_some(AsideReason::LibraryTooOld)
}

/// A failure and what caused it, each by its kind and what it says: a test that expects an exception fails by another one.
fn causes(failure: &Failure) -> impl Iterator<Item = (&str, &str)> {
    let inner = failure.message.lines().filter_map(|line| line.trim_start().strip_prefix("caused by "));
    let inner = inner.map(|cause| cause.split_once(": ").unwrap_or((cause, "")));
    std::iter::once((failure.kind.as_str(), failure.message.as_str())).chain(inner)
}

/// Names that mean something to type checkers alone.
const OF_CHECKERS: [&str; 2] = ["name 'reveal_type' is not defined", "name 'reveal_locals' is not defined"];

/// Why a failure says nothing about the code: a package that the project's settings want is not installed, or a plugin that
/// gives the test to a type checker.
fn lacks(failure: &Failure, settings: &str) -> Option<AsideReason> {
    if OF_CHECKERS.iter().any(|name| failure.message.starts_with(name)) {
        return Some("it is written for a type checker, and no plugin here gives it to one".into());
    }
    let package = unloadable::missing_package(failure)?;
    let spelled = |name: &str| name.to_lowercase().replace('_', "-");
    let is_wanted = spelled(settings).contains(&spelled(package));
    is_wanted.then(|| AsideReason::NotInstalled(package.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RunEnd, TestStatus};

    #[test]
    fn a_package_that_the_settings_want_and_nobody_installed_is_no_bug() {
        let failure = |kind: &str, name: &str| Failure {
            kind: kind.into(),
            message: format!("No module named '{name}'"),
            frames: vec![],
        };
        let settings = "install_requires=['boltons', 'typing-extensions', 'face>=20.1']";
        assert!(
            lacks(&failure("ModuleNotFoundError", "face.cli"), settings)
                .is_some_and(|why| why == AsideReason::NotInstalled("face".into()))
        );
        assert!(lacks(&failure("ModuleNotFoundError", "typing_extensions"), settings).is_some());
        assert!(lacks(&failure("ModuleNotFoundError", "distutils"), settings).is_none(), "the code asks for it");
        assert!(lacks(&failure("ImportError", "face"), settings).is_none());
        let named = |name: &str| Failure {
            kind: "builtins.NameError".into(),
            message: format!("name '{name}' is not defined"),
            frames: vec![],
        };
        assert!(lacks(&named("reveal_type"), settings).is_some());
        assert!(lacks(&named("total"), settings).is_none());
    }

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
        let made = |folder: &str| {
            failure("builtins.FileNotFoundError", &format!("[Errno 2] No such file: '{folder}/out.txt'"))
        };
        assert!(outside(&id, &made("/data")).is_some());
        assert!(outside(&id, &made("/tmp/pytest-of-unidebug/pytest-0/test_x0")).is_none(), "the code was to write it");
        let absent = [RepoPath::new("tests/cases").unwrap()];
        assert!(not_fetched(&made("tests/cases/toml"), &absent).is_some());
        assert!(not_fetched(&made("tests/other"), &absent).is_none());
        let display = "\nNo X11 DISPLAY variable was set";
        assert!(outside(&id, &failure("java.awt.HeadlessException", display)).is_some());
        assert!(outside(&id, &failure("locale.Error", "unsupported locale setting")).is_some());
        assert!(outside(&id, &failure("java.lang.AssertionError", "expected </a> but was </b>")).is_none());
    }

    #[test]
    fn a_library_that_is_too_old_for_this_java_is_no_bug() {
        let says = |kind: &str, message: &str, in_product: bool| {
            let failure = Failure { kind: format!("java.lang.{kind}"), message: message.into(), frames: vec![] };
            wants_older_java(&failure, in_product).is_some()
        };
        let closed = "\ncaused by java.lang.reflect.InaccessibleObjectException: Unable to make java.lang.ClassLoader";
        assert!(says("ExceptionInInitializerError", closed, false));
        assert!(!says("ExceptionInInitializerError", closed, true), "the product asks for it");
        let class = "Could not initialize class org.mockito.internal.creation.cglib.ClassImposterizer$3\ncaused by x";
        assert!(says("NoClassDefFoundError", class, false));
        let expected = format!("Unexpected exception\ncaused by java.lang.NoClassDefFoundError: {class}");
        assert!(says("Exception", &expected, false), "the test expects another one");
        assert!(!says("NoClassDefFoundError", "Could not initialize class org.shop.Cart", false));
        assert!(says("NoClassDefFoundError", "javax/xml/bind/JAXBContext", true));
        assert!(!says("NoClassDefFoundError", "org/shop/Cart", false));
    }

    #[test]
    fn what_the_product_asks_to_install_is_no_bug_where_others_fail() {
        let asks = ("test_hash#test_a", "builtins.ImportError", "Do `pip install shop[hash]` to use this.");
        let aside = |tests: &[(&str, &str, &str)]| {
            let result = |(name, kind, message): &(&str, &str, &str)| {
                let id: TestId = name.parse().unwrap();
                let failure = Failure { kind: (*kind).into(), message: (*message).into(), frames: vec![] };
                let status = TestStatus::Failed;
                (id.clone(), TestResult { id, status, failure: Some(failure), millis: 1, loss: None })
            };
            let results = tests.iter().map(result).collect();
            let report = TestReport { end: RunEnd::Complete, results, output_tail: String::new() };
            let mut aside = BTreeMap::new();
            by_failures(&report, ("", &[]), &mut aside);
            aside.into_iter().map(|(id, why)| format!("{id}: {why}")).collect::<Vec<_>>()
        };
        let other = ("test_cart#test_b", "builtins.AssertionError", "assert 1 == 2");
        let told = "test_hash#test_a: it asks for an installation: Do `pip install shop[hash]` to use this.";
        assert_eq!(aside(&[asks, other]), [told]);
        assert!(aside(&[asks]).is_empty(), "it is all there is");
        assert!(aside(&[("test_a#test", "builtins.ImportError", "cannot import name 'x'"), other]).is_empty());
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
}
