//! Conditions that hold too often or too seldom.
//!
//! Example: `while True:` becomes `while queue:`; `if total < 0:` becomes `if total < 0 or not coins:`.

use super::sorts::{Sort, sort_of_name};
use super::tree::{bare, condition_of, conditions, is_truth, whole};
use crate::templates::edit::Edit;
use crate::templates::scope::Origin;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use std::collections::HashSet;
use tree_sitter::Node;

/// Drops a part of a condition, or decides it for good.
pub(super) struct Reduce;

/// Negates a condition or a part of one.
pub(super) struct Negate;

/// Adds a part to a condition.
pub(super) struct Extend;

/// Most tests added to one condition.
const MAX_TESTS: usize = 30;
/// Variables that are asked about.
const MAX_NAMES: usize = 8;

impl Template for Reduce {
    fn name(&self) -> &'static str {
        "reduce_condition"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for (node, [left, right]) in site.of_kind("boolean_operator").filter_map(|node| Some((node, sides(node)?))) {
            for (kept, dropped) in [(left, right), (right, left)] {
                let note = format!("dropped `{}` from {}", shortened(site.text(dropped)), site.place(node));
                out.push(Edit::replace(node, site.text(kept), 0.8, note));
            }
        }
        let Some(condition) = condition_of(site.statement) else { return };
        for (value, weight) in [("False", 0.3), ("True", 0.2)] {
            if site.text(condition) != value {
                out.push(site.replacement(condition, value, weight));
            }
        }
    }
}

impl Template for Negate {
    fn name(&self) -> &'static str {
        "negate_condition"
    }

    fn prior(&self) -> Prior {
        0.7
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            // Comparisons have their own family, and conditions inside this one come by themselves.
            let has_own =
                |node: Node<'_>| matches!(node.kind(), "comparison_operator" | "not_operator" | "boolean_operator");
            for part in sides(node).into_iter().flatten().filter(|part| !has_own(*part)) {
                let note = format!("negated `{}` in {}", shortened(site.text(part)), site.place(node));
                out.push(Edit::replace(part, negated(site, part), 0.7, note));
            }
            if let Some(operand) = node.child_by_field_name("argument").filter(|_| node.kind() == "not_operator") {
                let note = format!("dropped `not` in {}", site.place(node));
                out.push(Edit::replace(node, site.text(operand), 0.9, note));
            }
        }
        let is_asked =
            |node: &Node<'_>| matches!(node.kind(), "comparison_operator" | "not_operator" | "true" | "false");
        for condition in conditions(site).into_iter().filter(|condition| !is_asked(condition)) {
            out.push(site.replacement(condition, negated(site, condition), 0.8));
        }
    }
}

/// Both sides of an `and` or `or`.
fn sides(node: Node<'_>) -> Option<[Node<'_>; 2]> {
    let side = |field: &str| node.child_by_field_name(field).filter(|_| node.kind() == "boolean_operator");
    Some([side("left")?, side("right")?])
}

impl Template for Extend {
    fn name(&self) -> &'static str {
        "extend_condition"
    }

    fn prior(&self) -> Prior {
        0.55
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let Some((condition, share)) = condition_of(site.statement).map(|node| (node, 1.0)).or_else(|| returned(site))
        else {
            return;
        };
        let old = site.text(condition);
        let tests = tests(site).into_iter().filter(|(test, _)| !old.contains(test.as_str()));
        for (test, weight) in tests.filter(|(test, _)| !is_asked(condition, site, test)).take(MAX_TESTS) {
            let weight = weight * share;
            if matches!(condition.kind(), "true" | "false") {
                // A loop that nothing ends waits for its condition.
                let weight = if is_endless(site) { (weight * 2.0).min(1.0) } else { weight };
                out.push(site.replacement(condition, test, weight));
                continue;
            }
            for (word, part) in [("or", 1.0), ("and", 0.9)] {
                let kept = torn(condition, old, word);
                let note = format!("added `{word} {}` to {}", shortened(&test), site.place(condition));
                let behind = format!("{kept} {word} {test}");
                out.push(Edit::replace(condition, behind, weight * part, note.clone()));
                // The added test may have to come first, to protect the old one from failing.
                out.push(Edit::replace(condition, format!("{test} {word} {kept}"), weight * part * 0.8, note));
            }
        }
    }
}

