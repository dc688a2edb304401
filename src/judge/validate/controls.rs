//! Controls: once a patch passed, its triggering tests run again in a changed form that a right patch must fail.
//!
//! An assertion is reversed, an expected exception replaced, or an error thrown at the end. A test that passes all the same
//! does not see what the code does: its result is forged, its assertions are shadowed, its failures are swallowed. Only
//! what surely runs in a test that passes is changed, so that no right patch is refused.
//!
//! All forms of all tests run in one process first (`together`), which clears nearly every right patch. What is left is
//! looked at in processes of their own, and only they speak against a patch.

mod again;
mod change;
mod failed;
mod java;
mod literals;
mod near;
mod python;
mod repeated;
mod test_copy;
mod together;
mod trial;

use super::subject::{Build, Subject};
use super::{Baseline, ValidateError};
use crate::domain::{Outcome, Patch, TestId, Validation};
use crate::language::{self, Language};
use change::{Change, Kind};
use futures::future::try_join;
use std::sync::Arc;
use trial::{Control, TestCode, Trial};

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
    let Some(language) = language::by_name(&subject.checkout().language) else {
        return Ok(Controlled::Passed { failed: 0, of: baseline.triggering.len() });
    };
    // A right patch may, seldom, leave a loop nothing to assert about, or use up what a test shares with its next run.
    let doubts = !subject.options().accept_suspicious;
    let mut trial = Trial { subject, baseline, patch, build, language, tests: baseline.triggering.clone() };
    let cleared = together::cleared(&trial, doubts).await?;
    trial.tests.retain(|test| !cleared.tests.contains(test));
    Ok(match apart(&trial, doubts).await? {
        Controlled::Passed { failed, of } => Controlled::Passed { failed: failed + cleared.reversed, of },
        against => against,
    })
}

/// Runs each control in a process of its own.
async fn apart(trial: &Trial<'_>, doubts: bool) -> Result<Controlled, ValidateError> {
    // Two processes at a time: each mostly waits for a compiler and a test process to be there.
    let failed = async { if doubts { failed::objection(trial).await } else { Ok(None) } };
    let (refused, doubt) = try_join(literals::objection(trial), failed).await?;
    if let Some(against) = refused.or(doubt) {
        return Ok(Controlled::Against(against));
    }
    let again = async { if doubts { again::objection(trial).await } else { Ok(None) } };
    let (doubt, controlled) = try_join(again, reversed(trial)).await?;
    let near = async { if doubts && doubt.is_none() { near::objection(trial).await } else { Ok(None) } };
    let doubt = near.await?.or(doubt);
    Ok(doubt.map_or(controlled, Controlled::Against))
}

/// Runs the triggering tests reversed.
async fn reversed(trial: &Trial<'_>) -> Result<Controlled, ValidateError> {
    let of = trial.baseline.triggering.len();
    let mut controls = trial.read(|test| changes(test, trial.language));
    controls.iter_mut().for_each(Control::next);
    let Some(failed) = trial.run(&mut controls).await? else {
        return Ok(Controlled::Passed { failed: 0, of });
    };
    let (failing, mut passing): (Vec<Control>, Vec<Control>) =
        controls.into_iter().partition(|control| failed.contains(&control.test));
    if passing.is_empty() {
        return Ok(Controlled::Passed { failed: failing.len(), of });
    }
    passing.iter_mut().for_each(once_more);
    let failed: Vec<TestId> = trial.run(&mut passing).await?.unwrap_or_default();
    passing.retain(|control| control.now.is_some() && !failed.contains(&control.test));
    // Who reads its own file may pass for another reason.
    let mut as_they_are: Vec<Control> = passing.iter().filter_map(|control| control.as_comment(trial)).collect();
    let readers = trial.run(&mut as_they_are).await?.unwrap_or_default();
    let proof = passing.iter().find(|control| !readers.contains(&control.test));
    let Some(Control { test, now: Some(change), .. }) = proof else {
        return Ok(Controlled::Passed { failed: failing.len() + failed.len(), of });
    };
    let detail = format!(
        "{test} passes even when line {} of it is reversed (`{}`): the patch makes it pass whatever the code does",
        change.lines.0, change.was
    );
    Ok(Controlled::Against(trial.against(Outcome::Refused, detail)))
}

