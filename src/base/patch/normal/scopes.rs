//! Which names are seen to be primitive variables where the walk is.

use crate::language::{children, preorder, text_of};
use tree_sitter::Node;

/// Nodes whose names end with them.
const SCOPES: &[&str] = &[
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "record_declaration",
    "lambda_expression",
    "block",
    "constructor_body",
    "for_statement",
    "enhanced_for_statement",
    "catch_clause",
    "try_with_resources_statement",
    "switch_block",
];
/// Bodies of types: what stands outside can be hidden by a member that is inherited.
const WALLS: &[&str] = &["class_body", "interface_body", "enum_body", "annotation_type_body"];
const PRIMITIVES: &[&str] = &["integral_type", "floating_point_type", "boolean_type"];

/// Names in sight, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes<'t> {
    entries: Vec<Entry<'t>>,
}

#[derive(Debug)]
enum Entry<'t> {
    /// A variable, and whether it is primitive.
    Variable(&'t str, bool),
    Scope,
    Wall,
}

impl<'t> Scopes<'t> {
    /// The walk comes to a node.
    pub(super) fn enter(&mut self, node: Node<'_>, text: &'t str) {
        let kind = node.kind();
        if WALLS.contains(&kind) {
            self.entries.push(Entry::Wall);
        } else if SCOPES.contains(&kind) {
            self.entries.push(Entry::Scope);
        }
        match kind {
            "formal_parameter" => self.declare(node, is_primitive(node), text),
            "enhanced_for_statement" => self.declare(node, is_primitive(node) && !walks_its_namesake(node, text), text),
            "catch_formal_parameter" | "resource" | "instanceof_expression" => self.declare(node, false, text),
            "inferred_parameters" | "type_pattern" | "spread_parameter" | "record_pattern_component" => {
                for child in children(node) {
                    let name = child.child_by_field_name("name").unwrap_or(child);
                    self.entries.push(Entry::Variable(text_of(name, text), false));
                }
            }
            "lambda_expression" => {
                if let Some(name) = node.child_by_field_name("parameters").filter(|node| node.kind() == "identifier") {
                    self.entries.push(Entry::Variable(text_of(name, text), false));
                }
            }
            _ => {}
        }
    }

    /// The walk leaves a node. A local variable is known from here on: what its declaration reads under its name, or under
    /// that of one declared beside it, can be a field.
    pub(super) fn leave(&mut self, node: Node<'_>, text: &'t str) {
        if node.kind() == "local_variable_declaration" {
            for declarator in children(node).into_iter().filter(|child| child.kind() == "variable_declarator") {
                self.declare(declarator, is_primitive(node), text);
            }
        }
        if !SCOPES.contains(&node.kind()) && !WALLS.contains(&node.kind()) {
            return;
        }
        while let Some(Entry::Variable(..)) = self.entries.pop() {}
    }

    /// Whether the name is that of a primitive parameter or local variable.
    pub(super) fn is_primitive(&self, name: &str) -> bool {
        for entry in self.entries.iter().rev() {
            match entry {
                Entry::Variable(known, primitive) if *known == name => return *primitive,
                Entry::Wall => return false,
                _ => {}
            }
        }
        false
    }

    fn declare(&mut self, node: Node<'_>, primitive: bool, text: &'t str) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let is_array = node.child_by_field_name("dimensions").is_some();
        self.entries.push(Entry::Variable(text_of(name, text), primitive && !is_array));
    }
}

fn is_primitive(node: Node<'_>) -> bool {
    node.child_by_field_name("type").is_some_and(|kind| PRIMITIVES.contains(&kind.kind()))
}

/// Whether what a loop walks through reads a name that is the variable's too: there it is that of a field.
fn walks_its_namesake(statement: Node<'_>, text: &str) -> bool {
    let [Some(name), Some(value)] = ["name", "value"].map(|field| statement.child_by_field_name(field)) else {
        return true;
    };
    let mut found = false;
    preorder(value, |node| {
        found |= node.kind() == "identifier" && text_of(node, text) == text_of(name, text);
        !found
    });
    found
}
