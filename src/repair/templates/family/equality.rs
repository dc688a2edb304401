//! Values that are compared, or looked up, by identity where their content is meant.
//!
//! Source: known traps of Java: `==` compares references, arrays inherit `equals` from `Object`, and `CharSequence`
//! promises neither `equals` nor `hashCode`, so that a `StringBuilder` and a `String` of the same characters differ.
//! Example: `name == other.name` becomes `name.equals(other.name)`, and `words.get(buffer)` with a `StringBuilder`
//! becomes `words.get(buffer.toString())`.

use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::syntax::{arguments, is_compound_expression};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct Equality;

/// Calls whose answer depends on `equals` or `hashCode` of their first argument.
const BY_EQUALITY: &[&str] = &[
    "equals",
    "contentEquals",
    "contains",
    "containsKey",
    "containsValue",
    "get",
    "getOrDefault",
    "put",
    "putIfAbsent",
    "remove",
    "add",
    "indexOf",
];

impl Template for Equality {
    fn name(&self) -> &'static str {
        "equality"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for comparison in site.of_kind("binary_expression") {
            by_reference(site, comparison, out);
        }
        for call in site.of_kind("method_invocation") {
            by_content(site, call, out);
            as_texts(site, call, out);
        }
    }
}

/// `a == b` of two objects.
fn by_reference(site: &Site<'_>, comparison: Node<'_>, out: &mut Vec<Edit>) {
    let field = |name| comparison.child_by_field_name(name);
    let (Some(left), Some(right), Some(operator)) = (field("left"), field("right"), field("operator")) else { return };
    let not = match site.text(operator) {
        "==" => "",
        "!=" => "!",
        _ => return,
    };
    let (Some(a), Some(b)) = (object(site, left), object(site, right)) else { return };
    let (left_text, right_text) = (site.text(left), site.text(right));
    if a.is_array() && b.is_array() {
        let text = format!("{not}java.util.Arrays.equals({left_text}, {right_text})");
        out.push(site.replacement(comparison, text, 0.9));
        return;
    }
    let receiver = if is_compound_expression(left) { format!("({left_text})") } else { left_text.to_owned() };
    out.push(site.replacement(comparison, format!("{not}{receiver}.equals({right_text})"), 0.8));
    let safe = format!("{not}java.util.Objects.equals({left_text}, {right_text})");
    out.push(site.replacement(comparison, safe, 0.7));
}

/// `equals` of two arrays, which compares references, and of objects that may be missing.
fn by_content(site: &Site<'_>, call: Node<'_>, out: &mut Vec<Edit>) {
    let args = arguments(call);
    let (Some(receiver), [argument]) = (call.child_by_field_name("object"), args.as_slice()) else { return };
    if call.child_by_field_name("name").is_none_or(|name| site.text(name) != "equals") {
        return;
    }
    let (Some(a), Some(b)) = (object(site, receiver), object(site, *argument)) else { return };
    let (class, weight) = if a.is_array() && b.is_array() { ("Arrays", 0.9) } else { ("Objects", 0.4) };
    let text = format!("java.util.{class}.equals({}, {})", site.text(receiver), site.text(*argument));
    out.push(site.replacement(call, text, weight));
}

/// Texts of different classes that are compared or looked up as if they were strings.
fn as_texts(site: &Site<'_>, call: Node<'_>, out: &mut Vec<Edit>) {
    let name = call.child_by_field_name("name").map_or("", |name| site.text(name));
    if !BY_EQUALITY.contains(&name) {
        return;
    }
    let loose = |node: &Node<'_>| site.kind(*node).as_ref().is_some_and(is_loose);
    let first = arguments(call).into_iter().next().filter(loose);
    let receiver = call.child_by_field_name("object").filter(loose).filter(|_| name == "equals");
    for node in first.into_iter().chain(receiver) {
        out.push(site.replacement(node, as_string(site, node), 0.9));
    }
    if let (Some(first), Some(receiver)) = (first, receiver) {
        let edit = site.replacement(first, as_string(site, first), 1.0);
        out.push(edit.and(receiver.byte_range(), as_string(site, receiver)));
    }
}

/// The type of an operand that is known to be an object.
fn object(site: &Site<'_>, node: Node<'_>) -> Option<ValueType> {
    let literal = matches!(node.kind(), "null_literal" | "this" | "super" | "class_literal");
    site.kind(node).filter(|kind| !literal && !kind.is_primitive())
}

/// A sequence of characters that need not be a `String`.
fn is_loose(kind: &ValueType) -> bool {
    kind.is_string() && kind.erasure() != "String"
}

fn as_string(site: &Site<'_>, node: Node<'_>) -> String {
    let plain = matches!(node.kind(), "identifier" | "array_access" | "field_access" | "method_invocation");
    let text = site.text(node);
    if plain { format!("{text}.toString()") } else { format!("({text}).toString()") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const WORDS: &str = "import java.util.*;
class Words {
    Map<CharSequence, Integer> counts = new HashMap<>();
    boolean same(CharSequence[] a, StringBuilder b, String c, String d, int[] e, int[] f, Integer g, int h) {
        counts.put(a[0], 1);
        boolean is = a[0].equals(b);
        boolean is = c == d;
        boolean is = c != d && c != null;
        boolean is = e == f || e.equals(f);
        boolean is = c.equals(d);
        return g == h;
    }
}";

    #[test]
    fn texts_become_strings_where_equality_counts() {
        assert_eq!(proposals(&Equality, WORDS, 5), ["counts.put(a[0].toString(), 1);"]);
        let lines = proposals(&Equality, WORDS, 6);
        assert_eq!(lines[0], "boolean is = a[0].toString().equals(b.toString());");
        assert_eq!(lines.len(), 4, "{lines:?}");
    }

    #[test]
    fn objects_are_compared_by_content() {
        let lines = proposals(&Equality, WORDS, 7);
        assert_eq!(lines, ["boolean is = c.equals(d);", "boolean is = java.util.Objects.equals(c, d);"]);
        let negated = proposals(&Equality, WORDS, 8);
        assert_eq!(negated[0], "boolean is = !c.equals(d) && c != null;");
        assert_eq!(negated.len(), 2, "{negated:?}");
        let missing = proposals(&Equality, WORDS, 10);
        assert_eq!(missing, ["boolean is = java.util.Objects.equals(c, d);"]);
        assert!(proposals(&Equality, WORDS, 11).is_empty(), "a number is compared by value");
    }

    #[test]
    fn arrays_are_compared_by_content() {
        let lines = proposals(&Equality, WORDS, 9);
        assert!(lines.contains(&"boolean is = java.util.Arrays.equals(e, f) || e.equals(f);".to_owned()));
        assert!(lines.contains(&"boolean is = e == f || java.util.Arrays.equals(e, f);".to_owned()));
        assert_eq!(lines.len(), 2, "{lines:?}");
    }
}
