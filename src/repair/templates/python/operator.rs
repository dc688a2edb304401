//! A wrong operator between right operands; as [`crate::templates::family::operator`], with Python's own operators.

use crate::templates::edit::Edit;
use crate::templates::family::operator::{INSTEAD, is_decided};
use crate::templates::site::Site;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Operator;

const OWN: &[(&str, &[(&str, f64)])] = &[
    ("and", &[("or", 0.9)]),
    ("or", &[("and", 0.9)]),
    ("//", &[("/", 0.5), ("%", 0.5), ("*", 0.2)]),
    ("**", &[("*", 0.6)]),
    ("//=", &[("/=", 0.5), ("%=", 0.4)]),
];
/// Not known to Python.
const FOREIGN: [&str; 4] = ["&&", "||", ">>>", ">>>="];

impl Template for Operator {
    fn name(&self) -> &'static str {
        "operator"
    }

    fn prior(&self) -> Prior {
        0.75
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let augmented = site.statement.named_child(0).filter(|node| node.kind() == "augmented_assignment");
        let assigned = site.statement.named_child(0).filter(|node| node.kind() == "assignment");
        for node in site.expressions.iter().copied().chain(augmented) {
            let Some(sign) = node.child_by_field_name("operator") else { continue };
            if node.kind() == "unary_operator" {
                let note = format!("dropped `{}` in {}", site.text(sign), site.place(node));
                out.push(Edit::replace(sign, "", 0.4, note));
                continue;
            }
            others(site, node, sign, out);
        }
        if let Some(sign) = assigned.and_then(|node| node.child(1)).filter(|sign| site.text(*sign) == "=") {
            others(site, sign, sign, out);
        }
    }
}

fn others(site: &Site<'_>, node: Node<'_>, sign: Node<'_>, out: &mut Vec<Edit>) {
    let old = site.text(sign);
    // A sum of texts or lists has no other sign.
    let is_text = old == "+"
        && ["left", "right"]
            .iter()
            .filter_map(|side| node.child_by_field_name(side))
            .any(|side| matches!(side.kind(), "string" | "list" | "list_comprehension" | "concatenated_string"));
    let fits = |other: &str| !FOREIGN.contains(&other) && !is_decided(site, node, other);
    let is_always_the_same = is_decided(site, node, old);
    let known = INSTEAD.iter().chain(OWN).filter(|(known, _)| *known == old && !is_text);
    for (other, weight) in known.flat_map(|(_, others)| others.iter()).filter(|(other, _)| fits(other)) {
        let note = format!("replaced `{old}` by `{other}` in {}", site.place(node));
        out.push(Edit::replace(sign, *other, if is_always_the_same { 1.0 } else { *weight }, note));
    }
}
