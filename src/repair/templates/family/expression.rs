//! A whole expression that should be another one: from nearby code, or a simple question about a variable.
//!
//! Source: TBar's *mutate variable* (FP13.2: by an expression), *mutate return statement* (FP12), *mutate literal
//! expression* (FP9). Example: `return true;` at the end of a check that counted what is open becomes
//! `return open == 0;`.

use super::condition::tests;
use super::offset::is_in_sum;
use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::{Site, similarity};
use crate::templates::syntax::{condition_of, is_literal};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Replaces an expression by one of the same type found nearby.
pub struct Expression;

/// Replaces an expression by a variable of its type.
pub struct ToVariable;

/// Replaces the value of a `return`.
pub struct ReturnValue;

/// Replaces a literal by another.
pub struct Literal;

/// Ingredients tried for one expression.
const MAX_INGREDIENTS: usize = 24;

impl Template for Expression {
    fn name(&self) -> &'static str {
        "expression"
    }

    fn prior(&self) -> Prior {
        0.45
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            if !is_replaceable(node) {
                continue;
            }
            let Some(kind) = site.wanted(node) else { continue };
            if kind.as_str() == "void" || kind.is_boolean() && node.shape() == "binary_expression" {
                continue;
            }
            let old = site.text(node);
            let mut found = same_type(site, &kind);
            for (_, weight) in &mut found {
                *weight *= role_weight(node);
            }
            found.retain(|(text, _)| text != old && !text.contains(old) | (text.len() < old.len() + 24));
            for (text, weight) in &mut found {
                *weight *= 0.5 + 0.5 * similarity(old, text);
            }
            found.sort_by(|a, b| b.1.total_cmp(&a.1));
            for (text, weight) in found.into_iter().take(MAX_INGREDIENTS) {
                out.push(site.replacement(node, text, weight));
            }
        }
    }
}

fn is_replaceable(node: Node<'_>) -> bool {
    let target = node.parent().is_some_and(|parent| {
        parent.shape() == "assignment_expression" && parent.part("left") == Some(node)
            || parent.shape() == "update_expression"
            || parent.shape() == "expression_statement"
    });
    let kind = matches!(
        node.shape(),
        "identifier"
            | "method_invocation"
            | "object_creation_expression"
            | "array_access"
            | "field_access"
            | "binary_expression"
            | "cast_expression"
    );
    kind && !target
}

fn role_weight(node: Node<'_>) -> f64 {
    match node.parent().map(|parent| parent.shape()) {
        Some("argument_list") => 1.0,
        Some("binary_expression") => 0.95,
        Some("return_statement") => 0.9,
        Some("variable_declarator" | "assignment_expression") => 0.8,
        Some("method_invocation" | "field_access") => 0.5,
        _ => 0.7,
    }
}

/// Expressions of the type in the same member and in others, with their variables fitted to this place.
fn same_type(site: &Site<'_>, kind: &ValueType) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut add = |text: String, weight: f64| {
        if !found.iter().any(|(known, _)| *known == text) {
            found.push((text, weight));
        }
    };
    let near = site.near.iter().map(|ingredients| (ingredients, 0.5));
    let far = site.far.iter().map(|ingredients| (ingredients, 0.2));
    for (ingredients, share) in std::iter::once((&site.own, 1.0)).chain(near).chain(far) {
        for ingredient in &ingredients.expressions {
            let fits = ingredient.kind.as_ref().is_some_and(|have| kind.accepts(have));
            if !fits || is_literal(&ingredient.shape) || ingredient.shape == "assignment_expression" {
                continue;
            }
            for (text, fit) in site.adapted(ingredient) {
                add(text, share * fit);
            }
        }
    }
    found
}

