//! The failing tests as an agent sees them: the first in full, its twins by their failure, fixtures that are used.

use crate::code::{Method, SourceFile};
use crate::domain::{FailingTest, LineSpan, RepoPath};
use crate::language::Language;
use crate::prompt::count_tokens;
use crate::tools::{Workbench, failure_text};
use compact_str::CompactString;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines of a test before the failing statement that are shown when the test is long.
const BEFORE: u32 = 25;
/// Lines behind it; they were not executed.
const BEHIND: u32 = 2;
/// A test up to this length is shown whole.
const SHORT: u32 = 30;
/// Failures that are listed one by one.
const LISTED: usize = 12;

/// Characters of a listed failure's message.
const FIRST_OF_FAILURE: usize = 100;

type Shown = Vec<(RepoPath, LineSpan)>;

/// The section's text, at most about `budget` tokens with the code of at most `in_full` tests, and the lines it shows.
pub(super) fn render(bench: &Workbench, budget: usize, in_full: usize) -> (String, Shown) {
    let failing = &bench.bug.failing;
    let mut text = format!("{} failing, {} passing.", failing.len(), bench.bug.passing);
    if let Some(file) = &bench.bug.located {
        let _ = write!(text, " Bug-located file: {file}.");
    }
    text.push('\n');
    let mut shown = Shown::new();
    let mut room = budget;
    let mut files = BTreeSet::new();
    for (nth, test) in failing.iter().enumerate() {
        let source = test.file.as_ref().and_then(|path| bench.index.file(path));
        let mut entry = format!("### {}\n", test.id);
        let mut parts = Vec::new();
        let fresh = !failing[..nth].iter().any(|earlier| earlier.file == test.file && earlier.span == test.span);
        if let (Some(file), Some(span), true) = (source, test.span, fresh) {
            entry.push_str("```java\n".replace("java", bench.language.fence()).as_str());
            if files.insert(file.path.clone()) {
                entry.push_str(&fixtures(file, test, span));
            }
            parts = window(test, span);
            for part in &parts {
                entry.push_str(&part_text(file, *part, test.failing_line, bench.language));
            }
            entry.push_str("```\n");
        }
        entry.push_str(&failure_text(&test.failure, test.timed_out));
        let tokens = count_tokens(&entry);
        if nth == in_full || nth > 0 && tokens > room {
            text.push_str(&others(&failing[nth..], room));
            return (text, shown);
        }
        room = room.saturating_sub(tokens);
        shown.extend(test.file.iter().flat_map(|file| parts.iter().map(|part| (file.clone(), *part))));
        text.push_str(&entry);
    }
    (text, shown)
}

/// The parts of a long test that matter: from a little before the failing statement to it.
fn window(test: &FailingTest, span: LineSpan) -> Vec<LineSpan> {
    match test.failing_line {
        Some(line) if span.len() > SHORT && span.contains(line) => {
            let first = line.saturating_sub(BEFORE).max(span.first + 1);
            vec![
                LineSpan { first: span.first, last: span.first },
                LineSpan { first, last: (line + BEHIND).min(span.last) },
            ]
        }
        _ => vec![span],
    }
}

fn part_text(file: &SourceFile, part: LineSpan, failing: Option<u32>, language: &dyn Language) -> String {
    let mut text = String::new();
    for line in part.first..=part.last {
        let code = file.line(line).unwrap_or("").trim_end();
        let _ = match failing == Some(line) {
            true => writeln!(text, "{code}   {} <-- fails here", language.line_comment()),
            false => writeln!(text, "{code}"),
        };
    }
    text
}

