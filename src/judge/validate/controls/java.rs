//! What can be reversed in a test written in Java.

use super::change::{Change, Kind, Leaving, opposite};
use crate::language::{children, preorder, text_of};
use std::ops::Range;
use tree_sitter::Node;

/// An exception that no test expects.
const NEVER: &str = "java.lang.VirtualMachineError.class";

/// What annotations of tests name an exception by that lets them pass.
const EXPECTED: [&str; 2] = ["expected", "expectedExceptions"];

/// Assertions and their opposites.
const PAIRS: &[(&str, &str)] = &[
    ("assertEquals", "assertNotEquals"),
    ("assertTrue", "assertFalse"),
    ("assertNull", "assertNotNull"),
    ("assertSame", "assertNotSame"),
    ("isEqualTo", "isNotEqualTo"),
    ("isTrue", "isFalse"),
    ("isNull", "isNotNull"),
    ("isEmpty", "isNotEmpty"),
    ("isSameAs", "isNotSameAs"),
    ("isInstanceOf", "isNotInstanceOf"),
    ("isPresent", "isNotPresent"),
    ("contains", "doesNotContain"),
    ("startsWith", "doesNotStartWith"),
];

/// Calls that compare two values.
const COMPARISONS: &[&str] = &["equals", "compareTo", "compare"];

/// Classes whose assertions can be imported by name.
const OWNERS: &[&str] = &["org.junit.Assert", "org.junit.jupiter.api.Assertions"];

type Edit = (Range<usize>, String);

/// Changes of a test method, and the last resort.
pub(super) fn changes(method: Node<'_>, text: &str) -> (Vec<Change>, Option<Change>) {
    let Some(body) = method.child_by_field_name("body") else { return Default::default() };
    if let Some(expected) = expected_type(method, text) {
        return (vec![Change::of(Kind::Sure, expected, text, vec![(expected.byte_range(), NEVER.to_owned())])], None);
    }
    // From here on an exception is what lets the test pass.
    if calls(body, text).any(|name| name.starts_with("expect")) || is_expected_to_throw(method, text) {
        return Default::default();
    }
    let mut found = Vec::new();
    for statement in certain(body, text) {
        if let Some(edits) = reversed(statement, text) {
            // Arrays are compared by their elements in the one and by identity in the other.
            let compares = edits.iter().any(|(_, new)| matches!(new.as_str(), "assertEquals" | "assertNotEquals"));
            found.push(Change::of(if compares { Kind::Likely } else { Kind::Sure }, statement, text, edits));
        }
    }
    (found, at_end(body, text))
}

/// Changes of what assertions of equality expect.
pub(super) fn altered(method: Node<'_>, text: &str) -> Vec<Change> {
    let Some(body) = method.child_by_field_name("body") else { return Vec::new() };
    let mut found = Vec::new();
    for statement in certain(body, text).into_iter().filter(|statement| statement.kind() == "expression_statement") {
        let Some(call) = statement.named_child(0).filter(|call| call.kind() == "method_invocation") else { continue };
        let Some(arguments) = call.child_by_field_name("arguments") else { continue };
        let all: Vec<Node<'_>> = children(arguments).into_iter().filter(Node::is_named).collect();
        let is_comparison = |node: &Node<'_>| {
            node.kind() == "method_invocation" && name_of(*node, text).is_some_and(|name| COMPARISONS.contains(&name))
        };
        let compared = all.iter().copied().find(is_comparison);
        let below = match (name_of(call, text), all.as_slice()) {
            (Some("assertTrue" | "assertEquals"), _) if compared.is_some() => compared,
            (Some("assertEquals"), [expected, _]) => Some(*expected),
            (Some("isEqualTo" | "isEqualByComparingTo"), [expected]) => Some(*expected),
            _ => None,
        };
        found.extend(below.map(|below| super::literals::written(statement, below, text)).unwrap_or_default());
    }
    found
}