/// Before a no is said, another form of the test has its word, or the same once more.
fn once_more(control: &mut Control) {
    let first = control.now.take();
    control.next();
    let is_other = control.now.as_ref().is_some_and(|next| next.kind != Kind::AtEnd);
    if !is_other && first.as_ref().is_some_and(|first| first.kind != Kind::Likely) {
        control.now = first;
    }
}

/// The changes that a test allows, the surest last and the last resort first. Which of the others comes when is left to
/// chance, so that no patch can know it.
fn changes(test: &TestCode<'_>, language: &dyn Language) -> Vec<Change> {
    let Some(method) = test.method else { return Vec::new() };
    let (mut reversed, at_end) = match language.name() {
        "java" => java::changes(method, test.text),
        "python" => python::changes(method, test.text),
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
    use crate::domain::RepoPath;
    use crate::language::{Java, Python, on_one_line};

    /// The changed forms of a test, each on one line.
    fn forms(text: &str, test: &str, language: &dyn Language) -> Vec<String> {
        let file = RepoPath::new("T").unwrap();
        let found = trial::in_code(text, &test.parse().unwrap(), &file, language, |test| changes(test, language));
        let mut forms: Vec<String> = found
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
        let of_testng = "class T { @Test(expectedExceptions = {Error.class}) public void x() { a.sum(); } }";
        let wanted = of_testng.replace("{Error.class}", "java.lang.VirtualMachineError.class");
        assert_eq!(forms_of_line(of_testng), [wanted]);
        let of_another = "class T { @Test @ExpectedToFail public void x() { a.sum(); } }";
        assert_eq!(forms_of_line(of_another), [""; 0]);
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
            assert!(forms.iter().any(|one| one == form), "{form}: {forms:#?}");
        }
        assert_eq!(forms.len(), 4, "{forms:#?}");
    }

    #[test]
    fn a_change_is_written_behind_its_statement_as_a_comment() {
        let text = "def test_x():\n    assert f(\n        1\n    ) == 2\n";
        let file = RepoPath::new("test_a.py").unwrap();
        let test = "test_a#test_x".parse().unwrap();
        let change = trial::in_code(text, &test, &file, &Python, |test| changes(test, &Python)).pop().unwrap();
        let comment = change.as_comment(text, &Python).unwrap();
        let end = text.len() - 1;
        let wanted = "\n#     assert not (f(\n#         1\n#     ) == 2)".to_owned();
        assert_eq!(comment.edits, [(end..end, wanted)]);
    }

    #[test]
    fn a_test_that_a_class_inherits_in_its_file_is_reversed_there() {
        let java = "class Base { @Test void x() { assertEquals(1, f()); } }\n\
            class Middle extends Base {}\nclass T extends Middle { void y() { assertTrue(g()); } }";
        let found = forms(java, "T#x", &Java);
        assert!(found.iter().any(|form| form.contains("assertNotEquals(1, f())")), "{found:?}");
        let python = "class Shared:\n    def test_x(self):\n        assert f() == 1\n\n\n\
            class TestA(Shared, unittest.TestCase):\n    def test_y(self):\n        assert g()\n";
        let found = forms(python, "test_a$TestA#test_x", &Python);
        assert!(found.iter().any(|form| form.contains("assert not (f() == 1)")), "{found:?}");
        assert!(forms(python, "test_a$TestB#test_x", &Python).is_empty());
        let two = "class A:\n    def test_x(self):\n        assert f()\n\n\nclass B:\n    def test_x(self):\n        \
            assert g()\n\n\nclass TestC(A, B):\n    pass\n";
        assert!(forms(two, "test_a$TestC#test_x", &Python).is_empty(), "whichever it inherits");
    }

    #[test]
    fn a_name_that_two_methods_have_is_no_one_s() {
        assert!(forms("class T { void x(int a) { f(); } void x() { f(); } }", "T#x", &Java).is_empty());
        assert!(forms("class T { void y() { f(); } }", "T#x", &Java).is_empty());
        assert_eq!(forms("class T { class U { void x() { f(); } } void x() { f(); } }", "T$U#x", &Java).len(), 1);
    }
}
