//! Edits of a text by byte ranges of its tree, and the normal form by which equal candidates are recognised.

use super::shape::Shape;
use super::syntax::Unit;
use crate::language::{self, Language};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use tree_sitter::Node;

/// One replaced range of the original text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Change {
    /// Bytes of the original; empty for an insertion.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// What a template proposes at a site.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Changes that do not overlap.
    pub changes: Vec<Change>,
    /// How likely among the template's own proposals, `0.0..=1.0`: similarity of the ingredient, plainness.
    pub weight: f64,
    /// The explanation for people: "replaced `<` by `<=` in the loop condition".
    pub note: String,
}

impl Edit {
    /// Replaces a node.
    pub fn replace(node: Node<'_>, text: impl Into<String>, weight: f64, note: impl Into<String>) -> Self {
        Self { changes: vec![Change { range: node.byte_range(), text: text.into() }], weight, note: note.into() }
    }

    /// Inserts at a byte offset.
    pub(crate) fn insert(at: usize, text: impl Into<String>, weight: f64, note: impl Into<String>) -> Self {
        Self { changes: vec![Change { range: at..at, text: text.into() }], weight, note: note.into() }
    }

    /// Swaps two nodes that do not overlap.
    pub(crate) fn swap(unit: &Unit, a: Node<'_>, b: Node<'_>, weight: f64, note: impl Into<String>) -> Self {
        let change = |at: Node<'_>, from: Node<'_>| Change { range: at.byte_range(), text: unit.text(from).to_owned() };
        Self { changes: vec![change(a, b), change(b, a)], weight, note: note.into() }
    }

    /// Adds a change.
    #[must_use]
    pub(crate) fn and(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.changes.push(Change { range, text: text.into() });
        self
    }
}

/// The changes in order of the text, when no two of them touch the same bytes.
pub(super) fn in_order(changes: &[Change]) -> Option<Vec<&Change>> {
    let mut ordered: Vec<&Change> = changes.iter().collect();
    ordered.sort_by_key(|change| (change.range.start, change.range.end));
    let apart = ordered.windows(2).all(|pair| {
        pair[0].range.end <= pair[1].range.start && (!pair[0].range.is_empty() || pair[0].range != pair[1].range)
    });
    apart.then_some(ordered)
}

/// A part of the text with the changes inside that part; `None` when they overlap or leave it.
pub(super) fn applied(text: &str, part: Range<usize>, changes: &[Change]) -> Option<String> {
    let mut out = String::with_capacity(part.len() + 64);
    let mut at = part.start;
    for change in in_order(changes)? {
        if change.range.start < part.start || change.range.end > part.end {
            return None;
        }
        out.push_str(text.get(at..change.range.start)?);
        out.push_str(&change.text);
        at = change.range.end;
    }
    out.push_str(text.get(at..part.end)?);
    Some(out)
}

/// The smallest member of a type that holds all changes, as a byte range; the whole file when they lie in several.
pub(super) fn changed_part(unit: &Unit, changes: &[Change]) -> Range<usize> {
    let whole = 0..unit.text.len();
    let start = changes.iter().map(|change| change.range.start).min().unwrap_or(0);
    let end = changes.iter().map(|change| change.range.end).max().unwrap_or(0);
    let Some(node) = unit.root().descendant_for_byte_range(start, end) else { return whole };
    let is_member = |node: &Node<'_>| {
        (unit.language.syntax().methods.contains(&node.kind())
            || matches!(node.shape(), "constructor_declaration" | "field_declaration"))
            && node.start_byte() <= start
            && node.end_byte() >= end
    };
    std::iter::successors(Some(node), |n| n.parent()).find(is_member).map_or(whole, |node| node.byte_range())
}

