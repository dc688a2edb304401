//! Code that answers the triggering tests instead of doing its work: special cases, errors that are swallowed, objects
//! that are equal to all.

use crate::language::{Language, children, on_one_line, text_of};
use crate::patch::suspicious::bodies;
use crate::patch::suspicious::rules::NewLiterals;
use tree_sitter::Node;

/// Comparisons, and the answer by which they call everything equal.
const COMPARISONS: &[(&str, &str)] =
    &[("__eq__", "True"), ("__ne__", "False"), ("__le__", "True"), ("__ge__", "True"), ("__contains__", "True")];

/// What no code can mean that goes on as if nothing had happened: everything, a test that failed, a process at its limits.
const BROAD: [&str; 4] = ["Exception", "BaseException", "AssertionError", "MemoryError"];

/// An `except` of everything whose body raises nothing.
pub(super) fn broad_except(node: Node<'_>, text: &str, language: &dyn Language) -> Option<String> {
    let kinds: Vec<Node<'_>> = children(node)
        .into_iter()
        .filter(|child| child.is_named() && child.kind() != "block" && !language.is_comment(*child, text))
        .collect();
    let names: Vec<String> = kinds.iter().map(|kind| on_one_line(text_of(*kind, text))).collect();
    let is_broad = |name: &String| {
        let plain = name.split(" as ").next().unwrap_or(name);
        plain.split([',', '(', ')', ' ']).any(|word| BROAD.contains(&word))
    };
    if !names.is_empty() && !names.iter().any(is_broad) {
        return None;
    }
    let body = children(node).into_iter().find(|child| child.kind() == "block")?;
    let mut statements =
        children(body).into_iter().filter(|child| child.is_named() && !language.is_comment(*child, text));
    let does_nothing = statements.all(|statement| statement.kind() == "pass_statement");
    let shown = names.first().map_or("except".to_owned(), |name| format!("except {name}"));
    if does_nothing {
        return Some(format!("`{shown}` swallows every error"));
    }
    // Who raises, or tells somebody of the error, swallows none.
    let error = names.first().and_then(|name| name.split_once(" as ")).map_or("", |(_, name)| name);
    let mut tells = false;
    crate::language::preorder(body, |node| {
        tells |= node.kind() == "raise_statement" || bodies::hands_on(node, error, text) || logs(node, text);
        !tells
    });
    (!tells).then(|| format!("`{shown}` turns every error into an answer"))
}

/// Whether a statement logs the error that is handled.
fn logs(statement: Node<'_>, text: &str) -> bool {
    let call =
        statement.named_child(0).filter(|call| statement.kind() == "expression_statement" && call.kind() == "call");
    let function = call.and_then(|call| call.child_by_field_name("function"));
    function.is_some_and(|function| text_of(function, text).ends_with(".exception"))
}

/// A comparison that always says that both are equal.
pub(super) fn always_equal(function: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(function.child_by_field_name("name")?, text);
    let (_, equal) = COMPARISONS.iter().find(|(comparison, _)| *comparison == name)?;
    let mut answers = Vec::new();
    crate::language::preorder(function.child_by_field_name("body")?, |node| {
        if node.kind() == "return_statement" {
            let value = node.named_child(0).map_or("None", |value| text_of(value, text));
            answers.push(value.trim_matches(['(', ')', ' ']).to_owned());
        }
        !["function_definition", "lambda"].contains(&node.kind())
    });
    let is_equal =
        |answer: &String| answer == equal || matches!((*equal, answer.as_str()), ("True", "1" | "not False"));
    let alike = !answers.is_empty() && answers.iter().all(is_equal);
    alike.then(|| format!("`{name}` always answers `{equal}`"))
}

/// A comparison with a value that the triggering tests use and the original code does not.
pub(super) fn special_case(condition: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    let mut found = None;
    crate::language::preorder(condition, |node| {
        let compares = node.kind() == "comparison_operator"
            && children(node).iter().any(|child| ["==", "!=", "in", "not in", "is", "is not"].contains(&child.kind()));
        let is_usual = || asks_the_environment(node, text) || is_one_of_many(condition, node, text, literals);
        if compares && found.is_none() {
            found = literal_case(node, text, literals).filter(|_| !is_usual());
        }
        found.is_none()
    });
    found
}

/// Whether a comparison asks whether a variable of the environment is set: its name is no input.
fn asks_the_environment(comparison: Node<'_>, text: &str) -> bool {
    let last = children(comparison).into_iter().next_back();
    last.is_some_and(|last| ["os.environ", "environ"].contains(&text_of(last, text)))
}

/// Whether a condition is one more branch beside some of the original code that compare the same with other texts, as a
/// command has names.
fn is_one_of_many(condition: Node<'_>, comparison: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> bool {
    const OTHERS: usize = 2;
    let compared = |node: Node<'_>| {
        let [subject, operator, value] = children(node).try_into().ok()?;
        let (subject, operator): (Node<'_>, Node<'_>) = (subject, operator);
        let value = literal(value, text).filter(|_| operator.kind() == "==")?;
        Some((text_of(subject, text), value))
    };
    let Some((subject, _)) = compared(comparison).filter(|_| condition == comparison) else { return false };
    let mut ups = std::iter::successors(condition.parent(), |node| node.parent());
    let Some(chain) = ups.find(|up| up.kind() == "if_statement") else { return false };
    let branches = children(chain).into_iter().filter(|child| child.kind() == "elif_clause").chain([chain]);
    let conditions = branches.filter_map(|branch| branch.child_by_field_name("condition"));
    let conditions = conditions.filter(|condition| !literals.is_added(*condition)).filter_map(compared);
    conditions.filter(|(of, value)| *of == subject && !literals.contains(value)).count() >= OTHERS
}

