//! Values of a run: what tests do in watched places, step by step. Told by the runners, read here, and believed by nobody:
//! it is evidence for agents and decides nothing.

use super::plan::Deadlines;
use super::records::Executed;
use super::subject::Subject;
use super::{Baseline, ValidateError, coverage, failing, suite};
use crate::domain::words::clipped;
use crate::domain::{Fingerprint, LineSpan, RepoPath, TestId};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// A watched test gets this; runners stop telling long before.
const EACH: Duration = Duration::from_secs(20);
/// One that has no end is recorded as far as it came.
const ENDLESS: Duration = Duration::from_secs(6);
/// All watched tests together.
const TOTAL: Duration = Duration::from_secs(60);
/// Characters of a name or a value that are kept.
const LONGEST: usize = 200;
/// Steps of a test that are kept.
const STEPS: usize = 4_000;
/// Values of one step that are kept.
const VALUES: usize = 40;

/// What is watched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Watch {
    /// The tests that run.
    pub tests: Vec<TestId>,
    /// Lines of product code: the methods they lie in are watched.
    pub places: Vec<(RepoPath, LineSpan)>,
    /// Values that are recorded beside the variables: names and numbers joined by dots and brackets.
    pub expressions: Vec<String>,
}

/// What one test did in the watched places.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The test.
    pub test: TestId,
    /// Its steps, the newest where there were too many.
    pub steps: Vec<Step>,
}

/// Names with their values.
pub type Values = Vec<(String, String)>;

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Watched calls that are open, this one counted.
    pub depth: u32,
    /// Where.
    pub file: RepoPath,
    /// The line, counted from 1.
    pub line: u32,
    /// The method.
    pub method: String,
    /// What happened.
    pub what: What,
}

/// What happened in a step.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A method was called with these arguments.
    Called(Values),
    /// A line begins; these values changed since the step before in the same call.
    Reached(Values),
    /// A method ends with a result.
    Returned(Values, String),
    /// An exception leaves a line: its kind and message.
    Raised(String, String),
    /// An exception is caught.
    Caught(String, String),
}

/// Runs the tests and tells what they do; known answers are kept for exactly this project and question.
pub(super) async fn of(
    subject: &dyn Subject,
    baseline: &Baseline,
    watch: &Watch,
) -> Result<Option<Vec<Trace>>, ValidateError> {
    if watch.tests.is_empty() || watch.places.is_empty() {
        return Ok(None);
    }
    let file = subject.project_cache().join(format!("observed-{}.json", named(watch)));
    let cached =
        std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Vec<(TestId, Vec<String>)>>(&bytes).ok());
    let events = match cached {
        Some(cached) => cached,
        None => {
            let mut deadlines = Deadlines::of(EACH, TOTAL);
            deadlines.own.extend(coverage::endless(baseline).map(|id| (id.clone(), ENDLESS)));
            let plan = subject.plan_of(suite::wanted(&watch.tests), deadlines);
            let Some(executed) = subject.observed(&plan, watch).await? else { return Ok(None) };
            let events = of_wanted(watch, &executed);
            if let Err(error) = failing::keep(&file, &events) {
                tracing::warn!("values will be observed again: {error}");
            }
            events
        }
    };
    let mut known = BTreeMap::new();
    let traces = events.into_iter().map(|(test, events)| {
        let mut source = |name: &str| known.entry(name.to_owned()).or_insert_with(|| subject.source(name)).clone();
        let newest = events.len().saturating_sub(STEPS);
        Trace { test, steps: events[newest..].iter().filter_map(|event| step(event, &mut source)).collect() }
    });
    Ok(Some(traces.collect()))
}

/// The events of the tests that were asked for, in that order.
fn of_wanted(watch: &Watch, executed: &Executed) -> Vec<(TestId, Vec<String>)> {
    let of = |test: &TestId| {
        let (_, events) = executed.iter().find(|(id, events)| id == test && !events.is_empty())?;
        Some((test.clone(), events.iter().map(|event| event.to_string()).collect()))
    };
    watch.tests.iter().filter_map(of).collect()
}

fn named(watch: &Watch) -> String {
    let mut fingerprint = Fingerprint::default();
    for test in &watch.tests {
        fingerprint.add(test.to_string());
    }
    for (file, lines) in &watch.places {
        fingerprint.add(format!("{file} {} {}", lines.first, lines.last));
    }
    for path in &watch.expressions {
        fingerprint.add(path);
    }
    fingerprint.name()
}

/// Reads one event; what is not understood is no step.
fn step(event: &str, source: &mut dyn FnMut(&str) -> Option<RepoPath>) -> Option<Step> {
    let Ok(Value::Array(parts)) = serde_json::from_str::<Value>(event) else { return None };
    let text = |at: usize| Some(clipped(&written(parts.get(at)?.as_str()?), LONGEST));
    let number = |at: usize| u32::try_from(parts.get(at)?.as_u64()?).ok();
    let values = |at: usize| -> Option<Values> {
        let pairs = parts.get(at)?.as_array()?.iter().take(VALUES).filter_map(|pair| {
            let short = |value: &Value| Some(clipped(&written(value.as_str()?), LONGEST));
            Some((short(pair.get(0)?)?, short(pair.get(1)?)?))
        });
        Some(pairs.collect())
    };
    let what = match parts.first()?.as_str()? {
        "c" => What::Called(values(5)?),
        "l" => What::Reached(values(5)?),
        "r" => What::Returned(values(5)?, text(6)?),
        "x" => What::Raised(text(5)?, text(6)?),
        "h" => What::Caught(text(5)?, text(6)?),
        _ => return None,
    };
    Some(Step { depth: number(1)?, file: source(parts.get(2)?.as_str()?)?, line: number(3)?, method: text(4)?, what })
}

/// A value as code would write it on one line. Its blanks may be what decides.
fn written(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(event: &str) -> Option<Step> {
        step(event, &mut |name| RepoPath::new(name).ok())
    }

    #[test]
    fn events_are_steps() {
        let called = read(r#"["c",1,"cart.py",4,"total",[["self","Cart()"],["n","2"]]]"#).unwrap();
        assert_eq!(called.what, What::Called(vec![("self".into(), "Cart()".into()), ("n".into(), "2".into())]));
        assert_eq!((called.depth, called.line, called.method.as_str()), (1, 4, "total"));
        let returned = read(r#"["r",1,"cart.py",9,"total",[],"a\n  b"]"#).unwrap();
        assert_eq!(
            returned.what,
            What::Returned(Vec::new(), r"a\n  b".into()),
            "a value is one line with all its blanks"
        );
        assert_eq!(read(r#"["q",1,"cart.py",9,"total",[],"x"]"#), None);
        assert_eq!(read(r#"["l",1,"../cart.py",9,"total",[]]"#), None, "no path leaves the checkout");
    }

    proptest! {
        #[test]
        fn nothing_that_is_told_makes_it_panic(text in r#"\["[clrxh]",-?[0-9]{1,12},("[a-z./]{0,9}"|null),[0-9]{0,12},.{0,40}\]?"#) {
            read(&text);
        }
    }
}