/// The key of a candidate: equal for candidates whose tokens are equal but for comments, white space and needless
/// parentheses. `None` when the result does not parse, overlaps, equals the original, or holds what is pointless: `a = a;`,
/// `a && a`.
pub(super) fn normal_form(unit: &Unit, changes: &[Change]) -> Option<u64> {
    let part = changed_part(unit, changes);
    let wrapped = |body: &str| {
        if part.len() == unit.text.len() { body.to_owned() } else { unit.language.wrapped(body).text }
    };
    let before = tokens(&wrapped(unit.text.get(part.clone())?), unit.language)?;
    let after = tokens(&wrapped(&applied(&unit.text, part.clone(), changes)?), unit.language)?;
    if after.errors > before.errors || after.hash == before.hash {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    (unit.path.as_str(), part.start, after.hash).hash(&mut hasher);
    Some(hasher.finish())
}

struct Tokens {
    hash: u64,
    /// Parts that do not parse, and pointless ones.
    errors: usize,
}

/// Whether a name is assigned to itself, or joined or ordered with itself. That it equals itself asks whether it is a number.
fn is_pointless(node: Node<'_>, text: &str) -> bool {
    const SIGNS: [&str; 14] = ["=", "&&", "||", "and", "or", "-", "/", "%", "&", "|", "<", ">", "<=", ">="];
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return false;
    };
    let [left, right] = [left, right].map(|side| language::text_of(side, text));
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let signs = || language::children(node).into_iter().map(|child| language::text_of(child, text));
    left == right && is_name(left) && signs().any(|sign| SIGNS.contains(&sign))
}

/// Whether a negation stands before an unequal sign or the like: without both it says the same.
fn is_negated_twice(node: Node<'_>, text: &str) -> bool {
    let parts = |node: Node<'_>| -> Vec<&str> {
        language::children(node).into_iter().map(|child| language::text_of(child, text)).collect()
    };
    if !matches!(node.kind(), "not_operator" | "unary_expression")
        || !parts(node).iter().any(|p| ["not", "!"].contains(p))
    {
        return false;
    }
    let mut inner = node;
    while let Some(child) = inner.named_child(0).filter(|_| inner == node || inner.kind() == "parenthesized_expression")
    {
        inner = child;
    }
    inner != node && parts(inner).iter().any(|part| ["!=", "is not", "not in"].contains(part))
}

fn tokens(text: &str, language: &dyn Language) -> Option<Tokens> {
    let tree = language::parse(text, language)?;
    let mut hasher = DefaultHasher::new();
    let mut errors = 0;
    language::preorder(tree.root_node(), |node| {
        if node.is_error() || node.is_missing() || is_pointless(node, text) || is_negated_twice(node, text) {
            errors += 1;
        }
        if language.syntax().is_comment(node) {
            return false;
        }
        if node.kind() == "block" && language.is_indented() {
            // What indentation tells stands in no token.
            let inside = language::children(node).into_iter().filter(|child| !language.syntax().is_comment(*child));
            inside.count().hash(&mut hasher);
        }
        let needless = matches!(node.kind(), "(" | ")") && node.parent().is_some_and(is_needless_parenthesis);
        // What stands around the escapes of a text in Python is no node.
        let is_leaf = node.child_count() == 0 || node.kind() == "string_content";
        if is_leaf && !needless {
            language::text_of(node, text).hash(&mut hasher);
        }
        !is_leaf
    });
    Some(Tokens { hash: hasher.finish(), errors })
}

