//! What differs by language in what tests cannot judge.

use crate::language::Language;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Says why a person should look at a node, given the values of the triggering tests.
type At = fn(Node<'_>, &str, &BTreeSet<&String>, &dyn Language) -> Option<String>;

/// The rules for one language; its folder submits them.
pub struct ReviewRules {
    /// Its name.
    pub language: &'static str,
    /// Says why a person should look at a node.
    pub at: At,
    /// The text of a literal, with its sign.
    pub literal: fn(Node<'_>, &str) -> Option<String>,
    /// Literals that code compares with for good reasons: they say nothing about a test.
    pub common: &'static [&'static str],
    /// Whether a statement ends its method without having done anything.
    pub ends_at_once: fn(Node<'_>) -> bool,
}

inventory::collect!(ReviewRules);

/// The rules for a language.
pub(super) fn of(language: &dyn Language) -> Option<&'static ReviewRules> {
    inventory::iter::<ReviewRules>().find(|rules| rules.language == language.name())
}
