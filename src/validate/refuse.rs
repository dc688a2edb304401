//! What the judge refuses by itself, whatever was checked before it: a patch may change product sources and nothing
//! that decides how tests are found, built, run or reported.

use crate::benchmark::Checkout;
use crate::domain::{Outcome, Patch, RepoPath, Validation};
use camino::Utf8Path;

/// Files that decide how tests are found, run or reported, in any language.
const BUILD_FILES: &[&str] = &[
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "gradle.properties",
    "build.xml",
    "Makefile",
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "setup.py",
    "pyproject.toml",
];

/// What the judge refuses by itself, whatever was checked before it.
pub(super) fn refuse(checkout: &Checkout, patch: &Patch) -> Option<Validation> {
    if patch.is_empty() {
        return Some(Validation::without_tests(Outcome::Duplicate, "it changes nothing"));
    }
    let project = &checkout.project;
    for file in &patch.files {
        let path = &file.path;
        let within = |roots: &[RepoPath]| roots.iter().any(|root| path.is_within(root));
        let outside = !project.source_roots.is_empty() && !within(&project.source_roots);
        let of_build = BUILD_FILES.contains(&path.file_name());
        if within(&project.test_roots) || outside || of_build || !is_source(&checkout.language, path) {
            let detail = format!("{path} is a test, a build file or no source; only product sources may change");
            return Some(Validation::without_tests(Outcome::Refused, detail));
        }
        let now = std::fs::read(path.under(&checkout.root)).ok();
        if now.as_deref() != file.before.as_deref() {
            let detail = format!("{path} is not the file this patch was made for");
            return Some(Validation::without_tests(Outcome::Unappliable, detail));
        }
    }
    None
}

fn is_source(language: &str, path: &RepoPath) -> bool {
    let known = crate::language::by_name(language);
    known.is_none_or(|language| language.is_source(Utf8Path::new(path.as_str())))
}
