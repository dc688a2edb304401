//! Finds the methods of tests in their file.

use crate::domain::TestId;
use crate::language::{self, Language, text_of};
use std::collections::HashMap;
use tree_sitter::Node;

/// Classes of a file that a test's class inherits from, one from the other, at most.
const BASES: usize = 5;

/// The only method of that name in the class, or in the module where there is none; else in the class of the same file that
/// it inherits from.
pub(super) fn method<'tree>(
    root: Node<'tree>,
    text: &str,
    test: &TestId,
    language: &dyn Language,
) -> Option<Node<'tree>> {
    let mut open = vec![class(root, text, test, language)?];
    for _ in 0..BASES {
        let mut named = open.iter().flat_map(|class| named(*class, text, &test.method, language));
        match (named.next(), named.next()) {
            (Some(one), None) => return Some(one),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
        drop(named);
        open = open.iter().flat_map(|class| bases(*class, root, text, language)).collect();
    }
    None
}

/// The methods of that name in a class.
fn named<'tree>(class: Node<'tree>, text: &str, name: &str, language: &dyn Language) -> Vec<Node<'tree>> {
    methods_in(class, text, language).remove(name).unwrap_or_default()
}

/// The classes at the top of the file that a class inherits from.
fn bases<'tree>(class: Node<'tree>, root: Node<'tree>, text: &str, language: &dyn Language) -> Vec<Node<'tree>> {
    let listed = ["superclasses", "superclass"].iter().filter_map(|field| class.child_by_field_name(field));
    let names = listed.flat_map(language::children).filter(|node| node.kind().ends_with("identifier"));
    let named = |name: Node<'_>| {
        let tops =
            language::children(root).into_iter().map(|node| node.child_by_field_name("definition").unwrap_or(node));
        let mut tops = tops.filter(|node| language.syntax().is_type(*node));
        tops.find(|node| node.child_by_field_name("name").is_some_and(|own| text_of(own, text) == text_of(name, text)))
    };
    names.filter_map(named).collect()
}

/// By name the methods of a test's class, or of the module where there is none, but those of whose name there are several.
pub(super) fn methods<'tree, 't>(
    root: Node<'tree>,
    text: &'t str,
    of: &TestId,
    language: &dyn Language,
) -> HashMap<&'t str, Node<'tree>> {
    let Some(class) = class(root, text, of, language) else { return HashMap::new() };
    let found = methods_in(class, text, language);
    found.into_iter().filter_map(|(name, nodes)| Some((name, <[_; 1]>::try_from(nodes).ok()?[0]))).collect()
}

/// By name all methods of a class, or of a module.
fn methods_in<'tree, 't>(
    class: Node<'tree>,
    text: &'t str,
    language: &dyn Language,
) -> HashMap<&'t str, Vec<Node<'tree>>> {
    let syntax = language.syntax();
    let mut found: HashMap<&str, Vec<Node<'tree>>> = HashMap::new();
    language::preorder(class, |node| {
        if node.id() == class.id() {
            return true;
        }
        let is_method = syntax.methods.contains(&node.kind());
        if let Some(name) = node.child_by_field_name("name").filter(|_| is_method) {
            found.entry(text_of(name, text)).or_default().push(node);
        }
        // What lies in a method or in a type is theirs.
        !is_method && !syntax.is_type(node)
    });
    found
}

/// The only type of that name, one in the other; the whole where the test lies in a module.
fn class<'tree>(root: Node<'tree>, text: &str, test: &TestId, language: &dyn Language) -> Option<Node<'tree>> {
    let syntax = language.syntax();
    // A Python module is no class; a Java class stands in its file.
    let outer = test.outer_class().rsplit('.').next().filter(|_| !language.is_indented());
    outer.into_iter().chain(test.class.split('$').skip(1)).try_fold(root, |inside, name| {
        let mut found = Vec::new();
        language::preorder(inside, |node| {
            let is_type = node.id() != inside.id() && syntax.is_type(node);
            if is_type && node.child_by_field_name("name").is_some_and(|own| text_of(own, text) == name) {
                found.push(node);
            }
            !syntax.methods.contains(&node.kind())
        });
        <[_; 1]>::try_from(found).ok().map(|[one]| one)
    })
}
