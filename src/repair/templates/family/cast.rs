//! A value of the wrong width or type: a division that loses its fraction, a product that overflows, a blind cast.
//!
//! Source: TBar's *mutate data type* (FP7), *mutate integer division* (FP8), *insert cast checker* (FP1).
//! Example: `double share = won / played;` with two counters becomes `(double) won / played`.

use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{bare, is_compound_expression};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct Cast;

impl Template for Cast {
    fn name(&self) -> &'static str {
        "cast"
    }

    fn prior(&self) -> Prior {
        0.35
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("binary_expression") {
            arithmetic(site, node, out);
        }
        for node in site.of_kind("cast_expression") {
            checked(site, node, out);
        }
        declared(site, out);
    }
}

/// `(double) a / b` and `(long) a * b` for whole numbers.
fn arithmetic(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let parts = ["left", "operator", "right"].map(|field| node.child_by_field_name(field));
    let [Some(left), Some(sign), Some(right)] = parts else { return };
    let whole =
        |side: Node<'_>| site.kind(bare(side)).is_some_and(|kind| kind.is_integral() && kind.as_str() != "long");
    if !whole(left) || !whole(right) {
        return;
    }
    let wide = match site.text(sign) {
        "/" => "double",
        "*" | "+" | "-" | "<<" => "long",
        _ => return,
    };
    let wanted = site.typer().expected(node);
    let fits = wanted.as_ref().is_none_or(|wanted| wanted.accepts(&ValueType::new(wide)));
    let text = site.text(left);
    let cast = if is_compound_expression(left) { format!("({wide}) ({text})") } else { format!("({wide}) {text}") };
    let weight = match (fits, wide, site.text(sign)) {
        (false, ..) => 0.1,
        (true, "double", _) => 0.9,
        (true, _, "*") => 0.6,
        _ => 0.4,
    };
    let note = format!("computed `{}` as `{wide}`", shortened(site.text(node)));
    out.push(Edit::replace(left, cast, weight, note));
}

/// A guard with `instanceof` in front of a cast; a cast to one's own type is needless and is dropped.
fn checked(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let (Some(kind), Some(value)) = (node.child_by_field_name("type"), node.child_by_field_name("value")) else {
        return;
    };
    let to = ValueType::new(site.text(kind));
    if to.is_primitive() {
        for wide in ["long", "double"].into_iter().filter(|wide| *wide != to.as_str() && to.is_numeric()) {
            out.push(site.replacement(kind, wide, 0.3));
        }
        out.push(site.replacement(node, site.text(value), 0.3));
        return;
    }
    let fails = format!("!({} instanceof {})", site.text(value), to.erasure());
    if let Some(leave) = site.bail_out().filter(|_| site.in_block() && site.statement.kind() != "field_declaration") {
        let note = format!("left the method when `{}` is no {}", shortened(site.text(value)), to.erasure());
        out.push(site.insertion_before(&format!("if ({fails}) {leave}"), 0.7, note));
    }
}

/// A wider type for a declared number: `int` to `long`, `float` to `double`.
fn declared(site: &Site<'_>, out: &mut Vec<Edit>) {
    if !matches!(site.statement.kind(), "local_variable_declaration" | "field_declaration") {
        return;
    }
    let Some(kind) = site.statement.child_by_field_name("type") else { return };
    let wider: &[&str] = match site.text(kind) {
        "int" => &["long", "double"],
        "short" | "byte" | "char" => &["int"],
        "float" => &["double"],
        "long" => &["double"],
        _ => return,
    };
    for wide in wider {
        let note = format!("declared `{}` as `{wide}`", shortened(site.text(site.statement)));
        out.push(Edit::replace(kind, *wide, 0.4, note));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const CUP: &str = "class Cup {
    double share(int won, int played) {
        return won / played;
    }
    long area(int a, int b) {
        return a * b;
    }
    String name(Object player) {
        String s = (String) player;
        int n = 0;
        return s;
    }
}";

    #[test]
    fn wider_arithmetic_and_declarations() {
        assert_eq!(proposals(&Cast, CUP, 3), ["return (double) won / played;"]);
        assert_eq!(proposals(&Cast, CUP, 6), ["return (long) a * b;"]);
        assert_eq!(proposals(&Cast, CUP, 10), ["long n = 0;", "double n = 0;"]);
    }

    #[test]
    fn casts_are_checked() {
        assert_eq!(proposals(&Cast, CUP, 9), ["if (!(player instanceof String)) return null;"]);
    }
}
