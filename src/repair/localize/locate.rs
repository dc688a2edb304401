//! The bug-located file, found from stack traces, coverage of the failing tests, calls, names, and the most suspicious lines.

use super::asserting::asserting;
use super::distance::Reach;
use crate::code::{CodeIndex, SourceFile};
use crate::domain::{FailingTest, Ranking, RepoPath, outer_class};
use crate::validate::Coverage;
use std::collections::BTreeMap;

/// Weight of a test whose name names the class.
const NAMED: f64 = 3.0;
/// Weight of the innermost frame of a failure outside the tests.
const INNERMOST_FRAME: f64 = 2.0;
/// Weight of being called in the failing statement.
const CALLED: f64 = 1.5;
/// Weight of all the most suspicious lines lying in one file: more than a name, which many tests take from what they use.
const RANKED: f64 = 4.0;
/// Suspicious lines that count.
const LINES: usize = 10;
/// Weight of all covered lines lying in one file.
const COVERED: f64 = 1.0;

/// The product file that most likely holds the bug; `None` when nothing at all points to one. Equal evidence is
/// decided by path. A ranking counts where it comes from what passing tests execute too.
pub fn locate(
    index: &CodeIndex,
    failing: &[FailingTest],
    coverage: Option<&Coverage>,
    ranking: Option<&Ranking>,
) -> Option<RepoPath> {
    let mut scores: BTreeMap<&RepoPath, f64> = BTreeMap::new();
    let share = 1.0 / failing.len().max(1) as f64;
    let asserting = asserting(index, failing);
    let can_hold_it = |file: &SourceFile| !file.test && !asserting.contains(&file.path);
    let product: Vec<_> = index.files().iter().filter(|file| can_hold_it(file)).collect();
    for test in failing {
        for file in &product {
            let name = index.language().main_name(&file.path);
            if names_match(test.id.simple_class(), &name) && is_reached_or_covered(file, coverage) {
                *scores.entry(&file.path).or_default() += NAMED * share;
            }
        }
        let frames = test.failure.frames.iter().filter_map(|frame| index.class(&frame.class).map(|(file, _)| file));
        for (depth, file) in frames.filter(|file| can_hold_it(file)).take(5).enumerate() {
            *scores.entry(&file.path).or_default() += INNERMOST_FRAME * share / (1.0 + depth as f64);
        }
        let reach = Reach::of(index, std::slice::from_ref(test));
        let mut nearest: BTreeMap<&RepoPath, f64> = BTreeMap::new();
        for reached in reach.iter() {
            let near = nearest.entry(&reached.method.file).or_default();
            *near = near.max(reached.nearness);
        }
        for (path, nearness) in nearest.into_iter().filter(|(path, _)| !asserting.contains(path)) {
            *scores.entry(path).or_default() += CALLED * share * nearness;
        }
    }
    if let Some(coverage) = coverage {
        let all: usize = coverage.lines.values().map(std::collections::BTreeSet::len).sum();
        for file in &product {
            let lines = coverage.lines.get(&file.path).map_or(0, std::collections::BTreeSet::len);
            if lines > 0 {
                *scores.entry(&file.path).or_default() += COVERED * lines as f64 / all.max(1) as f64;
            }
        }
    }
    let suspects: Vec<_> = ranking.iter().flat_map(|ranking| &ranking.lines).take(LINES).collect();
    let weight = |place: usize| 1.0 / (1.0 + place as f64);
    let all: f64 = (0..suspects.len()).map(weight).sum();
    for (place, suspect) in suspects.iter().enumerate() {
        *scores.entry(&suspect.location.file).or_default() += RANKED * weight(place) / all;
    }
    // The first of equal ones wins: `max_by` would take the last.
    let best = scores.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(path, _)| path);
    // Of one file there is nothing to choose.
    let only = || <[_; 1]>::try_from(product.clone()).ok().map(|[file]| &file.path);
    best.or_else(only).cloned()
}

/// With coverage at hand, a class that no failing test ran is not the one, whatever its name.
fn is_reached_or_covered(file: &SourceFile, coverage: Option<&Coverage>) -> bool {
    coverage.is_none_or(|coverage| coverage.lines.is_empty() || coverage.lines.contains_key(&file.path))
}

