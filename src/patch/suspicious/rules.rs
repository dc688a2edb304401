//! What differs by language in what tests cannot judge.

use super::{c, java, python};
use crate::language::Language;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Says why a person should look at a node, given the values of the triggering tests.
type At = fn(Node<'_>, &str, &BTreeSet<&String>, &dyn Language) -> Option<String>;

/// The rules for one language.
pub(super) struct Rules {
    /// Its name.
    pub(super) language: &'static str,
    /// Says why a person should look at a node.
    pub(super) at: At,
    /// The text of a literal, with its sign.
    pub(super) literal: fn(Node<'_>, &str) -> Option<String>,
    /// Literals that code compares with for good reasons: they say nothing about a test.
    pub(super) common: &'static [&'static str],
    /// Whether a statement ends its method without having done anything.
    pub(super) ends_at_once: fn(Node<'_>) -> bool,
}

/// Every language that rules are written for; another one is its rules and a line here.
const ALL: &[&Rules] = &[&java::RULES, &python::RULES, &c::RULES];

/// The rules for a language.
pub(super) fn of(language: &dyn Language) -> Option<&'static Rules> {
    ALL.iter().copied().find(|rules| rules.language == language.name())
}
