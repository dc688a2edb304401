//! What differs by language in how the engine reads a tree: one row for each language that families are written for.

use super::scope::Variable;
use super::syntax::{self, Unit};
use super::types::ValueType;
use super::{Template, infer, java, python, scope};
use crate::code::Method;
use crate::language::Language;
use tree_sitter::Node;

/// How the engine reads a language; its folder submits them.
pub struct EngineRules {
    /// The language's name.
    pub language: &'static str,
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
    /// What declarations tell of types; `None` where they tell nothing.
    pub types: Option<TypeRules>,
}

/// How types are written, and what can be asked of their values.
pub struct TypeRules {
    /// A type from its text.
    pub of: fn(&str) -> ValueType,
    /// The type that a declarator gives.
    pub declared: fn(Node<'_>, &Unit) -> Option<ValueType>,
    /// What the callable returns.
    pub returned: fn(Node<'_>, &Unit) -> Option<ValueType>,
    /// What a method of the project returns.
    pub result: fn(&Method) -> Option<ValueType>,
    /// The type of text between quotes.
    pub text: &'static str,
    /// What is always true, and what never is.
    pub truths: [&'static str; 2],
    /// What refers to nothing.
    pub null: &'static str,
    /// Simple questions about a variable, with weights.
    pub questions: fn(&Variable) -> Vec<(String, f64)>,
    /// Whether a counter has reached an end, with weights.
    pub positions: fn(&[Variable]) -> Vec<(String, f64)>,
}

inventory::collect!(EngineRules);

inventory::submit! {
    EngineRules {
        language: "java",
        families: java::families,
        is_site: syntax::is_site,
        is_body: syntax::is_body,
        expressions: syntax::own_expressions,
        is_value: syntax::is_expression,
        is_copyable: |node| {
            syntax::is_simple_statement(node.kind()) && node.kind() != "explicit_constructor_invocation"
        },
        visible: scope::visible,
        member: syntax::enclosing_member,
        types: Some(TypeRules {
            of: ValueType::new,
            declared: java::declared,
            returned: java::returned,
            result: infer::returned,
            text: "String",
            truths: ["true", "false"],
            null: "null",
            questions: java::questions,
            positions: java::positions,
        }),
    }
}

inventory::submit! {
    EngineRules {
        language: "python",
        families: python::families,
        is_site: python::tree::is_site,
        is_body: python::tree::is_body,
        expressions: python::tree::own_expressions,
        is_value: python::tree::is_value,
        is_copyable: |node| node.kind() == "expression_statement",
        visible: python::names::visible,
        member: python::tree::member,
        types: None,
    }
}

/// The rules of a language; `None` for one that no family is written for.
pub(crate) fn rules(language: &dyn Language) -> Option<&'static EngineRules> {
    inventory::iter::<EngineRules>().find(|rules| rules.language == language.name())
}
