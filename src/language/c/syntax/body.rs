//! What a body in C holds: calls, names, variables.

use super::declaration::declared;
use std::collections::HashSet;
use tree_sitter::Node;
use unidebug_base::language::{Body, Call, children, first_line, on_one_line, preorder, text_of};

/// Scans a body or an initialiser.
pub(super) fn body(node: Node<'_>, text: &str) -> Body {
    let mut found = Body::default();
    let mut seen = HashSet::new();
    preorder(node, |node| {
        match node.kind() {
            "identifier" | "type_identifier" | "field_identifier" => {
                let name = text_of(node, text);
                if seen.insert(name) {
                    found.names.push(name.into());
                }
            }
            "call_expression" => found.calls.extend(call(node, text)),
            "declaration" => {
                let declared = declared(node, text).into_iter();
                found.variables.extend(declared.map(|(name, kind)| (name.into(), kind.into())));
            }
            _ => {}
        }
        true
    });
    found
}

/// `f(x)`, or the pointer to a function in `object->f(x)`.
fn call(node: Node<'_>, text: &str) -> Option<Call> {
    let function = node.child_by_field_name("function")?;
    let (name, receiver) = match function.kind() {
        "identifier" => (function, None),
        "field_expression" => (function.child_by_field_name("field")?, function.child_by_field_name("argument")),
        _ => return None,
    };
    let list = node.child_by_field_name("arguments").map(children).unwrap_or_default();
    Some(Call {
        name: text_of(name, text).into(),
        receiver: receiver.map(|object| on_one_line(text_of(object, text)).into()),
        arity: list.iter().filter(|part| part.is_named() && !part.is_extra()).count(),
        constructs: false,
        reference: false,
        line: first_line(name),
        bytes: node.byte_range(),
    })
}