/// Parentheses around a name, call or literal, or around a whole value.
fn is_needless_parenthesis(node: Node<'_>) -> bool {
    if node.shape() != "parenthesized_expression" {
        return false;
    }
    let whole = node.parent().is_some_and(|parent| {
        matches!(
            parent.shape(),
            "return_statement" | "variable_declarator" | "argument_list" | "parenthesized_expression"
        )
    });
    let simple = node.named_child(0).is_some_and(|inner| !super::syntax::is_compound_expression(inner));
    let header = node.parent().is_some_and(|parent| parent.part("condition") == Some(node));
    (whole || simple) && !header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use std::sync::Arc;

    const SOURCE: &str = "class A {\n  int f(int a) { return a + 1; } // one\n  int g() { return 2; }\n}\n";

    fn unit() -> Unit {
        Unit::new(RepoPath::new("A.java").unwrap(), Arc::from(SOURCE), &language::Java).unwrap()
    }

    fn change(old: &str, new: &str) -> Change {
        let at = SOURCE.find(old).unwrap();
        Change { range: at..at + old.len(), text: new.into() }
    }

    #[test]
    fn equal_but_for_space_comments_and_parentheses() {
        let unit = unit();
        let key = |text: &str| normal_form(&unit, &[change("a + 1", text)]);
        assert_eq!(key("a+2"), key("(a + /* more */ 2)"));
        assert!(key("a+2").is_some() && key("a+2") != key("2+a"));
        assert_eq!(key("a  +1"), None, "equal to the original");
        assert_eq!(key("a + "), None, "does not parse");
        assert_ne!(key("2"), normal_form(&unit, &[change("return 2", "return 3")]));
    }

    #[test]
    fn texts_with_escapes_differ_around_those() {
        let source = "def f():\n    return 'one\\n'\n";
        let unit = Unit::new(RepoPath::new("a.py").unwrap(), Arc::from(source), &language::Python).unwrap();
        let at = source.find("one").unwrap();
        assert!(normal_form(&unit, &[Change { range: at..at + 3, text: "two".into() }]).is_some());
    }

    #[test]
    fn what_is_pointless_is_no_candidate() {
        let unit = unit();
        let with = |old: &str, new: &str| normal_form(&unit, &[change(old, new)]);
        assert!(with("a + 1", "a - a").is_none());
        assert!(with("a + 1", "a == a ? 1 : 0").is_some(), "it asks whether it is a number");
        assert!(with("a + 1", "next() - next()").is_some());
        assert!(with("a + 1", "!(a != 1) ? 1 : 0").is_none());
        assert!(with("a + 1", "!(a == 1) ? 1 : 0").is_some());
    }

    #[test]
    fn nothing_is_negated_twice() {
        let source = "def f(self, a):\n    if not a in self:\n        return 1\n";
        let unit = Unit::new(RepoPath::new("a.py").unwrap(), Arc::from(source), &language::Python).unwrap();
        let at = source.find("not a in self").unwrap();
        let is_candidate =
            |text: &str| normal_form(&unit, &[Change { range: at..at + 13, text: text.into() }]).is_some();
        assert!(is_candidate("a in self") && is_candidate("a not in self") && is_candidate("not a is self"));
        assert!(
            !is_candidate("not a not in self")
                && !is_candidate("not (a is not self)")
                && !is_candidate("not a != self")
        );
    }

    #[test]
    fn overlapping_changes_are_refused() {
        let (a, b) = (change("a + 1", "a"), change("1; }", "2; }"));
        assert_eq!(applied(SOURCE, 0..SOURCE.len(), &[a.clone(), b]), None);
        let both = applied(SOURCE, 0..SOURCE.len(), &[change("2; }", "3; }"), a]).unwrap();
        assert_eq!(both, SOURCE.replace("a + 1", "a").replace("2; }", "3; }"));
    }

    #[test]
    fn a_function_of_python_is_compared_alone() {
        let source =
            "import os\n\nclass A:\n    def f(self, a):\n        b = \"\"\"\nx\n\"\"\"\n        return a + 1\n";
        let unit = Unit::new(RepoPath::new("a.py").unwrap(), Arc::from(source), &language::Python).unwrap();
        let at = source.find("a + 1").unwrap();
        let key = |text: &str| normal_form(&unit, &[Change { range: at..at + 5, text: text.into() }]);
        assert!(key("a + 2").is_some() && key("a + 2") != key("2 + a"));
        assert_eq!((key("a  + 1"), key("a +")), (None, None), "the same, and what does not parse");
        let part = changed_part(&unit, &[Change { range: at..at + 5, text: String::new() }]);
        assert!(source[part].starts_with("def f(self, a):"));
    }
}
