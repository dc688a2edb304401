//! Off by one, an operand too many, an operand that is missing.

use super::sorts::{Sort, fit, sort_at, sort_of_name};
use super::tree::{bare, whole};
use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Off by one: in an index, a bound, an argument, a result.
pub(super) struct Offset;

/// Drops an operand.
pub(super) struct Operands;

/// Adds an operand: `x` becomes `x - y`.
pub(super) struct AddOperand;

impl Template for Offset {
    fn name(&self) -> &'static str {
        "offset"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            if node.kind() == "integer" {
                literal(site, node, out);
                continue;
            }
            let is_number =
                matches!(node.kind(), "identifier" | "call" | "attribute" | "subscript" | "binary_operator");
            let Some(role) = role(site, node).filter(|_| is_number) else { continue };
            let flat = match sort_at(site, node) {
                Some(Sort::Number) if node.kind() == "binary_operator" => 0.5,
                Some(Sort::Number) => 1.0,
                Some(_) => continue,
                // What selects is a number more often than not.
                None if role > 0.8 => 0.75,
                None => 0.5,
            };
            for sign in ["+", "-"] {
                out.push(site.replacement(node, format!("{} {sign} 1", site.text(node)), role * flat));
            }
        }
    }
}

/// Where one more or one less is plausible, and how much.
fn role(site: &Site<'_>, node: Node<'_>) -> Option<f64> {
    let parent = node.parent()?;
    match parent.kind() {
        "argument_list" => {
            let called = parent.parent().and_then(|call| call.child_by_field_name("function"));
            Some(if called.is_some_and(|name| site.text(name) == "range") { 1.0 } else { 0.6 })
        }
        "subscript" if parent.child_by_field_name("value") != Some(node) => Some(0.85),
        "tuple" if parent.parent().is_some_and(|above| above.kind() == "subscript") => Some(0.8),
        "slice" => Some(0.85),
        "comparison_operator" => Some(0.6),
        "binary_operator" => {
            let sign = parent.child_by_field_name("operator").map_or("", |sign| site.text(sign));
            (sign == "*" && node.kind() == "call").then_some(0.7)
        }
        "return_statement" | "assignment" | "augmented_assignment" => Some(0.5),
        _ => None,
    }
}

fn literal(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let Ok(number) = site.text(node).parse::<i64>() else { return };
    // A part that begins at nothing is the whole, and a sum with nothing is a sum with one operand less.
    let nothing_is_less = node.parent().is_some_and(|parent| match parent.kind() {
        "slice" => true,
        "binary_operator" => parent.child_by_field_name("operator").is_some_and(|s| matches!(s.kind(), "+" | "-")),
        _ => false,
    });
    for (step, weight) in [(1, 0.7), (-1, if number == 0 { 0.4 } else { 0.7 })] {
        if let Some(other) = number.checked_add(step).filter(|other| *other != 0 || !nothing_is_less) {
            out.push(site.replacement(node, other.to_string(), weight));
        }
    }
}

impl Template for Operands {
    fn name(&self) -> &'static str {
        "operands"
    }

    fn prior(&self) -> Prior {
        0.65
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("binary_operator") {
            let parts = ["left", "right"].map(|field| node.child_by_field_name(field));
            let [Some(left), Some(right)] = parts else { continue };
            for (kept, dropped) in [(left, right), (right, left)] {
                let weight = if bare(dropped).kind() == "integer" { 0.7 } else { 0.4 };
                let note = format!("dropped `{}` from {}", shortened(site.text(dropped)), site.place(node));
                out.push(Edit::replace(node, site.text(kept), weight, note));
            }
        }
    }
}

/// Variables that are tried as another operand.
const MAX_OTHERS: usize = 6;

impl Template for AddOperand {
    fn name(&self) -> &'static str {
        "add_operand"
    }

    fn prior(&self) -> Prior {
        0.4
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let is_simple = matches!(node.kind(), "identifier" | "call" | "subscript" | "attribute");
            let Some(role) = place(node).filter(|_| is_simple) else { continue };
            let text = whole(node, &site.unit.text);
            let sort = sort_at(site, node);
            if sort.is_some_and(|sort| sort != Sort::Number) {
                continue;
            }
            let numbers = site.scope.iter().filter(|other| fit(Some(Sort::Number), sort_of_name(other)) > 0.0);
            for (at, other) in numbers.take(MAX_OTHERS).enumerate() {
                let near = 1.0 / (1.0 + 0.1 * at as f64);
                let signs: &[(&str, f64)] =
                    if other.name == text { &[("**", 0.8)] } else { &[("-", 0.9), ("+", 0.7), ("*", 0.3)] };
                for (sign, weight) in signs {
                    let name = if *sign == "**" { "2" } else { &other.name };
                    let is_inner = node.parent().is_some_and(|parent| parent.kind() == "binary_operator");
                    let sum = format!("{text} {sign} {name}");
                    let sum = if is_inner && *sign != "**" { format!("({sum})") } else { sum };
                    out.push(site.replacement(node, sum, role * weight * near));
                }
            }
        }
    }
}

fn place(node: Node<'_>) -> Option<f64> {
    let parent = node.parent()?;
    match parent.kind() {
        "argument_list" => Some(0.9),
        "binary_operator" | "return_statement" | "assignment" | "comparison_operator" => Some(0.7),
        "subscript" | "slice" if parent.child_by_field_name("value") != Some(node) => Some(0.7),
        _ => None,
    }
}
