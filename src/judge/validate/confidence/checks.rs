//! The check of the product that failed. A right patch makes it hold; one with which it does not run any more may only
//! hide what it found.

use super::{lines_of, programs};
use crate::domain::{FileChange, TestId, TestReport};
use crate::language::{self, Language, decode, first_line, last_line};
use crate::patch::{self, Spread};
use crate::validate::Spectrum;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use tree_sitter::Node;

/// What became of a check that failed, with its place (`file.py:12`).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Evaded {
    /// No test runs it any more that failed by it.
    LeftOut(String),
    /// It is an assertion, and asserts something else.
    Changed(String),
}

impl Evaded {
    /// What is said of it to people.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::LeftOut(place) => format!("the check that failed does not run any more: {place}"),
            Self::Changed(place) => format!("it changes the assertion that failed: {place}"),
        }
    }
}

/// What a patch does with a check that made triggering tests fail. Checks in files that the patch does not change are not
/// looked at.
pub(super) fn evaded(
    (triggering, before): (&[TestId], &TestReport),
    untouched: &Spectrum,
    (spread, ran): (&Spread, &Spectrum),
    language: &'static dyn Language,
) -> Option<Evaded> {
    let mut evaded = None;
    for file in programs(&spread.patch, language) {
        let (kept, checks) = (patch::kept_lines(file), checks_in(file, language));
        let old: BTreeSet<u32> = kept.values().copied().collect();
        let lines_before = lines_of(untouched, &file.path);
        for (id, lines) in lines_of(ran, &file.path).into_iter().filter(|(id, _)| triggering.contains(id)) {
            let was_run = |line: &u32| lines_before.iter().any(|(other, lines)| *other == id && lines.contains(line));
            let thrown = thrown_at(before, id, file).filter(was_run).find_map(|line| check_at(&checks, line));
            let Some(Check { lines: check, asserts, .. }) = thrown else { continue };
            let place = format!("{}:{}", file.path, check.start());
            let is_changed = !check.clone().all(|line| old.contains(&line));
            if *asserts && is_changed {
                return Some(Evaded::Changed(place));
            }
            let lines: BTreeSet<u32> = lines.iter().filter_map(|line| kept.get(line).copied()).collect();
            if is_changed || lines.range(check.clone()).next().is_some() {
                return None;
            }
            evaded = Some(Evaded::LeftOut(place));
        }
    }
    evaded
}

/// The lines of a file where the failure of a test was thrown, or what came before it; a cause comes after what it caused.
fn thrown_at<'f>(before: &'f TestReport, id: &TestId, file: &'f FileChange) -> impl Iterator<Item = u32> + 'f {
    let failure = before.results.get(id).and_then(|result| result.failure.as_ref());
    let name = file.path.as_str().rsplit('/').next();
    let frames = failure.into_iter().flat_map(|failure| failure.frames.iter().rev());
    frames.filter(move |frame| frame.file.as_deref() == name).filter_map(|frame| frame.line)
}

/// What decides whether something is thrown.
#[derive(Debug, PartialEq, Eq)]
struct Check {
    lines: RangeInclusive<u32>,
    /// Where it throws.
    throws: RangeInclusive<u32>,
    /// Whether it is an assertion.
    asserts: bool,
}

/// The check that decides whether what is thrown at a line is thrown.
fn check_at(checks: &[Check], line: u32) -> Option<&Check> {
    checks.iter().rfind(|check| check.throws.contains(&line))
}

/// All checks of a file before the patch, outer ones first.
fn checks_in(file: &FileChange, language: &dyn Language) -> Vec<Check> {
    let text = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let Some(tree) = language::parse(&text, language) else { return Vec::new() };
    let mut found = Vec::new();
    language::preorder(tree.root_node(), |node| {
        found.extend(check(node));
        true
    });
    found
}

