//! Finds the method of a test in its file.

use crate::domain::TestId;
use crate::language::{self, Language, text_of};
use tree_sitter::Node;

/// The only method of that name in the class, or in the module where there is none.
pub(super) fn method<'tree>(
    root: Node<'tree>,
    text: &str,
    test: &TestId,
    language: &dyn Language,
) -> Option<Node<'tree>> {
    let mut inside = root;
    // A Python module is no class; a Java class stands in its file.
    let outer = test.outer_class().rsplit('.').next().unwrap_or_default();
    let nested = test.class.split('$').skip(1);
    let types: Vec<&str> =
        if language.is_indented() { nested.collect() } else { std::iter::once(outer).chain(nested).collect() };
    for name in types {
        inside = only(inside, |node| language.syntax().is_type(node) && is_named(node, name, text))?;
    }
    let is_method = |node: Node<'_>| language.syntax().methods.contains(&node.kind());
    let own = |node: Node<'tree>| {
        // Not one of a type inside, nor of a function.
        let around = std::iter::successors(node.parent(), |node| node.parent());
        let around = around.take_while(|node| node.id() != inside.id());
        is_method(node)
            && is_named(node, &test.method, text)
            && around.into_iter().all(|node| !language.syntax().is_type(node) && !is_method(node))
    };
    only(inside, own)
}

fn is_named(node: Node<'_>, name: &str, text: &str) -> bool {
    node.child_by_field_name("name").is_some_and(|node| text_of(node, text) == name)
}

/// The only node below another of which something is true.
fn only<'tree>(root: Node<'tree>, is_wanted: impl Fn(Node<'tree>) -> bool) -> Option<Node<'tree>> {
    let mut found = Vec::new();
    language::preorder(root, |node| {
        if node.id() != root.id() && is_wanted(node) {
            found.push(node);
        }
        true
    });
    match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}
