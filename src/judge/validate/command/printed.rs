//! Results of tests as tools of C print them: Automake, the Test Anything Protocol, Unity, Check; where nothing of that is
//! printed, a word at the begin or end of a line (cmocka, Criterion, Acutest, µnit, GoogleTest, many a hand-written one);
//! else the command's own end as one test.

use crate::domain::words::clipped;
use crate::domain::{Failure, TestId, TestReport, TestResult, TestStatus};
use crate::language::trace;
use regex::Regex;
use std::sync::LazyLock;

/// Longest text of a failure, in characters.
const SHOWN_BYTES: usize = 2000;

/// `PASS: name` of Automake.
static AUTOMAKE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): (\S.*)$").ok());
/// `not ok 3 - name # TODO why` of the Test Anything Protocol.
static TAP: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(not )?ok\b *(\d*)[ -]*([^#]*?) *(?:# *(SKIP|TODO)\b.*)?$").ok());
/// `tests/test_stack.c:12:test_push:FAIL: why` of Unity.
static UNITY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([^:\s]+):(\d+):(\w+):(PASS|FAIL|IGNORE)(?:: *(.*))?$").ok());
/// `tests/check_ring.c:17:F:Core:test_put:0: why` of Check, when it is verbose.
static CHECK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[^:\s]+:\d+:([PFES]):[^:]*:(\w+):\d+(?:: .*)?$").ok());

/// `[  FAILED  ] name`, `[PASS] name (0.02s)`.
static IN_FRONT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!(r"^\[ *({WORD}) *\] *(\S.*)$")).ok());
/// `name - FAIL`, `name: PASSED`, `name ... ok`, `name [ OK ] [ 0.01 / 0.01 CPU ]`.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"^(\S.*?)(?:(?:\s+-+|:)\s+({WORD})|\s+-+({WORD})|\s*\.{{2,}} *({WORD})|[\s.]+\[ *({WORD}) *\](?: *\[.*\])?)$"
    ))
    .ok()
});
/// How a test ended, in one word.
const WORD: &str = "OK|ok|PASS|PASSED|pass|passed|FAIL|FAILED|fail|failed|ERROR|SKIP|SKIPPED|skipped";
/// The time that a test took, behind its name.
static TOOK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[ :]*\([\d.]+ ?\w+\)$").ok());
/// `basic.sh (Wstat: 1024 (exited 4) Tests: 17 Failed: 4)` in the summary of prove.
static PROVE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(\S+)\s+\(Wstat: (\d+).* Tests: \d+ Failed: (\d+)\)$").ok());
/// `3 tests.`, `1 test(s), listed below:`, `Result: PASS` of prove: a sum and no name.
static SUM: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:\d+ (?:tests?|checks?|FAILED|PASSED)\b|Result$)").ok());

/// Reads the name and the status that a line tells.
type Reader = fn(&str) -> Option<(String, TestStatus)>;

/// Adds what the lines of an output say; the same name twice passed only if it passed both times.
pub(super) fn collect(output: &str, class: &str, report: &mut TestReport) {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let by_tools = lines.iter().any(|line| of_tools(line).is_some());
    let read: Reader = if by_tools { of_tools } else { of_words };
    let logs = automake_logs(&lines);
    for (nth, line) in lines.iter().enumerate().filter(|(nth, _)| !logs.contains(nth)) {
        let Some((name, status)) = read(line) else { continue };
        let excerpt = || automake_log(&lines[logs.clone()], line).unwrap_or_else(|| around(&lines, nth, read));
        let failure = (status == TestStatus::Failed).then(|| failure(&excerpt()));
        let id = TestId::new(class, name);
        let result = TestResult { id: id.clone(), status, failure, millis: 0, loss: None };
        match report.results.get(&id) {
            Some(old) if old.status == TestStatus::Failed => {}
            _ => drop(report.results.insert(id, result)),
        }
    }
}

/// The end of a command as one test: for tools that say nothing else.
pub(super) fn as_one(id: &TestId, passed: bool, output: &str) -> TestResult {
    let status = if passed { TestStatus::Passed } else { TestStatus::Failed };
    let last: Vec<&str> = output.lines().rev().take(30).collect();
    let failure = (!passed).then(|| failure(&last.into_iter().rev().collect::<Vec<_>>()));
    TestResult { id: id.clone(), status, failure, millis: 0, loss: None }
}

/// What failed as one test.
pub(super) fn of_failures(id: &TestId, named: &[TestResult]) -> TestResult {
    let messages: Vec<&str> =
        named.iter().filter_map(|result| result.failure.as_ref()).map(|failure| failure.message.as_str()).collect();
    TestResult { id: id.clone(), status: TestStatus::Failed, failure: Some(failure(&messages)), millis: 0, loss: None }
}

