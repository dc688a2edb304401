//! Arithmetic with a missing, needless or turned operand.
//!
//! Source: TBar's *mutate operators* (FP11) and ManySStuBs4J's *change operand*.
//! Example: `area = side` for a square becomes `area = side * side`; `offset - base` becomes `base - offset`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{bare, is_compound_expression};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Drops or swaps operands.
pub struct Operands;

/// Adds an operand: `x` becomes `x - y`.
pub struct AddOperand;

impl Template for Operands {
    fn name(&self) -> &'static str {
        "operands"
    }

    fn prior(&self) -> Prior {
        0.7
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("binary_expression") {
            let parts = ["left", "operator", "right"].map(|field| node.part(field));
            let [Some(left), Some(sign), Some(right)] = parts else { continue };
            let text = site.text(sign);
            if matches!(text, "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=") {
                continue;
            }
            let is_text = site.kind(node).is_some_and(|kind| kind.is_string());
            if matches!(text, "-" | "/" | "%" | "<<" | ">>" | ">>>") || is_text {
                let note = format!("swapped the operands of `{}`", shortened(site.text(node)));
                let weight = if is_text { 0.6 } else { 0.7 };
                out.push(Edit { note, ..swapped(site, left, right, weight) });
            }
            for (kept, dropped) in [(left, right), (right, left)] {
                let fits = match (site.kind(node), site.kind(bare(kept))) {
                    (Some(whole), Some(part)) => whole.accepts(&part),
                    _ => true,
                };
                if fits {
                    // A literal is the likeliest thing to be too much.
                    let literal = dropped.shape().ends_with("_literal") && !is_text;
                    let weight = if literal { 0.65 } else { 0.4 };
                    let note = format!("dropped `{}` from {}", shortened(site.text(dropped)), site.place(node));
                    out.push(Edit::replace(node, site.text(kept), weight, note));
                }
            }
        }
    }
}

fn swapped(site: &Site<'_>, left: Node<'_>, right: Node<'_>, weight: f64) -> Edit {
    // `a - b - c` holds `a - b` on its left: swapped, it needs parentheses.
    let text = |node: Node<'_>| {
        let text = site.text(node);
        if is_compound_expression(node) { format!("({text})") } else { text.to_owned() }
    };
    Edit::replace(left, site.text(right), weight, String::new()).and(right.byte_range(), text(left))
}

impl Template for AddOperand {
    fn name(&self) -> &'static str {
        "add_operand"
    }

    fn prior(&self) -> Prior {
        0.4
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let simple = matches!(node.shape(), "identifier" | "method_invocation" | "array_access" | "field_access");
            let Some(role) = role(node).filter(|_| simple) else { continue };
            let Some(kind) = site.kind(node).filter(|kind| kind.is_numeric() && kind.as_str() != "char") else {
                continue;
            };
            let text = site.text(node);
            for (at, other) in site.fitting(&kind).take(6).enumerate() {
                let near = 1.0 / (1.0 + 0.1 * at as f64);
                let itself = other.name == text;
                let signs: &[(&str, f64)] = if itself { &[("*", 0.9)] } else { &[("-", 0.9), ("+", 0.7), ("*", 0.4)] };
                for (sign, weight) in signs {
                    let sum = format!("{text} {sign} {}", other.name);
                    let tight = matches!(*sign, "+") || node.parent().is_some_and(|p| p.shape() != "binary_expression");
                    let sum = if tight { sum } else { parenthesised(site, node, sum, sign) };
                    out.push(site.replacement(node, sum, role * weight * near));
                }
            }
        }
    }
}

/// Parentheses where the operand stands in arithmetic already.
fn parenthesised(site: &Site<'_>, node: Node<'_>, sum: String, sign: &str) -> String {
    let around = node.parent().and_then(|p| p.part("operator")).map_or("", |o| site.text(o));
    let binds = matches!(around, "*" | "/" | "%") || (around == "-" && sign != "*");
    if binds { format!("({sum})") } else { sum }
}

fn role(node: Node<'_>) -> Option<f64> {
    let parent = node.parent()?;
    let is_field = |field: &str| parent.part(field) == Some(node);
    match parent.shape() {
        "argument_list" => Some(0.9),
        "binary_expression" => Some(0.7),
        "array_access" if is_field("index") => Some(0.7),
        "return_statement" => Some(0.7),
        "assignment_expression" if is_field("right") => Some(0.7),
        "variable_declarator" if is_field("value") => Some(0.5),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const SHAPE: &str = "class Shape {
    int area(int side) { return side; }
    int gap(int offset, int base) { return 2 * (offset - base); }
    String tag(String name) { return \"<\" + name; }
}";

    #[test]
    fn operands_are_added() {
        let lines = proposals(&AddOperand, SHAPE, 2);
        assert!(lines.contains(&"int area(int side) { return side * side; }".to_owned()), "{lines:?}");
    }

    #[test]
    fn operands_are_swapped_and_dropped() {
        let lines = proposals(&Operands, SHAPE, 3);
        for wanted in ["return 2 * (base - offset); }", "return (offset - base); }", "return 2 * (offset); }"] {
            assert!(lines.iter().any(|line| line.ends_with(wanted)), "{wanted}: {lines:?}");
        }
        assert!(proposals(&Operands, SHAPE, 4)[0].ends_with("return name + \"<\"; }"));
    }
}
