//! The assertion that failed before the patch.
//!
//! Where a test asserts in a loop over a result, or in code that it hands to the product, a patch that ends the loop, does
//! not call that code or swallows what it throws makes the test pass without asserting anything. So the assertion that
//! failed is made to fail whatever it compares: it must be reached, and what it throws must arrive. Where another exception
//! ended the test, and nothing but loops asserts, one of their assertions must be reached.
//!
//! Where the product brings the assertion itself (helpers for the tests of its users), a patch can make it accept
//! everything. So it is handed other values.

use super::super::ValidateError;
use super::super::clean::is_project_frame;
use super::change::{Change, Kind};
use super::literals;
use super::trial::{Control, TestCode, Trial};
use crate::domain::{Failure, Frame, Outcome, RepoPath, Validation};
use crate::language::{Language, first_line, last_line, preorder, text_of};
use std::ops::Range;
use tree_sitter::Node;

/// What an assertion throws, by the end of its name.
const KINDS: [&str; 4] = ["AssertionError", "AssertionFailedError", "ComparisonFailure", "MultipleFailuresError"];
/// What always fails: where it is not reached any more, all is well.
const ALWAYS: [&str; 4] = ["fail(", "assertTrue(false", "assertFalse(true", "assertFail("];

/// The failing frame of a test's own file, and those of the project that it called.
struct Trace<'f> {
    line: u32,
    below: Vec<&'f Frame>,
}

fn trace<'f>(failure: &'f Failure, test: &TestCode<'_>) -> Option<Trace<'f>> {
    // Another exception that an assertion had as its cause, as `assertThrows` has it, says where that was thrown, and no one
    // asserts there.
    let own: Vec<&Frame> = failure.frames.iter().filter(|frame| is_project_frame(frame)).collect();
    let name = test.file.as_str().rsplit('/').next();
    let is_own = |frame: &&Frame| frame.class.starts_with(test.id.outer_class()) && frame.file.as_deref() == name;
    let at = own.iter().position(is_own).filter(|_| is_by_assertion(failure))?;
    Some(Trace { line: own.get(at)?.line?, below: own.into_iter().take(at).collect() })
}

fn is_by_assertion(failure: &Failure) -> bool {
    KINDS.iter().any(|kind| failure.root_kind().ends_with(kind))
}

/// What speaks against a patch when an assertion that failed before does not run any more, or its failure gets lost.
pub(super) async fn objection(trial: &Trial<'_>) -> Result<Option<Validation>, ValidateError> {
    let mut open = trial.read(|test| reached(test, trial).into_iter().collect());
    open.iter_mut().for_each(Control::next);
    // Before a no is said, the same runs once more.
    for _ in 0..2 {
        let Some(failed) = trial.run(&mut open).await? else { return Ok(None) };
        open.retain(|control| !failed.contains(&control.test));
    }
    let proof = open.iter().find_map(|control| Some((&control.test, control.now.as_ref()?)));
    Ok(proof.map(|(test, change)| {
        let asserted = format!("what it asserts in line {} (`{}`)", change.lines.0, change.was);
        let detail = if trial.failure(test).is_some_and(is_by_assertion) {
            format!(
                "{test} passes because {asserted} does not run any more, or cannot fail: that failed without the patch"
            )
        } else {
            format!("{test} passes and asserts nothing: {asserted} does not run, or cannot fail")
        };
        trial.against(Outcome::Suspicious, detail)
    }))
}

/// The assertion that failed before, made to fail.
pub(super) fn reached(test: &TestCode<'_>, trial: &Trial<'_>) -> Option<Change> {
    let failure = trial.failure(test.id)?;
    match is_by_assertion(failure) {
        true => forced(test, failure, trial.language),
        false => repeated(test, trial.language),
    }
}

/// Makes all assertions of a test fail that stand in loops, where no other asserts anything.
fn repeated(test: &TestCode<'_>, language: &dyn Language) -> Option<Change> {
    let (method, rules) = (test.method?, rules(language)?);
    let mut asserted = Vec::new();
    preorder(method, |node| {
        let is_assertion = rules.is_assertion(node, test.text);
        if is_assertion {
            asserted.push(node);
        }
        !is_assertion
    });
    let (mut repeated, mut is_sure) = (Vec::new(), false);
    for statement in asserted {
        let up = std::iter::successors(statement.parent(), |node| node.parent());
        let around: Vec<&str> = up.take_while(|node| *node != method).map(|node| node.kind()).collect();
        let is_in = |kinds: &[&str]| around.iter().any(|kind| kinds.contains(kind));
        is_sure |= !is_in(rules.loops) && !is_in(rules.handed_over);
        // What the product calls may run later, or have its failures reported elsewhere.
        if is_in(rules.loops) && !is_in(rules.handed_over) && !is_in(rules.guarded) {
            repeated.push(statement);
        }
    }
    let first = repeated.first().filter(|_| !is_sure)?;
    Some(Change::of(Kind::Sure, *first, test.text, repeated.iter().map(|each| rules.thrown(*each)).collect()))
}

