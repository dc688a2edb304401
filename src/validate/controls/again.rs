//! The triggering tests again and again in one process.
//!
//! A patch that behaves for its first calls, for some time, or until it has seen enough, passes every run of a test that
//! is new. So the test's own statements are repeated. A test may leave something behind that its next run trips over:
//! only who passes several times and then never again speaks against a patch.

use super::super::ValidateError;
use super::change::{Change, Kind};
use super::java::LEAVING as LEAVE_JAVA;
use super::python::LEAVING as LEAVE_PYTHON;
use super::trial::{Control, TestCode, Trial};
use crate::domain::{FileChange, Outcome, Patch, TestId, TestReport, Validation};
use crate::language::{self, Language, children, preorder, text_of};
use tree_sitter::Node;

/// What a test says that passed and then fails for good.
const SAID: &str = "a control: it passed at first";

const BEFORE_JAVA: &str = " int controlPassed = 0; int controlFailed = 0; long controlSince = System.nanoTime(); \
     for (int controlNth = 0; controlNth < MOST_TIMES && controlFailed < 3 && (controlNth < 1 || System.nanoTime() - controlSince \
     < 1000000000L); controlNth++) { try {";
const AFTER_JAVA: &str = " controlPassed++; controlFailed = 0; } catch (Throwable controlWhy) { if (controlPassed < 3) break; \
     controlFailed++; } } if (controlFailed >= 3) throw new AssertionError(\"a control: it passed at first\"); ";

const PYTHON: &str = include_str!("again.py");
/// What stands in it for whether the clock jumps.
const JUMPS: &str = "CLOCK_JUMPS";
/// What stands for how often a test is repeated, within a second.
const TIMES: &str = "MOST_TIMES";
/// How often it is, and how often where the patch brings a number that is no small one: it may count up to it.
const OFTEN: (u32, u32) = (200, 100_000);
/// Digits of a number that is no small one.
const LARGE: usize = 3;
/// How a patch names the clock of Python, whatever it calls it then.
const CLOCK: &str = "time";

/// What speaks against a patch whose triggering tests pass at first only.
pub(super) async fn objection(trial: &Trial<'_>) -> Result<Option<Validation>, ValidateError> {
    let how = How { jumps: asks_for_time(trial.patch), times: times(trial.patch) };
    let mut controls = trial.read(|test| repeated(test, trial.language, how).into_iter().collect());
    controls.iter_mut().for_each(Control::next);
    // Before a no is said, the same runs once more.
    for _ in 0..2 {
        if controls.is_empty() {
            return Ok(None);
        }
        let Some(report) = trial.report(&mut controls).await? else { return Ok(None) };
        controls.retain(|control| says(&report, &control.test));
    }
    Ok(controls.first().map(|control| {
        let detail = format!(
            "{} passes at first, and no more after it ran several times in one process: the patch behaves for a while only",
            control.test
        );
        trial.against(Outcome::Suspicious, detail)
    }))
}

fn says(report: &TestReport, test: &TestId) -> bool {
    let failure = report.results.get(test).and_then(|result| result.failure.as_ref());
    failure.is_some_and(|failure| failure.message.contains(SAID))
}

/// Whether the clock jumps while a test is repeated: only for a patch that asks for the time more often than before, since
/// the dates of a test may be those of its day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Jumps {
    Once,
    Never,
}

fn asks_for_time(patch: &Patch) -> Jumps {
    let count = |bytes: &[u8]| language::decode(bytes).0.matches(CLOCK).count();
    let asks = |file: &FileChange| count(&file.after) > file.before.as_deref().map_or(0, count);
    if patch.files.iter().any(asks) { Jumps::Once } else { Jumps::Never }
}

/// How a test is repeated.
#[derive(Debug, Clone, Copy)]
struct How {
    jumps: Jumps,
    times: u32,
}

/// How often tests run again under a patch.
fn times(patch: &Patch) -> u32 {
    let is_large = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        word.starts_with(|c: char| c.is_ascii_digit()) && digits >= LARGE
    };
    let large = |bytes: &[u8]| {
        let text = language::decode(bytes).0;
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| is_large(word)).count()
    };
    let counts = |file: &FileChange| large(&file.after) > file.before.as_deref().map_or(0, large);
    if patch.files.iter().any(counts) { OFTEN.1 } else { OFTEN.0 }
}

