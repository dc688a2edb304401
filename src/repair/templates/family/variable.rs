//! The wrong variable of the right type.
//!
//! Source: TBar's *mutate variable* (FP13) and ManySStuBs4J's *change identifier used*, *change operand*.
//! Example: `total += price;` in a loop over discounts, where `discount` was meant.

use crate::templates::edit::Edit;
use crate::templates::scope::Origin;
use crate::templates::shape::Shape;
use crate::templates::site::{Site, similarity};
use crate::templates::syntax::is_expression;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub struct Variable;

impl Template for Variable {
    fn name(&self) -> &'static str {
        "variable"
    }

    fn prior(&self) -> Prior {
        0.7
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            if !is_variable(site, node) {
                continue;
            }
            let name = site.text(node).trim_start_matches("this.");
            let Some(kind) = site.kind(node) else { continue };
            let role = role_weight(node);
            for (at, other) in site.fitting(&kind).filter(|v| v.name != name).enumerate() {
                let near = 1.0 / (1.0 + 0.08 * at as f64);
                let own = if other.origin == Origin::Field { 0.8 } else { 1.0 };
                let exact = if other.kind.as_ref() == Some(&kind) { 1.0 } else { 0.8 };
                let weight = role * near * own * exact * (0.6 + 0.4 * similarity(name, &other.name));
                out.push(site.replacement(node, &other.name, weight));
            }
        }
    }
}

/// Whether the expression names a variable; a call's bare class name does not.
fn is_variable(site: &Site<'_>, node: Node<'_>) -> bool {
    match node.shape() {
        "identifier" => is_expression(node) && site.scope.iter().any(|v| v.name == site.text(node)),
        "field_access" => site.text(node).starts_with("this."),
        _ => false,
    }
}

/// Arguments are mixed up most often, targets of assignments and loop counters least.
fn role_weight(node: Node<'_>) -> f64 {
    let Some(parent) = node.parent() else { return 0.5 };
    let is_field = |field: &str| parent.part(field) == Some(node);
    match parent.shape() {
        "argument_list" => 1.0,
        "enhanced_for_statement" => 1.0,
        "method_invocation" => 0.7,
        "array_access" => 0.85,
        "assignment_expression" if is_field("left") => 0.45,
        "update_expression" => 0.4,
        "binary_expression" => 0.75,
        _ => 0.8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn variables_of_the_same_type_in_sight() {
        let source = "class Bill {
    int discount;
    String label;
    int sum(int price, long big, int[] rest) {
        int total = 0;
        total += price;
        return total;
    }
}";
        let lines = proposals(&Variable, source, 6);
        assert!(lines.contains(&"total += discount;".to_owned()), "{lines:?}");
        assert!(!lines.iter().any(|l| l.contains("label") || l.contains("big") || l.contains("rest")), "{lines:?}");
    }
}
