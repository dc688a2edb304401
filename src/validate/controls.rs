//! Controls: once a patch passed, its triggering tests run again in a changed form that a right patch must fail.
//!
//! An assertion is reversed, an expected exception replaced, or an error thrown at the end. A test that passes all the same
//! does not see what the code does: its result is forged, its assertions are shadowed, its failures are swallowed. Only
//! what surely runs in a test that passes is changed, so that no right patch is refused.

mod again;
mod failed;
mod find;
mod java;
mod literals;
mod python;

use super::subject::{Build, Copy, Subject};
use super::untouched::passes;
use super::{Baseline, ValidateError};
use crate::domain::{Diagnostic, Outcome, Patch, RepoPath, TestId, TestReport, Validation};
use crate::language::{self, Language, on_one_line, text_of};
use find::method;
use java::LEAVING as LEAVE_JAVA;
use python::LEAVING as LEAVE_PYTHON;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::Node;

/// Triggering tests that are controlled at most.
const MOST: usize = 20;
/// Times that controls which do not compile are exchanged for others.
const ROUNDS: usize = 4;
/// Characters of a changed statement that a message shows.
const SHOWN: usize = 80;

/// How surely a test fails that is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Always.
    Sure,
    /// But for what two ways to compare see differently, such as arrays.
    Likely,
    /// Always, without a look at any value.
    AtEnd,
    /// When the changed value counts.
    Altered,
}

/// A change of a test that makes it fail, whatever is tested.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    kind: Kind,
    /// The statement, on one line.
    was: String,
    /// Its lines, counted from 1.
    lines: (u32, u32),
    /// What is written instead of which bytes; one after the other.
    edits: Vec<(Range<usize>, String)>,
}

impl Change {
    /// One that changes parts of a statement.
    fn of(kind: Kind, statement: Node<'_>, text: &str, edits: Vec<(Range<usize>, String)>) -> Self {
        let was = on_one_line(text_of(statement, text)).chars().take(SHOWN).collect();
        Self { kind, was, lines: (language::first_line(statement), language::last_line(statement)), edits }
    }
}

/// What ends a test before its last line.
struct Leaving {
    /// Kinds of statements that may.
    by: &'static [&'static str],
    /// Kinds of nodes whose content runs at another time.
    not_in: &'static [&'static str],
}

impl Leaving {
    /// Whether a statement may end its test before the last line.
    fn is_in(&self, statement: Node<'_>) -> bool {
        let mut leaves = false;
        language::preorder(statement, |node| {
            leaves |= self.by.contains(&node.kind());
            !self.not_in.contains(&node.kind())
        });
        leaves
    }
}

/// The other word of a pair.
fn opposite(pairs: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    pairs.iter().find_map(|(one, other)| match word {
        _ if word == *one => Some(*other),
        _ if word == *other => Some(*one),
        _ => None,
    })
}

/// A triggering test with the changes that it allows.
struct Control {
    test: TestId,
    file: RepoPath,
    /// Those that are not tried yet; the next one is the last.
    open: Vec<Change>,
    /// The one that is written.
    now: Option<Change>,
}

impl Control {
    fn next(&mut self) {
        self.now = self.open.pop();
    }
}

/// What controls say of a patch.
pub(super) enum Controlled {
    /// Nothing against it; `of` triggering tests, `failed` failed in their changed form, as they must.
    Passed { failed: usize, of: usize },
    /// What speaks against it: a test passes in a form that must fail, or the like.
    Against(Validation),
}

