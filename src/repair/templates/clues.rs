//! What the failing tests say about exceptions: which one came, and which one they wait for.

use crate::code::{CodeIndex, SourceFile};
use crate::domain::{FailingTest, LineSpan};
use crate::language::{self, Language, first_line, last_line, preorder, text_of};

/// Failures of assertions, which say nothing about the product's exceptions.
const ASSERTIONS: [&str; 4] = ["AssertionError", "ComparisonFailure", "AssertionFailedError", "MultipleFailuresError"];

/// Failures whose message tells, in quotes, which name had no value.
const UNDEFINED: [&str; 2] = ["NameError", "UnboundLocalError"];

/// What test libraries of Python call what waits for an exception.
const AWAITS: [&str; 3] = ["raises", "assertRaises", "assertRaisesRegex"];

/// How a crash by reading where nothing is shows in a message.
const CRASHES: [&str; 3] = ["SIGSEGV", "Segmentation fault", "SEGFAULT"];

/// Exceptions of the failing tests, by names that can be written in the product's code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clues {
    /// What failing tests died of.
    pub thrown: Vec<String>,
    /// What failing tests catch or declare as expected.
    pub expected: Vec<String>,
    /// Names that had no value where failing tests read them.
    pub undefined: Vec<String>,
    /// Whether a failing test ended by a signal, as programs in C do.
    pub crashed: bool,
}

impl Clues {
    /// Reads failures and the source of the failing tests.
    pub fn of(index: &CodeIndex, failing: &[FailingTest]) -> Self {
        let mut clues = Self::default();
        for test in failing {
            let kind = &test.failure.kind;
            let texts = [kind, &test.failure.message];
            clues.crashed |= texts.iter().any(|text| CRASHES.iter().any(|crash| text.contains(crash)));
            if UNDEFINED.iter().any(|end| kind.ends_with(end))
                && let Some(name) = test.failure.message.split('\'').nth(1)
            {
                add(&mut clues.undefined, name.to_owned());
            }
            let asserted = ASSERTIONS.iter().any(|end| kind.ends_with(end));
            if kind.contains('.')
                && is_name(kind)
                && !asserted
                && (kind.ends_with("Exception") || kind.ends_with("Error"))
            {
                add(&mut clues.thrown, writable(kind));
            }
        }
        for (file, spans) in spans_by_file(index, failing) {
            for name in awaited(file, &spans, index.language()) {
                add(&mut clues.expected, full(file, &name));
            }
        }
        clues
    }
}

fn add(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// A class name as source code writes it.
fn writable(kind: &str) -> String {
    let plain = kind.strip_prefix("java.lang.").filter(|rest| !rest.contains('.')).unwrap_or(kind);
    plain.replace('$', ".")
}

/// The methods of the failing tests, by the files that hold them: a thousand tests of one file are read at once.
fn spans_by_file<'i>(index: &'i CodeIndex, failing: &[FailingTest]) -> Vec<(&'i SourceFile, Vec<LineSpan>)> {
    let mut files: Vec<(&SourceFile, Vec<LineSpan>)> = Vec::new();
    for test in failing {
        let Some((path, span)) = test.file.as_ref().zip(test.span) else { continue };
        match files.iter_mut().find(|(file, _)| file.path == *path) {
            Some((_, spans)) if !spans.contains(&span) => spans.push(span),
            Some(_) => {}
            None => files.extend(index.file(path).map(|file| (&**file, vec![span]))),
        }
    }
    files
}

/// Exception types that test methods catch, expect in their annotations or pass to `assertThrows`.
fn awaited(file: &SourceFile, spans: &[LineSpan], language: &dyn Language) -> Vec<String> {
    let Some(tree) = language::parse(&file.text, language) else { return Vec::new() };
    let mut names = Vec::new();
    preorder(tree.root_node(), |node| {
        let (first, last) = (first_line(node), last_line(node));
        if !spans.iter().any(|span| first <= span.last && span.first <= last) {
            return false;
        }
        let text = text_of(node, &file.text);
        match node.kind() {
            "catch_type" => names.extend(text.split('|').map(|name| name.trim().to_owned())),
            "class_literal" => names.extend(text.strip_suffix(".class").map(|name| name.trim().to_owned())),
            // `pytest.raises(E)` and `self.assertRaises(E)`.
            "call" if AWAITS.iter().any(|word| text.split('(').next().is_some_and(|called| called.ends_with(word))) => {
                let first = text.split(['(', ',', ')']).nth(1);
                names.extend(first.map(|name| name.trim().to_owned()));
            }
            _ => {}
        }
        true
    });
    names.retain(|name| (name.ends_with("Exception") || name.ends_with("Error")) && is_name(name));
    names
}

/// Whether a text that tests gave is the name of a class, and nothing else that a candidate would hold.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))
}

/// A simple name of the test's file in full, so that the product needs no import for it.
fn full(file: &SourceFile, name: &str) -> String {
    let ending = format!(".{name}");
    let imported = file.imports.iter().find(|import| import.ends_with(&ending));
    imported.map_or_else(|| name.to_owned(), |import| writable(import))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, TestId};
    use crate::templates::testing::index_of;

    #[test]
    fn what_came_and_what_was_waited_for() {
        let index = index_of(
            "import java.io.IOException;
class A {
    void other() { try { run(); } catch (ArithmeticException e) { } }
    @Test(expected = IllegalStateException.class) void test() {
        try { run(); } catch (IllegalArgumentException | IOException e) { }
    }
}",
        );
        let test = FailingTest {
            id: TestId::new("A", "test"),
            file: Some(index.files()[0].path.clone()),
            span: Some(LineSpan { first: 4, last: 6 }),
            failing_line: None,
            failure: Failure { kind: "java.util.NoSuchElementException".into(), ..Failure::default() },
            timed_out: false,
        };
        let clues = Clues::of(&index, &[test]);
        assert_eq!(clues.thrown, ["java.util.NoSuchElementException"]);
        assert_eq!(clues.expected, ["IllegalStateException", "IllegalArgumentException", "java.io.IOException"]);
        assert_eq!(writable("java.lang.ArithmeticException"), "ArithmeticException");
        assert_eq!(writable("a.B$Failed"), "a.B.Failed");
        assert!(is_name("a.B$Failed") && !is_name("a.B(run()).Error"));
    }
}
