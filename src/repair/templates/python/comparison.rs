//! Comparisons with the wrong relation; the same as [`crate::templates::family::boundary`], with Python's own relations.

use super::tree::{bare, is_literal};
use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::family::boundary::INSTEAD;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Comparison;

const OWN: &[(&str, &[(&str, f64)])] =
    &[("in", &[("not in", 0.8)]), ("not in", &[("in", 0.8)]), ("is", &[("is not", 0.8)]), ("is not", &[("is", 0.8)])];

impl Template for Comparison {
    fn name(&self) -> &'static str {
        "boundary"
    }

    fn prior(&self) -> Prior {
        0.9
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("comparison_operator") {
            let parts = children(node);
            for sides in parts.windows(3).filter(|sides| !sides[1].is_named()) {
                let (left, sign, right) = (bare(sides[0]), sides[1], bare(sides[2]));
                let old = site.text(sign);
                let known = INSTEAD.iter().chain(OWN).find(|(known, _)| *known == old);
                let has_order = |node: Node<'_>| !is_literal(node.kind()) || matches!(node.kind(), "integer" | "float");
                for (other, weight) in known.map_or(&[][..], |(_, others)| others) {
                    let orders = matches!(*other, "<" | "<=" | ">" | ">=");
                    if !orders || has_order(left) && has_order(right) {
                        let note = format!("replaced `{old}` by `{other}` in {}", site.place(node));
                        out.push(Edit::replace(sign, *other, *weight, note));
                    }
                }
                small_sizes(site, sign, right, out);
            }
        }
    }
}

/// `len(n) == 0` that should hold for one element too: `len(n) <= 1`.
fn small_sizes(site: &Site<'_>, sign: Node<'_>, right: Node<'_>, out: &mut Vec<Edit>) {
    let (Ok(number), old) = (site.text(right).parse::<i64>(), site.text(sign)) else { return };
    let others: &[(&str, i64)] = match old {
        "==" => &[("<=", 1), (">=", -1)],
        "!=" => &[(">", 1), ("<", -1)],
        _ => return,
    };
    for (relation, step) in others {
        let shifted = number.saturating_add(*step);
        let note = format!("replaced `{old} {number}` by `{relation} {shifted}` in {}", site.place(right));
        out.push(Edit::replace(sign, *relation, 0.6, note).and(right.byte_range(), shifted.to_string()));
    }
}