/// A result as known tools print it.
fn of_tools(line: &str) -> Option<(String, TestStatus)> {
    let of = |pattern: &'static LazyLock<Option<Regex>>| pattern.as_ref()?.captures(line);
    if let Some(found) = of(&AUTOMAKE) {
        let status = match &found[1] {
            "PASS" | "XFAIL" => TestStatus::Passed,
            "SKIP" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        return Some((found[2].to_owned(), status));
    }
    if let Some(found) = of(&UNITY) {
        let status = match &found[4] {
            "PASS" => TestStatus::Passed,
            "IGNORE" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        return Some((found[3].to_owned(), status));
    }
    if let Some(found) = of(&CHECK) {
        let status = match &found[1] {
            "P" => TestStatus::Passed,
            "S" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        return Some((found[2].to_owned(), status));
    }
    let found = of(&TAP)?;
    let group = |nth: usize| found.get(nth).map_or("", |group| group.as_str());
    let name = if group(3).is_empty() { group(2) } else { group(3) };
    let status = match (group(4), group(1)) {
        ("SKIP", _) => TestStatus::Skipped,
        ("TODO", _) | (_, "") => TestStatus::Passed,
        _ => TestStatus::Failed,
    };
    (!name.is_empty()).then(|| (name.to_owned(), status))
}

/// A result as a name and a word.
fn of_words(line: &str) -> Option<(String, TestStatus)> {
    if let Some(found) = PROVE.as_ref()?.captures(line) {
        let is_well = &found[2] == "0" && &found[3] == "0";
        return Some((found[1].to_owned(), if is_well { TestStatus::Passed } else { TestStatus::Failed }));
    }
    let (name, word) = match IN_FRONT.as_ref()?.captures(line) {
        Some(found) => (found.get(2)?, found.get(1)?),
        None => {
            let found = BEHIND.as_ref()?.captures(line)?;
            (found.get(1)?, (2..=5).find_map(|nth| found.get(nth))?)
        }
    };
    let name = TOOK.as_ref()?.replace(name.as_str(), "");
    let status = match word.as_str().to_ascii_uppercase().as_str() {
        "OK" | "PASS" | "PASSED" => TestStatus::Passed,
        "SKIP" | "SKIPPED" => TestStatus::Skipped,
        _ => TestStatus::Failed,
    };
    (!SUM.as_ref()?.is_match(&name)).then(|| (name.trim().to_owned(), status))
}

/// Where Automake prints the logs of what failed, which hold results of their own: behind the name of the log of all
/// tests, up to the sums.
fn automake_logs(lines: &[&str]) -> std::ops::Range<usize> {
    let begin = lines.iter().position(|line| line.ends_with(": ./test-suite.log"));
    let length = |begin: usize| lines[begin..].iter().position(|line| line.starts_with("Testsuite summary for "));
    begin.and_then(|begin| Some(begin..begin + length(begin)?)).unwrap_or(0..0)
}

/// The log of one test, under its underlined result.
fn automake_log<'t>(logs: &[&'t str], result: &str) -> Option<Vec<&'t str>> {
    let is_underlined =
        |nth: usize| logs.get(nth + 1).is_some_and(|line| !line.is_empty() && line.bytes().all(|byte| byte == b'='));
    let begin = (0..logs.len()).find(|nth| logs[*nth] == result && is_underlined(*nth))?;
    let next = (begin + 2..logs.len()).find(|nth| is_underlined(*nth)).unwrap_or(logs.len());
    Some(logs[begin + 2..next].to_vec())
}

/// A line with what stands around it up to the next results: what a test says comes before its result in one tool and
/// behind it in another, and both are its words.
fn around<'t>(lines: &[&'t str], at: usize, read: Reader) -> Vec<&'t str> {
    let before = lines[..at].iter().rev().take(8).take_while(|line| read(line).is_none()).count();
    let after = lines[at + 1..].iter().take(8).take_while(|line| read(line).is_none()).count();
    lines[at - before..=at + after].to_vec()
}