/// Fields, set-up methods and helper methods of the test class that the test really uses.
fn fixtures(file: &SourceFile, test: &FailingTest, span: LineSpan) -> String {
    const SETUP: [&str; 4] = ["Before", "BeforeEach", "BeforeAll", "BeforeClass"];
    const SETUP_NAMES: [&str; 4] = ["setUp", "setup_method", "setup_function", "setup_class"];
    let simple = test.id.simple_class().replace('$', ".");
    let Some(class) = file.types.iter().find(|t| t.name == simple) else { return String::new() };
    let Some(method) = class.methods.iter().find(|m| m.span == span) else { return String::new() };
    let used: BTreeSet<&str> = method.names.iter().map(CompactString::as_str).collect();
    // `parse(…)` and `this::parse` are the class's own, `CSVParser.parse(…)` is not.
    let own =
        |receiver: &Option<CompactString>| receiver.as_deref().is_none_or(|name| name == "this" || name == simple);
    let calls = method.calls.iter().filter(|call| own(&call.receiver));
    let called: BTreeSet<&str> = calls.map(|call| call.name.as_str()).collect();
    let annotated = |m: &Method, names: &[&str]| m.annotations.iter().any(|a| names.contains(&a.as_str()));
    let is_setup = |m: &&Method| {
        annotated(m, &SETUP)
            || SETUP_NAMES.contains(&m.name.as_str())
            || annotated(m, &["fixture"]) && used.contains(m.name.as_str())
    };
    let is_helper = |m: &&Method| {
        m.span != span
            && called.contains(m.name.as_str())
            && !m.annotations.iter().any(|a| a == "Test")
            && m.span.len() <= SHORT
    };
    let mut text = String::new();
    let setups: Vec<&Method> = class.methods.iter().filter(is_setup).collect();
    let names: BTreeSet<&str> =
        used.iter().copied().chain(setups.iter().flat_map(|m| m.names.iter().map(CompactString::as_str))).collect();
    for field in class.fields.iter().filter(|field| names.contains(field.name.as_str())) {
        let _ = writeln!(text, "    {}", field.declaration);
    }
    for method in setups.into_iter().filter(|m| m.span.len() <= SHORT).chain(class.methods.iter().filter(is_helper)) {
        text.push_str(file.lines(method.span).trim_end());
        text.push('\n');
    }
    text
}

/// Tests that were not shown, by id and the first line of their failure.
fn others(rest: &[FailingTest], room: usize) -> String {
    let mut text = String::from("### Also failing\n");
    let mut listed = 0;
    for test in rest.iter().take(LISTED) {
        let first = test.failure.message.lines().next().unwrap_or("");
        let name = format!("{}#{}", test.id.simple_class(), test.id.method);
        let line = match test.timed_out {
            true => format!("- {name}: did not end in time\n"),
            false => format!("- {name}: {}\n", first.chars().take(FIRST_OF_FAILURE).collect::<String>()),
        };
        // The line that would say that one more is there can as well name it.
        let is_last = listed + 1 == rest.len();
        if listed > 2 && !is_last && count_tokens(&text) + count_tokens(&line) > room {
            break;
        }
        text.push_str(&line);
        listed += 1;
    }
    if rest.len() > listed {
        let _ = writeln!(text, "- and {} more", rest.len() - listed);
    }
    text
}

#[cfg(test)]
mod units {
    use super::*;
    use crate::code::outline_text;
    use crate::domain::{Failure, RepoPath, TestId};
    use crate::language::Java;

    #[test]
    fn helpers_of_the_test_class_come_along_and_namesakes_elsewhere_do_not() {
        let code = "class CartTest {\n  int start = 1;\n  Cart cart() { return null; }\n  Cart parse(String s) { return null; }\n  @Test void total() {\n    Cart.parse(\"a\").add(cart(), start);\n  }\n}\n";
        let file = outline_text(&RepoPath::new("CartTest.java").unwrap(), code, &Java);
        let span = LineSpan { first: 5, last: 7 };
        let test = FailingTest {
            id: TestId::new("CartTest", "total"),
            file: Some(file.path.clone()),
            span: Some(span),
            failing_line: Some(6),
            failure: Failure::default(),
            timed_out: false,
        };
        let text = fixtures(&file, &test, span);
        assert_eq!(text, "    int start = 1\n  Cart cart() { return null; }\n");
    }
}