impl Template for ToVariable {
    fn name(&self) -> &'static str {
        "to_variable"
    }

    fn prior(&self) -> Prior {
        0.4
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let replaceable = |node: &&Node<'_>| is_replaceable(**node) && node.shape() != "identifier";
        for &node in site.expressions.iter().filter(replaceable) {
            let Some(kind) = site.wanted(node).filter(|kind| kind.as_str() != "void") else { continue };
            let text = site.text(node);
            // The same expression twice in one statement is often a copy that should have been changed.
            let twice = site.expressions.iter().filter(|other| site.text(**other) == text).count() > 1;
            let share = role_weight(node) * if twice { 1.0 } else { 0.7 };
            for (at, variable) in site.fitting(&kind).enumerate() {
                out.push(site.replacement(node, &variable.name, share / (1.0 + 0.1 * at as f64)));
            }
        }
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
        if site.statement.shape() != "return_statement" {
            return;
        }
        let Some(value) = site.statement.named_child(0) else { return };
        let Some(kind) = site.returns() else { return };
        let plain = matches!(value.shape(), "identifier") || is_literal(value.shape());
        if kind.is_boolean() {
            if is_literal(value.shape()) {
                let answered = answered(site);
                let open = tests(site).into_iter().filter(|(text, _)| !answered.contains(&text.as_str()));
                for (text, weight) in open.take(20) {
                    out.push(site.replacement(value, text, weight));
                }
            }
            return;
        }
        for variable in site.fitting(&kind) {
            let weight = if plain { 0.9 } else { 0.6 };
            if variable.name != site.text(value) {
                out.push(site.replacement(value, &variable.name, weight));
            }
        }
        let neutral = kind.neutral_value(site.unit.rules.types.as_ref().map_or("null", |types| types.null));
        if neutral != site.text(value) {
            out.push(site.replacement(value, neutral, 0.3));
        }
    }
}

/// Conditions of the `if` statements around the site: asked again, they give the same answer, which a literal says.
fn answered<'a>(site: &Site<'a>) -> Vec<&'a str> {
    let around = std::iter::successors(site.statement.parent(), Node::parent);
    let within = around.take_while(|node| Some(*node) != site.callable());
    let conditions = within.filter(|node| node.shape() == "if_statement").filter_map(condition_of);
    conditions.map(|condition| site.text(condition)).collect()
}

impl Template for Literal {
    fn name(&self) -> &'static str {
        "literal"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in site.expressions.iter().filter(|node| is_literal(node.shape())) {
            let old = site.text(node);
            match node.shape() {
                "true" | "false" | "null_literal" => {}
                kind => {
                    let mut others: Vec<&str> = Vec::new();
                    let mined = std::iter::once(&site.own).chain(&site.near);
                    for other in mined.flat_map(|ingredients| &ingredients.expressions).filter(|i| i.shape == kind) {
                        let is_nothing = other.text == "0" && is_in_sum(site, node);
                        if other.text != old && !is_nothing && !others.contains(&other.text.as_str()) {
                            others.push(&other.text);
                        }
                    }
                    for other in others.into_iter().take(8) {
                        out.push(site.replacement(node, other, 0.3 + 0.4 * similarity(old, other)));
                    }
                    for variable in numbers(site, kind) {
                        out.push(site.replacement(node, variable, 0.4));
                    }
                }
            }
        }
    }
}

/// Variables that may stand for a number.
fn numbers(site: &Site<'_>, kind: &str) -> Vec<String> {
    if kind != "decimal_integer_literal" {
        return Vec::new();
    }
    let int = ValueType::new("int");
    site.fitting(&int).filter(|v| v.kind.as_ref().is_some_and(ValueType::is_integral)).map(|v| v.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const TAGS: &str = "class Tags {
    static int width = 3;
    int pad(int depth, int column) {
        int room = depth * width;
        return column;
    }
    boolean closed(String text) {
        int open = 0;
        return true;
    }
    String cut(String text, String end) {
        String head = text.trim();
        return end.trim();
    }
}";

    #[test]
    fn nearby_expressions_of_the_type() {
        assert!(proposals(&Expression, TAGS, 5).contains(&"return depth * width;".to_owned()));
        assert!(proposals(&ToVariable, TAGS, 4).contains(&"int room = column;".to_owned()));
        assert!(proposals(&Expression, TAGS, 13).contains(&"return text.trim();".to_owned()));
    }

    #[test]
    fn returned_values_and_questions() {
        assert!(proposals(&ReturnValue, TAGS, 9).contains(&"return open == 0;".to_owned()));
        assert!(proposals(&ReturnValue, TAGS, 5).contains(&"return depth;".to_owned()));
        let guarded =
            TAGS.replace("        return true;", "        if (open == 0) {\n return false;\n }\n return true;");
        let inside = proposals(&ReturnValue, &guarded, 10);
        assert!(inside.contains(&"return open > 0;".to_owned()), "{inside:?}");
        assert!(!inside.contains(&"return open == 0;".to_owned()), "it was asked already");
    }

    #[test]
    fn literals_become_others() {
        assert!(proposals(&Literal, TAGS, 8).contains(&"int open = width;".to_owned()));
        let sum = TAGS.replace("depth * width", "depth + 2").replace("return column", "return column * 3 + 0");
        let found = proposals(&Literal, &sum, 4);
        assert!(found.contains(&"int room = depth + 3;".to_owned()), "{found:?}");
        assert!(!found.iter().any(|text| text.contains("+ 0")), "{found:?}");
    }
}
