//! Which test classes are worth a spectrum: those that can reach what the failing tests reach.
//!
//! A passing test tells something about a line only when it might have run it. A big suite holds mostly tests of other
//! classes, so the spectrum is measured over the test classes that name a class under suspicion.

use super::distance::Reach;
use super::locate::names_match;
use crate::code::{CodeIndex, SourceFile};
use crate::domain::{FailingTest, RepoPath};
use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet};

/// Test classes measured at most, beside those of the failing tests.
const MAX_CLASSES: usize = 40;
/// Classes under suspicion at most: the nearest ones.
const MAX_SUSPECTS: usize = 12;
/// What a test class that is named after a suspect counts more than one that only names it.
const NAMED_AFTER: f64 = 10.0;

/// Test classes (outer ones, with their packages) that name a product class the failing tests can reach, those of the
/// failing tests among them. Pure in the code, so that the choice is the same on every machine.
pub fn covering_classes(index: &CodeIndex, failing: &[FailingTest]) -> BTreeSet<String> {
    let mut chosen: BTreeSet<String> = failing.iter().map(|test| test.id.outer_class().to_owned()).collect();
    let suspects = suspects(index, failing);
    let mut scored: Vec<(f64, String)> = Vec::new();
    for file in index.files().iter().filter(|file| file.test) {
        let score: f64 = suspects.iter().map(|(name, weight)| weight * mentions(file, name)).sum();
        if score > 0.0 {
            let types = file.types.iter().filter(|kind| !kind.name.contains('.'));
            scored.extend(types.map(|kind| (score, full_name(file, &kind.name))));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let others = scored.into_iter().map(|(_, name)| name).filter(|name| !chosen.contains(name));
    let others: Vec<String> = others.take(MAX_CLASSES).collect();
    chosen.extend(others);
    chosen
}

/// Simple names of product classes under suspicion, each with how much it is.
fn suspects(index: &CodeIndex, failing: &[FailingTest]) -> Vec<(String, f64)> {
    let mut weights: BTreeMap<String, f64> = BTreeMap::new();
    let mut note = |name: &str, weight: f64| {
        let known = weights.entry(name.to_owned()).or_default();
        *known = known.max(weight);
    };
    let main_name = |path: &RepoPath| index.language().main_name(path);
    for reached in Reach::of(index, failing).iter() {
        note(&main_name(&reached.method.file), reached.nearness);
    }
    for test in failing {
        let frames = test.failure.frames.iter().filter_map(|frame| index.class(&frame.class));
        for (depth, (file, _)) in frames.filter(|(file, _)| !file.test).enumerate() {
            note(&main_name(&file.path), 1.0 / (1.0 + 0.5 * depth as f64));
        }
    }
    for file in index.files().iter().filter(|file| !file.test) {
        let name = main_name(&file.path);
        if failing.iter().any(|test| names_match(test.id.simple_class(), &name)) {
            note(&name, 1.0);
        }
    }
    let mut suspects: Vec<(String, f64)> = weights.into_iter().collect();
    suspects.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    suspects.truncate(MAX_SUSPECTS);
    suspects
}

/// How much a test file is about a class: 0 when it does not name it.
fn mentions(file: &SourceFile, name: &str) -> f64 {
    let text = file.text.as_bytes();
    let word = |at: usize| text.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let whole = |at: &usize| !word(at + name.len()) && (*at == 0 || !word(at - 1));
    let count = memmem::find_iter(text, name).filter(whole).count();
    let named_after = names_match(file.path.stem(), name) && count > 0;
    (1.0 + count as f64).ln() + if named_after { NAMED_AFTER } else { 0.0 }
}

fn full_name(file: &SourceFile, name: &str) -> String {
    if file.package.is_empty() { name.to_owned() } else { format!("{}.{name}", file.package) }
}

#[cfg(test)]
mod tests {
    use super::super::failing_tests;
    use super::super::metadata::tests::{baseline, shop, wrong_total};
    use super::*;
    use crate::domain::TestStatus;

    #[test]
    fn classes_that_name_a_suspect_are_chosen_and_no_others() {
        let index = shop();
        let failing = failing_tests(&index, &baseline("total", wrong_total(), TestStatus::Failed));
        let chosen = covering_classes(&index, &failing);
        assert!(chosen.contains("shop.CartTest") && chosen.contains("shop.Shared"), "{chosen:?}");
        assert!(!chosen.contains("shop.Cart"), "{chosen:?}");
    }

    #[test]
    fn a_name_inside_another_is_no_mention() {
        let index = shop();
        let file = index.files().iter().find(|file| file.path.as_str().ends_with("CartTest.java")).unwrap();
        assert!(mentions(file, "Cart") > NAMED_AFTER);
        assert_eq!(mentions(file, "Car"), 0.0);
    }
}
