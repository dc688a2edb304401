//! A look at patches that are right with the settings of one machine alone: its language, zone, charset, ends of lines.
//!
//! A test may depend on such settings by itself, and then every repair fails where they are others. So a failure there
//! speaks against a patch only where the code behaves as it did without the patch, or where the patch decides by a setting.

use super::plan::Look;
use super::plausible::{self, Judged};
use super::subject::{Build, Subject};
use super::{Baseline, ValidateError, plain, suite};
use crate::domain::{Outcome, Patch, TestId, TestReport};
use crate::language;
use crate::patch::suspicious::{self, Place};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Calls, types and attributes whose answer is another one with other settings.
const ANSWERED_BY_SETTINGS: &[&str] = &[
    // Of Java.
    "lineSeparator",
    "newLine",
    "println",
    "printf",
    "format",
    "formatted",
    "toUpperCase",
    "toLowerCase",
    "getBytes",
    "getDefault",
    "getInstance",
    "systemDefault",
    "defaultCharset",
    "getProperty",
    "DateFormat",
    "SimpleDateFormat",
    "DecimalFormat",
    "DecimalFormatSymbols",
    "NumberFormat",
    "MessageFormat",
    "Formatter",
    "Calendar",
    "GregorianCalendar",
    "TimeZone",
    "Locale",
    "InputStreamReader",
    "OutputStreamWriter",
    "FileReader",
    "FileWriter",
    "Scanner",
    "Timestamp",
    // Of Python.
    "linesep",
    "locale",
    "calendar",
    "mktime",
    "localtime",
    "strftime",
    "ctime",
    "tzname",
    "timezone",
    "altzone",
    "timestamp",
    "astimezone",
    "fromtimestamp",
    "fsencode",
    "fsdecode",
    "getfilesystemencoding",
    "TextIOWrapper",
    "encoding",
    "environ",
    "getenv",
    "open",
];

/// What speaks against a patch with which some triggering tests pass as they are, and fail with other settings.
///
/// # Errors
/// No process can be started.
pub(super) async fn objection(
    subject: &dyn Subject,
    baseline: &Baseline,
    tests: &[TestId],
    patch: &Patch,
    build: &Arc<Build>,
) -> Result<Option<Judged>, ValidateError> {
    if subject.options().accept_suspicious {
        return Ok(None);
    }
    let deadlines = subject.deadlines_for(baseline);
    let plan = subject.plan_of(suite::wanted(tests), deadlines).looking(Look::Settings).for_times_of(baseline);
    let report = subject.run(&subject.copy_with(patch, build)?, &plan).await?;
    let judged = plausible::of_tests(baseline, tests, &report);
    // A process that does not get to its tests there says nothing of the patch.
    if judged.outcome != Outcome::Failed {
        return Ok(None);
    }
    let as_before = judged.against.iter().any(|id| fails_as_before(id, &baseline.report, &report));
    let names: BTreeSet<String> = ANSWERED_BY_SETTINGS.iter().map(|name| (*name).to_owned()).collect();
    let decides = || {
        language::by_name(&subject.checkout().language)
            .is_some_and(|language| suspicious::decides(patch, &names, Place::Anywhere, language))
    };
    if !as_before && !decides() {
        return Ok(None);
    }
    let what = "passes only with the settings of this machine; with another language, zone, charset or end of lines it does not";
    Ok(Some(plain::refusal(Outcome::Suspicious, what, judged, &report)))
}

/// Whether a test fails with the very message that it has without the patch.
fn fails_as_before(id: &TestId, before: &TestReport, now: &TestReport) -> bool {
    let failure = |report: &TestReport| {
        let failure = report.results.get(id)?.failure.as_ref()?;
        Some((failure.kind.clone(), without_places(&failure.message)))
    };
    // A message that names no value is the same for every failure.
    let tells = |message: &str| message.contains(|c: char| c.is_ascii_digit() || c == '"' || c == '\'');
    match (failure(before), failure(now)) {
        (Some(before), Some(now)) => before == now && tells(&before.1),
        _ => false,
    }
}

/// A message without the places of objects: `<shop.Cart object at 0x7f3c>`, `shop.Cart@1b2c`.
fn without_places(message: &str) -> String {
    let is_hex = |c: char| c.is_ascii_hexdigit();
    let mut out = String::new();
    let mut rest = message;
    while let Some(at) = rest.find("0x").into_iter().chain(rest.find('@')).min() {
        let skip = if rest[at..].starts_with('@') { 1 } else { 2 };
        out.push_str(&rest[..at]);
        rest = rest[at + skip..].trim_start_matches(is_hex);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, RunEnd, TestResult, TestStatus};

    fn failing(message: &str) -> TestReport {
        let id = TestId::new("shop.CartTest", "t");
        let failure = Failure { kind: "AssertionError".into(), message: message.into(), frames: Vec::new() };
        let status = TestStatus::Failed;
        let result = TestResult { id: id.clone(), status, millis: 1, failure: Some(failure), loss: None };
        TestReport { end: RunEnd::Complete, results: [(id, result)].into(), output_tail: String::new() }
    }

    #[test]
    fn a_failure_as_before_is_one_with_the_same_values() {
        let id = TestId::new("shop.CartTest", "t");
        let same = |a: &str, b: &str| fails_as_before(&id, &failing(a), &failing(b));
        assert!(same("expected 5 but was 3", "expected 5 but was 3"));
        assert!(same("Cart@1f is \"a\"", "Cart@2e is \"a\""));
        assert!(!same("expected 5 but was 3", "expected 5 but was 4"));
        assert!(!same("", ""), "it tells nothing");
        assert!(!same("assert <Cart object at 0x7f> == <Cart>", "assert <Cart object at 0x8e> == <Cart>"));
    }
}
