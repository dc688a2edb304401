//! Bodies that do less than they should: errors swallowed, questions always answered alike, methods emptied.

use super::rules;
use crate::language::{self, Language, children, text_of};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// Statements that a method must have had before one can say that it lost them.
const SOME: usize = 2;

/// What no code can mean that goes on as if nothing had happened: everything, a test that failed, a process at its limits.
const BROAD: [&str; 8] = [
    "Throwable",
    "Exception",
    "Error",
    "RuntimeException",
    "AssertionError",
    "StackOverflowError",
    "OutOfMemoryError",
    "VirtualMachineError",
];

/// A catch of everything whose body throws nothing.
pub(super) fn broad_catch(node: Node<'_>, text: &str, language: &dyn Language) -> Option<String> {
    let parameter = children(node).into_iter().find(|child| child.kind() == "catch_formal_parameter")?;
    let kinds = children(parameter).into_iter().find(|child| child.kind() == "catch_type")?;
    let broad = children(kinds)
        .into_iter()
        .map(|kind| text_of(kind, text))
        .find(|name| BROAD.contains(&name.rsplit('.').next().unwrap_or(name)))?;
    let body = node.child_by_field_name("body")?;
    let mut statements =
        children(body).into_iter().filter(|child| child.is_named() && !language.syntax().is_comment(*child));
    if statements.next().is_none() {
        return Some(format!("`catch ({broad})` swallows what a caller, or a test, must see"));
    }
    // Who throws, or tells somebody of the error, swallows none.
    let error = parameter.child_by_field_name("name").map_or("", |name| text_of(name, text));
    let mut tells = false;
    language::preorder(body, |node| {
        tells |= node.kind() == "throw_statement" || hands_on(node, error, text);
        !tells
    });
    (!tells).then(|| format!("`catch ({broad})` turns every error into an answer"))
}

/// Whether a statement is a call that gets a variable.
pub(super) fn hands_on(statement: Node<'_>, variable: &str, text: &str) -> bool {
    let call = statement.named_child(0).filter(|_| statement.kind() == "expression_statement");
    let arguments = call.and_then(|call| call.child_by_field_name("arguments"));
    let is_it = |node: Node<'_>| !variable.is_empty() && text_of(node, text) == variable;
    arguments.is_some_and(|arguments| {
        let mut found = false;
        language::preorder(arguments, |node| {
            found |= node.kind() == "identifier" && is_it(node);
            !found
        });
        found
    })
}

/// A method that runs once memory is freed: in a test it hardly ever does.
pub(super) fn finalizer(method: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(method.child_by_field_name("name")?, text);
    let takes = method.child_by_field_name("parameters")?.named_child_count();
    (name == "finalize" && takes == 0).then(|| "`finalize` runs when memory is freed, if at all".to_owned())
}

/// Comparisons, and the answer by which they call everything equal.
const COMPARISONS: [(&str, &str); 4] =
    [("equals", "true"), ("equalsIgnoreCase", "true"), ("compareTo", "0"), ("compare", "0")];

/// A comparison that always says that both are equal.
pub(super) fn always_equal(method: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(method.child_by_field_name("name")?, text);
    let (_, equal) = COMPARISONS.iter().find(|(comparison, _)| *comparison == name)?;
    let mut answers = Vec::new();
    language::preorder(method.child_by_field_name("body")?, |node| {
        if node.kind() == "return_statement" {
            answers.push(answer(node, text));
        }
        !["class_body", "lambda_expression"].contains(&node.kind())
    });
    let alike = !answers.is_empty() && answers.iter().all(|answer| answer == equal);
    alike.then(|| format!("`{name}` always answers `{equal}`"))
}

/// What is returned, without what only surrounds it.
fn answer<'t>(statement: Node<'_>, text: &'t str) -> &'t str {
    let value = children(statement).into_iter().find(|child| child.is_named());
    let plain = value.map_or("", |value| text_of(value, text)).trim_matches(['(', ')', ' ']);
    match plain {
        "Boolean.TRUE" | "!false" => "true",
        other => other,
    }
}

/// Methods that had a body and have none any more, each with its last line, counted from 0.
pub(super) fn emptied(before: &str, after: &str, language: &dyn Language) -> Vec<(String, usize)> {
    let full = bodies(before, language);
    let left = bodies(after, language).into_iter().filter(|(_, body)| body.is_nothing);
    let lost = left.filter(|(name, _)| full.get(name).is_some_and(|old| old.statements >= SOME && !old.is_nothing));
    lost.map(|(name, body)| (format!("`{name}` does nothing any more"), body.last_line)).collect()
}

struct Body {
    statements: usize,
    /// Whether it is empty, only returns a constant or only throws.
    is_nothing: bool,
    last_line: usize,
}

fn bodies(text: &str, language: &dyn Language) -> BTreeMap<String, Body> {
    let mut found = BTreeMap::new();
    let Some(tree) = language::parse(text, language) else { return found };
    language::preorder(tree.root_node(), |node| {
        if language.syntax().methods.contains(&node.kind())
            && let Some(name) = language.name_of(node)
            && let Some(body) = node.child_by_field_name("body")
        {
            let list = language.parameters_of(node).map(|list| language.parameters(list, text));
            let types: Vec<String> = list.unwrap_or_default().into_iter().map(|parameter| parameter.shown).collect();
            let name = format!("{}({})", text_of(name, text), types.join(", "));
            let is_statement = |child: &Node<'_>| child.is_named() && !language.is_comment(*child, text);
            let statements: Vec<Node<'_>> = children(body).into_iter().filter(is_statement).collect();
            let ends_at_once = |first: &Node<'_>| rules::of(language).is_some_and(|rules| (rules.ends_at_once)(*first));
            let is_nothing = statements.first().is_none_or(ends_at_once);
            found.insert(name, Body { statements: statements.len(), is_nothing, last_line: node.end_position().row });
        }
        true
    });
    found
}

/// Whether a statement ends its method without having done anything.
pub(super) fn ends_at_once(statement: Node<'_>) -> bool {
    match statement.kind() {
        "throw_statement" => true,
        "return_statement" => children(statement)
            .into_iter()
            .find(|child| child.is_named())
            .is_none_or(|value| value.kind().ends_with("_literal") || ["true", "false"].contains(&value.kind())),
        _ => false,
    }
}
