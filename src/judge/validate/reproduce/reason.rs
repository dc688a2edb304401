//! Whether a test fails for the reason that an issue gives: by an assertion, or by an exception of the product that the
//! issue names.

use crate::benchmark::Checkout;
use crate::domain::words::names;
use crate::domain::{Failure, Frame, RepoPath, TestResult, outer_class};
use crate::language;

/// Exceptions that say that code cannot be loaded or found, whatever the issue is about.
const NOT_LOADED: [&str; 12] = [
    "ClassNotFoundException",
    "FixtureLookupError",
    "ImportError",
    "IndentationError",
    "InvalidTestClassError",
    "ModuleNotFoundError",
    "NoClassDefFoundError",
    "NoSuchFieldError",
    "NoSuchMethodError",
    "SyntaxError",
    "TabError",
    "UnsatisfiedLinkError",
];
/// Exceptions by which a test is cut.
const CUT: [&str; 2] = ["TestTimedOutException", "OutOfMemoryError"];
/// Ends of the names of exceptions by which assertions fail.
const ASSERTIONS: [&str; 5] = [
    "AssertionError",
    "AssertionFailedError",
    "ComparisonFailure",
    "MultipleFailuresError",
    "MultipleFailureException",
];
/// What pytest throws where an expected exception does not come.
const OF_PYTEST: &str = "Failed";

/// The name of an exception without its package.
fn simple(kind: &str) -> &str {
    kind.rsplit(['.', '$']).next().unwrap_or(kind)
}

/// Why a failure is not what the issue reports; `None` when it may be.
pub(super) fn against(checkout: &Checkout, failure: Option<&Failure>, issue: &str) -> Option<String> {
    let Some(failure) = failure else { return Some("it does not say why it fails".into()) };
    let kind = simple(&failure.kind);
    let first = failure.message.lines().next().unwrap_or_default();
    let shown = if first.is_empty() { kind.to_owned() } else { format!("{kind}: {first}") };
    if NOT_LOADED.contains(&kind) {
        return Some(format!("it fails because something cannot be loaded ({shown}), not because of the issue"));
    }
    if CUT.contains(&kind) {
        return Some(format!("it fails because it was cut ({shown}), not because of the issue"));
    }
    if ASSERTIONS.iter().any(|end| kind.ends_with(end)) || kind == OF_PYTEST {
        return None;
    }
    if !names(issue, kind) {
        return Some(format!("it fails by an exception that the issue does not name ({shown})"));
    }
    let thrown_inside = failure.frames.iter().any(|frame| is_of_product(checkout, frame));
    (!thrown_inside).then(|| format!("no code of the product throws its exception ({shown})"))
}

/// Whether a frame lies in a source file of the product.
fn is_of_product(checkout: &Checkout, frame: &Frame) -> bool {
    let Some(language) = language::by_name(&checkout.language) else { return false };
    let project = &checkout.project;
    let inside = outer_class(&frame.class).replace('.', "/");
    let extension = language.extension();
    let names = [format!("{inside}.{extension}"), format!("{inside}/__init__.{extension}")];
    let roots = project.source_roots.iter().chain([&project.module]);
    let mut places = roots.flat_map(|root| names.iter().filter_map(|name| root.join(name).ok()));
    let is_product = |path: &RepoPath| !language::is_test(path, &project.source_roots, &project.test_roots, language);
    places.any(|path| is_product(&path) && path.under(&checkout.root).is_file())
}

/// Whether two runs of a test failed in the same way.
pub(super) fn is_same(one: &TestResult, other: &TestResult) -> bool {
    let end = |result: &TestResult| {
        let failure = result.failure.as_ref();
        failure.map(|failure| (failure.kind.clone(), without_addresses(&failure.message)))
    };
    end(one) == end(other)
}

/// A text without the numbers by which objects are told apart: `Cart@1b2c3d`, `<Cart object at 0x7f00>`.
fn without_addresses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['@', 'x']) {
        let (head, tail) = rest.split_at(at + 1);
        out.push_str(head);
        let is_address = head.ends_with('@') || head.ends_with("0x");
        let end = tail.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(tail.len());
        rest = if is_address { &tail[end..] } else { tail };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Project;

    fn checkout(root: &camino::Utf8Path) -> Checkout {
        let project = Project {
            source_roots: vec![RepoPath::new("src").unwrap()],
            test_roots: vec![RepoPath::new("test").unwrap()],
            ..Project::default()
        };
        Checkout::new("local:x".parse().unwrap(), root.to_owned(), "java", project)
    }

    fn failure(kind: &str, class: &str) -> Failure {
        let frame = Frame { class: class.into(), method: "m".into(), file: None, line: Some(1) };
        Failure { kind: kind.into(), message: "why".into(), frames: vec![frame] }
    }

    #[test]
    fn only_assertions_and_named_exceptions_of_the_product_are_the_issue() {
        let folder = tempfile::tempdir().unwrap();
        let root = camino::Utf8Path::from_path(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("src/shop")).unwrap();
        std::fs::write(root.join("src/shop/Till.java"), "package shop; class Till {}").unwrap();
        let judged =
            |kind: &str, class: &str, issue: &str| against(&checkout(root), Some(&failure(kind, class)), issue);
        assert_eq!(judged("org.opentest4j.AssertionFailedError", "shop.TillTest", ""), None);
        assert_eq!(judged("_pytest.outcomes.Failed", "shop.TillTest", ""), None);
        let issue = "add() throws a java.lang.NullPointerException";
        assert_eq!(judged("java.lang.NullPointerException", "shop.Till$Drawer", issue), None);
        let why = judged("java.lang.NullPointerException", "shop.TillTest", issue).unwrap();
        assert!(why.contains("no code of the product"), "{why}");
        let why = judged("java.lang.IllegalStateException", "shop.Till", issue).unwrap();
        assert!(why.contains("does not name (IllegalStateException: why)"), "{why}");
        assert!(
            judged("java.lang.Exception", "shop.Till", "an IOException comes").is_some(),
            "a part of a name is none"
        );
        let why = judged("java.lang.NoClassDefFoundError", "shop.Till", "NoClassDefFoundError").unwrap();
        assert!(why.contains("cannot be loaded"), "{why}");
    }

    #[test]
    fn addresses_of_objects_do_not_count() {
        assert_eq!(without_addresses("Cart@1b2c3d, max 3"), without_addresses("Cart@77aa, max 3"));
        assert_eq!(without_addresses("<Cart at 0x7f01> of x1"), "<Cart at 0x> of x1");
        assert_ne!(without_addresses("expected 3"), without_addresses("expected 4"));
    }
}
