//! Off by one: in an index, a bound, an argument, a result, an initial value.
//!
//! Source: TBar's *mutate literal expression* (FP9) and *mutate operators* (FP11); ManySStuBs4J's *change numeral*.
//! Example: `page.substring(0, end)` that loses its last letter becomes `page.substring(0, end + 1)`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::Site;
use crate::templates::syntax::bare;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub struct Offset;

impl Template for Offset {
    fn name(&self) -> &'static str {
        "offset"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            if let Some(edit) = without_offset(site, node) {
                out.push(edit);
            }
            if node.shape() == "decimal_integer_literal" {
                literal(site, node, out);
                continue;
            }
            let whole = site.kind(node).is_some_and(|kind| kind.is_integral());
            let Some(role) = role(site, node).filter(|_| whole && node.shape() != "parenthesized_expression") else {
                continue;
            };
            let text = site.text(node);
            let tight = matches!(
                node.shape(),
                "identifier" | "method_invocation" | "field_access" | "array_access" | "binary_expression"
            );
            let base = if tight && !loose_binary(site, node) { text.to_owned() } else { format!("({text})") };
            let flat = if node.shape() == "binary_expression" { 0.5 } else { 1.0 };
            for sign in ["+", "-"] {
                out.push(site.replacement(node, format!("{base} {sign} 1"), role * flat));
            }
        }
    }
}

/// A binary expression that binds less tightly than addition.
fn loose_binary(site: &Site<'_>, node: Node<'_>) -> bool {
    node.shape() == "binary_expression"
        && node.part("operator").is_some_and(|sign| !matches!(site.text(sign), "+" | "-" | "*" | "/" | "%"))
}

/// Where one more or one less is plausible, and how much.
fn role(site: &Site<'_>, node: Node<'_>) -> Option<f64> {
    let parent = node.parent()?;
    let is_field = |field: &str| parent.part(field) == Some(node);
    match parent.shape() {
        "argument_list" => Some(0.8),
        "array_access" if is_field("index") => Some(0.9),
        "binary_expression" => {
            let sign = parent.part("operator")?;
            matches!(sign.shape(), "<" | "<=" | ">" | ">=" | "==" | "!=").then_some(0.7)
        }
        "return_statement" => Some(0.6),
        // Loops are moved on by assignments, and often by one too few.
        "assignment_expression" if is_field("right") => Some(if site.in_loop() { 0.8 } else { 0.5 }),
        "variable_declarator" if is_field("value") => Some(0.6),
        "dimensions_expr" => Some(0.7),
        "ternary_expression" => Some(0.4),
        _ => None,
    }
}

fn literal(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let Ok(number) = site.text(node).parse::<i64>() else { return };
    let nothing_is_less = is_in_sum(site, node);
    for (step, weight) in [(1, 0.7), (-1, if number == 0 { 0.4 } else { 0.7 })] {
        if let Some(other) = number.checked_add(step).filter(|other| *other != 0 || !nothing_is_less) {
            out.push(site.replacement(node, other.to_string(), weight));
        }
    }
}

/// Whether a value is added or taken away: with nothing instead, that is a sum with one operand less, which a family of its
/// own proposes.
pub(super) fn is_in_sum(site: &Site<'_>, node: Node<'_>) -> bool {
    let sign = node.parent().and_then(|parent| parent.part("operator"));
    sign.is_some_and(|sign| matches!(site.text(sign), "+" | "-"))
}

/// `a + 1` and `a - 1` without the one.
fn without_offset(site: &Site<'_>, node: Node<'_>) -> Option<Edit> {
    if node.shape() != "binary_expression" {
        return None;
    }
    let right = bare(node.part("right")?);
    let sign = site.text(node.part("operator")?);
    (matches!(sign, "+" | "-") && site.text(right) == "1")
        .then(|| site.replacement(node, site.text(node.part("left").unwrap_or(node)), 0.7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const PAGE: &str = "class Page {
    String cut(String page, int end) {
        return page.substring(0, end);
    }
    int last(int[] a) {
        return a[a.length - 1];
    }
}";

    #[test]
    fn one_more_and_one_less() {
        let lines = proposals(&Offset, PAGE, 3);
        for wanted in ["return page.substring(0, end + 1);", "return page.substring(1, end);"] {
            assert!(lines.contains(&wanted.to_owned()), "{lines:?}");
        }
        assert!(proposals(&Offset, PAGE, 6).contains(&"return a[a.length];".to_owned()));
    }

    #[test]
    fn a_variable_has_the_type_of_its_value() {
        let source = "class Page {
    int[][] rows() { return null; }
    int first(java.util.List<String> lines) {
        var rows = rows();
        var size = lines.size();
        for (var row : rows) {
            for (var n : row) {
                if (n > size) {
                    return take(size);
                }
            }
        }
        return 0;
    }
}";
        assert!(proposals(&Offset, source, 9).contains(&"return take(size + 1);".to_owned()));
        assert!(proposals(&Offset, source, 8).contains(&"if (n + 1 > size) {".to_owned()));
    }
}
