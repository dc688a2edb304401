//! Numbers near the expected ones.
//!
//! A comparison can be bent until what came out and what is expected are equal, while most other values still differ: by a
//! range, a remainder, a pair that is let through. Where a patch changes a comparison, copies of its triggering tests
//! expect all numbers near the expected one. Who is equal to one of them and not to another compares more than values. A
//! right comparison may do so, seldom (angles, rounded times), so this is a doubt and no refusal.

use super::super::ValidateError;
use super::change::{Change, Kind};
use super::literals;
use super::test_copy;
use super::trial::{Control, TestCode, Trial};
use crate::domain::{FileChange, Outcome, Patch, TestId, TestReport, Validation};
use crate::language::{self, Language, decode, preorder, text_of};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Methods that compare.
const COMPARING: [&str; 13] = [
    "equals",
    "hashCode",
    "compareTo",
    "compare",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__cmp__",
    "__hash__",
    "__bool__",
];
/// How far from the expected number others are tried.
const FAR: i64 = 8;
/// Numbers of a test that are looked at.
const NUMBERS: usize = 3;
/// What assertions throw, by the end of its name.
const KINDS: [&str; 3] = ["AssertionError", "AssertionFailedError", "ComparisonFailure"];

/// What speaks against a patch whose comparison is equal to several numbers, and not to all.
pub(super) async fn objection(trial: &Trial<'_>) -> Result<Option<Validation>, ValidateError> {
    if !changes_comparison(trial.patch, trial.language) {
        return Ok(None);
    }
    let mut numbers = BTreeMap::new();
    let mut controls = Vec::new();
    for control in trial.read(|test| copies(test, trial.language)) {
        // The invocations of one method would be copied with it.
        if control.test.method == control.test.bare_method() {
            controls.extend(each(control, &mut numbers));
        }
    }
    let mut proof = None;
    // Before a doubt is said, the same runs once more.
    for _ in 0..2 {
        let Some(report) = trial.report(&mut controls).await? else { return Ok(None) };
        proof = controls.iter().find(|control| is_bent(&report, &control.test, &numbers)).cloned();
        if proof.is_none() {
            return Ok(None);
        }
    }
    Ok(proof.and_then(|control| {
        let (test, ..) = numbers.get(&control.test)?;
        let change = control.now.as_ref()?;
        let detail = format!(
            "{test} also passes when it expects another number in line {} (`{}`), though not every other: the comparison \
             that the patch changes is bent to what came out",
            change.lines.0, change.was
        );
        Some(trial.against(Outcome::Suspicious, detail))
    }))
}

/// By a copy of a test: the test, and where the number stands that it expects otherwise.
type Numbers = BTreeMap<TestId, (TestId, usize)>;

/// A control for each change that one allows, as a test of its own.
fn each(control: Control, numbers: &mut Numbers) -> Vec<Control> {
    let all = control.open.iter().enumerate().map(|(nth, change)| {
        let test = test_copy::name_of_copy(&control.test, &nth.to_string());
        let number = change.edits.first().map_or(0, |(range, _)| range.start);
        numbers.insert(test.clone(), (control.test.clone(), number));
        // The copy stands behind its test, wherever its number is.
        let mut change = change.clone();
        change.edits.drain(..1);
        control.with(test, change)
    });
    all.collect()
}

/// Whether a copy passes, and another one fails that differs in the same number.
fn is_bent(report: &TestReport, copy: &TestId, numbers: &Numbers) -> bool {
    let result = |id: &TestId| report.results.get(id);
    let fails = |id: &TestId| {
        let failure = result(id).and_then(|result| result.failure.as_ref());
        failure.is_some_and(|failure| KINDS.iter().any(|kind| failure.kind.ends_with(kind)))
    };
    result(copy).is_some_and(|result| result.passed())
        && numbers.iter().any(|(id, number)| numbers.get(copy) == Some(number) && fails(id))
}

