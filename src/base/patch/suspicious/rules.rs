//! What differs by language in what tests cannot judge.

use crate::language::Language;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Values of the triggering tests that the original code does not hold, and where the patched text is new.
#[derive(Debug, Default)]
pub struct NewLiterals<'a> {
    pub(super) values: BTreeSet<&'a String>,
    /// Lines, counted from 0; none in the original text.
    pub(super) added: BTreeSet<usize>,
}

impl NewLiterals<'_> {
    /// Whether a literal is one of the values.
    pub fn contains(&self, literal: &String) -> bool {
        self.values.contains(literal)
    }

    /// Whether a node begins on a line that the patch adds.
    pub(crate) fn is_added(&self, node: Node<'_>) -> bool {
        self.added.contains(&node.start_position().row)
    }
}

/// Says why a person should look at a node, given the values of the triggering tests.
type At = fn(Node<'_>, &str, &NewLiterals<'_>, &dyn Language) -> Option<String>;

/// The rules for one language; its folder submits them.
pub struct ReviewRules {
    /// The language's name.
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