/// The class in `@Test(expected = …)`, or those in TestNG's `@Test(expectedExceptions = …)`.
fn expected_type<'t>(method: Node<'t>, text: &str) -> Option<Node<'t>> {
    let modifiers = children(method).into_iter().find(|child| child.kind() == "modifiers")?;
    let mut found = None;
    preorder(modifiers, |node| {
        if node.kind() == "element_value_pair"
            && node.child_by_field_name("key").is_some_and(|key| EXPECTED.contains(&text_of(key, text)))
        {
            found = node.child_by_field_name("value");
        }
        true
    });
    found
}

/// Whether an annotation of another library says that an exception is expected, or a failure: `@ExpectedToFail`.
fn is_expected_to_throw(method: Node<'_>, text: &str) -> bool {
    let modifiers = children(method).into_iter().find(|child| child.kind() == "modifiers");
    let annotations = modifiers.map(children).unwrap_or_default().into_iter();
    annotations.filter_map(|node| node.child_by_field_name("name")).any(|name| text_of(name, text).contains("Expect"))
}

/// Names of the methods that are called below a node.
fn calls<'t>(body: Node<'t>, text: &'t str) -> impl Iterator<Item = &'t str> {
    let mut names = Vec::new();
    preorder(body, |node| {
        if node.kind() == "method_invocation" {
            names.extend(name_of(node, text));
        }
        true
    });
    names.into_iter()
}

fn name_of<'t>(call: Node<'_>, text: &'t str) -> Option<&'t str> {
    call.child_by_field_name("name").map(|name| text_of(name, text))
}

/// Statements that run in every run of a body to its end: those of its own blocks, until one of them may leave it.
fn certain<'t>(body: Node<'t>, text: &str) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut open = vec![body];
    while let Some(block) = open.pop() {
        for statement in children(block) {
            match statement.kind() {
                "block" => open.push(statement),
                "try_statement" => open.extend(catch_after_fail(statement, text)),
                _ => found.push(statement),
            }
            if LEAVING.is_in(statement) {
                break;
            }
        }
    }
    found
}

/// What may end a method before its last line, and what runs at another time.
pub(super) const LEAVING: Leaving =
    Leaving { by: &["return_statement", "labeled_statement"], not_in: &["lambda_expression", "class_body"] };

/// The block of the only `catch` of a `try` that ends by `fail`: a test that passes runs it.
fn catch_after_fail<'t>(statement: Node<'t>, text: &str) -> Option<Node<'t>> {
    let body = statement.child_by_field_name("body")?;
    let last = children(body).into_iter().rfind(|child| child.is_named() && !child.kind().ends_with("comment"))?;
    let call = last.named_child(0).filter(|call| call.kind() == "method_invocation")?;
    let catches: Vec<Node<'t>> =
        children(statement).into_iter().filter(|child| child.kind() == "catch_clause").collect();
    match catches.as_slice() {
        [one] if name_of(call, text) == Some("fail") => one.child_by_field_name("body"),
        _ => None,
    }
}

/// What makes a statement fail if it passes.
fn reversed(statement: Node<'_>, text: &str) -> Option<Vec<Edit>> {
    match statement.kind() {
        "expression_statement" => {
            let call = statement.named_child(0).filter(|call| call.kind() == "method_invocation")?;
            assertion(call, text)
        }
        "local_variable_declaration" => {
            let call = children(statement).into_iter().find(|child| child.kind() == "variable_declarator")?;
            let call = call.child_by_field_name("value").filter(|value| value.kind() == "method_invocation")?;
            let declared = text_of(statement.child_by_field_name("type")?, text);
            let mut edits = thrown(call, text)?;
            if declared != "var" {
                edits.push((call.start_byte()..call.start_byte(), format!("({declared}) (Throwable) ")));
            }
            Some(edits)
        }
        _ => None,
    }
}