fn negated(site: &Site<'_>, node: Node<'_>) -> String {
    format!("not {}", whole(node, &site.unit.text))
}

/// Whether the test asks what the condition asks already, for the same or for the opposite answer: one of both is then
/// asked in vain.
fn is_asked(condition: Node<'_>, site: &Site<'_>, test: &str) -> bool {
    let plain = |text: &str| text.strip_prefix("not ").unwrap_or(text).trim_matches(['(', ')', ' ']).to_owned();
    sides(condition)
        .into_iter()
        .flatten()
        .chain([condition])
        .any(|operand| plain(site.text(bare(operand))) == plain(test))
}

/// Whether the statement is a loop that no `break` leaves.
fn is_endless(site: &Site<'_>) -> bool {
    site.statement.kind() == "while_statement" && !site.text(site.statement).contains("break")
}

/// The computed truth value that the statement returns.
fn returned<'a>(site: &Site<'a>) -> Option<(Node<'a>, f64)> {
    let value = site.statement.named_child(0).filter(|_| site.statement.kind() == "return_statement").map(bare)?;
    (is_truth(value) && !matches!(value.kind(), "true" | "false")).then_some((value, 0.7))
}

/// The old condition, in parentheses where the new word would tear it apart.
fn torn(condition: Node<'_>, text: &str, word: &str) -> String {
    let own = condition.child_by_field_name("operator").map_or("", |sign| sign.kind());
    let tears = condition.kind() == "boolean_operator" && own != word || condition.kind() == "conditional_expression";
    if tears { format!("({text})") } else { text.to_owned() }
}

/// Truth values that could be asked here: conditions from nearby code with the variables of this place, and simple
/// questions about variables.
pub(super) fn tests(site: &Site<'_>) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for (ingredients, share) in std::iter::once((&site.own, 0.7)).chain(site.near.iter().map(|near| (near, 0.35))) {
        let conditions = ingredients
            .expressions
            .iter()
            .filter(|ingredient| matches!(ingredient.shape.as_str(), "comparison_operator" | "not_operator"));
        for ingredient in conditions {
            found.extend(site.adapted(ingredient).into_iter().map(|(text, fit)| (text, share * fit)));
            for used in &ingredient.uses {
                let others = site.scope.iter().filter(|other| other.name != used.name && other.origin != Origin::Field);
                found.extend(others.take(3).map(|other| {
                    let mut text = ingredient.text.clone();
                    text.replace_range(used.range.clone(), &other.name);
                    (text, share * 0.6)
                }));
            }
        }
    }
    // Whether a constant of the module holds is no question.
    let is_constant = |name: &str| name.len() > 1 && !name.contains(|c: char| c.is_lowercase() || c == '.');
    for variable in site.scope.iter().filter(|variable| !is_constant(&variable.name)).take(MAX_NAMES) {
        let name = &variable.name;
        // A variable that the statement uses is asked about before any other.
        let is_used = site.expressions.iter().any(|node| site.text(*node) == name);
        let share = if is_used { 0.9 } else { 0.75 };
        let tests_of_sort: &[(&str, &str, f64)] = match sort_of_name(variable) {
            Some(Sort::Number) => &[("", " == 0", 0.7), ("", " > 0", 0.5), ("", " < 0", 0.4)],
            Some(Sort::Collection | Sort::Text) => &[("", "", 0.9), ("not ", "", 0.85)],
            Some(Sort::Truth) => &[("", "", 0.8), ("not ", "", 0.8)],
            None => &[("", "", 0.75), ("not ", "", 0.75), ("", " is None", 0.7), ("", " == 0", 0.5)],
        };
        found.extend(
            tests_of_sort.iter().map(|(before, behind, weight)| (format!("{before}{name}{behind}"), weight * share)),
        );
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut seen = HashSet::new();
    found.retain(|(text, _)| seen.insert(text.clone()));
    found
}
