//! What a declaration in Java says: modifiers, parameters, types above, fields, documentation.

use super::SYNTAX;
use crate::language::{Modifiers, Parameter, Takes, children, on_one_line, simple_type, text_of};
use tree_sitter::Node;

pub(super) fn modifiers(node: Node<'_>, text: &str) -> Modifiers {
    let mut found = Modifiers { constructor: SYNTAX.constructors.contains(&node.kind()), ..Modifiers::default() };
    let Some(list) = children(node).into_iter().find(|child| child.kind() == "modifiers") else { return found };
    for child in children(list) {
        match child.kind() {
            "annotation" | "marker_annotation" => {
                let name = child.child_by_field_name("name").map_or("", |name| text_of(name, text));
                found.annotations.push(name.rsplit('.').next().unwrap_or(name).into());
            }
            "line_comment" | "block_comment" => {}
            _ => found.words.push(text_of(child, text).to_owned()),
        }
    }
    found.private = found.words.iter().any(|word| word == "private");
    found
}

/// The comment right before a declaration that documents it.
pub(super) fn documentation<'tree>(node: Node<'tree>, text: &str) -> Option<Node<'tree>> {
    let before = node.prev_sibling()?;
    (SYNTAX.is_comment(before) && text_of(before, text).starts_with("/**")).then_some(before)
}

/// One formal parameter: its type without annotations and modifiers, with dots (`String...`) for the last one where that
/// takes any number of arguments.
pub(super) fn parameter(node: Node<'_>, text: &str) -> Option<Parameter> {
    let made = |kind: String, name: &str, takes| Parameter { shown: kind.clone(), name: name.to_owned(), kind, takes };
    match node.kind() {
        "formal_parameter" => {
            let dimensions = node.child_by_field_name("dimensions").map_or("", |d| text_of(d, text));
            let kind = text_of(node.child_by_field_name("type")?, text);
            let name = node.child_by_field_name("name").map_or("", |n| text_of(n, text));
            Some(made(format!("{}{}", on_one_line(kind), on_one_line(dimensions)), name, Takes::One))
        }
        "spread_parameter" => {
            let parts = children(node);
            let dots = parts.iter().position(|part| part.kind() == "...")?;
            let skip = ["modifiers", "annotation", "marker_annotation", "block_comment", "line_comment"];
            let kind = parts[..dots].iter().rev().find(|part| !skip.contains(&part.kind()))?;
            let name = parts[dots..].iter().find(|part| part.kind() == "variable_declarator");
            let name = name.and_then(|n| n.child_by_field_name("name")).map_or("", |n| text_of(n, text));
            Some(made(format!("{}...", on_one_line(text_of(*kind, text))), name, Takes::Any))
        }
        _ => None,
    }
}

/// Simple names of the types that a declaration extends or implements.
pub(super) fn supertypes(node: Node<'_>, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for child in children(node) {
        if ["superclass", "super_interfaces", "extends_interfaces"].contains(&child.kind()) {
            let lists = children(child);
            let kinds = lists.into_iter().flat_map(|n| if n.kind() == "type_list" { children(n) } else { vec![n] });
            names.extend(kinds.filter(Node::is_named).map(|n| simple_type(text_of(n, text))));
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Names and types of the fields that a declaration declares.
pub(super) fn declared(node: Node<'_>, text: &str) -> Vec<(String, String)> {
    let kind = node.child_by_field_name("type").map(|kind| on_one_line(text_of(kind, text))).unwrap_or_default();
    let declarators = children(node).into_iter().filter(|child| child.kind() == "variable_declarator");
    let names = declarators.filter_map(|declarator| declarator.child_by_field_name("name"));
    names.map(|name| (text_of(name, text).to_owned(), kind.clone())).collect()
}

/// `a.b.C` of `import a.b.C;`.
pub(super) fn named_behind(keyword: &str, node: Node<'_>, text: &str) -> String {
    let flat = on_one_line(text_of(node, text));
    let flat = flat.split_once(keyword).map_or(flat.as_str(), |(_, rest)| rest);
    flat.trim_end_matches(';').trim().to_owned()
}

/// Where what follows the leading annotations of a declaration begins; `None` when it has none.
pub(super) fn annotations_end(node: Node<'_>, text: &str) -> Option<usize> {
    let list = node.child(0).filter(|child| child.kind() == "modifiers")?;
    let parts = children(list);
    let leading = parts.iter().take_while(|part| part.kind().ends_with("annotation")).last()?;
    let rest = text.get(leading.end_byte()..)?;
    let begins = leading.end_byte() + rest.len() - rest.trim_start().len();
    (!text_of(node, text).is_empty()).then_some(begins)
}