/// Runs the controls of a patch that passed everything.
///
/// # Errors
/// No process can be started.
pub(super) async fn control(
    subject: &dyn Subject,
    baseline: &Baseline,
    patch: &Patch,
    build: &Arc<Build>,
) -> Result<Controlled, ValidateError> {
    let of = baseline.triggering.len();
    let Some(language) = language::by_name(&subject.checkout().language) else {
        return Ok(Controlled::Passed { failed: 0, of });
    };
    let mut others =
        read(subject, baseline, |text, test, file| failed::handed(text, test, file, (baseline, patch), language));
    if literals::may_touch_comparison(patch, language) {
        let known: Vec<TestId> = others.iter().map(|control| control.test.clone()).collect();
        let values = read(subject, baseline, |text, test, _| literals::values(text, test, language));
        others.extend(values.into_iter().filter(|control| !known.contains(&control.test)));
    }
    if let Some(refused) = literals::unseen(subject, baseline, patch, build, others).await? {
        return Ok(Controlled::Against(refused));
    }
    // A right patch may, seldom, leave a loop nothing to assert about, or use up what a test shares with its next run.
    if !subject.options().accept_suspicious {
        if let Some(doubt) = failed::objection(subject, baseline, patch, build, language).await? {
            return Ok(Controlled::Against(doubt));
        }
        if let Some(doubt) = again::objection(subject, baseline, patch, build, language).await? {
            return Ok(Controlled::Against(doubt));
        }
    }
    let mut controls = read(subject, baseline, |text, test, _| changes(text, test, language));
    controls.iter_mut().for_each(Control::next);
    let Some(failed) = run(subject, baseline, patch, build, &mut controls).await? else {
        return Ok(Controlled::Passed { failed: 0, of });
    };
    let (failing, mut passing): (Vec<Control>, Vec<Control>) =
        controls.into_iter().partition(|control| failed.contains(&control.test));
    if passing.is_empty() {
        return Ok(Controlled::Passed { failed: failing.len(), of });
    }
    passing.iter_mut().for_each(again);
    let again = run(subject, baseline, patch, build, &mut passing).await?.unwrap_or_default();
    let proof = passing.iter().find(|control| control.now.is_some() && !again.contains(&control.test));
    let Some(Control { test, now: Some(change), .. }) = proof else {
        return Ok(Controlled::Passed { failed: failing.len() + again.len(), of });
    };
    let detail = format!(
        "{test} passes even when line {} of it is reversed (`{}`): the patch makes it pass whatever the code does",
        change.lines.0, change.was
    );
    let refused = Validation::without_tests(Outcome::Refused, detail);
    Ok(Controlled::Against(Validation { fixed: of, ..refused }))
}

/// Before a no is said, another form of the test has its word, or the same once more.
fn again(control: &mut Control) {
    let first = control.now.take();
    control.next();
    let is_other = control.now.as_ref().is_some_and(|next| next.kind != Kind::AtEnd);
    if !is_other && first.as_ref().is_some_and(|first| first.kind != Kind::Likely) {
        control.now = first;
    }
}

/// Writes the controls and runs them; tells which tests failed. `None` when no control can be compiled.
async fn run(
    subject: &dyn Subject,
    baseline: &Baseline,
    patch: &Patch,
    build: &Arc<Build>,
    controls: &mut Vec<Control>,
) -> Result<Option<Vec<TestId>>, ValidateError> {
    let Some(report) = report(subject, baseline, patch, build, controls).await? else { return Ok(None) };
    let tests = controls.iter().map(|control| control.test.clone());
    Ok(Some(tests.filter(|id| passes(&report, id) != Some(true)).collect()))
}

/// Writes the controls and runs them.
async fn report(
    subject: &dyn Subject,
    baseline: &Baseline,
    patch: &Patch,
    build: &Arc<Build>,
    controls: &mut Vec<Control>,
) -> Result<Option<TestReport>, ValidateError> {
    let Some(copy) = written(subject, patch, build, controls).await? else { return Ok(None) };
    let tests: Vec<TestId> = controls.iter().map(|control| control.test.clone()).collect();
    let plan = subject.plan_of(tests, subject.deadlines(&baseline.report));
    Ok(Some(subject.run(&copy, &plan).await?))
}

/// A copy with the controls in it; those that do not compile are exchanged for others, or dropped.
async fn written(
    subject: &dyn Subject,
    patch: &Patch,
    build: &Arc<Build>,
    controls: &mut Vec<Control>,
) -> Result<Option<Copy>, ValidateError> {
    for _ in 0..ROUNDS {
        controls.retain(|control| control.now.is_some());
        if controls.is_empty() {
            return Ok(None);
        }
        let Some(files) = texts(subject, controls) else { return Ok(None) };
        match subject.with_tests(patch, build, &files).await? {
            Ok(copy) => return Ok(Some(copy)),
            Err(errors) => exchange(controls, &errors),
        }
    }
    controls.clear();
    Ok(None)
}

