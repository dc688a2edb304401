//! Which statements of Java execute something, and what they assign.

use crate::language::text_of;
use tree_sitter::Node;

/// Whether a node is a statement that can be wrong.
pub(super) fn executes(node: Node<'_>) -> bool {
    match node.kind() {
        "local_variable_declaration" if node.parent().is_some_and(|parent| parent.kind() == "for_statement") => false,
        "local_variable_declaration" | "field_declaration" | "constant_declaration" => {
            let mut cursor = node.walk();
            node.children_by_field_name("declarator", &mut cursor)
                .any(|declarator| declarator.child_by_field_name("value").is_some())
        }
        "expression_statement"
        | "return_statement"
        | "if_statement"
        | "throw_statement"
        | "assert_statement"
        | "break_statement"
        | "continue_statement"
        | "yield_statement"
        | "switch_expression"
        | "explicit_constructor_invocation"
        | "enum_constant" => true,
        "lambda_expression" => node.child_by_field_name("body").is_some_and(|body| body.kind() != "block"),
        kind => super::SYNTAX.loops.contains(&kind),
    }
}

/// The variable that a statement assigns or counts.
pub(super) fn assigned<'t>(statement: Node<'_>, text: &'t str) -> Option<&'t str> {
    let inner = statement.named_child(0).filter(|_| statement.kind() == "expression_statement")?;
    let target = match inner.kind() {
        "assignment_expression" => inner.child_by_field_name("left")?,
        "update_expression" => inner.named_child(0)?,
        _ => return None,
    };
    (target.kind() == "identifier").then(|| text_of(target, text))
}
