//! Values that the triggering tests use.

use crate::language::{self, Language, children, text_of};
use crate::patch::members::parse_as_members;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Literals that code compares with for good reasons: they say nothing about a test.
const COMMON: [&str; 14] =
    ["0", "1", "-1", "2", "0L", "1L", "0.0", "1.0", "\"\"", "' '", "'\\0'", "true", "false", "null"];

/// A comparison with a value that the triggering tests use and the original code does not.
pub(super) fn special_case(condition: Node<'_>, text: &str, literals: &BTreeSet<&String>) -> Option<String> {
    let mut found = None;
    language::preorder(condition, |node| {
        let compares = match node.kind() {
            "binary_expression" => {
                node.child_by_field_name("operator").is_some_and(|o| ["==", "!="].contains(&text_of(o, text)))
            }
            "method_invocation" => node
                .child_by_field_name("name")
                .is_some_and(|name| ["equals", "equalsIgnoreCase", "contentEquals"].contains(&text_of(name, text))),
            "switch_label" => true,
            _ => false,
        };
        if compares && found.is_none() {
            let sides = children(node).into_iter().flat_map(|child| match child.kind() {
                "argument_list" => children(child),
                _ => vec![child],
            });
            found = sides.filter_map(|side| literal(side, text)).find(|literal| literals.contains(literal));
        }
        found.is_none()
    });
    found.map(|literal| format!("a special case for {literal}, a value of the triggering test"))
}

/// The text of a literal, with its sign.
fn literal(node: Node<'_>, text: &str) -> Option<String> {
    let is_literal =
        |node: Node<'_>| node.kind().ends_with("_literal") && !["class_literal", "null_literal"].contains(&node.kind());
    match node.kind() {
        "unary_expression" => {
            let operand = node.child_by_field_name("operand").filter(|operand| is_literal(*operand))?;
            let sign = node.child_by_field_name("operator").filter(|sign| text_of(*sign, text) == "-")?;
            Some(format!("{}{}", text_of(sign, text), text_of(operand, text)))
        }
        _ if is_literal(node) => Some(text_of(node, text).to_owned()),
        _ => None,
    }
}

pub(super) fn literals(text: &str, language: &dyn Language) -> Vec<String> {
    // The code of a test is a method: on its own it is no whole file.
    let Some((tree, wrapped)) = parse_as_members(text, language) else { return Vec::new() };
    let mut found = Vec::new();
    language::preorder(tree.root_node(), |node| {
        let one = literal(node, &wrapped.text);
        let below = one.is_none();
        found.extend(one.filter(|literal| !COMMON.contains(&literal.as_str())));
        below
    });
    found
}
