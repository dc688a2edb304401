//! Changed forms of the triggering tests, written into a copy of a patched tree and run there.

use super::super::method::method;
use super::super::subject::{Build, Copy, Subject};
use super::super::untouched::passes;
use super::super::{Baseline, ValidateError, suite};
use super::change::Change;
use crate::domain::{Diagnostic, Failure, Outcome, Patch, RepoPath, TestId, TestReport, TestResult, Validation};
use crate::language::{self, Encoding, Language};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::Node;

/// Triggering tests that are changed at most.
pub(super) const MOST: usize = 20;
/// Times that changes which do not compile are exchanged for others.
pub(super) const ROUNDS: usize = 4;

/// The code of a triggering test.
pub(super) struct TestCode<'t> {
    pub(super) id: &'t TestId,
    pub(super) file: &'t RepoPath,
    pub(super) text: &'t str,
    pub(super) root: Node<'t>,
    /// `None` unless exactly one method has its name.
    pub(super) method: Option<Node<'t>>,
}

/// A triggering test with the changes that it allows.
#[derive(Clone)]
pub(super) struct Control {
    pub(super) test: TestId,
    file: RepoPath,
    /// Where its method begins in the file.
    at: Option<usize>,
    /// Those that are not tried yet; the next one is the last.
    pub(super) open: Vec<Change>,
    /// The one that is written.
    pub(super) now: Option<Change>,
}

impl Control {
    pub(super) fn next(&mut self) {
        self.now = self.open.pop();
    }

    /// The same test as it is, with the text of its change in a comment.
    pub(super) fn as_comment(&self, trial: &Trial<'_>) -> Option<Self> {
        let (text, _) = trial.text(&self.file)?;
        Some(self.with(self.test.clone(), self.now.as_ref()?.as_comment(&text, trial.language)?))
    }

    /// Another test in the same file, with one change.
    pub(super) fn with(&self, test: TestId, change: Change) -> Self {
        Self { test, file: self.file.clone(), at: self.at, open: Vec::new(), now: Some(change) }
    }
}

/// A patch that passed everything so far, and what its triggering tests are changed and run with.
pub(super) struct Trial<'a> {
    pub(super) subject: &'a dyn Subject,
    pub(super) baseline: &'a Baseline,
    pub(super) patch: &'a Patch,
    pub(super) build: &'a Arc<Build>,
    pub(super) language: &'static dyn Language,
    /// The triggering tests that are not done yet.
    pub(super) tests: Vec<TestId>,
}