/// Whether a patch changes a method that compares, or one that such a method names.
pub(super) fn changes_comparison(patch: &Patch, language: &dyn Language) -> bool {
    let in_file = |file: &FileChange| {
        let text = decode(&file.after).0;
        let before = file.before.as_deref().map_or_else(String::new, |bytes| decode(bytes).0);
        let Some(tree) = language::parse(&text, language) else { return false };
        let methods = methods(tree.root_node(), &text, language);
        let compares = |name: &str| COMPARING.contains(&name);
        let named: BTreeSet<&str> = methods
            .iter()
            .filter(|(name, _)| compares(name))
            .flat_map(|(_, body)| body.split(|c: char| !c.is_alphanumeric() && c != '_'))
            .collect();
        methods.iter().any(|(name, body)| (compares(name) || named.contains(name)) && !before.contains(body))
    };
    patch.files.iter().filter(|file| !file.deletes()).any(in_file)
}

/// The methods of a file: name and text.
fn methods<'t>(root: Node<'_>, text: &'t str, language: &dyn Language) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    preorder(root, |node| {
        if language.syntax().is_method(node)
            && let Some(name) = node.child_by_field_name("name")
        {
            found.push((text_of(name, text), text_of(node, text)));
        }
        true
    });
    found
}

/// Copies of a test that expect other numbers. The first edit of each is the number where it stands, which is not written.
fn copies(test: &TestCode<'_>, language: &dyn Language) -> Vec<Change> {
    let numbers = others(test, language);
    let copy = |(nth, change): (usize, Change)| {
        let number = change.edits.first().cloned()?;
        let copy = test_copy::copy(test, change, &nth.to_string())?;
        Some(Change { edits: std::iter::once(number).chain(copy.edits).collect(), ..copy })
    };
    numbers.into_iter().enumerate().map(copy).collect::<Option<_>>().unwrap_or_default()
}

/// The changes of the first numbers that a test expects to all numbers near them.
pub(super) fn others(test: &TestCode<'_>, language: &dyn Language) -> Vec<Change> {
    let number = |change: Change| {
        let (range, _) = change.edits.first().cloned()?;
        let number: i64 = test.text.get(range.clone())?.parse().ok()?;
        Some((change, range, number))
    };
    let numbers = literals::expected(test, language).into_iter().filter_map(number).take(NUMBERS);
    let near = |number: i64| (-FAR..=FAR).filter(|by| *by != 0).map(move |by| number.saturating_add(by));
    let written = |number: i64| if number < 0 { format!("({number})") } else { number.to_string() };
    numbers
        .flat_map(|(change, range, number)| {
            near(number).map(move |other| Change {
                kind: Kind::Altered,
                edits: vec![(range.clone(), written(other))],
                ..change.clone()
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::trial::in_code;
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::{Java, Python};

    fn written(text: &str, test: &str, language: &dyn Language) -> String {
        let changes = in_code(text, &test.parse().unwrap(), &RepoPath::new("T").unwrap(), language, |test| {
            copies(test, language)
        });
        let mut written = text.to_owned();
        for change in changes.iter().rev() {
            let (range, new) = change.edits.last().unwrap();
            written.replace_range(range.clone(), new);
        }
        written
    }

    #[test]
    fn copies_of_a_test_expect_other_numbers() {
        let text = "class T {\n  @Test public void x() {\n    assertEquals(new P(5), a.p());\n  }\n}\n";
        let java = written(text, "T#x", &Java);
        assert_eq!(java.matches("@Test").count(), 17);
        assert!(
            java.contains("  @Test public void x_control0() {\n    assertEquals(new P((-3)), a.p());\n  }\n"),
            "{java}"
        );
        let text = "class T:\n    @mark\n    def test_x(self):\n        assert f(self) == P(5)\n";
        let python = written(text, "t$T#test_x", &Python);
        let wanted = "\n\n    @mark\n    def test_x_control15(self):\n        assert f(self) == P(13)\n";
        assert!(python.contains(wanted), "{python}");
        assert!(language::parse(&python, &Python).is_some_and(|tree| !tree.root_node().has_error()));
    }

    #[test]
    fn only_a_changed_comparison_is_doubted() {
        let old = "class P {\n  boolean equals(Object o) { return near(1); }\n  boolean near(int d) { return d == 0; }\n  int f() { return 1; }\n}\n";
        let changes = |from: &str, to: &str| {
            let path = RepoPath::new("P.java").unwrap();
            let after = old.replace(from, to).into_bytes().into();
            let file = FileChange { path, before: Some(old.as_bytes().into()), after };
            changes_comparison(&Patch { files: vec![file] }, &Java)
        };
        assert!(changes("d == 0", "d % 2 == 0") && changes("near(1)", "true"));
        assert!(!changes("return 1;", "return 2;"));
    }
}