/// Whether a test class is named after a class: `CartTest`, `TestCart`, `CartTests`, `CartIT`, `CART_TEST`.
pub(crate) fn names_match(test_class: &str, class: &str) -> bool {
    let outer = outer_class(test_class);
    if class.is_empty() {
        return false;
    }
    let bare = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let (test, class) = (bare(outer), bare(class));
    ["tests", "testcase", "test", "it"].iter().any(|end| test.strip_suffix(end) == Some(class.as_str()))
        || test.strip_prefix("test") == Some(class.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::failing_tests;
    use super::super::metadata::tests::{baseline, frame, shop, shop_with, wrong_total};
    use super::*;
    use crate::domain::{Failure, Location, Suspect, TestStatus};

    #[test]
    fn named_after_its_class() {
        for (test, class, fits) in [
            ("CartTest", "Cart", true),
            ("TestCart", "Cart", true),
            ("CartTests", "Cart", true),
            ("GCD_TEST", "GCD", true),
            ("CartTest$Nested", "Cart", true),
            ("CartTest", "Car", false),
            ("Test", "", false),
        ] {
            assert_eq!(names_match(test, class), fits, "{test} and {class}");
        }
    }

    #[test]
    fn the_tested_class_is_found_without_coverage() {
        let index = shop();
        let failing = failing_tests(&index, &baseline("total", wrong_total(), TestStatus::Failed));
        assert_eq!(locate(&index, &failing, None, None).unwrap().as_str(), "src/shop/Cart.java");
    }

    #[test]
    fn a_helper_that_asserts_is_not_where_the_fault_lies() {
        let helper = "package shop;\n\nimport static org.assertj.core.api.Assertions.assertThat;\n\npublic class Asserts {\n    \
                      public static void same(int wanted, int found) {\n        assertThat(found).isEqualTo(wanted);\n    }\n}\n";
        let index = shop_with(&[("src/shop/Asserts.java", helper)]);
        let frames = vec![frame("shop.Asserts", "same", 7), frame("shop.CartTest", "total", 9)];
        let failure = Failure { kind: "org.opentest4j.AssertionFailedError".into(), frames, ..wrong_total() };
        let mut failing = failing_tests(&index, &baseline("total", failure, TestStatus::Failed));
        failing[0].id.class = "shop.Scenario".into();
        assert_eq!(locate(&index, &failing, None, None).unwrap().as_str(), "src/shop/Cart.java");
        failing[0].failure.kind = "java.lang.IllegalStateException".into();
        assert_eq!(locate(&index, &failing, None, None).unwrap().as_str(), "src/shop/Asserts.java");
    }

    #[test]
    fn frames_and_coverage_beat_nothing() {
        let index = shop();
        let failure = Failure { frames: vec![frame("shop.Money", "show", 4)], ..Failure::default() };
        let mut failing = failing_tests(&index, &baseline("gone", failure, TestStatus::Failed));
        failing[0].id.class = "shop.Scenario".into();
        failing[0].file = None;
        assert_eq!(locate(&index, &failing, None, None).unwrap().as_str(), "src/shop/Money.java");
        failing[0].failure.frames.clear();
        assert_eq!(locate(&index, &failing, None, None), None);
        let cart = RepoPath::new("src/shop/Cart.java").unwrap();
        let coverage = Coverage { lines: BTreeMap::from([(cart.clone(), [6, 7].into())]) };
        assert_eq!(locate(&index, &failing, Some(&coverage), None), Some(cart));
    }

    #[test]
    fn the_most_suspicious_lines_beat_the_name_of_the_test() {
        let index = shop();
        let mut failing = failing_tests(&index, &baseline("total", wrong_total(), TestStatus::Failed));
        // What the test calls would count besides its name.
        failing[0].file = None;
        let line = |file: &str, line| Suspect {
            location: Location { file: RepoPath::new(file).unwrap(), line },
            method: None,
            score: 1.0,
            reasons: Vec::new(),
        };
        let money = |n| line("src/shop/Money.java", n);
        let ranked = |lines| Ranking { lines, ..Ranking::default() };
        let located = |ranking: Ranking| locate(&index, &failing, None, Some(&ranking)).unwrap();
        assert_eq!(located(ranked(vec![money(3), money(4), money(5)])).as_str(), "src/shop/Money.java");
        let mixed = ranked(vec![line("src/shop/Cart.java", 7), money(3)]);
        assert_eq!(located(mixed).as_str(), "src/shop/Cart.java");
    }
}
