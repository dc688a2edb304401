//! The wrong value: another variable, another expression from nearby, another result.

use super::condition::tests;
use super::sorts::{Sort, fit, sort_at, sort_of_name};
use super::tree::{is_literal, is_of_object};
use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::ingredients::Ingredient;
use crate::templates::scope::Origin;
use crate::templates::site::{Site, similarity};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Replaces a variable by another one in sight.
pub(super) struct Variable;

/// Replaces the value of a `return`.
pub(super) struct ReturnValue;

/// Replaces an expression by one that stands nearby, or by a variable.
pub(super) struct Expression;

/// Ingredients tried for one expression.
const MAX_INGREDIENTS: usize = 10;
/// Variables tried for one expression.
const MAX_VARIABLES: usize = 8;

impl Template for Variable {
    fn name(&self) -> &'static str {
        "variable"
    }

    fn prior(&self) -> Prior {
        0.7
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("identifier") {
            let (name, sort) = (site.text(node), sort_at(site, node).or_else(|| compared_with(site, node)));
            if is_of_object(site, name) {
                put(site, node, &format!("self.{name}"), 0.9, out);
            }
            for (at, other) in site.scope.iter().filter(|other| other.name != name).enumerate() {
                let near = 1.0 / (1.0 + 0.08 * at as f64);
                let own = if other.origin == Origin::Field { 0.5 } else { 1.0 };
                let weight = role_weight(node) * near * own * (0.6 + 0.4 * similarity(name, &other.name));
                put(site, node, &other.name, weight * fit(sort, sort_of_name(other)), out);
            }
        }
    }
}

/// What a value surely is for what it is compared with: nothing but a text equals a text.
fn compared_with(site: &Site<'_>, node: Node<'_>) -> Option<Sort> {
    let comparison = node.parent().filter(|parent| parent.kind() == "comparison_operator")?;
    let parts = children(comparison);
    let [left, sign, right] = parts.as_slice() else { return None };
    let other = if *left == node { right } else { left };
    matches!(site.text(*sign), "==" | "!=" | "<" | "<=" | ">" | ">=").then(|| sort_at(site, *other)).flatten()
}

/// A replacement, unless it weighs nothing.
fn put(site: &Site<'_>, node: Node<'_>, text: &str, weight: f64, out: &mut Vec<Edit>) {
    if weight > 0.0 {
        out.push(site.replacement(node, text, weight));
    }
}

fn role_weight(node: Node<'_>) -> f64 {
    match node.parent().map(|parent| parent.kind()) {
        Some("argument_list" | "for_statement" | "for_in_clause" | "tuple") => 1.0,
        Some("subscript" | "slice") => 0.85,
        Some("binary_operator" | "comparison_operator") => 0.75,
        Some("attribute") => 0.6,
        _ => 0.8,
    }
}

impl Template for ReturnValue {
    fn name(&self) -> &'static str {
        "return_value"
    }

    fn prior(&self) -> Prior {
        0.65
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let is_result = matches!(site.statement.kind(), "return_statement" | "expression_statement");
        let value = site.statement.named_child(0).filter(|value| is_result && value.kind() != "assignment");
        let value =
            value.map(|value| if value.kind() == "yield" { value.named_child(0).unwrap_or(value) } else { value });
        let Some(value) = value.filter(|value| value.kind() != "augmented_assignment" && value.kind() != "call") else {
            return;
        };
        let old = site.text(value);
        let is_plain = matches!(value.kind(), "identifier" | "list" | "dictionary") || is_literal(value.kind());
        if matches!(value.kind(), "true" | "false") {
            let tests = tests(site).into_iter().take(30);
            out.extend(tests.map(|(text, weight)| site.replacement(value, text, 0.8 * weight)));
            return;
        }
        let share = if is_plain { 0.9 } else { 0.6 };
        for (at, variable) in site.scope.iter().filter(|variable| variable.name != old).enumerate() {
            let near = 1.0 / (1.0 + 0.08 * at as f64);
            out.push(site.replacement(value, &variable.name, share * near));
            if value.kind() == "list" {
                out.push(site.replacement(value, format!("[{}]", variable.name), share * near));
            }
        }
        if value.kind() == "list" {
            out.push(site.replacement(value, format!("[{old}]"), 0.8));
        }
    }
}

impl Template for Expression {
    fn name(&self) -> &'static str {
        "expression"
    }

    fn prior(&self) -> Prior {
        0.42
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let kind = node.kind();
            let is_replaceable = matches!(kind, "identifier" | "call" | "subscript" | "attribute" | "binary_operator");
            let is_alone = node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
            if !is_replaceable || is_alone {
                continue;
            }
            let old = site.text(node);
            if kind != "identifier" {
                let sort = sort_at(site, node);
                for (at, variable) in site.scope.iter().take(MAX_VARIABLES).enumerate() {
                    let weight = 0.8 * role_weight(node) / (1.0 + 0.1 * at as f64);
                    put(site, node, &variable.name, weight * fit(sort, sort_of_name(variable)), out);
                }
            }
            let mut found: Vec<(String, f64)> = Vec::new();
            for (ingredients, share) in
                std::iter::once((&site.own, 1.0)).chain(site.near.iter().map(|near| (near, 0.3)))
            {
                for ingredient in ingredients.expressions.iter().filter(|ingredient| fits(ingredient, node)) {
                    let texts = site.adapted(ingredient).into_iter();
                    let texts = texts.filter(|(text, _)| text != old && !is_around(site, node, text));
                    let weighed = |(text, fit): (String, f64)| {
                        let weight = (0.5 + 0.5 * similarity(old, &text)) * fit * share;
                        (text, weight)
                    };
                    found.extend(texts.map(weighed));
                }
            }
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            found.dedup_by(|a, b| a.0 == b.0);
            for (text, weight) in found.into_iter().take(MAX_INGREDIENTS) {
                out.push(site.replacement(node, text, weight * role_weight(node)));
            }
        }
    }
}

/// Whether the text is an expression that the node is a part of: it would stand in itself.
fn is_around(site: &Site<'_>, node: Node<'_>, text: &str) -> bool {
    let above = std::iter::successors(node.parent(), |above| above.parent());
    above.take_while(|above| *above != site.statement).any(|above| site.text(above) == text)
}

/// Whether an ingredient can stand for a node: truth values for none but truth values, no literals.
fn fits(ingredient: &Ingredient, node: Node<'_>) -> bool {
    let is_truth = |kind: &str| matches!(kind, "comparison_operator" | "boolean_operator" | "not_operator");
    !is_literal(&ingredient.shape) && is_truth(&ingredient.shape) == is_truth(node.kind())
}
