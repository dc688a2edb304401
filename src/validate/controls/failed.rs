//! The assertion that failed before the patch.
//!
//! Where a test asserts in a loop over a result, or in code that it hands to the product, a patch that ends the loop, does
//! not call that code or swallows what it throws makes the test pass without asserting anything. So the assertion that
//! failed is made to fail whatever it compares: it must be reached, and what it throws must arrive.
//!
//! Where the product brings the assertion itself (helpers for the tests of its users), a patch can make it accept
//! everything. So it is handed other values.

use super::super::clean::is_project_frame;
use super::super::subject::{Build, Subject};
use super::super::{Baseline, ValidateError};
use super::find::method;
use super::{Change, Control, Kind, is_of, read, run};
use crate::domain::{Failure, Frame, Outcome, Patch, RepoPath, TestId, Validation};
use crate::language::{self, Language, first_line, last_line, preorder, text_of};
use std::ops::Range;
use std::sync::Arc;
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

fn trace<'f>(failure: &'f Failure, test: &TestId, file: &RepoPath) -> Option<Trace<'f>> {
    let is_assertion = KINDS.iter().any(|kind| failure.kind.ends_with(kind));
    let own: Vec<&Frame> = failure.frames.iter().filter(|frame| is_project_frame(frame)).collect();
    let name = file.as_str().rsplit('/').next();
    let is_own = |frame: &&Frame| frame.class.starts_with(test.outer_class()) && frame.file.as_deref() == name;
    let at = own.iter().position(is_own).filter(|_| is_assertion)?;
    Some(Trace { line: own.get(at)?.line?, below: own.into_iter().take(at).collect() })
}

/// What speaks against a patch when an assertion that failed before does not run any more, or its failure gets lost.
pub(super) async fn objection(
    subject: &dyn Subject,
    baseline: &Baseline,
    patch: &Patch,
    build: &Arc<Build>,
    language: &dyn Language,
) -> Result<Option<Validation>, ValidateError> {
    let mut open = read(subject, baseline, |text, test, file| {
        let Some(failure) = failure(baseline, test) else { return Vec::new() };
        let Some(tree) = language::parse(text, language) else { return Vec::new() };
        forced(tree.root_node(), text, test, file, failure, language).into_iter().collect()
    });
    open.iter_mut().for_each(Control::next);
    // Before a no is said, the same runs once more.
    for _ in 0..2 {
        let Some(failed) = run(subject, baseline, patch, build, &mut open).await? else { return Ok(None) };
        open.retain(|control| !failed.contains(&control.test));
    }
    let proof = open.iter().find_map(|control| Some((&control.test, control.now.as_ref()?)));
    Ok(proof.map(|(test, change)| {
        let detail = format!(
            "{test} passes because what it asserts in line {} (`{}`) does not run any more, or cannot fail: that failed \
             without the patch",
            change.lines.0, change.was
        );
        let doubted = Validation::without_tests(Outcome::Suspicious, detail);
        Validation { fixed: baseline.triggering.len(), ..doubted }
    }))
}

/// How a test failed before the patch.
fn failure<'b>(baseline: &'b Baseline, test: &TestId) -> Option<&'b Failure> {
    let results = &baseline.report.results;
    let found = results.get(test).or_else(|| results.values().find(|result| is_of(&result.id, test)));
    found.and_then(|result| result.failure.as_ref())
}

/// Makes the assertion fail that failed before, where it may not run in a test that passes.
fn forced(
    root: Node<'_>,
    text: &str,
    test: &TestId,
    file: &RepoPath,
    failure: &Failure,
    language: &dyn Language,
) -> Option<Change> {
    let trace = trace(failure, test, file).filter(|trace| trace.below.is_empty())?;
    let rules = rules(language)?;
    let statement = smallest(root, trace.line, |node| rules.is_assertion(node, text))?;
    let mut around: Vec<Node<'_>> = std::iter::successors(statement.parent(), |node| node.parent()).collect();
    around.truncate(around.iter().rposition(|node| language.syntax().is_method(*node))?);
    let is_certain = !around.iter().any(|node| rules.repeated.contains(&node.kind()));
    if is_certain || around.iter().any(|node| rules.guarded.contains(&node.kind())) {
        return None;
    }
    let (range, new) = rules.thrown(statement);
    Some(Change::of(Kind::Sure, statement, text, vec![(range, new)]))
}

/// Other values for an assertion of the product that a patch changes.
pub(super) fn handed(
    text: &str,
    test: &TestId,
    file: &RepoPath,
    (baseline, patch): (&Baseline, &Patch),
    language: &dyn Language,
) -> Vec<Change> {
    let Some(trace) = failure(baseline, test).and_then(|failure| trace(failure, test, file)) else { return Vec::new() };
    let Some(tree) = language::parse(text, language) else { return Vec::new() };
    let Some(method) = method(tree.root_node(), text, test, language) else { return Vec::new() };
    let is_changed = |frame: &&Frame| -> bool {
        let ends = |path: &RepoPath| frame.file.as_deref() == path.as_str().rsplit('/').next();
        patch.paths().any(ends)
    };
    if !trace.below.first().is_some_and(is_changed) {
        return Vec::new();
    }
    let statement = smallest(method, trace.line, |node| node.kind().ends_with("_statement") && !is_block(node));
    statement.map(|statement| super::literals::altered(statement, statement, text)).unwrap_or_default()
}

/// How a language writes what matters here.
struct Rules {
    /// Statements that may assert.
    statements: &'static [&'static str],
    /// What runs any number of times.
    repeated: &'static [&'static str],
    /// What runs only when something is so, or when something failed.
    guarded: &'static [&'static str],
    /// What stands in the place of the assertion.
    thrown: &'static str,
    /// The same where an expression stands alone.
    instead: &'static str,
}

const JAVA: Rules = Rules {
    statements: &["expression_statement", "method_invocation"],
    repeated: &["for_statement", "enhanced_for_statement", "lambda_expression", "class_body"],
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
    repeated: &["for_statement", "function_definition", "lambda"],
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