/// A test whose statements run many times.
fn repeated(test: &TestCode<'_>, language: &dyn Language, how: How) -> Option<Change> {
    match language.name() {
        "java" => in_java(test.method?, test.text, how),
        "python" => in_python(test.method?, test.text, how),
        _ => None,
    }
}

fn in_java(method: Node<'_>, text: &str, how: How) -> Option<Change> {
    let body = method.child_by_field_name("body")?;
    let parts = children(body);
    let (open, close) = (parts.first()?, parts.last()?);
    if parts.iter().any(|part| LEAVE_JAVA.is_in(*part)) {
        return None;
    }
    let edits = vec![
        (open.end_byte()..open.end_byte(), BEFORE_JAVA.replace(TIMES, &how.times.to_string())),
        (close.start_byte()..close.start_byte(), format!("\n{AFTER_JAVA}")),
    ];
    Some(Change::of(Kind::Sure, method, text, edits))
}

fn in_python(function: Node<'_>, text: &str, how: How) -> Option<Change> {
    let mut is_plain = !text_of(function, text).trim_start().starts_with("async");
    preorder(function, |node| {
        is_plain &= node.kind() != "yield";
        is_plain && !LEAVE_PYTHON.not_in.contains(&node.kind()) || node.id() == function.id()
    });
    let decorated = function.parent().filter(|up| up.kind() == "decorated_definition").unwrap_or(function);
    let indent = |node: Node<'_>| text.get(..node.start_byte())?.rsplit('\n').next().map(str::to_owned);
    let margin = indent(decorated).filter(|margin| is_plain && margin.trim().is_empty())?;
    let jumps = if how.jumps == Jumps::Once { "True" } else { "False" };
    let helper = PYTHON.replace(JUMPS, jumps).replace(TIMES, &how.times.to_string());
    let helper: String = helper.lines().map(|line| format!("{line}\n{margin}")).collect();
    let mark = format!("@control_again\n{margin}");
    let edits = if decorated.id() == function.id() {
        vec![(function.start_byte()..function.start_byte(), format!("{helper}{mark}"))]
    } else {
        vec![
            (decorated.start_byte()..decorated.start_byte(), helper),
            (function.start_byte()..function.start_byte(), mark),
        ]
    };
    Some(Change::of(Kind::Sure, function, text, edits))
}

#[cfg(test)]
mod tests {
    use super::super::trial::in_code;
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::{Java, Python};

    fn repeats(text: &str, id: &str, language: &dyn Language) -> bool {
        let file = RepoPath::new("T").unwrap();
        let how = How { jumps: Jumps::Never, times: OFTEN.0 };
        let changes = |test: &TestCode<'_>| repeated(test, language, how).into_iter().collect();
        !in_code(text, &id.parse().unwrap(), &file, language, changes).is_empty()
    }

    #[test]
    fn a_test_is_repeated_unless_it_ends_early_or_waits() {
        for (body, wanted) in [
            ("assertTrue(a.is());", true),
            ("if (a.is()) { return; } assertTrue(a.is());", false),
            ("run(() -> { return 1; });", true),
        ] {
            assert_eq!(repeats(&format!("class T {{ void x() {{ {body} }} }}"), "T#x", &Java), wanted, "{body}");
        }
        for (text, wanted) in [
            ("def test_x():\n    assert f()\n", true),
            ("@mark\ndef test_x(a):\n    assert f(a)\n", true),
            ("async def test_x():\n    assert await f()\n", false),
            ("def test_x():\n    yield f()\n", false),
        ] {
            assert_eq!(repeats(text, "test_a#test_x", &Python), wanted, "{text}");
        }
    }

    #[test]
    fn the_clock_jumps_for_who_asks_for_it_and_who_counts_far_is_repeated_often() {
        let patch = |before: &str, after: &str| Patch {
            files: vec![FileChange {
                path: RepoPath::new("a.py").unwrap(),
                before: Some(before.as_bytes().into()),
                after: after.as_bytes().into(),
            }],
        };
        assert_eq!(asks_for_time(&patch("x = 1\n", "import time\nx = 1\n")), Jumps::Once);
        assert_eq!(asks_for_time(&patch("import time\n", "import time\nx = 1\n")), Jumps::Never);
        assert_eq!(times(&patch("x = 1000\n", "y = 99\nx = 1000\n")), OFTEN.0);
        assert_eq!(times(&patch("x = 1000\n", "x = 1000 if n < 3_000 else 1\n")), OFTEN.1);
    }
}
