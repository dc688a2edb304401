//! What is seen of objects and arguments, and texts that name things.

use super::scopes::{is_parameter, is_target};
use crate::language::{preorder, text_of};
use std::collections::BTreeSet;
use tree_sitter::{Node, Tree};

/// Variables that are set to nothing but new objects of the project's classes, and what arguments may be named.
pub(super) fn collect<'t>(
    files: impl Iterator<Item = (&'t Tree, &'t str)> + Clone,
) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut classes = BTreeSet::new();
    let mut arguments = BTreeSet::new();
    for (tree, text) in files.clone() {
        preorder(tree.root_node(), |node| {
            match node.kind() {
                "class_definition" => {
                    classes.extend(node.child_by_field_name("name").map(|name| text_of(name, text)));
                }
                "identifier" if is_parameter(node) || (is_target(node) && stands_in_class(node)) => {
                    arguments.insert(text_of(node, text).to_owned());
                }
                _ => {}
            }
            true
        });
    }
    let (mut objects, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (tree, text) in files {
        preorder(tree.root_node(), |node| {
            if node.kind() == "identifier" && is_parameter(node) {
                others.insert(text_of(node, text).to_owned());
            }
            if matches!(node.kind(), "identifier" | "attribute") && is_target(node) {
                let name = node.child_by_field_name("attribute").unwrap_or(node);
                let value =
                    node.parent().filter(|up| up.kind() == "assignment").and_then(|up| up.child_by_field_name("right"));
                let made =
                    value.filter(|value| value.kind() == "call").and_then(|call| call.child_by_field_name("function"));
                let made = made
                    .is_some_and(|class| classes.contains(text_of(class, text).rsplit('.').next().unwrap_or_default()));
                if made { &mut objects } else { &mut others }.insert(text_of(name, text).to_owned());
            }
            true
        });
    }
    (objects.difference(&others).cloned().collect(), arguments)
}

fn stands_in_class(node: Node<'_>) -> bool {
    let mut node = node;
    while let Some(up) = node.parent() {
        match up.kind() {
            "class_definition" => return true,
            "function_definition" | "lambda" => return false,
            _ => node = up,
        }
    }
    false
}

/// Whether a text holds names of the project for a library: parameters of a test, fixtures, what a module exports.
pub(super) fn names_things(content: Node<'_>, text: &str) -> bool {
    let mut node = content;
    while let Some(up) = node.parent() {
        match up.kind() {
            "string" | "list" | "tuple" => node = up,
            "argument_list" => {
                let called = up.parent().and_then(|call| call.child_by_field_name("function"));
                let called = called.map_or("", |node| text_of(node, text).rsplit('.').next().unwrap_or_default());
                let first = up.named_child(0).is_some_and(|child| child.id() == node.id());
                return (called == "parametrize" && first) || called == "usefixtures";
            }
            "assignment" => {
                let left = up.child_by_field_name("left").map_or("", |left| text_of(left, text));
                return matches!(left, "__all__" | "__slots__");
            }
            _ => return false,
        }
    }
    false
}
