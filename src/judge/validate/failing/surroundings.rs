//! Failures that speak of the machine, not of the code: by what they say.

use super::aside::AsideReason;
use super::unloadable;
use crate::benchmark::{Checkout, absent_submodules, python};
use crate::domain::{Failure, Loss, RepoPath, TestId, TestResult};
use crate::validate::clean;
use camino::{Utf8Path, Utf8PathBuf};

/// What is known of a project's tests beside how they fail.
#[derive(Default)]
pub(super) struct Surroundings {
    /// What names the packages that a project in Python wants.
    pub(super) settings: String,
    /// Submodules that nobody fetched.
    pub(super) absent: Vec<RepoPath>,
    /// Where tests run.
    pub(super) folder: Utf8PathBuf,
}

impl Surroundings {
    pub(super) fn of(checkout: &Checkout) -> Self {
        let is_python = checkout.language == "python";
        Self {
            settings: if is_python { python::settings(&checkout.root) } else { String::new() },
            absent: absent_submodules(&checkout.root),
            folder: checkout.project.module.under(&checkout.root),
        }
    }
}

/// Why something here may be at fault for a failure; it is less sure than [`outside`].
pub(super) fn likely(result: &TestResult) -> Option<AsideReason> {
    let by_memory = || wants_memory(result).or_else(|| wants_an_installation(result));
    let failure = result.failure.as_ref();
    by_memory()
        .or_else(|| wants_a_program(failure?))
        .or_else(|| wants_a_plugin(failure?))
        .or_else(|| is_style(failure?))
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

/// Why a failure may be the environment's: it starts a program that is not here.
fn wants_a_program(failure: &Failure) -> Option<AsideReason> {
    let in_java = |message: &str| {
        let rest = message.split_once("Cannot run program \"")?.1;
        let (program, why) = rest.split_once('"')?;
        why.contains("error=2").then(|| program.to_owned())
    };
    let in_python = |message: &str| {
        let name = message.split_once("No such file or directory: ")?.1.split_once(STARTED)?.0;
        Some(name.trim_start_matches("PosixPath(").trim_matches(['\'', '"', ')']).to_owned())
    };
    let program = causes(failure).find_map(|(_, message)| in_java(message).or_else(|| in_python(message)))?;
    Some(format!("it starts the program `{program}`, which is not here").into())
}

/// What our runner of Python says behind the name of a program that could not be started.
const STARTED: &str = " (the program to start)";

/// Why a failure may be the environment's: nothing that pytest has here gives a fixture that the test asks for.
fn wants_a_plugin(failure: &Failure) -> Option<AsideReason> {
    let name = missing_fixture(failure)?;
    Some(format!("it needs the fixture `{name}`, which no plugin of pytest here gives").into())
}

/// The fixture that a test asks pytest for, and that nothing gives.
fn missing_fixture(failure: &Failure) -> Option<&str> {
    let (before, rest) = failure.message.split_once("fixture '")?;
    let (name, _) = rest.split_once("' not found")?;
    (before.trim().is_empty() && failure.kind.ends_with("FixtureLookupError")).then_some(name)
}

/// Fixtures that are well known, each with the plugin of pytest that gives it.
const FIXTURES: [(&str, &str); 14] = [
    ("aiohttp_client", "pytest-aiohttp"),
    ("benchmark", "pytest-benchmark"),
    ("data_regression", "pytest-regressions"),
    ("datadir", "pytest-datadir"),
    ("event_loop", "pytest-asyncio"),
    ("freezer", "pytest-freezer"),
    ("fs", "pyfakefs"),
    ("httpserver", "pytest-httpserver"),
    ("httpx_mock", "pytest-httpx"),
    ("mocker", "pytest-mock"),
    ("qtbot", "pytest-qt"),
    ("requests_mock", "requests-mock"),
    ("shared_datadir", "pytest-datadir"),
    ("subtests", "pytest-subtests"),
];

fn plugin_of(fixture: &str) -> Option<&'static str> {
    FIXTURES.iter().find(|(name, _)| *name == fixture).map(|(_, plugin)| *plugin)
}

/// Plugins of pytest that make a test of each file, which looks at its text.
const OF_STYLE: [&str; 9] =
    ["pycodestyle", "codestyle", "pydocstyle", "flake8", "isort", "black", "pylint", "ruff", "mypy"];

