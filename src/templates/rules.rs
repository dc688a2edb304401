//! What differs by language in how the engine reads a tree: one table for each language that families are written for.

use super::scope::Variable;
use super::syntax::{self, Unit};
use super::{Template, java, python, scope};
use crate::language::Language;
use tree_sitter::Node;

/// How the engine reads a language.
pub struct Rules {
    /// The language's name.
    language: &'static str,
    /// The families that propose edits.
    pub families: fn() -> Vec<Box<dyn Template>>,
    /// Whether templates work on the node as a whole.
    pub is_site: fn(Node<'_>) -> bool,
    /// Whether a child of a statement holds statements of its own.
    pub is_body: fn(Node<'_>, Node<'_>) -> bool,
    /// Expressions of a statement's own part, outer before inner.
    pub expressions: for<'t> fn(Node<'t>) -> Vec<Node<'t>>,
    /// Whether the node names a value, where it is an identifier.
    pub is_value: fn(Node<'_>) -> bool,
    /// Whether a copy of the statement may be put elsewhere.
    pub is_copyable: fn(Node<'_>) -> bool,
    /// Variables that can be named at a node, nearest first.
    pub visible: fn(Node<'_>, &Unit) -> Vec<Variable>,
    /// The member of a type or module that holds the node.
    pub member: for<'t> fn(Node<'t>) -> Option<Node<'t>>,
}

const RULES: [Rules; 2] = [
    Rules {
        language: "java",
        families: java,
        is_site: syntax::is_site,
        is_body: syntax::is_body,
        expressions: syntax::own_expressions,
        is_value: syntax::is_expression,
        is_copyable: |node| {
            syntax::is_simple_statement(node.kind()) && node.kind() != "explicit_constructor_invocation"
        },
        visible: scope::visible,
        member: syntax::enclosing_member,
    },
    Rules {
        language: "python",
        families: python::families,
        is_site: python::tree::is_site,
        is_body: python::tree::is_body,
        expressions: python::tree::own_expressions,
        is_value: python::tree::is_value,
        is_copyable: |node| node.kind() == "expression_statement",
        visible: python::names::visible,
        member: python::tree::member,
    },
];

/// The rules of a language; `None` for one that no family is written for.
pub fn rules(language: &dyn Language) -> Option<&'static Rules> {
    static KNOWN: [Rules; 2] = RULES;
    KNOWN.iter().find(|rules| rules.language == language.name())
}