impl Trial<'_> {
    /// The controls that the triggering tests allow; none of them is written yet.
    pub(super) fn read(&self, changes: impl Fn(&TestCode<'_>) -> Vec<Change>) -> Vec<Control> {
        let mut found: Vec<Control> = Vec::new();
        for test in self.tests.iter().filter(|test| !test.method.is_empty()) {
            let Some(file) = self.subject.test_file(&test.class) else { continue };
            let name = test.of_method();
            let Some((text, _)) = self.text(&file) else { continue };
            let see = |test: &TestCode<'_>| (test.method.map(|method| method.start_byte()), changes(test));
            let (at, open) = in_code(&text, &name, &file, self.language, see);
            let is_same =
                |known: &&Control| known.file == file && (is_of(&known.test, &name) || at.is_some() && known.at == at);
            if let Some(known) = found.iter().find(is_same) {
                // Invocations of one method share its text, and so do classes that inherit it.
                let (open, now) = (known.open.clone(), known.now.clone());
                found.push(Control { test: test.clone(), file, at, open, now });
            } else if !open.is_empty() {
                found.push(Control { test: test.clone(), file, at, open, now: None });
            }
            if found.len() >= MOST {
                break;
            }
        }
        found
    }

    /// The text of a test file, with its encoding.
    pub(super) fn text(&self, file: &RepoPath) -> Option<(String, Encoding)> {
        let bytes = std::fs::read(file.under(&self.subject.checkout().root)).ok()?;
        Some(language::decode(&bytes))
    }

    /// How a test ended before the patch.
    pub(super) fn result(&self, test: &TestId) -> Option<&TestResult> {
        let results = &self.baseline.report.results;
        results.get(test).or_else(|| results.values().find(|result| is_of(&result.id, test)))
    }

    /// How a test failed before the patch.
    pub(super) fn failure(&self, test: &TestId) -> Option<&Failure> {
        self.result(test).and_then(|result| result.failure.as_ref())
    }

    /// Writes the controls and runs them; tells which tests failed. `None` when no control can be compiled.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn run(&self, controls: &mut Vec<Control>) -> Result<Option<Vec<TestId>>, ValidateError> {
        let Some(report) = self.report(controls).await? else { return Ok(None) };
        let tests = controls.iter().map(|control| control.test.clone());
        Ok(Some(tests.filter(|id| passes(&report, id) != Some(true)).collect()))
    }

    /// Writes the controls and runs them. `None` when no control can be compiled.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn report(&self, controls: &mut Vec<Control>) -> Result<Option<TestReport>, ValidateError> {
        let Some(copy) = self.written(controls).await? else { return Ok(None) };
        let tests: Vec<TestId> = controls.iter().map(|control| control.test.clone()).collect();
        let plan = self.subject.plan_of(suite::wanted(&tests), self.subject.deadlines_for(self.baseline));
        Ok(Some(self.subject.run(&copy, &plan).await?))
    }

    /// A word against the patch: every triggering test passed, and that says too little.
    pub(super) fn against(&self, outcome: Outcome, detail: String) -> Validation {
        Validation { fixed: self.baseline.triggering.len(), ..Validation::without_tests(outcome, detail) }
    }

    /// A copy with the controls in it; those that do not compile are exchanged for others, or dropped.
    async fn written(&self, controls: &mut Vec<Control>) -> Result<Option<Copy>, ValidateError> {
        for _ in 0..ROUNDS {
            controls.retain(|control| control.now.is_some());
            if controls.is_empty() {
                return Ok(None);
            }
            let Some(files) = self.texts(controls) else { return Ok(None) };
            match self.subject.with_tests(self.patch, self.build, &files).await? {
                Ok(copy) => return Ok(Some(copy)),
                Err(errors) => {
                    tell(&errors);
                    exchange(controls, &errors);
                }
            }
        }
        controls.clear();
        Ok(None)
    }

    /// The changed test files.
    fn texts(&self, controls: &[Control]) -> Option<Vec<(RepoPath, Vec<u8>)>> {
        let mut edits: BTreeMap<&RepoPath, Vec<&(Range<usize>, String)>> = BTreeMap::new();
        for control in controls {
            edits.entry(&control.file).or_default().extend(control.now.iter().flat_map(|change| &change.edits));
        }
        let mut files = Vec::new();
        for (file, mut edits) in edits {
            let (mut text, encoding) = self.text(file)?;
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
}

/// What is found in the code of a test; nothing in a file that cannot be parsed.
pub(super) fn in_code<T: Default>(
    text: &str,
    id: &TestId,
    file: &RepoPath,
    language: &dyn Language,
    see: impl Fn(&TestCode<'_>) -> T,
) -> T {
    let Some(tree) = language::parse(text, language) else { return T::default() };
    let root = tree.root_node();
    see(&TestCode { id, file, text, root, method: method(root, text, id, language) })
}

/// Whether a change calls a method that an error says is not there: an older library lacks some opposites of assertions, and
/// every change that needs one of them would be refused in its turn.
pub(super) fn lacks_method(change: &Change, errors: &[Diagnostic]) -> bool {
    let mut missing = errors.iter().filter_map(|error| {
        let (_, named) = error.message.split_once("cannot find symbol")?.1.split_once("method ")?;
        named.split('(').next().map(str::trim).filter(|name| !name.is_empty())
    });
    let calls = |name: &str| change.edits.iter().any(|(_, new)| new == name || new.contains(&format!("{name}(")));
    missing.any(calls)
}

/// Says why changed forms of tests do not compile.
pub(super) fn tell(errors: &[Diagnostic]) {
    if let Some(first) = errors.first() {
        tracing::debug!("forms of tests do not compile ({} errors): {first:?}", errors.len());
    }
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
        control.open.retain(|change| !lacks_method(change, errors));
        control.next();
    }
}

/// Whether a test is an invocation of the method of that name.
fn is_of(test: &TestId, name: &TestId) -> bool {
    test.class == name.class && test.bare_method() == name.method
}

#[cfg(test)]
mod tests {
    use super::super::change::Kind;
    use super::*;

    #[test]
    fn what_an_older_library_lacks_is_not_asked_for_again() {
        let error = |message: &str| Diagnostic { file: None, line: 3, message: message.to_owned() };
        let change = |new: &str| Change {
            kind: Kind::Sure,
            was: String::new(),
            lines: (3, 3),
            edits: vec![(0..1, new.to_owned())],
        };
        let errors = [error("cannot find symbol; symbol:   method assertNotEquals(int,int)"), error("';' expected")];
        assert!(lacks_method(&change("assertNotEquals"), &errors));
        assert!(lacks_method(&change("  Assert.assertNotEquals(1, f());"), &errors));
        assert!(!lacks_method(&change("assertFalse"), &errors));
        assert!(!lacks_method(&change("assertNotEquals"), &errors[1..]));
    }
}