/// Why a failure says little about what the code does.
fn is_style(failure: &Failure) -> Option<AsideReason> {
    let plugin = failure.kind.strip_prefix("pytest_")?.split('.').next()?;
    OF_STYLE.contains(&plugin).then(|| "it checks the style of a file".into())
}

pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Why a failure says nothing about the code: it wants the network, a display, or a file that is not here, or a class
/// that only the project's own build can load.
pub(super) fn outside(id: &TestId, failure: &Failure) -> Option<AsideReason> {
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

/// Names of folders with what tests read.
const OF_TESTS: [&str; 5] = ["test", "tests", "testdata", "test-data", "test_data"];

/// Why a failure may be the environment's: it wants a file from a folder of the tests that is not there, which no change of
/// the product makes. Tests run in `folder`.
pub(super) fn lacks_test_data(failure: &Failure, folder: &Utf8Path) -> Option<AsideReason> {
    if !lacks_file(failure) && !failure.message.to_lowercase().contains("not found") {
        return None;
    }
    let names_test = |path: &Utf8Path| path.components().any(|part| OF_TESTS.contains(&part.as_str()));
    let is_missing = |path: &&Utf8Path| {
        let begins_here = path.components().next().is_some_and(|first| folder.join(first).is_dir());
        let place = folder.join(path);
        let lacks_folder = path.extension().is_none() || place.parent().is_some_and(|parent| !parent.exists());
        path.is_relative() && names_test(path) && begins_here && !place.exists() && lacks_folder
    };
    let mut words = failure.message.split_whitespace().map(|word| Utf8Path::new(word.trim_matches(['\'', '"', ':'])));
    let path = words.find(is_missing)?;
    Some(format!("it needs a file of the tests that is not here: {path}").into())
}

/// Why a failure says nothing about the code: the file lies in a submodule that nobody fetched.
pub(super) fn not_fetched(failure: &Failure, absent: &[RepoPath]) -> Option<AsideReason> {
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
pub(super) fn wants_older_java(failure: &Failure, in_product: bool) -> Option<AsideReason> {
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
pub(super) fn lacks(failure: &Failure, settings: &str) -> Option<AsideReason> {
    if OF_CHECKERS.iter().any(|name| failure.message.starts_with(name)) {
        return Some("it is written for a type checker, and no plugin here gives it to one".into());
    }
    let of_plugin = || plugin_of(missing_fixture(failure)?);
    let package = unloadable::missing_package(failure).or_else(of_plugin)?;
    let spelled = |name: &str| name.to_lowercase().replace('_', "-");
    let is_wanted = spelled(settings).contains(&spelled(package));
    is_wanted.then(|| AsideReason::NotInstalled(package.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let fixture = |name: &str| Failure {
            kind: "_pytest.fixtures.FixtureLookupError".into(),
            message: format!("fixture '{name}' not found"),
            frames: vec![],
        };
        let tests = "optional-dependencies.tests = [ \"pytest-benchmark\", \"pytest-cov\" ]";
        let plugin = AsideReason::NotInstalled("pytest-benchmark".into());
        assert!(lacks(&fixture("benchmark"), tests).is_some_and(|why| why == plugin));
        assert!(lacks(&fixture("benchmark"), settings).is_none(), "a function of this name may be gone");
        assert!(lacks(&fixture("mocker"), tests).is_none());
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
    fn a_file_of_the_tests_in_a_folder_that_is_not_there_is_likely_no_bug() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("src/test/resources/shop")).unwrap();
        let lacks = |kind: &str, message: &str| {
            let failure = Failure { kind: kind.into(), message: message.into(), frames: vec![] };
            lacks_test_data(&failure, root).is_some()
        };
        let kind = "java.nio.file.NoSuchFileException";
        assert!(lacks(kind, "src/test/resources/shop/specs/a.yml"));
        assert!(lacks("java.lang.IllegalArgumentException", "File not found: src/test/resources/shop/specs"));
        assert!(!lacks(kind, "src/test/resources/shop/a.yml"), "the product may have made its name");
        assert!(!lacks(kind, "src/main/resources/specs/a.yml"));
        assert!(!lacks(kind, "test/specs/a.yml"), "no such folder is here at all");
        assert!(!lacks("java.lang.AssertionError", "src/test/resources/shop/specs/a.yml"));
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