/// The next change for each control that an error points at; for all of its file, where it points at none.
fn exchange(controls: &mut [Control], errors: &[Diagnostic]) {
    let is_meant = |control: &Control| {
        let lines = control.now.as_ref().map_or((0, 0), |change| change.lines);
        let inside = |error: &Diagnostic| {
            error.file.as_ref() == Some(&control.file) && (lines.0..=lines.1).contains(&error.line)
        };
        errors.iter().any(inside)
    };
    let meant: Vec<bool> = controls.iter().map(is_meant).collect();
    let none = !meant.contains(&true);
    for (control, _) in controls.iter_mut().zip(meant).filter(|(_, meant)| *meant || none) {
        control.next();
    }
}

/// The changed test files.
fn texts(subject: &dyn Subject, controls: &[Control]) -> Option<Vec<(RepoPath, Vec<u8>)>> {
    let mut edits: BTreeMap<&RepoPath, Vec<&(Range<usize>, String)>> = BTreeMap::new();
    for control in controls {
        edits.entry(&control.file).or_default().extend(control.now.iter().flat_map(|change| &change.edits));
    }
    let mut files = Vec::new();
    for (file, mut edits) in edits {
        let bytes = std::fs::read(file.under(&subject.checkout().root)).ok()?;
        let (mut text, encoding) = language::decode(&bytes);
        // From the end, so that earlier places stay where they are.
        edits.sort_by_key(|(range, _)| std::cmp::Reverse((range.start, range.end)));
        edits.dedup();
        for (range, new) in edits {
            text.replace_range(range.clone(), new);
        }
        files.push((file.clone(), language::encode(&text, encoding).ok()?));
    }
    Some(files)
}

