//! Values that the triggering tests use.

use super::rules::{self, NewLiterals};
use crate::language::{self, Language, children, text_of};
use crate::patch::members::parse_as_members;
use tree_sitter::Node;

/// Further cases beside which one more is a case as they are.
const AS_OTHERS: usize = 2;

/// A new case for a value of the triggering tests, where there are not enough other cases.
pub(super) fn lone_case(label: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    let block =
        std::iter::successors(label.parent(), |node| node.parent()).find(|node| node.kind() == "switch_block")?;
    let mut others = 0;
    language::preorder(block, |node| {
        let is_label = node.kind() == "switch_label";
        let own = || children(node).into_iter().filter_map(|child| literal(child, text));
        others += usize::from(is_label && own().next().is_some() && own().all(|value| !literals.contains(&value)));
        !is_label
    });
    if others >= AS_OTHERS { None } else { special_case(label, text, literals) }
}

/// A comparison with a value that the triggering tests use and the original code does not.
pub(super) fn special_case(condition: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
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
pub(super) fn literal(node: Node<'_>, text: &str) -> Option<String> {
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

/// The literals of a piece of code, but for those that say nothing about a test.
pub(super) fn literals(text: &str, language: &dyn Language) -> Vec<String> {
    let Some(rules) = rules::of(language) else { return Vec::new() };
    // The code of a test is a method: on its own it is no whole file.
    let Some((tree, wrapped)) = parse_as_members(text, language) else { return Vec::new() };
    let mut found = Vec::new();
    language::preorder(tree.root_node(), |node| {
        let one = (rules.literal)(node, &wrapped.text);
        let below = one.is_none();
        found.extend(one.filter(|literal| !rules.common.contains(&literal.as_str()) && !is_separator(literal)));
        below
    });
    found
}

/// Whether a literal is one character that separates others, such as `'\r'` or `0x0D`: what a parser looks for in any
/// input. A text of one character may well be a whole input, so it is none.
fn is_separator(literal: &str) -> bool {
    if let Some(character) = literal.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return !character.contains(char::is_alphanumeric) || ["\\n", "\\r", "\\t", "\\f", "\\b"].contains(&character);
    }
    let digits = literal.strip_prefix("0x").or_else(|| literal.strip_prefix("0X"));
    let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
    code.is_some_and(|code| code.is_ascii() && !code.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::is_separator;

    #[test]
    fn separators_are_no_values_of_a_test() {
        for one in ["'\\r'", "','", "' '", "'\\''", "0x0D", "0X2c"] {
            assert!(is_separator(one), "{one}");
        }
        for none in ["'x'", "'7'", "'\\u0041'", "0x41", "0x0DFF", "0xé", "13", "\"\\r\"", "\",\""] {
            assert!(!is_separator(none), "{none}");
        }
    }
}
