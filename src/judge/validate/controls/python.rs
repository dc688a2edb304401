//! What can be reversed in a test written in Python.

use super::change::{Change, Kind, Leaving, opposite};
use crate::language::{children, preorder, text_of};
use std::ops::Range;
use tree_sitter::Node;

/// An exception that nobody raises.
const NEVER: &str = "type(\"Control\", (BaseException,), {})";

/// Assertions of `unittest` and their opposites.
const PAIRS: &[(&str, &str)] = &[
    ("assertEqual", "assertNotEqual"),
    ("assertEquals", "assertNotEquals"),
    ("assertTrue", "assertFalse"),
    ("assertIs", "assertIsNot"),
    ("assertIsNone", "assertIsNotNone"),
    ("assertIn", "assertNotIn"),
    ("assertIsInstance", "assertNotIsInstance"),
    ("assertAlmostEqual", "assertNotAlmostEqual"),
    ("assertRegex", "assertNotRegex"),
    ("assertGreater", "assertLessEqual"),
    ("assertLess", "assertGreaterEqual"),
];

type Edit = (Range<usize>, String);

/// Changes of a test function, and the last resort.
pub(super) fn changes(function: Node<'_>, text: &str) -> (Vec<Change>, Option<Change>) {
    let Some(body) = function.child_by_field_name("body") else { return Default::default() };
    let mut found = Vec::new();
    let mut open = vec![body];
    while let Some(block) = open.pop() {
        for statement in children(block) {
            if let Some(edits) = reversed(statement, text) {
                let compares = edits.iter().any(|(_, new)| new.ends_with("Equal") || new.ends_with("Equals"));
                found.push(Change::of(if compares { Kind::Likely } else { Kind::Sure }, statement, text, edits));
            } else if statement.kind() == "with_statement" && !hides(statement, text) {
                open.extend(statement.child_by_field_name("body"));
            }
            if LEAVING.is_in(statement) {
                break;
            }
        }
    }
    (found, at_end(body, text))
}

/// Changes of what assertions of equality expect.
pub(super) fn altered(function: Node<'_>, text: &str) -> Vec<Change> {
    let Some(body) = function.child_by_field_name("body") else { return Vec::new() };
    let mut found = Vec::new();
    for statement in children(body) {
        let sides: Vec<Node<'_>> = match statement.kind() {
            "assert_statement" => compared(statement).unwrap_or_default(),
            "expression_statement" => asserted(statement, text).unwrap_or_default(),
            _ => Vec::new(),
        };
        // The expected value stands behind, or in front where nothing is written out behind.
        let of = |side: &Node<'_>| super::literals::written(statement, *side, text);
        found.extend(sides.iter().rev().map(of).find(|changes| !changes.is_empty()).unwrap_or_default());
        if LEAVING.is_in(statement) {
            break;
        }
    }
    found
}

/// Both sides of `assert a == b`.
fn compared(statement: Node<'_>) -> Option<Vec<Node<'_>>> {
    let condition = statement.named_child(0).filter(|node| node.kind() == "comparison_operator")?;
    let is_equality = children(condition).iter().any(|child| child.kind() == "==");
    is_equality.then(|| children(condition).into_iter().filter(Node::is_named).collect())
}

/// Both values of `self.assertEqual(a, b)`.
fn asserted<'t>(statement: Node<'t>, text: &str) -> Option<Vec<Node<'t>>> {
    let call = statement.named_child(0).filter(|call| call.kind() == "call")?;
    let is_equality = called(call).is_some_and(|name| matches!(text_of(name, text), "assertEqual" | "assertEquals"));
    let values = children(call.child_by_field_name("arguments")?).into_iter().filter(Node::is_named);
    is_equality.then(|| values.take(2).collect())
}

/// What may end a function before its last line, and what runs at another time.
pub(super) const LEAVING: Leaving =
    Leaving { by: &["return_statement"], not_in: &["lambda", "function_definition", "class_definition"] };

/// Whether a `with` may hide what is raised in it.
fn hides(statement: Node<'_>, text: &str) -> bool {
    let body = statement.child_by_field_name("body").map_or(statement.end_byte(), |body| body.start_byte());
    let head = text.get(statement.start_byte()..body).unwrap_or_default().to_lowercase();
    ["raises", "suppress", "ignore", "expect"].iter().any(|word| head.contains(word))
}

/// What makes a statement fail if it passes.
fn reversed(statement: Node<'_>, text: &str) -> Option<Vec<Edit>> {
    match statement.kind() {
        "assert_statement" => {
            let condition = statement.named_child(0)?;
            Some(vec![(condition.byte_range(), format!("not ({})", text_of(condition, text)))])
        }
        "expression_statement" => {
            let call = statement.named_child(0).filter(|call| call.kind() == "call")?;
            assertion(call, text).or_else(|| raised(call, text))
        }
        "with_statement" => {
            let mut found = None;
            preorder(statement, |node| {
                if node.kind() == "call" {
                    found = found.take().or_else(|| raised(node, text));
                }
                node.kind() != "block" && found.is_none()
            });
            found
        }
        _ => None,
    }
}

fn assertion(call: Node<'_>, text: &str) -> Option<Vec<Edit>> {
    let name = called(call)?;
    let opposite = opposite(PAIRS, text_of(name, text))?;
    Some(vec![(name.byte_range(), opposite.to_owned())])
}

/// The name of the method that is called on something.
fn called(call: Node<'_>) -> Option<Node<'_>> {
    call.child_by_field_name("function")?.child_by_field_name("attribute")
}

/// Replaces the exception in `pytest.raises(Type)` and `self.assertRaises(Type)`.
fn raised(call: Node<'_>, text: &str) -> Option<Vec<Edit>> {
    let function = call.child_by_field_name("function")?;
    let word = called(call).map_or_else(|| text_of(function, text), |name| text_of(name, text));
    if !matches!(word, "raises" | "assertRaises" | "assertRaisesRegex") {
        return None;
    }
    let first = call.child_by_field_name("arguments")?.named_child(0)?;
    let is_value = !matches!(first.kind(), "keyword_argument" | "comment" | "list_splat" | "dictionary_splat");
    is_value.then(|| vec![(first.byte_range(), NEVER.to_owned())])
}

/// An error behind the last statement, where that can be reached.
fn at_end(body: Node<'_>, text: &str) -> Option<Change> {
    let statements: Vec<Node<'_>> =
        children(body).into_iter().filter(|child| child.is_named() && child.kind() != "comment").collect();
    let last = *statements.last()?;
    if statements.iter().any(|statement| LEAVING.is_in(*statement)) || last.kind() == "raise_statement" {
        return None;
    }
    let line = text.get(..last.start_byte())?.rsplit('\n').next()?;
    // Statements behind a semicolon or a colon stand on no line of their own.
    if !line.trim().is_empty() {
        return None;
    }
    let error = format!("\n{line}raise AssertionError(\"a control\")");
    Some(Change::of(Kind::AtEnd, last, text, vec![(last.end_byte()..last.end_byte(), error)]))
}
