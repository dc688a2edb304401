//! Other values in the place of expected ones.
//!
//! An assertion that is reversed still fails when everything equals everything. Where a patch touches a comparison, the
//! expected value itself is changed, literal by literal: a comparison that sees none of these changes compares nothing.

use super::super::ValidateError;
use super::change::{Change, Kind};
use super::trial::{Control, TestCode, Trial};
use super::{failed, java, python};
use crate::domain::{Outcome, Patch, TestId, Validation};
use crate::language::{Language, decode, preorder, text_of};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// What a file holds that may touch a comparison, by language. An escape may spell any name.
const COMPARING: &[(&str, &[&str])] =
    &[("java", &["equals", "hashCode", "compare", "Comparator", "\\u"]), ("python", &["__", "setattr", "type("])];
/// Values of one test that are exchanged at most.
pub(super) const VALUES: usize = 6;
/// Added to every number: little, so that a comparison of ranges does not see it.
const MORE: i64 = 1;
/// Stands for a text without characters.
const SOME: &str = "~";

/// Expressions whose value may stay as it is when a part of them changes.
const DECIDING: &[&str] = &[
    "comparison_operator",
    "boolean_operator",
    "conditional_expression",
    "ternary_expression",
    "instanceof_expression",
    "subscript",
    "array_access",
    "lambda",
    "lambda_expression",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
];
/// Operators of which the same is true.
const ROUNDING: &[&str] = &["<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "%", "/", "//", ">>", ">>>"];

/// Calls that compare, or only make a value of what they are given; classes are named with a capital.
const MAKING: &[&str] = &[
    "equals",
    "compareTo",
    "compare",
    "of",
    "asList",
    "valueOf",
    "list",
    "set",
    "dict",
    "tuple",
    "frozenset",
    "bytes",
    "bytearray",
    "date",
    "datetime",
    "time",
    "timedelta",
];

/// Whether a patch may touch how values are compared.
fn may_touch_comparison(patch: &Patch, language: &dyn Language) -> bool {
    let words = COMPARING.iter().find(|(name, _)| *name == language.name()).map_or(&[][..], |(_, words)| *words);
    let holds = |bytes: &[u8]| {
        let text = decode(bytes).0;
        words.iter().any(|word| text.contains(word))
    };
    patch.files.iter().any(|file| holds(&file.after))
}

/// The changes of values that a right patch sees: what an assertion of the product is handed, else what a test expects,
/// where the patch may touch how values are compared.
pub(super) fn values(test: &TestCode<'_>, trial: &Trial<'_>) -> Vec<Change> {
    let handed = failed::handed(test, trial);
    match handed.is_empty() && may_touch_comparison(trial.patch, trial.language) {
        true => expected(test, trial.language),
        false => handed,
    }
}

/// What speaks against a patch when a test passes whatever value it expects.
pub(super) async fn objection(trial: &Trial<'_>) -> Result<Option<Validation>, ValidateError> {
    let mut open = trial.read(|test| values(test, trial));
    let mut tried: BTreeMap<TestId, Vec<Change>> = BTreeMap::new();
    for _ in 0..VALUES {
        open.iter_mut().for_each(Control::next);
        let Some(failed) = trial.run(&mut open).await? else { break };
        // A test that sees one value compares.
        tried.retain(|test, _| !failed.contains(test));
        open.retain(|control| !failed.contains(&control.test));
        for control in &open {
            tried.entry(control.test.clone()).or_default().extend(control.now.clone());
        }
    }
    // What does not fail although some of its values were not tried yet has the benefit of the doubt.
    let left = |test: &TestId| open.iter().any(|control| control.test == *test && !control.open.is_empty());
    let Some((test, change)) =
        tried.iter().filter(|(test, _)| !left(test)).find_map(|(test, changes)| Some((test, changes.last()?)))
    else {
        return Ok(None);
    };
    let detail = format!(
        "{test} passes even when it expects another value in line {} (`{}`): what it compares is equal to everything",
        change.lines.0, change.was
    );
    Ok(Some(trial.against(Outcome::Refused, detail)))
}

/// Changes of the values that a test expects.
pub(super) fn expected(test: &TestCode<'_>, language: &dyn Language) -> Vec<Change> {
    let Some(method) = test.method else { return Vec::new() };
    match language.name() {
        "java" => java::altered(method, test.text),
        "python" => python::altered(method, test.text),
        _ => Vec::new(),
    }
}

/// The changes of the literals that a value is made of. What a call is given is an input: another one may have the same
/// result.
pub(super) fn written(statement: Node<'_>, value: Node<'_>, text: &str) -> Vec<Change> {
    altered_but(|node| takes_input(node, text) || decides(node, text), statement, value, text)
}

/// The changes of all literals below a node of an assertion.
pub(super) fn altered(statement: Node<'_>, below: Node<'_>, text: &str) -> Vec<Change> {
    let is_all = |node: Node<'_>| node.parent().is_none_or(|up| up == statement);
    altered_but(|node| decides(node, text) && !is_all(node), statement, below, text)
}

/// Whether a node may have the same value where a literal in it is another one: `version >= 14`.
fn decides(node: Node<'_>, text: &str) -> bool {
    let operator = node.child_by_field_name("operator").map(|operator| text_of(operator, text));
    DECIDING.contains(&node.kind()) || operator.is_some_and(|operator| ROUNDING.contains(&operator))
}

/// Whether a node calls what works with its arguments.
fn takes_input(node: Node<'_>, text: &str) -> bool {
    let name = match node.kind() {
        "call" => node
            .child_by_field_name("function")
            .map(|function| function.child_by_field_name("attribute").unwrap_or(function)),
        "method_invocation" => node.child_by_field_name("name"),
        _ => None,
    };
    let name = name.map(|name| text_of(name, text));
    name.is_some_and(|name| !name.starts_with(char::is_uppercase) && !MAKING.contains(&name))
}

fn altered_but(leaves_out: impl Fn(Node<'_>) -> bool, statement: Node<'_>, below: Node<'_>, text: &str) -> Vec<Change> {
    let mut found = Vec::new();
    preorder(below, |node| {
        if leaves_out(node) {
            return false;
        }
        let new = other(node, text);
        if let Some(new) = &new {
            found.push(Change::of(Kind::Altered, statement, text, vec![(node.byte_range(), new.clone())]));
        }
        new.is_none() && node.kind() != "string"
    });
    found
}

/// Another value of the same kind; `None` for what is no literal.
fn other(literal: Node<'_>, text: &str) -> Option<String> {
    let written = text_of(literal, text);
    match literal.kind() {
        "decimal_integer_literal" | "integer" => {
            let (digits, suffix) = written.split_at(written.trim_end_matches(['l', 'L']).len());
            let number: i64 = digits.replace('_', "").parse().ok()?;
            Some(format!("{}{suffix}", number.checked_add(MORE)?))
        }
        "decimal_floating_point_literal" | "float" => {
            let number: f64 = written.trim_end_matches(['f', 'F', 'd', 'D']).replace('_', "").parse().ok()?;
            let suffix = if written.ends_with(['f', 'F']) { "f" } else { "" };
            Some(format!("{:?}{suffix}", number + MORE as f64))
        }
        "string_literal" | "string" => {
            let quote = written.chars().next_back()?;
            let inner = written.strip_suffix(quote)?;
            let is_simple =
                !written.ends_with("\"\"\"") && !written.ends_with("'''") && !written.starts_with(['f', 'F', 'b', 'B']);
            is_simple.then(|| format!("{}{quote}", ending_otherwise(inner, quote)))
        }
        "true" => Some("false".to_owned()),
        "false" => Some("true".to_owned()),
        _ => None,
    }
}

/// A text, without its last quote, with another last character: of the same length where that is no part of an escape.
fn ending_otherwise(inner: &str, quote: char) -> String {
    let Some((start, last)) = inner.char_indices().next_back() else { return SOME.to_owned() };
    let (head, is_escape) = (&inner[..start], inner[..start].contains('\\'));
    let other = match last {
        _ if last == quote || is_escape || !last.is_ascii_graphic() => return format!("{inner}{SOME}"),
        'z' | 'Z' | '9' => char::from(last as u8 - 1),
        _ if last.is_ascii_alphanumeric() => char::from(last as u8 + 1),
        _ => '~',
    };
    format!("{head}{other}")
}

#[cfg(test)]
mod tests {
    use super::super::trial::in_code;
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::{Java, Python};

    /// What is written in the place of expected values.
    fn others(text: &str, test: &str, language: &dyn Language) -> Vec<String> {
        let file = RepoPath::new("T").unwrap();
        let found = in_code(text, &test.parse().unwrap(), &file, language, |test| expected(test, language));
        found.into_iter().flat_map(|change| change.edits).map(|(_, new)| new).collect()
    }

    #[test]
    fn what_a_call_is_given_is_no_expected_value() {
        let python = |line: &str| others(&format!("def test_x():\n    assert {line}\n"), "t#test_x", &Python);
        assert_eq!(python("load(signed, max_age=10) == value"), [""; 0]);
        assert_eq!(python("3 == total([5])"), ["4"]);
        assert_eq!(python("total([5]) == Money(3, places=2)"), ["4", "3"]);
        assert_eq!(python("parse(5) == datetime.date(1, 2, 3)"), ["2", "3", "4"]);
        assert_eq!(python("a.total() == [round(1.5), 7]"), ["8"]);
        assert_eq!(python("a.is_new() == (sys.version_info[1] >= 14)"), [""; 0]);
        assert_eq!(python("a.total() == 7 // 2 + 3 * 5"), ["4", "6"]);
        let java = |line: &str| others(&format!("class T {{ @Test void x() {{ {line} }} }}"), "T#x", &Java);
        assert_eq!(java("assertEquals(cart.load(10), value);"), [""; 0]);
        assert_eq!(java("assertEquals(List.of(1), cart.load(10));"), ["2"]);
        assert_eq!(java("assertEquals(sizes[1] > 4 ? 3 : 5, cart.load(10));"), [""; 0]);
        assert_eq!(java("assertEquals(10 / 4 + 2, cart.load(10));"), ["3"]);
        assert_eq!(java("assertTrue(new Money(1).equals(cart.load(10)));"), ["2"]);
    }
}
