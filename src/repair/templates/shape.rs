//! One name for node kinds and fields of languages whose trees are alike, so that families are written once: C's are
//! called as Java's.

use tree_sitter::Node;

/// A node as the families see it.
pub trait Shape<'t> {
    /// Its kind; of C the kind that Java's grammar gives the same thing.
    fn shape(&self) -> &'t str;

    /// The child in a field, by the name that Java's grammar gives it.
    fn part(&self, field: &str) -> Option<Node<'t>>;
}

impl<'t> Shape<'t> for Node<'t> {
    fn shape(&self) -> &'t str {
        match self.kind() {
            "call_expression" => "method_invocation",
            "case_statement" => "switch_block_statement_group",
            "char_literal" => "character_literal",
            "compound_statement" => "block",
            "conditional_expression" => "ternary_expression",
            "declaration" => "local_variable_declaration",
            "field_expression" | "pointer_expression" => "field_access",
            // Python has a kind of that name, whose name stands in no declarator.
            "function_definition" if self.child_by_field_name("declarator").is_some() => "method_declaration",
            "init_declarator" => "variable_declarator",
            "null" => "null_literal",
            "number_literal" => "decimal_integer_literal",
            "subscript_expression" => "array_access",
            "switch_statement" => "switch_expression",
            kind => kind,
        }
    }

    fn part(&self, field: &str) -> Option<Node<'t>> {
        self.child_by_field_name(field).or_else(|| {
            let other = match (self.kind(), field) {
                ("call_expression", "name") => "function",
                ("field_expression", "object")
                | ("subscript_expression", "array")
                | ("pointer_expression" | "unary_expression", "operand") => "argument",
                ("for_statement", "init") => "initializer",
                ("init_declarator", "name") => "declarator",
                _ => return None,
            };
            self.child_by_field_name(other)
        })
    }
}
