//! What a body in Java holds: calls, names, declared variables.

use crate::language::{Body, Call, Owner, children, first_line, on_one_line, preorder, simple_type, text_of};
use compact_str::CompactString;
use std::collections::HashSet;
use tree_sitter::Node;

/// Scans a body or an initialiser; `owner` is the type it stands in.
pub(super) fn body(node: Node<'_>, text: &str, owner: Owner<'_>) -> Body {
    let mut found = Body::default();
    let mut seen = HashSet::new();
    preorder(node, |node| {
        match node.kind() {
            "identifier" | "type_identifier" => {
                let name = text_of(node, text);
                if seen.insert(name) {
                    found.names.push(name.into());
                }
            }
            "method_invocation" => found.calls.extend(invocation(node, text)),
            "object_creation_expression" => found.calls.extend(creation(node, text)),
            "explicit_constructor_invocation" => found.calls.extend(delegation(node, text, owner)),
            "method_reference" => found.calls.extend(reference(node, text)),
            "formal_parameter"
            | "enhanced_for_statement"
            | "resource"
            | "local_variable_declaration"
            | "catch_formal_parameter"
            | "instanceof_expression"
            | "type_pattern" => {
                found.variables.extend(declared(node, text));
            }
            _ => {}
        }
        true
    });
    found
}
fn arguments(node: Node<'_>) -> usize {
    let Some(list) = node.child_by_field_name("arguments") else { return 0 };
    children(list).into_iter().filter(|child| child.is_named() && !child.is_extra()).count()
}

fn call(node: Node<'_>, at: Node<'_>, name: &str, receiver: Option<String>) -> Call {
    Call {
        name: name.into(),
        receiver: receiver.map(CompactString::from),
        arity: arguments(node),
        constructs: false,
        reference: false,
        line: first_line(at),
        bytes: node.byte_range(),
    }
}

fn invocation(node: Node<'_>, text: &str) -> Option<Call> {
    let name = node.child_by_field_name("name")?;
    let receiver = node.child_by_field_name("object").map(|object| on_one_line(text_of(object, text)));
    Some(call(node, name, text_of(name, text), receiver))
}

fn creation(node: Node<'_>, text: &str) -> Option<Call> {
    let kind = node.child_by_field_name("type")?;
    let made = call(node, kind, &simple_type(text_of(kind, text)), None);
    Some(Call { constructs: true, ..made })
}

/// `this(…)` constructs the type itself, `super(…)` the class it extends.
fn delegation(node: Node<'_>, text: &str, owner: Owner<'_>) -> Option<Call> {
    let keyword = node.child_by_field_name("constructor")?;
    let name = match text_of(keyword, text) {
        "this" => owner.name,
        _ => owner.supertypes.first()?,
    };
    Some(Call { constructs: true, ..call(node, keyword, name, Some(text_of(keyword, text).to_owned())) })
}

fn reference(node: Node<'_>, text: &str) -> Option<Call> {
    let parts = children(node);
    let (first, last) = (parts.first()?, parts.last()?);
    let receiver = on_one_line(text_of(*first, text));
    let constructs = last.kind() == "new";
    let name = if constructs { simple_type(&receiver) } else { text_of(*last, text).to_owned() };
    let receiver = (!constructs).then_some(receiver);
    Some(Call { constructs, reference: true, ..call(node, *last, &name, receiver) })
}

/// Names and types that a declaration introduces.
fn declared(node: Node<'_>, text: &str) -> Vec<(CompactString, CompactString)> {
    let named = |name: Option<Node<'_>>, kind: Option<Node<'_>>| match (name, kind) {
        (Some(name), Some(kind)) => {
            vec![(text_of(name, text).into(), on_one_line(text_of(kind, text)).into())]
        }
        _ => Vec::new(),
    };
    match node.kind() {
        "local_variable_declaration" => {
            let kind = node.child_by_field_name("type");
            let declarators = children(node).into_iter().filter(|child| child.kind() == "variable_declarator");
            declarators.flat_map(|declarator| variable(declarator, kind, text)).collect()
        }
        "instanceof_expression" => named(node.child_by_field_name("name"), node.child_by_field_name("right")),
        "type_pattern" => {
            let parts: Vec<_> = children(node).into_iter().filter(Node::is_named).collect();
            named(parts.last().copied(), parts.first().copied())
        }
        "catch_formal_parameter" => {
            let kind = children(node).into_iter().find(|child| child.kind() == "catch_type");
            named(node.child_by_field_name("name"), kind)
        }
        _ => named(node.child_by_field_name("name"), node.child_by_field_name("type")),
    }
}

/// One declarator; with `var`, the type is taken from `new Foo(…)` on its right.
fn variable(declarator: Node<'_>, kind: Option<Node<'_>>, text: &str) -> Option<(CompactString, CompactString)> {
    let name = text_of(declarator.child_by_field_name("name")?, text).into();
    let mut written = on_one_line(text_of(kind?, text));
    if written == "var" {
        let value = declarator.child_by_field_name("value")?;
        written = on_one_line(text_of(value.child_by_field_name("type")?, text));
    }
    Some((name, written.into()))
}
