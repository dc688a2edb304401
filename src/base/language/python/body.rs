//! What a body in Python holds: calls, names, variables, and fields of the object that it introduces.

use super::declaration::{is_class_name, type_of};
use crate::domain::LineSpan;
use crate::language::{
    Body, Call, Introduced, Owner, children, first_line, last_line, on_one_line, preorder, simple_type, text_of,
};
use compact_str::CompactString;
use std::collections::HashSet;
use tree_sitter::Node;

/// Scans a body or a statement; `owner` is the type it stands in.
pub(super) fn body(node: Node<'_>, text: &str, owner: Owner<'_>) -> Body {
    let mut found = Body::default();
    let mut seen = HashSet::new();
    preorder(node, |node| {
        match node.kind() {
            "identifier" => {
                let name = text_of(node, text);
                if seen.insert(name) {
                    found.names.push(name.into());
                }
            }
            "call" => found.calls.extend(call(node, text, owner)),
            "assignment" => assignment(node, text, &mut found),
            _ => {}
        }
        true
    });
    found
}

fn assignment(node: Node<'_>, text: &str, found: &mut Body) {
    let Some(left) = node.child_by_field_name("left") else { return };
    let kind = type_of(node, text);
    if left.kind() == "identifier" && !kind.is_empty() {
        found.variables.push((text_of(left, text).into(), kind.into()));
        return;
    }
    let object = left.child_by_field_name("object").filter(|_| left.kind() == "attribute");
    if let (Some("self"), Some(name)) = (object.map(|node| text_of(node, text)), left.child_by_field_name("attribute"))
    {
        let name = text_of(name, text).to_owned();
        if !found.fields.iter().any(|field| field.name == name) {
            let span = LineSpan { first: first_line(node), last: last_line(node) };
            found.fields.push(Introduced { name, kind, declaration: on_one_line(text_of(node, text)), span });
        }
    }
}

fn call(node: Node<'_>, text: &str, owner: Owner<'_>) -> Option<Call> {
    let function = node.child_by_field_name("function")?;
    let made = |name: &str, receiver: Option<String>, constructs: bool| Call {
        name: name.into(),
        receiver: receiver.map(CompactString::from),
        arity: arguments(node),
        constructs,
        reference: false,
        line: first_line(function),
        bytes: node.byte_range(),
    };
    match function.kind() {
        "identifier" if text_of(function, text) == "cls" => Some(made(owner.name, None, true)),
        "identifier" => {
            let name = text_of(function, text);
            Some(made(name, None, is_class_name(name)))
        }
        "attribute" => {
            let name = text_of(function.child_by_field_name("attribute")?, text);
            if is_class_name(text_of(function, text)) {
                return Some(made(name, None, true));
            }
            Some(made(name, Some(receiver(function.child_by_field_name("object")?, text)), false))
        }
        _ => None,
    }
}

/// The object in the words of all languages: `this`, `super`, `new Foo(…)`.
fn receiver(object: Node<'_>, text: &str) -> String {
    let written = on_one_line(text_of(object, text));
    if object.kind() == "call" {
        let function = object.child_by_field_name("function").map_or("", |function| text_of(function, text));
        return match function {
            "super" => "super".into(),
            name if is_class_name(name) => format!("new {}(…)", simple_type(name)),
            _ => written,
        };
    }
    match written.as_str() {
        "self" | "cls" => "this".into(),
        _ => written.strip_prefix("self.").map_or(written.clone(), |field| format!("this.{field}")),
    }
}

fn arguments(node: Node<'_>) -> usize {
    let Some(list) = node.child_by_field_name("arguments") else { return 0 };
    match list.kind() {
        "argument_list" => children(list).into_iter().filter(|child| child.is_named() && !child.is_extra()).count(),
        // `sum(x for x in y)`: the generator stands in the place of the list.
        _ => 1,
    }
}