/// Makes the assertion fail that failed before, where it may not run in a test that passes.
fn forced(test: &TestCode<'_>, failure: &Failure, language: &dyn Language) -> Option<Change> {
    let text = test.text;
    let trace = trace(failure, test).filter(|trace| trace.below.is_empty())?;
    let rules = rules(language)?;
    let statement = smallest(test.root, trace.line, |node| rules.is_assertion(node, text))?;
    let mut around: Vec<Node<'_>> = std::iter::successors(statement.parent(), |node| node.parent()).collect();
    around.truncate(around.iter().rposition(|node| language.syntax().is_method(*node))?);
    let is_certain =
        !around.iter().any(|node| rules.loops.contains(&node.kind()) || rules.handed_over.contains(&node.kind()));
    if is_certain || around.iter().any(|node| rules.guarded.contains(&node.kind())) {
        return None;
    }
    let (range, new) = rules.thrown(statement);
    Some(Change::of(Kind::Sure, statement, text, vec![(range, new)]))
}

/// Other values for an assertion of the product that a patch changes.
pub(super) fn handed(test: &TestCode<'_>, trial: &Trial<'_>) -> Vec<Change> {
    let Some(method) = test.method else { return Vec::new() };
    let Some(trace) = trial.failure(test.id).and_then(|failure| trace(failure, test)) else { return Vec::new() };
    let is_changed = |frame: &&Frame| -> bool {
        let ends = |path: &RepoPath| frame.file.as_deref() == path.as_str().rsplit('/').next();
        trial.patch.paths().any(ends)
    };
    if !trace.below.first().is_some_and(is_changed) {
        return Vec::new();
    }
    let statement = smallest(method, trace.line, |node| node.kind().ends_with("_statement") && !is_block(node));
    statement.map(|statement| literals::altered(statement, statement, test.text)).unwrap_or_default()
}

/// How a language writes what matters here.
struct Rules {
    /// Statements that may assert.
    statements: &'static [&'static str],
    /// What runs any number of times.
    loops: &'static [&'static str],
    /// Code that the product is handed, and that it runs any number of times.
    handed_over: &'static [&'static str],
    /// What runs only when something is so, or when something failed.
    guarded: &'static [&'static str],
    /// What stands in the place of the assertion.
    thrown: &'static str,
    /// The same where an expression stands alone.
    instead: &'static str,
}

const JAVA: Rules = Rules {
    statements: &["expression_statement", "method_invocation"],
    loops: &["for_statement", "enhanced_for_statement"],
    handed_over: &["lambda_expression", "class_body"],
    guarded: &[
        "if_statement",
        "while_statement",
        "do_statement",
        "switch_expression",
        "catch_clause",
        "ternary_expression",
    ],
    thrown: "if (true) { throw new AssertionError(\"a control\"); }",
    instead: "{ throw new AssertionError(\"a control\"); }",
};

const PYTHON: Rules = Rules {
    statements: &["assert_statement", "expression_statement"],
    loops: &["for_statement"],
    handed_over: &["function_definition", "lambda"],
    guarded: &["if_statement", "while_statement", "except_clause", "match_statement", "conditional_expression"],
    thrown: "raise AssertionError(\"a control\")",
    instead: "",
};

fn rules(language: &dyn Language) -> Option<&'static Rules> {
    match language.name() {
        "java" => Some(&JAVA),
        "python" => Some(&PYTHON),
        _ => None,
    }
}

impl Rules {
    /// Whether a node is an assertion that stands for itself, and can hold.
    fn is_assertion(&self, node: Node<'_>, text: &str) -> bool {
        if !self.statements.contains(&node.kind()) {
            return false;
        }
        // A call alone is the body of a lambda.
        let alone =
            node.kind() != "method_invocation" || node.parent().is_some_and(|up| up.kind() == "lambda_expression");
        let written: String = text_of(node, text).split_whitespace().collect();
        let is_false = node.kind() == "assert_statement"
            && ["assertFalse", "assert0"].contains(&written.split(',').next().unwrap_or_default());
        let can_hold = !is_false && !ALWAYS.iter().any(|always| written.contains(always));
        alone && can_hold && written.to_lowercase().contains("assert")
    }

