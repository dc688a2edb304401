//! What a patch in Java may hold that tests cannot judge.

use super::rules::{NewLiterals, ReviewRules};
use super::{bodies, disguise, escapes, literals, looks};
use crate::language::Language;
use tree_sitter::Node;

inventory::submit! {
    ReviewRules {
        language: "java",
        at,
        literal: literals::literal,
        common: &[
            "0",
            "1",
            "-1",
            "2",
            "0L",
            "1L",
            "0.0",
            "1.0",
            "\"\"",
            "' '",
            "'\\0'",
            "true",
            "false",
            "null",
            "\"true\"",
            "\"false\"",
        ],
        ends_at_once: bodies::ends_at_once,
    }
}

fn at(node: Node<'_>, text: &str, literals: &NewLiterals<'_>, language: &dyn Language) -> Option<String> {
    match node.kind() {
        "method_invocation" => escapes::invocation(node, text).or_else(|| looks::by_look(node, text)),
        "binary_expression" => looks::by_place(node, text),
        "type_identifier" | "identifier" => escapes::named(node, text).or_else(|| disguise::look_alike(node, text)),
        "catch_clause" => bodies::broad_catch(node, text, language),
        "method_declaration" => bodies::always_equal(node, text).or_else(|| bodies::finalizer(node, text)),
        "import_declaration" => escapes::imported(node, text),
        "if_statement" | "ternary_expression" | "while_statement" => {
            node.child_by_field_name("condition").and_then(|node| literals::special_case(node, text, literals))
        }
        "switch_label" => literals::lone_case(node, text, literals),
        "string_literal" => escapes::inside(node, text).or_else(|| disguise::hidden_code(node, text)),
        "line_comment" | "block_comment" | "character_literal" => disguise::hidden_code(node, text),
        _ => None,
    }
}