fn assertion(call: Node<'_>, text: &str) -> Option<Vec<Edit>> {
    let name = call.child_by_field_name("name")?;
    let arguments = call.child_by_field_name("arguments")?;
    let object = call.child_by_field_name("object");
    let is_fluent = object.is_some_and(|object| is_about_a_value(object, text));
    match (text_of(name, text), object) {
        ("assertThrows" | "assertThrowsExactly", _) => thrown(call, text),
        ("assertThat", _) => {
            let last = arguments.named_child(u32::try_from(arguments.named_child_count().checked_sub(1)?).ok()?)?;
            // With one argument it is the begin of a chain that asserts nothing yet.
            (arguments.named_child_count() >= 2)
                .then(|| vec![(last.byte_range(), format!("org.hamcrest.CoreMatchers.not({})", text_of(last, text)))])
        }
        (word, object) => {
            let is_assert = word.starts_with("assert");
            if is_assert == is_fluent {
                return None;
            }
            let mut edits = vec![(name.byte_range(), opposite(PAIRS, word)?.to_owned())];
            if let (None, Some(owner)) = (object, owner(call, text, word)) {
                edits.push((call.start_byte()..call.start_byte(), format!("{owner}.")));
            }
            Some(edits)
        }
    }
}

/// Whether a chain of calls begins with `assertThat(…)`.
fn is_about_a_value(object: Node<'_>, text: &str) -> bool {
    let below = |node: &Node<'_>| node.kind() == "method_invocation";
    let chain = std::iter::successors(Some(object), |node| node.child_by_field_name("object")).take_while(below);
    chain.into_iter().any(|call| name_of(call, text).is_some_and(|name| name.starts_with("assertThat")))
}

/// Replaces the type in `assertThrows(Type.class, …)`.
fn thrown(call: Node<'_>, text: &str) -> Option<Vec<Edit>> {
    if !name_of(call, text)?.starts_with("assertThrows") {
        return None;
    }
    let arguments = call.child_by_field_name("arguments")?;
    let named: Vec<Node<'_>> =
        children(arguments).into_iter().filter(|child| child.kind() == "class_literal").collect();
    match named.as_slice() {
        [one] => Some(vec![(one.byte_range(), NEVER.to_owned())]),
        _ => None,
    }
}

/// The class that an assertion without one is imported from, because its opposite may not be imported. What a test case of
/// JUnit 3 inherits has no opposites.
fn owner(call: Node<'_>, text: &str, word: &str) -> Option<&'static str> {
    let root = std::iter::successors(Some(call), |node| node.parent()).last()?;
    let mut found = None;
    for import in children(root).into_iter().filter(|child| child.kind() == "import_declaration") {
        let import = text_of(import, text);
        found = found.or_else(|| {
            OWNERS.iter().copied().find(|owner| {
                let all = import.contains(&format!("{owner}.*"));
                import.contains("static") && (all || import.contains(&format!("{owner}.{word};")))
            })
        });
    }
    let class = std::iter::successors(Some(call), |node| node.parent()).find(|up| up.kind() == "class_declaration");
    let above = class.and_then(|class| class.child_by_field_name("superclass"));
    found.or_else(|| above.filter(|above| text_of(*above, text).ends_with("TestCase")).map(|_| OWNERS[0]))
}

/// An error behind the last statement, where that can be reached.
fn at_end(body: Node<'_>, text: &str) -> Option<Change> {
    let statements: Vec<Node<'_>> = children(body).into_iter().filter(Node::is_named).collect();
    if statements.iter().any(|statement| LEAVING.is_in(*statement)) {
        return None;
    }
    let brace = children(body).into_iter().last().filter(|last| text_of(*last, text) == "}")?;
    let error = " if (true) { throw new AssertionError(\"a control\"); } ".to_owned();
    Some(Change::of(Kind::AtEnd, *statements.last()?, text, vec![(brace.start_byte()..brace.start_byte(), error)]))
}
