//! Product files that assert for tests: helpers that some projects keep beside their product.

use crate::code::{CodeIndex, SourceFile};
use crate::domain::{FailingTest, RepoPath};
use std::collections::BTreeSet;

/// Packages of test frameworks and of libraries that assert.
const PACKAGES: [&str; 9] = [
    "org.junit",
    "junit.framework",
    "org.assertj",
    "org.hamcrest",
    "org.testng",
    "org.opentest4j",
    "com.google.common.truth",
    "pytest",
    "unittest",
];
/// What failed assertions are called.
const KINDS: [&str; 4] = ["AssertionError", "AssertionFailedError", "ComparisonFailure", "MultipleFailuresError"];
/// A project of which this share of files asserts is a library for tests itself.
const LIBRARY: f64 = 0.5;

/// The files in which failing tests failed by an assertion that the file itself makes, and those beside them through which
/// the test came there; the fault lies in what they were given.
pub(super) fn asserting<'a>(index: &'a CodeIndex, failing: &[FailingTest]) -> BTreeSet<&'a RepoPath> {
    let product: Vec<&SourceFile> = index.files().iter().map(|file| &**file).filter(|file| !file.test).collect();
    let count = product.iter().filter(|file| asserts(file)).count();
    if count as f64 >= LIBRARY * product.len() as f64 {
        return BTreeSet::new();
    }
    let by_assertion = failing.iter().filter(|test| KINDS.iter().any(|kind| test.failure.kind.ends_with(kind)));
    let mut found = BTreeSet::new();
    for test in by_assertion {
        let frames = test.failure.frames.iter().filter_map(|frame| index.class(&frame.class));
        let mut helpers = frames.map(|(file, _)| &**file).take_while(|file| !file.test);
        if let Some(first) = helpers.next().filter(|file| asserts(file)) {
            found.insert(&first.path);
            found.extend(helpers.map(|file| &file.path).take_while(|path| folder(path) == folder(&first.path)));
        }
    }
    found
}

fn folder(path: &RepoPath) -> &str {
    path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn asserts(file: &SourceFile) -> bool {
    file.imports.iter().map(|import| import.trim_start_matches("static ")).any(|import| {
        let mut rests = PACKAGES.iter().filter_map(|package| import.strip_prefix(package));
        rests.any(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}
