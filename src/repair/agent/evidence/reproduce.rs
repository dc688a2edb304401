//! What Reproducer is shown: the issue, the code that it speaks of, and how the project writes its tests.

use super::layout::body_start;
use super::{Budget, Evidence, head, select};
use crate::code::SourceFile;
use crate::domain::LineSpan;
use crate::tools::Workbench;
use crate::tools::issue::{SpokenOf, is_test};
use std::fmt::Write;

/// Test files that are only named.
const NAMED: usize = 4;
/// Lines of a test up to which it is an example.
const SHORT: u32 = 25;
/// Tests that are shown as examples.
const EXAMPLES: usize = 4;

impl Evidence {
    /// Evidence for a test that shows what an issue reports.
    pub(crate) fn to_reproduce(bench: &Workbench) -> Self {
        let mut evidence = Self::default();
        let issue = bench.bug.requirements.clone().unwrap_or_default();
        let budget = Budget::REPRODUCE;
        evidence.push("Issue", head(&issue, budget.requirements));
        let spoken = SpokenOf::of(bench, &issue);
        let choice = select::led_by(bench, &spoken.methods, &[]);
        evidence.add_code(bench, &choice, &[], budget);
        let Some((near, others)) = spoken.tests.split_first() else { return evidence };
        let mut text = String::new();
        let _ = writeln!(text, "Written for {}.", framework(near));
        let _ = writeln!(text, "### {} (its head and some tests)", near.path);
        let example = example(bench, near);
        let _ = writeln!(text, "```{}\n{}```", bench.language.fence(), head(&example, budget.tests));
        let named: Vec<&str> = others.iter().take(NAMED).map(|file| file.path.as_str()).collect();
        if !named.is_empty() {
            let _ = writeln!(text, "Others: {}", named.join(", "));
        }
        evidence.push("Tests of the project", text);
        evidence
    }
}

/// What runs the tests of a file, by its imports.
fn framework(file: &SourceFile) -> &'static str {
    let imports = |name: &str| file.imports.iter().any(|import| import.trim_start_matches("static ").starts_with(name));
    let extends =
        |name: &str| file.types.iter().any(|class| class.supertypes.iter().any(|above| above.ends_with(name)));
    let known = [
        ("org.junit.jupiter", "JUnit 5 (`org.junit.jupiter.api`)"),
        ("org.testng", "TestNG"),
        ("org.junit", "JUnit 4 (`org.junit.Test`)"),
        ("junit.framework", "JUnit 3 (`junit.framework.TestCase`, methods `public void testX()`)"),
        ("unittest", "unittest (methods of a `TestCase`)"),
    ];
    match known.iter().find(|(name, _)| imports(name)) {
        Some((_, title)) => title,
        None if file.path.as_str().ends_with(".py") && !extends("TestCase") => {
            "pytest (functions `test_…`, plain `assert`)"
        }
        None => "the framework that its base class names",
    }
}

/// The head of a test file, without its licence, and some of its short tests.
fn example(bench: &Workbench, file: &SourceFile) -> String {
    let first_member = file.methods().map(|method| method.doc_first).min().unwrap_or(1).saturating_sub(1);
    let start = body_start(file, bench.language);
    let mut text = format!("{}\n", file.lines(LineSpan { first: start, last: first_member.max(start) }));
    let short = |method: &&crate::code::Method| is_test(method) && method.span.len() <= SHORT;
    for method in file.methods().filter(short).take(EXAMPLES) {
        let _ = writeln!(text, "{}", file.lines(method.span));
    }
    text
}
