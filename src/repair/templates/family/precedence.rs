//! Operators that bind differently than was meant.
//!
//! Source: TBar's *mutate operators* (FP11.3, changing the order of operations).
//! Example: `base + bonus * years` where the sum was to be multiplied becomes `(base + bonus) * years`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::bare;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub struct Precedence;

impl Template for Precedence {
    fn name(&self) -> &'static str {
        "precedence"
    }

    fn prior(&self) -> Prior {
        0.4
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("binary_expression") {
            let parts = ["left", "operator", "right"].map(|field| node.part(field));
            let [Some(left), Some(sign), Some(right)] = parts else { continue };
            let same_class = |inner| class(site, sign).is_some() && class(site, inner) == class(site, sign);
            if let Some([a, inner, b]) = operands(left).filter(|[_, inner, _]| same_class(*inner)) {
                let text = joined(site, [a, inner], &group(site, [b, sign, right]));
                out.push(regrouped(site, node, text));
            }
            if let Some([a, inner, b]) = operands(right).filter(|[_, inner, _]| same_class(*inner)) {
                let first = group(site, [left, sign, a]);
                out.push(regrouped(site, node, format!("{first} {} {}", site.text(inner), site.text(b))));
            }
        }
    }
}

/// Operands and operator of an operation, also of one in parentheses.
fn operands(node: Node<'_>) -> Option<[Node<'_>; 3]> {
    let inner = bare(node);
    let is_binary = inner.shape() == "binary_expression";
    let field = |name: &str| inner.part(name).filter(|_| is_binary);
    Some([field("left")?, field("operator")?, field("right")?])
}

/// Operators that can be regrouped with each other.
fn class(site: &Site<'_>, operator: Node<'_>) -> Option<u8> {
    match site.text(operator) {
        "+" | "-" | "*" | "/" | "%" => Some(1),
        "&&" | "||" => Some(2),
        "&" | "|" | "^" | "<<" | ">>" | ">>>" => Some(3),
        _ => None,
    }
}

fn group(site: &Site<'_>, [a, sign, b]: [Node<'_>; 3]) -> String {
    format!("({} {} {})", site.text(a), site.text(sign), site.text(b))
}

fn joined(site: &Site<'_>, [a, sign]: [Node<'_>; 2], rest: &str) -> String {
    format!("{} {} {rest}", site.text(a), site.text(sign))
}

fn regrouped(site: &Site<'_>, node: Node<'_>, text: String) -> Edit {
    let note = format!("grouped `{}` as `{}`", shortened(site.text(node)), shortened(&text));
    Edit::replace(node, text, 0.6, note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const PAY: &str = "class Pay {
    int pay(int base, int bonus, int years) {
        return base + bonus * years;
    }
    boolean due(boolean a, boolean b, boolean c) {
        return a && b || c;
    }
}";

    #[test]
    fn regrouped_both_ways() {
        assert_eq!(proposals(&Precedence, PAY, 3), ["return (base + bonus) * years;"]);
        assert_eq!(proposals(&Precedence, PAY, 6), ["return a && (b || c);"]);
    }
}
