//! Comparisons with the wrong relation: a bound that should be included, a turned sign.
//!
//! Source: TBar's *mutate operators* (FP11.1) and ManySStuBs4J's *change binary operator*.
//! Example: `while (free > needed)` in an allocator that must also accept the exact fit becomes `free >= needed`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::Site;
use crate::templates::syntax::bare;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub struct Boundary;

/// What may stand instead of a relation, the likeliest first.
pub(in crate::templates) const INSTEAD: &[(&str, &[(&str, f64)])] = &[
    ("<", &[("<=", 1.0), (">", 0.6), (">=", 0.35), ("!=", 0.3)]),
    ("<=", &[("<", 1.0), (">=", 0.6), (">", 0.35), ("==", 0.2)]),
    (">", &[(">=", 1.0), ("<", 0.6), ("<=", 0.35), ("!=", 0.3)]),
    (">=", &[(">", 1.0), ("<=", 0.6), ("<", 0.35), ("==", 0.2)]),
    ("==", &[("!=", 0.8), ("<=", 0.5), (">=", 0.5), ("<", 0.2), (">", 0.2)]),
    ("!=", &[("==", 0.8), ("<", 0.4), (">", 0.4), ("<=", 0.15), (">=", 0.15)]),
];

impl Template for Boundary {
    fn name(&self) -> &'static str {
        "boundary"
    }

    fn prior(&self) -> Prior {
        0.9
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("binary_expression") {
            let Some(operator) = node.part("operator") else { continue };
            let Some((_, others)) = INSTEAD.iter().find(|(known, _)| *known == site.text(operator)) else { continue };
            let sides = ["left", "right"].map(|field| node.part(field).map(bare));
            let [Some(left), Some(right)] = sides else { continue };
            let orders = may_be_ordered(site, left) && may_be_ordered(site, right);
            for (other, weight) in *others {
                if orders || matches!(*other, "==" | "!=") {
                    let note = format!("replaced `{}` by `{other}` in {}", site.text(operator), site.place(node));
                    out.push(Edit::replace(operator, *other, *weight, note));
                }
            }
            if orders {
                small_sizes(site, node, operator, right, out);
            }
        }
    }
}

/// `n == 0` that should hold for one element too: `n <= 1`.
fn small_sizes(site: &Site<'_>, node: Node<'_>, operator: Node<'_>, right: Node<'_>, out: &mut Vec<Edit>) {
    let Ok(number) = site.text(right).parse::<i64>() else { return };
    let pairs: &[(&str, i64)] = match site.text(operator) {
        "==" => &[("<=", 1), (">=", -1)],
        "!=" => &[(">", 1), ("<", -1)],
        _ => return,
    };
    for (relation, step) in pairs {
        let shifted = number.saturating_add(*step);
        let note =
            format!("replaced `{} {number}` by `{relation} {shifted}` in {}", site.text(operator), site.place(node));
        out.push(Edit::replace(operator, *relation, 0.6, note).and(right.byte_range(), shifted.to_string()));
    }
}

/// Only numbers have an order; `null`, text and truth values do not.
fn may_be_ordered(site: &Site<'_>, node: Node<'_>) -> bool {
    let literal = matches!(node.shape(), "null_literal" | "true" | "false" | "string_literal");
    !literal && site.kind(node).is_none_or(|kind| kind.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const POOL: &str = "class Pool {
    boolean take(int free, int needed, String name) {
        if (free > needed && name != null) {
            return free == 0;
        }
        return false;
    }
}";

    #[test]
    fn the_bound_comes_first() {
        let lines = proposals(&Boundary, POOL, 3);
        assert_eq!(lines[0], "if (free >= needed && name != null) {");
        assert!(lines.contains(&"if (free > needed && name == null) {".to_owned()));
        assert!(!lines.iter().any(|line| line.contains("name <")), "{lines:?}");
    }

    #[test]
    fn a_size_may_be_off_with_its_relation() {
        assert!(proposals(&Boundary, POOL, 4).contains(&"return free <= 1;".to_owned()));
    }
}