    /// What is written instead of an assertion, so that it throws.
    fn thrown(&self, statement: Node<'_>) -> (Range<usize>, String) {
        let alone = statement.kind() == "method_invocation";
        (statement.byte_range(), if alone { self.instead } else { self.thrown }.to_owned())
    }
}

/// Whether a statement holds others.
fn is_block(node: Node<'_>) -> bool {
    node.child_by_field_name("body").is_some()
}

/// The smallest node of a kind that holds a line.
fn smallest<'t>(root: Node<'t>, line: u32, is_wanted: impl Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
    let mut found: Option<Node<'t>> = None;
    preorder(root, |node| {
        let holds = (first_line(node)..=last_line(node)).contains(&line);
        if holds && is_wanted(node) {
            found = Some(node);
        }
        holds
    });
    found
}

#[cfg(test)]
mod tests {
    use super::super::trial::in_code;
    use super::*;
    use crate::language::{Java, Python};

    /// What the line of a failed assertion becomes; empty where it is left alone.
    fn forced_at(text: &str, id: &str, class: &str, line: u32, language: &dyn Language) -> String {
        let file = RepoPath::new(if language.is_indented() { "test_a.py" } else { "T.java" }).unwrap();
        let name = file.as_str().to_owned();
        let frame = Frame { class: class.into(), method: "x".into(), file: Some(name), line: Some(line) };
        let failure = Failure { kind: "AssertionError".into(), frames: vec![frame], ..Failure::default() };
        let changes: Vec<Change> = in_code(text, &id.parse().unwrap(), &file, language, |test| {
            forced(test, &failure, language).into_iter().collect()
        });
        let mut text = text.to_owned();
        for (range, new) in changes.iter().flat_map(|change| &change.edits) {
            text.replace_range(range.clone(), new);
        }
        let changed = text.lines().nth(line as usize - 1).unwrap_or_default().trim().to_owned();
        if changes.is_empty() { String::new() } else { changed }
    }

    fn java(body: &str) -> String {
        forced_at(&format!("class T {{ void x() {{\n{body}\n}} }}\n"), "T#x", "T", 2, &Java)
    }

    #[test]
    fn an_assertion_in_a_loop_or_a_callback_is_made_to_fail() {
        let thrown = "throw new AssertionError(\"a control\");";
        for (body, wanted) in [
            ("for (A a : all) { assertTrue(a.is()); }", format!("for (A a : all) {{ if (true) {{ {thrown} }} }}")),
            ("run(() -> assertTrue(a.is()));", format!("run(() -> {{ {thrown} }});")),
        ] {
            assert_eq!(java(body), wanted, "{body}");
        }
        let python = "def test_x():\n    for x in y:\n        assert x == 1\n";
        assert_eq!(forced_at(python, "test_a#test_x", "test_a", 3, &Python), "raise AssertionError(\"a control\")");
    }

    #[test]
    fn where_loops_alone_assert_one_of_them_must() {
        let forms = |text: &str| {
            let file = RepoPath::new("test_a.py").unwrap();
            let id = "test_a#test_x".parse().unwrap();
            let found: Vec<_> =
                in_code(text, &id, &file, &Python, |test| repeated(test, &Python).into_iter().collect());
            found.first().map_or(0, |change: &Change| change.edits.len())
        };
        let code = "def test_x():\n    for x in y:\n        if x is None:\n            raise ValueError\n        assert x\n\
            \x20   for x in z:\n        if x:\n            assert x == 1\n        assert x != 2\n";
        assert_eq!(forms(code), 2);
        assert_eq!(forms(&format!("{code}    assert y\n")), 0);
        let handed = "def test_x():\n    def check(x):\n        for y in x:\n            assert y\n    run(check)\n";
        assert_eq!(forms(handed), 0);
        assert_eq!(forms("def test_x():\n    for x in y:\n        if x:\n            assert x == 1\n"), 0);
    }

    #[test]
    fn what_surely_runs_or_may_rightly_not_run_is_left_alone() {
        for body in [
            "assertTrue(a.is());",
            "for (A a : all) { if (a.was()) { assertTrue(a.is()); } }",
            "for (A a : all) { fail(\"no assertion is left\"); }",
            "for (A a : all) { check(a); }",
        ] {
            assert_eq!(java(body), "", "{body}");
        }
        let python = "def test_x():\n    for x in y:\n        assert False\n";
        assert_eq!(forced_at(python, "test_a#test_x", "test_a", 3, &Python), "");
    }
}
