//! What the judge refuses by itself, whatever was checked before it: a patch may change product sources and nothing
//! that decides how tests are found, built, run or reported.

use super::python::is_plugin;
use crate::benchmark::{Checkout, product_resources};
use crate::domain::{FileChange, Outcome, Patch, RepoPath, Validation};
use crate::language::{self, Language, Python};
use crate::patch::is_product_resource;
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
    let resources = product_resources(checkout);
    for file in &patch.files {
        let path = &file.path;
        let within = |roots: &[RepoPath]| roots.iter().any(|root| path.is_within(root));
        let outside = !project.source_roots.is_empty() && !within(&project.source_roots);
        let of_build = BUILD_FILES.contains(&path.file_name());
        let is_source = is_source(&checkout.language, path);
        let is_resource = !is_source && is_product_resource(path, &resources);
        if is_test(checkout, path) || of_build || !is_resource && (outside || !is_source) {
            let detail = format!(
                "{path} is a test, a build file or no source; only sources and resources of the product may change"
            );
            return Some(Validation::without_tests(Outcome::Refused, detail));
        }
        if checkout.language == Python.name() && is_plugin(&checkout.root, path) {
            let detail = format!("{path} is loaded by pytest as a plugin, which decides about results");
            return Some(Validation::without_tests(Outcome::Refused, detail));
        }
        if let Some(place) = usurps(checkout, file) {
            let detail = format!("{path} would be {place}, which is not the project's");
            return Some(Validation::without_tests(Outcome::Refused, detail));
        }
        if let Some(why) = two_ways(checkout, file) {
            let detail = format!("{path} would {why}");
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

fn is_test(checkout: &Checkout, path: &RepoPath) -> bool {
    let project = &checkout.project;
    let Some(language) = language::by_name(&checkout.language) else {
        return project.test_roots.iter().any(|root| path.is_within(root));
    };
    language::is_test(path, &project.source_roots, &project.test_roots, language)
}

/// Why nobody but the platform and the test libraries may have a file there.
fn usurps(checkout: &Checkout, file: &FileChange) -> Option<String> {
    let language = language::by_name(&checkout.language).filter(|_| file.before.is_none())?;
    let roots = checkout.project.source_roots.iter().filter_map(|root| file.path.below(root));
    let inside = roots.min_by_key(|inside| inside.len()).unwrap_or(file.path.as_str());
    language.foreign(Utf8Path::new(inside), &language::decode(&file.after).0)
}

/// Why the compiler and a reader could take a file for two different texts.
fn two_ways(checkout: &Checkout, file: &FileChange) -> Option<String> {
    let before = file.before.as_deref().map(|bytes| language::decode(bytes).0).unwrap_or_default();
    language::read_in_two_ways(&before, &language::decode(&file.after).0, language::by_name(&checkout.language)?)
}

fn is_source(language: &str, path: &RepoPath) -> bool {
    let known = language::by_name(language);
    known.is_none_or(|language| language.is_source(Utf8Path::new(path.as_str())))
}