/// What decides whether a statement throws; `None` where it is none that throws, or nothing decides.
fn check(thrown: Node<'_>) -> Option<Check> {
    let lines = |node: Node<'_>| first_line(node)..=last_line(node);
    let throws = lines(thrown);
    match thrown.kind() {
        "assert_statement" => return Some(Check { lines: throws.clone(), throws, asserts: true }),
        "raise_statement" | "throw_statement" => {}
        _ => return None,
    }
    let mut inner = thrown;
    while let Some(outer) = inner.parent() {
        match (outer.kind(), outer.child_by_field_name("condition")) {
            ("if_statement" | "elif_clause", Some(condition)) if condition != inner => {
                return Some(Check { lines: lines(condition), throws, asserts: false });
            }
            ("block" | "else_clause" | "expression_statement", _) => inner = outer,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, Frame, RepoPath, TestResult, TestStatus};
    use crate::language::{Java, Python};
    use crate::validate::{Coverage, suite};

    fn found_at(text: &str, line: u32, language: &dyn Language) -> Option<RangeInclusive<u32>> {
        let path = RepoPath::new("a").unwrap();
        let file = FileChange { path, before: Some(text.as_bytes().into()), after: b"".as_slice().into() };
        check_at(&checks_in(&file, language), line).map(|check| check.lines.clone())
    }

    #[test]
    fn a_check_is_what_decides_whether_it_throws() {
        let python = "def at(hour):\n    if (0 < hour or\n            hour > 23):\n        raise ValueError(\n            hour)\n\
                      \x20   elif hour == 5:\n        raise ValueError(5)\n    else:\n        raise KeyError(hour)\n\
                      \x20   assert hour\n    raise OSError(hour)\n";
        assert_eq!(found_at(python, 4, &Python), Some(2..=3));
        assert_eq!(found_at(python, 5, &Python), Some(2..=3), "the line of what it throws");
        assert_eq!(found_at(python, 7, &Python), Some(6..=6));
        assert_eq!(found_at(python, 9, &Python), Some(2..=3), "its other side");
        assert_eq!(found_at(python, 10, &Python), Some(10..=10));
        assert_eq!(found_at(python, 11, &Python), None, "nothing decides");
        assert_eq!(found_at(python, 2, &Python), None, "nothing is thrown there");
        let java = "class A {\n  void at(int hour) {\n    if (hour > 23)\n      throw new Bad(hour);\n    if (hour < 0) {\n      throw new Bad(0);\n    }\n  }\n}\n";
        assert_eq!((found_at(java, 4, &Java), found_at(java, 6, &Java)), (Some(3..=3), Some(5..=5)));
    }

    #[test]
    fn a_check_that_failed_and_does_not_run_any_more_is_told() {
        let before = "def at(unit, hour):\n    if unit:\n        if hour > 22:\n            raise ValueError(hour)\n";
        let asserts = "def at(unit, hour):\n    if unit:\n        if hour:\n            assert hour == unit\n";
        let path = RepoPath::new("shop/at.py").unwrap();
        let id = TestId::new("test_at", "test_late");
        let frame = Frame { class: "shop.at".into(), method: "at".into(), file: Some("at.py".into()), line: Some(4) };
        let failure = Some(Failure { frames: vec![frame], ..Failure::default() });
        let result = TestResult { id: id.clone(), status: TestStatus::Failed, failure, millis: 1, loss: None };
        let report = TestReport { results: [(id.clone(), result)].into(), ..suite::empty() };
        let spectrum = |passed, lines: &[u32]| {
            let lines = [(path.clone(), lines.iter().copied().collect())].into();
            Spectrum::of([(id.clone(), passed, Coverage { lines })])
        };
        let untouched = spectrum(false, &[2, 3, 4]);
        let found_in = |before: &str, old: &str, new: &str, lines: &[u32]| {
            let after = before.replace(old, new);
            let file = FileChange {
                path: path.clone(),
                before: Some(before.as_bytes().into()),
                after: after.as_bytes().into(),
            };
            let patch = crate::domain::Patch { files: vec![file] };
            let ran = spectrum(true, lines);
            evaded((std::slice::from_ref(&id), &report), &untouched, (&Spread::none(&patch), &ran), &Python)
        };
        let found = |old, new, lines| found_in(before, old, new, lines);
        assert_eq!(found("if unit:", "if unit and hour < 5:", &[2]), Some(Evaded::LeftOut("shop/at.py:3".into())));
        assert_eq!(found("if unit:", "if unit == 'days':", &[2, 3]), None, "it runs, and holds");
        assert_eq!(found("hour > 22", "hour > 23", &[2, 3]), None, "the check itself was wrong");
        let other = found_in(asserts, "hour == unit", "hour != unit", &[2, 3, 4]);
        assert_eq!(other, Some(Evaded::Changed("shop/at.py:4".into())));
    }
}
