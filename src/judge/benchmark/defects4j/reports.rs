//! The files that `defects4j test` leaves, read: `failing_tests` with its raw traces, and `all_tests`.
//!
//! Traces hold what tests print into their messages, so a line only begins a test when all of it has the form of one.

use super::text::is_class;
use crate::domain::{Failure, TestId};
use crate::language::trace;
use std::collections::BTreeSet;

const HEAD: &str = "--- ";
/// What the formatter writes where it cannot tell which test failed; the trace follows on the same line.
const BROKEN: &str = "broken test input ";
const MESSAGE_CHARS: usize = 8_000;

/// The failing tests in their order. A class that could not be set up, or a test that could not be named, has no
/// method. One that is listed twice, as invocations with parameters are, counts once, with its first failure.
pub fn failing(bytes: &[u8]) -> Vec<(TestId, Failure)> {
    let text = String::from_utf8_lossy(bytes);
    let mut found: Vec<(TestId, Failure)> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((id, first)) = head(line) else { continue };
        let mut trace: Vec<&str> = first.into_iter().collect();
        while let Some(line) = lines.next_if(|line| head(line).is_none()) {
            trace.push(line);
        }
        if seen.insert(id.clone()) {
            found.push((id, failure(&trace)));
        }
    }
    found
}

/// The test that a line begins, with what of its trace stands on the same line.
fn head(line: &str) -> Option<(TestId, Option<&str>)> {
    let name = line.strip_prefix(HEAD)?;
    if let Some(rest) = name.strip_prefix(BROKEN) {
        return Some((TestId::new(BROKEN.trim_end(), ""), Some(rest)));
    }
    let name = name.trim_end();
    let Some((class, method)) = name.split_once("::") else {
        return is_class(name).then(|| (TestId::new(name, ""), None));
    };
    // Versions before 3 name the invocation, too.
    let method = method.split('[').next().unwrap_or(method);
    let is_one = is_class(class) && !method.is_empty() && !method.contains([' ', '\t', ':']);
    is_one.then(|| (TestId::new(class, method), None))
}

/// Kind, message and frames of a raw trace: the message may take several lines, until the first frame.
fn failure(trace: &[&str]) -> Failure {
    let is_frame = |line: &&str| line.starts_with("\tat ");
    let head: Vec<&str> = trace.iter().copied().take_while(|line| !is_frame(line)).collect();
    let head = head.join("\n");
    let (kind, message) = match head.split_once(": ") {
        Some((kind, message)) if is_class(kind) => (kind, message),
        _ if is_class(head.trim_end_matches([':', '\n'])) => (head.trim_end_matches([':', '\n']), ""),
        _ => ("", head.as_str()),
    };
    let message = message.trim_end().chars().take(MESSAGE_CHARS).collect();
    Failure { kind: kind.to_owned(), message, frames: trace::frames(&trace.join("\n")) }
}

/// The tests that were started, `method(class)` a line, without the suffix of an invocation.
pub fn all(bytes: &[u8]) -> BTreeSet<TestId> {
    let text = String::from_utf8_lossy(bytes);
    let one = |line: &str| {
        let (method, class) = line.trim().strip_suffix(')')?.rsplit_once('(')?;
        let method = method.split('[').next().unwrap_or(method).trim();
        (is_class(class) && !method.is_empty()).then(|| TestId::new(class, method))
    };
    text.lines().filter_map(one).collect()
}

/// Whether the name by which Defects4J knows a test means one of ours: a class alone stands for its tests, and it knows
/// no invocations.
pub(crate) fn means(official: &TestId, ours: &TestId) -> bool {
    let method = official.method.is_empty() || official.method == ours.method || official.method == ours.bare_method();
    official.class == ours.class && method
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILING: &str = "--- a.b.CTest::sums\njava.lang.AssertionError: expected:<1>\n--- but was 2\n\tat \
        org.junit.Assert.fail(Assert.java:88)\n\tat a.b.CTest.sums(CTest.java:12)\n--- a.b.DTest\n\
        java.lang.ExceptionInInitializerError\n\tat a.b.DTest.<clinit>(DTest.java:3)\nCaused by: java.lang.Error: x\n--- \
        a.b.CTest::sums[1: x y]\njava.lang.Error: later\n--- broken test input nulljava.lang.Error: why\n\tat x.Y.z(Y.java:1)\n";

    #[test]
    fn failing_tests_come_with_their_failures() {
        let found = failing(FAILING.as_bytes());
        let ids: Vec<String> = found.iter().map(|(id, _)| id.to_string()).collect();
        assert_eq!(ids, ["a.b.CTest#sums", "a.b.DTest", "broken test input"]);
        let first = &found[0].1;
        assert_eq!(
            (first.kind.as_str(), first.message.as_str()),
            ("java.lang.AssertionError", "expected:<1>\n--- but was 2")
        );
        assert_eq!(first.frames[1].line, Some(12));
        assert_eq!(found[1].1.kind, "java.lang.ExceptionInInitializerError");
        assert!(found[2].1.message.contains("why"));
        assert!(failing(b"").is_empty() && failing(b"\xff\xfe--- a b\n").is_empty());
    }

    #[test]
    fn started_tests_lose_the_suffix_of_their_invocation() {
        let found = all(b"sums(a.b.CTest)\nsums[2: (x)](a.b.CTest)\nno test\n(a.B)\n");
        assert_eq!(found.iter().map(TestId::to_string).collect::<Vec<_>>(), ["a.b.CTest#sums"]);
    }

    #[test]
    fn a_name_of_theirs_means_ours() {
        let id = |text: &str| text.parse::<TestId>().unwrap();
        assert!(means(&id("a.T"), &id("a.T#x")) && means(&id("a.T#x"), &id("a.T#x[1]")));
        assert!(!means(&id("a.T#x"), &id("a.T#xy")) && !means(&id("a.T"), &id("a.T2#x")));
    }
}
