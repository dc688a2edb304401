//! Texts of different classes are compared or looked up as if they were strings.
//!
//! Source: a known trap of Java: `CharSequence` promises neither `equals` nor `hashCode`, so that a `StringBuilder` and
//! a `String` of the same characters differ, in comparisons and as keys of maps.
//! Example: `words.get(buffer)` with a `StringBuilder` becomes `words.get(buffer.toString())`.

use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::syntax::arguments;
use crate::templates::types::JavaType;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub struct Textual;

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

impl Template for Textual {
    fn name(&self) -> &'static str {
        "textual"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for call in site.of_kind("method_invocation") {
            let name = call.child_by_field_name("name").map_or("", |name| site.text(name));
            if !BY_EQUALITY.contains(&name) {
                continue;
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
    }
}

/// A sequence of characters that need not be a `String`.
fn is_loose(kind: &JavaType) -> bool {
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

    #[test]
    fn texts_become_strings_where_equality_counts() {
        let source = "import java.util.*;
class Words {
    Map<CharSequence, Integer> counts = new HashMap<>();
    boolean same(CharSequence[] a, StringBuilder b, String c) {
        counts.put(a[0], 1);
        return a[0].equals(b);
    }
}";
        assert_eq!(proposals(&Textual, source, 5), ["counts.put(a[0].toString(), 1);"]);
        let lines = proposals(&Textual, source, 6);
        assert_eq!(lines[0], "return a[0].toString().equals(b.toString());");
        assert_eq!(lines.len(), 3, "{lines:?}");
    }
}
