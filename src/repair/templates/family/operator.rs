//! A wrong operator between right operands.
//!
//! Source: TBar's *mutate operators* (FP11) and ManySStuBs4J's *change binary operator*, *change unary operator*.
//! Example: a checksum that folds with `sum | next` where it should be `sum ^ next`.

use super::null_check::compared_with_null;
use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::Site;
use crate::templates::syntax::{bare, operator};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub struct Operator;

pub(in crate::templates) const INSTEAD: &[(&str, &[(&str, f64)])] = &[
    ("+", &[("-", 0.6), ("*", 0.4), ("/", 0.1)]),
    ("-", &[("+", 0.6), ("*", 0.25), ("/", 0.1)]),
    ("*", &[("+", 0.4), ("/", 0.4), ("-", 0.2)]),
    ("/", &[("*", 0.5), ("%", 0.5), ("-", 0.1)]),
    ("%", &[("/", 0.6), ("*", 0.2), ("-", 0.1)]),
    ("&&", &[("||", 0.8)]),
    ("||", &[("&&", 0.8)]),
    ("&", &[("|", 0.8), ("^", 0.7), ("&&", 0.2)]),
    ("|", &[("&", 0.8), ("^", 0.7), ("||", 0.2)]),
    ("^", &[("&", 0.9), ("|", 0.8)]),
    ("<<", &[(">>", 0.8), (">>>", 0.4)]),
    (">>", &[("<<", 0.8), (">>>", 0.7)]),
    (">>>", &[(">>", 0.8), ("<<", 0.7)]),
    ("=", &[("+=", 0.3), ("-=", 0.1)]),
    ("+=", &[("-=", 0.6), ("=", 0.5), ("*=", 0.2)]),
    ("-=", &[("+=", 0.6), ("=", 0.4)]),
    ("*=", &[("/=", 0.5), ("+=", 0.4)]),
    ("/=", &[("*=", 0.5), ("%=", 0.3)]),
    ("|=", &[("&=", 0.7), ("^=", 0.5), ("=", 0.3)]),
    ("&=", &[("|=", 0.7), ("^=", 0.5), ("=", 0.3)]),
    ("^=", &[("|=", 0.7), ("&=", 0.7)]),
    ("<<=", &[(">>=", 0.8)]),
    (">>=", &[("<<=", 0.8), (">>>=", 0.6)]),
    ("++", &[("--", 0.6)]),
    ("--", &[("++", 0.6)]),
];

impl Template for Operator {
    fn name(&self) -> &'static str {
        "operator"
    }

    fn prior(&self) -> Prior {
        0.75
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let Some(sign) = operator(node) else { continue };
            let text = site.text(sign);
            if node.shape() == "unary_expression" {
                if matches!(text, "-" | "~") {
                    let note = format!("dropped `{text}` in {}", site.place(node));
                    out.push(Edit::replace(sign, "", 0.4, note));
                }
                continue;
            }
            let Some((_, others)) = INSTEAD.iter().find(|(known, _)| *known == text) else { continue };
            let on_numbers = site.kind(node).is_none_or(|kind| kind.is_numeric());
            let assigns = node.shape() == "assignment_expression";
            for (other, weight) in *others {
                let needs_numbers = matches!(*other, "-" | "*" | "/" | "%" | "+=" | "-=");
                if (needs_numbers || assigns) && !on_numbers || is_decided(site, node, other) {
                    continue;
                }
                let in_vain = joins_in_vain(site, node) || is_decided(site, node, text);
                let weight = if in_vain { 1.0 } else { *weight };
                let note = format!("replaced `{text}` by `{other}` in {}", site.place(node));
                out.push(Edit::replace(sign, *other, weight, note));
            }
        }
    }
}

/// Whether a condition is, or would be, decided for good with a sign: `c == 'a' && c == 'b'`, `c != 1 || c != 2`.
pub(in crate::templates) fn is_decided(site: &Site<'_>, node: Node<'_>, other: &str) -> bool {
    let parts = |side: &str| {
        let inner = bare(node.child_by_field_name(side)?);
        (inner.child_count() == 3).then(|| [0, 1, 2].map(|at| inner.child(at).map_or("", |part| site.text(part))))
    };
    let (Some([value, sign, first]), Some([same, twin, second])) = (parts("left"), parts("right")) else {
        return false;
    };
    let is_literal = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-'));
    let excludes = matches!((sign, other), ("==", "&&" | "and") | ("!=", "||" | "or"));
    excludes && value == same && sign == twin && first != second && is_literal(first) && is_literal(second)
}

/// Whether a check for `null` and a use are joined so that the use comes where there is nothing: `a != null || a.b()`.
fn joins_in_vain(site: &Site<'_>, node: Node<'_>) -> bool {
    let side = |name| node.child_by_field_name(name).map(bare);
    let (Some(check), Some(user)) = (side("left"), side("right")) else { return false };
    let sign = |node: Node<'_>| operator(node).map_or("", |sign| site.text(sign));
    let in_vain = matches!((sign(check), sign(node)), ("!=", "||") | ("==", "&&"));
    in_vain && compared_with_null(site, check).is_some_and(|text| site.text(user).contains(&format!("{text}.")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const SUM: &str = "class Sum {
    int fold(int sum, int next) { return sum | next; }
    String join(String a, String b) { return a + b; }
    void step(int i) { i++; }
}";

    #[test]
    fn operators_of_the_same_kind() {
        assert_eq!(
            proposals(&Operator, SUM, 2)[..2],
            [
                "int fold(int sum, int next) { return sum & next; }",
                "int fold(int sum, int next) { return sum ^ next; }"
            ]
        );
        assert_eq!(proposals(&Operator, SUM, 4), ["void step(int i) { i--; }"]);
    }

    #[test]
    fn a_check_that_guards_nothing_comes_first() {
        let code = "class Bits {
    boolean any(Bits a, int m) {
        return a != null || (a.all() ^ m) > 0;
    }
}";
        let found = proposals(&Operator, code, 3);
        assert_eq!(found[0], "return a != null && (a.all() ^ m) > 0;", "{found:?}");
        let found = proposals(&Operator, &code.replace("!=", "=="), 3);
        assert_ne!(found[0], "return a == null && (a.all() ^ m) > 0;", "{found:?}");
    }

    #[test]
    fn what_would_be_decided_for_good_is_not_proposed() {
        let code = "class Mark {
    boolean is(char c) {
        return c == 'a' || c == 'b';
    }
}";
        assert!(proposals(&Operator, code, 3).is_empty());
        assert_eq!(proposals(&Operator, &code.replace("||", "&&"), 3), ["return c == 'a' || c == 'b';"]);
        let decided = code.replace("c == 'a' || c == 'b'", "c == 'a' || d == 'x' || c == 'b' && c == 'c'");
        assert_eq!(proposals(&Operator, &decided, 3)[0], "return c == 'a' || d == 'x' || c == 'b' || c == 'c';");
        assert_eq!(proposals(&Operator, &code.replace("c == 'b'", "d == 'b'"), 3).len(), 1);
    }

    #[test]
    fn text_is_only_added() {
        assert!(proposals(&Operator, SUM, 3).is_empty());
    }
}