/// The controls that the triggering tests allow.
fn read(
    subject: &dyn Subject,
    baseline: &Baseline,
    changes: impl Fn(&str, &TestId, &RepoPath) -> Vec<Change>,
) -> Vec<Control> {
    let mut found: Vec<Control> = Vec::new();
    for test in baseline.triggering.iter().filter(|test| !test.method.is_empty()) {
        let Some(file) = subject.test_file(&test.class) else { continue };
        let name = TestId::new(&test.class, test.bare_method());
        if let Some(known) = found.iter().find(|known| known.file == file && is_of(&known.test, &name)) {
            // Invocations of one method share its text.
            let (open, now) = (known.open.clone(), known.now.clone());
            found.push(Control { test: test.clone(), file, open, now });
            continue;
        }
        let Ok(bytes) = std::fs::read(file.under(&subject.checkout().root)) else { continue };
        let open = changes(&language::decode(&bytes).0, &name, &file);
        if !open.is_empty() {
            found.push(Control { test: test.clone(), file, open, now: None });
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

fn is_of(test: &TestId, name: &TestId) -> bool {
    test.class == name.class && test.bare_method() == name.method
}

/// The changes that a test allows, the surest last and the last resort first. Which of the others comes when is left to
/// chance, so that no patch can know it.
fn changes(text: &str, test: &TestId, language: &dyn Language) -> Vec<Change> {
    let Some(tree) = language::parse(text, language) else { return Vec::new() };
    let Some(method) = method(tree.root_node(), text, test, language) else { return Vec::new() };
    let (mut reversed, at_end) = match language.name() {
        "java" => java::changes(method, text),
        "python" => python::changes(method, text),
        _ => return Vec::new(),
    };
    if !reversed.is_empty() {
        let by = rand::random_range(0..reversed.len());
        reversed.rotate_left(by);
    }
    at_end.into_iter().chain(reversed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};

    /// The changed forms of a test, each on one line.
    fn forms(text: &str, test: &str, language: &dyn Language) -> Vec<String> {
        let mut forms: Vec<String> = changes(text, &test.parse().unwrap(), language)
            .into_iter()
            .map(|change| {
                let mut text = text.to_owned();
                let mut edits = change.edits;
                edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
                edits.into_iter().for_each(|(range, new)| text.replace_range(range, &new));
                on_one_line(text.lines().skip(change.lines.0 as usize - 1).take(1).collect::<Vec<_>>().join(" ").trim())
            })
            .collect();
        forms.sort();
        forms
    }

    fn java(body: &str) -> Vec<String> {
        let text = format!(
            "package a;\nimport static org.junit.Assert.*;\nclass T {{\n  @Test public void x() throws Exception {{\n{body}\n  }}\n}}\n"
        );
        let text = text.replace("@Test EXPECTED", "");
        forms(&text, "a.T#x", &Java)
    }

    #[test]
    fn assertions_in_java_are_reversed() {
        let rows = [
            ("assertTrue(a.is());", "org.junit.Assert.assertFalse(a.is());"),
            ("assertEquals(3, a.sum());", "org.junit.Assert.assertNotEquals(3, a.sum());"),
            ("Assert.assertNull(\"why\", a.sum());", "Assert.assertNotNull(\"why\", a.sum());"),
            ("assertThat(a.sum()).isEqualTo(3);", "assertThat(a.sum()).isNotEqualTo(3);"),
            ("assertThat(a.sum(), is(3));", "assertThat(a.sum(), org.hamcrest.CoreMatchers.not(is(3)));"),
            (
                "Error e = assertThrows(Error.class, () -> a.sum());",
                "Error e = (Error) (Throwable) assertThrows(java.lang.VirtualMachineError.class, () -> a.sum());",
            ),
        ];
        for (body, wanted) in rows {
            let forms = java(body);
            assert!(forms.iter().any(|form| form == wanted), "{body}: {forms:#?}");
        }
    }

    #[test]
    fn what_may_not_run_in_a_test_that_passes_is_left_alone() {
        for body in [
            "if (a.is()) { assertTrue(a.is()); }",
            "for (A a : all) { assertTrue(a.is()); }",
            "run(() -> assertTrue(a.is()));",
            "try { assertTrue(a.is()); } catch (AssertionError e) { }",
            "if (a.is()) { return; } assertTrue(a.is());",
            "thrown.expect(Error.class); assertTrue(a.is());",
        ] {
            let forms = java(body);
            assert!(forms.iter().all(|form| !form.contains("assertFalse")), "{body}: {forms:#?}");
        }
        assert!(java("thrown.expectMessage(text); a.sum();").is_empty());
        assert!(java("while (true) { a.sum(); }").len() <= 1);
    }

    #[test]
    fn where_nothing_can_be_reversed_an_error_is_thrown_at_the_end() {
        let forms = java("a.sum();");
        assert_eq!(forms.len(), 1, "{forms:#?}");
        let text = "class T { @Test(expected = Error.class) public void x() { a.sum(); } }";
        let forms = forms_of_line(text);
        assert_eq!(
            forms,
            ["class T { @Test(expected = java.lang.VirtualMachineError.class) public void x() { a.sum(); } }"]
        );
    }

    fn forms_of_line(text: &str) -> Vec<String> {
        forms(text, "T#x", &Java)
    }

    #[test]
    fn the_catch_after_a_fail_runs_in_a_test_that_passes() {
        let forms = java("try { a.sum(); fail(); } catch (Error e) {\n assertEquals(\"no\", e.getMessage());\n }");
        assert!(forms.iter().any(|form| form.contains("assertNotEquals(\"no\"")), "{forms:#?}");
    }

    #[test]
    fn assertions_in_python_are_reversed() {
        let text = "import pytest\n\nclass TestA:\n    def test_x(self):\n        assert f(1) == 2, 'why'\n        \
                    self.assertEqual(f(1), 2)\n        with pytest.raises(ValueError):\n            f(0)\n        \
                    for x in y:\n            assert x\n";
        let forms = forms(text, "tests.test_a$TestA#test_x", &Python);
        let wanted = [
            "assert not (f(1) == 2), 'why'",
            "self.assertNotEqual(f(1), 2)",
            "with pytest.raises(type(\"Control\", (BaseException,), {})):",
        ];
        for form in wanted {
            assert!(forms.iter().any(|told| told == form), "{form}: {forms:#?}");
        }
        assert_eq!(forms.len(), 4, "{forms:#?}");
    }

    #[test]
    fn a_name_that_two_methods_have_is_no_one_s() {
        assert!(forms("class T { void x(int a) { f(); } void x() { f(); } }", "T#x", &Java).is_empty());
        assert!(forms("class T { void y() { f(); } }", "T#x", &Java).is_empty());
        assert_eq!(forms("class T { class U { void x() { f(); } } void x() { f(); } }", "T$U#x", &Java).len(), 1);
    }
}
