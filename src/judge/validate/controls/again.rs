//! The triggering tests again and again in one process.
//!
//! A patch that behaves for its first calls, for some time, or until it has seen enough, passes every run of a test that
//! is new. So the test's own statements are repeated. A test may leave something behind that its next run trips over:
//! only who passes several times and then never again speaks against a patch, or who fails in the same runs each time: it
//! counts. A test that fails now and then, on a busy machine or by chance, fails in others.

use super::super::ValidateError;
use super::change::Change;
use super::repeated::{How, Jumps, SAID, SOME};
use super::trial::{TestCode, Trial};
use super::{repeated, test_copy};
use crate::domain::{FileChange, Outcome, Patch, TestId, TestReport, Validation};
use crate::language;
use std::collections::BTreeMap;

/// How often a test is repeated at most, and within how many milliseconds.
const OFTEN: (u32, u32) = (100, 60);
/// The same where the patch brings a number that is no small one: it may count up to it.
const MORE_OFTEN: (u32, u32) = (100_000, 300);
/// Times such a number that a test is repeated then.
const BEYOND: u32 = 5;
/// Where several tests share the time, each of them has at least one part of so many.
const LEAST: u32 = 4;
/// A test that takes longer is not repeated: too few of its runs would end in time to say anything.
const SLOW: u64 = 1000;
/// Digits of a number that is no small one.
const LARGE: usize = 3;
/// How a patch names the clock of Python, whatever it calls it then.
const CLOCK: &str = "time";
/// What the name of a copy ends in that is repeated.
pub(super) const MARK: &str = "A";

/// What speaks against a patch whose triggering tests pass at first only.
pub(super) async fn objection(trial: &Trial<'_>) -> Result<Option<Validation>, ValidateError> {
    let mut controls = trial.read(|test| {
        let copy = |change| test_copy::copy(test, change, MARK);
        repetitions(test, trial).into_iter().filter_map(copy).collect()
    });
    for control in &mut controls {
        control.test = test_copy::name_of_copy(&control.test, MARK);
        control.next();
    }
    let mut values: BTreeMap<TestId, String> = BTreeMap::new();
    // Before a no is said, the same runs once more.
    for nth in 0..2 {
        if controls.is_empty() {
            return Ok(None);
        }
        let Some(report) = trial.report(&mut controls).await? else { return Ok(None) };
        controls.retain(|control| {
            let Some(value) = says(&report, &control.test) else { return false };
            let is_same = nth == 0 || values.get(&control.test) == Some(&value);
            values.insert(control.test.clone(), value);
            is_same
        });
    }
    let word = |test: &TestId| values.get(&test_copy::name_of_copy(test, MARK)).map(String::as_str);
    let is_of = |test: &&TestId| controls.iter().any(|control| test_copy::name_of_copy(test, MARK) == control.test);
    Ok(trial.tests.iter().find(is_of).map(|test| {
        let runs = word(test).and_then(|value| value.strip_prefix(SOME)).map(str::trim_end);
        let detail = runs.map_or_else(
            || {
                format!(
                    "{test} passes at first, and no more after it ran several times in one process: the patch behaves for a \
                     while only"
                )
            },
            |runs| {
                format!(
                    "{test} passes at first, and fails in the same runs each time it is repeated in one process (after {}): the \
                     patch counts them",
                    runs.replace(' ', ", ")
                )
            },
        );
        trial.against(Outcome::Suspicious, detail)
    }))
}

/// What a repeated test says of its runs.
fn says(report: &TestReport, test: &TestId) -> Option<String> {
    let message = &report.results.get(test)?.failure.as_ref()?.message;
    let line = message.lines().find_map(|line| line.find("a control: ").map(|at| &line[at..]))?;
    (line.starts_with(SAID) || line.starts_with(SOME)).then(|| line.trim().to_owned())
}

fn asks_for_time(patch: &Patch) -> Jumps {
    let count = |bytes: &[u8]| language::decode(bytes).0.matches(CLOCK).count();
    let asks = |file: &FileChange| count(&file.after) > file.before.as_deref().map_or(0, count);
    if patch.files.iter().any(asks) { Jumps::Once } else { Jumps::Never }
}

/// How often tests run again under a patch, and for how long at most.
fn often(patch: &Patch) -> (u32, u32) {
    let largest = patch.files.iter().filter_map(largest).max();
    largest.map_or(OFTEN, |number| (number.saturating_mul(BEYOND).min(MORE_OFTEN.0), MORE_OFTEN.1))
}

/// The largest number of several digits that stands in a file more often than before.
fn largest(file: &FileChange) -> Option<u32> {
    let numbers = |bytes: &[u8]| {
        let text = language::decode(bytes).0;
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter_map(number).collect::<Vec<u32>>()
    };
    let mut new = numbers(&file.after);
    for old in file.before.as_deref().map(numbers).unwrap_or_default() {
        if let Some(at) = new.iter().position(|number| *number == old) {
            new.swap_remove(at);
        }
    }
    new.into_iter().max()
}

/// The number that a word spells, where it has several digits; what cannot be read is as large as can be.
fn number(word: &str) -> Option<u32> {
    let word = word.replace('_', "").to_ascii_lowercase();
    let (base, digits) = match word.split_at_checked(2) {
        Some(("0x", digits)) => (16, digits),
        Some(("0b", digits)) => (2, digits),
        Some(("0o", digits)) => (8, digits),
        _ => (10, word.as_str()),
    };
    let digits = digits.trim_end_matches('l');
    let number = u32::from_str_radix(digits, base).unwrap_or(u32::MAX);
    let is_large = if base == 10 {
        digits.chars().filter(char::is_ascii_digit).count() >= LARGE
    } else {
        number >= 10_u32.pow(LARGE as u32 - 1)
    };
    (word.starts_with(|c: char| c.is_ascii_digit()) && is_large).then_some(number)
}

/// Whether a test takes too long to be repeated.
pub(super) fn is_slow(trial: &Trial<'_>, test: &TestId) -> bool {
    trial.result(test).is_some_and(|result| result.millis > SLOW)
}

/// Changes of a test that let it run many times; the best one is the last.
pub(super) fn repetitions(test: &TestCode<'_>, trial: &Trial<'_>) -> Vec<Change> {
    if is_slow(trial, test.id) {
        return Vec::new();
    }
    let (most, millis) = often(trial.patch);
    // The tests share the time: what a patch counts, it counts over all of them.
    let share = millis / trial.tests.len().max(1) as u32;
    let how = How { jumps: asks_for_time(trial.patch), most, millis: share.max(millis / LEAST) };
    match (trial.language.name(), test.method) {
        ("java", Some(method)) => repeated::in_java(method, test.text, how),
        ("python", Some(function)) => repeated::in_python(function, test.text, how),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;

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
        assert_eq!(often(&patch("x = 1000\n", "y = 99\nx = 1000\n")), OFTEN);
        assert_eq!(often(&patch("x = 1000\n", "x = 1000 if n < 3_000 else 1\n")), (15_000, MORE_OFTEN.1));
        assert_eq!(often(&patch("x = 1000\n", "x = 1000 if n < 0xFFF0000 else 1\n")), MORE_OFTEN);
        assert_eq!(often(&patch("x = 1\n", "x = n & 0xff\n")), (1275, MORE_OFTEN.1));
        assert_eq!(often(&patch("x = 1\n", "x = n & 0x1f\n")), OFTEN);
    }
}