/// What a failing test says of itself, from its printed lines.
pub fn failure(lines: &[&str]) -> Failure {
    let text = lines.join("\n");
    let asserts = text.contains("Assertion") || text.contains("FAIL") || text.contains("not ok");
    let kind = if asserts { "assertion" } else { "failure" };
    Failure { kind: kind.into(), message: clipped(text.trim(), SHOWN_BYTES), frames: trace::frames(&text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RunEnd;
    use std::collections::BTreeMap;

    fn all(output: &str) -> Vec<(String, TestStatus)> {
        let mut report = TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: String::new() };
        collect(output, "make", &mut report);
        report.results.into_values().map(|result| (result.id.to_string(), result.status)).collect()
    }

    #[test]
    fn results_of_known_tools_are_read() {
        let passed = |name: &str| (format!("make#{name}"), TestStatus::Passed);
        let failed = |name: &str| (format!("make#{name}"), TestStatus::Failed);
        let automake = "PASS: test_pop\nFAIL: test_push\nXFAIL: later\nERROR: test_top\n# TOTAL: 4\n# PASS:  2\n";
        assert_eq!(all(automake), [passed("later"), passed("test_pop"), failed("test_push"), failed("test_top")]);
        let logged = "FAIL: t_ring\nPASS: t_old\n====\n   ring 1: ./test-suite.log\n====\n# FAIL:  1\n\nFAIL: t_ring\n====\n\n\
                      PASS: keeps\nFAIL: refuses\nFAIL t_ring (exit status: 1)\n\n====\nTestsuite summary for ring 1\n# FAIL:  1\n";
        assert_eq!(all(logged), [passed("t_old"), failed("t_ring")], "results in logs are no results");
        let lines: Vec<&str> = logged.lines().collect();
        assert!(automake_log(&lines[automake_logs(&lines)], "FAIL: t_ring").unwrap().contains(&"FAIL: refuses"));
        let tap = "1..4\nok 1 - pops\nnot ok 2 - pushes\n# got 3\nok 3 # SKIP no\nnot ok 4 - one day # TODO x\nokay\n";
        let skipped = ("make#3".to_owned(), TestStatus::Skipped);
        assert_eq!(all(tap), [skipped, passed("one day"), passed("pops"), failed("pushes")]);
        let unity = "t/test_s.c:9:test_pop:PASS\nt/test_s.c:14:test_push:FAIL: Expected 1 Was 2\n2 Tests 1 Failures\n";
        assert_eq!(all(unity), [passed("test_pop"), failed("test_push")]);
        let check = "t/check_s.c:9:P:Core:test_pop:0: Passed\nt/check_s.c:17:F:Core:test_push:0: Assertion 'a == 1' failed: a == 2\n";
        assert_eq!(all(check), [passed("test_pop"), failed("test_push")]);
        assert_eq!(all("PASS: a\nFAIL: a\nPASS: a\n"), [failed("a")], "once failed is failed");
        assert!(all("cc -c a.c\nmake: *** [check] Error 1\n").is_empty());
    }

    #[test]
    fn results_that_are_a_word_beside_a_name_are_read_where_no_tool_is_known() {
        let passed = |name: &str| (format!("make#{name}"), TestStatus::Passed);
        let failed = |name: &str| (format!("make#{name}"), TestStatus::Failed);
        let own = "586 set(NULL) == Failure     - OK\n593 count == 0           - FAIL\nTests failed: 1\n";
        assert_eq!(all(own), [passed("586 set(NULL) == Failure"), failed("593 count == 0")]);
        let cmocka = "[==========] Running 2 test(s).\n[ RUN      ] pops\n[       OK ] pops\n[  FAILED  ] pushes\n\
                      [  PASSED  ] 1 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] pushes\n";
        assert_eq!(all(cmocka), [passed("pops"), failed("pushes")]);
        let others =
            "[PASS] stack::pops: (0.02s)\nTest pushes...      [ FAILED ]\n/top [ OK    ] [ 0.01 / 0.02 CPU ]\n";
        assert_eq!(all(others), [passed("/top"), failed("Test pushes"), passed("stack::pops")]);
        let prove = "t/a.sh .... \nDubious, test returned 4 (wstat 1024, 0x400)\nFailed 4/17 subtests \nt/b.sh .... ok\n\n\
                     Test Summary Report\n---\nt/a.sh      (Wstat: 1024 (exited 4) Tests: 17 Failed: 4)\n  Failed tests:  4-7\n";
        assert_eq!(all(prove), [failed("t/a.sh"), passed("t/b.sh")]);
        let sds = "1 - create a string: PASSED\n2 - range(1,1): FAILED\n2 tests, 1 passed, 1 failed\nResult: FAIL\n";
        assert_eq!(all(sds), [passed("1 - create a string"), failed("2 - range(1,1)")]);
        assert_eq!(all("PASS: a\nit is - FAIL\n"), [passed("a")], "a tool's own form counts alone");
        assert!(all("cc -c a.c -o ok\nall is ok\nwarning: it may FAIL\n").is_empty());
    }

    #[test]
    fn a_failure_names_its_place() {
        let output =
            "test_s: tests/test_s.c:14: test_push: Assertion `top(s) == 2' failed.\nmake: *** [check] Error 134\n";
        let result = as_one(&TestId::new("make", "check"), false, output);
        let frame = &result.failure.unwrap().frames[0];
        assert_eq!(
            (frame.file.as_deref(), frame.line, frame.method.as_str()),
            (Some("test_s.c"), Some(14), "test_push")
        );
    }
}