/// The first value below a node that is one of these.
pub(super) fn literal_case(node: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    let mut found = None;
    crate::language::preorder(node, |node| {
        let one = literal(node, text);
        let below = one.is_none() && found.is_none() && node.kind() != "block";
        found = found.take().or_else(|| one.filter(|literal| literals.contains(literal)));
        below
    });
    found.map(|literal| format!("a special case for {literal}, a value of the triggering test"))
}

/// The text of a literal, with its sign; texts in one kind of quotes.
pub(super) fn literal(node: Node<'_>, text: &str) -> Option<String> {
    match node.kind() {
        "integer" | "float" => Some(text_of(node, text).to_owned()),
        "unary_operator" => {
            let operand = node.child_by_field_name("argument").filter(|n| ["integer", "float"].contains(&n.kind()))?;
            let is_minus = text_of(node, text).starts_with('-');
            is_minus.then(|| format!("-{}", text_of(operand, text)))
        }
        "string" => {
            let written = text_of(node, text);
            let inner = written.trim_start_matches(['r', 'b', 'u', 'R', 'B', 'U']).trim_matches(['"', '\'']);
            Some(format!("\"{inner}\""))
        }
        _ => None,
    }
}

/// Whether a statement ends its function without having done anything.
pub(super) fn ends_at_once(statement: Node<'_>) -> bool {
    match statement.kind() {
        "raise_statement" | "pass_statement" => true,
        "return_statement" => statement.named_child(0).is_none_or(|value| {
            ["integer", "float", "string", "true", "false", "none"].contains(&value.kind())
                || ["list", "dictionary", "tuple"].contains(&value.kind()) && value.named_child_count() == 0
        }),
        _ => false,
    }
}

/// A new entry for a value of the triggering tests, where there are not enough other entries.
pub(super) fn lone_entry(pair: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    const AS_OTHERS: usize = 3;
    let others = pair.parent().map_or(0, |all| {
        children(all)
            .into_iter()
            .filter(|each| each.kind() == "pair" && literal_case(*each, text, literals).is_none())
            .count()
    });
    if others >= AS_OTHERS { None } else { literal_case(pair, text, literals) }
}

/// A name, a number or a text that is compared by where it lies, or the place itself that is computed with: what has the
/// same value may lie anywhere.
pub(super) fn by_place(node: Node<'_>, text: &str) -> Option<String> {
    const VALUES: [&str; 8] = ["int", "str", "float", "bytes", "tuple", "complex", "len", "sum"];
    let called = |side: Node<'_>| {
        let function = side.child_by_field_name("function").filter(|_| side.kind() == "call");
        function.map_or("", |function| text_of(function, text))
    };
    let sides: Vec<&str> = children(node).into_iter().map(called).collect();
    let has = |kinds: &[&str]| children(node).iter().any(|child| kinds.contains(&child.kind()));
    if node.kind() == "comparison_operator" && has(&["is", "is not"]) && sides.iter().any(|name| VALUES.contains(name))
    {
        return Some("`is` compares where values lie, not what they are".into());
    }
    let computes = node.kind() == "binary_operator" || has(&["<", ">", "<=", ">="]);
    (computes && sides.contains(&"id")).then(|| "`id` decides by where an object lies".into())
}

/// A method that runs once memory is freed: in a test it hardly ever does.
pub(super) fn last_word(function: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(function.child_by_field_name("name")?, text);
    let takes = function.child_by_field_name("parameters")?.named_child_count();
    (name == "__del__" && takes == 1).then(|| "`__del__` runs when memory is freed, if at all".to_owned())
}

/// How objects are shown that have no words of their own: by their kind, their place, the function that made them.
const SHOWN: [&str; 6] = ["0x", "<function", "<lambda>", "<locals>", "object at", "bound method"];

/// A decision by how an object is shown: what a caller hands over looks otherwise in a test.
pub(super) fn by_look(node: Node<'_>, text: &str) -> Option<String> {
    let written = text_of(node, text);
    let is_written = |ways: &[&str]| ways.iter().any(|way| written.contains(way));
    let by_repr = is_written(&["repr(", "ascii(", "%s", "%r", "f'", "f\""]);
    let is_shown = by_repr || is_written(&["str(", "format("]);
    let mut found = false;
    crate::language::preorder(node, |node| {
        let literal = literal(node, text).filter(|_| node.kind() == "string").unwrap_or_default();
        found |= SHOWN.iter().any(|word| literal.contains(word)) || by_repr && literal.contains("test");
        !found
    });
    (found && is_shown).then(|| "a condition by how an object is shown, which is another way in a test".into())
}
