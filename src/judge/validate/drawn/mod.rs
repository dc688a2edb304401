//! Drawn inputs: what the functions that a patch changes do with inputs near those of the tests, beside what they did
//! before, and beside other patches. It chooses and warns; it makes no patch plausible and refuses none.
//!
//! The same tests run with every version. The runner copies the arguments of the changed functions' calls, draws
//! others near them and calls the functions. Nothing else decides on the inputs, so that results of equal inputs can be
//! compared.

mod compare;
mod functions;
mod groups;
mod pairs;
mod shown;

pub(crate) use compare::Warning;
pub use compare::warnings;
pub use groups::ranked;

use super::plan::{Deadlines, Look};
use super::subject::{Copy, Subject};
use super::{Baseline, ValidateError, Validator, coverage, lanes};
use crate::domain::words::clipped;
use crate::domain::{Patch, RepoPath, TestId};
use crate::language::Language;
use crate::patch::Exchange;
use futures::{StreamExt, TryStreamExt};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// A test gets this.
const EACH: Duration = Duration::from_secs(10);
/// One that has no end without the patch.
const ENDLESS: Duration = Duration::from_secs(4);
/// All tests of one version together: the verdict stands already.
const TOTAL: Duration = Duration::from_secs(10);
/// Characters of an input or a result that are kept.
const LONGEST: usize = 400;

/// What is called.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draw {
    /// Functions by file and name: `total`, `Cart.total`.
    pub functions: Vec<(RepoPath, String)>,
    /// Numbers and texts that they hold, as JSON.
    pub constants: Vec<String>,
    /// Names of parameters that may be `None`, or null, by what the functions say of them.
    pub absent: BTreeSet<String>,
    /// The inputs of tests near which others are drawn, as `total(n=2`; those of each test's first and last calls when empty.
    pub around: Vec<String>,
    /// Tests whose inputs count most, where not all can be drawn from.
    pub(super) first: Vec<TestId>,
    /// The tests whose inputs are wanted; all near the functions when empty.
    pub(super) only: Vec<TestId>,
    /// What the process looks like: with other hashes, results that hang on them differ.
    pub(super) look: Look,
}

/// Where an input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A test gives it.
    Test,
    /// Drawn near one, with another argument.
    Arguments,
    /// Drawn near one, with `None` or null for an argument that may be it.
    Absent,
    /// Drawn near one, with another field of an object: its own methods may never leave it so.
    Fields,
}

/// What one call of a function gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function's file.
    pub file: String,
    /// Its name.
    pub function: String,
    /// The test that gave the input, or one near it.
    pub test: TestId,
    /// Where the input comes from.
    pub origin: Origin,
    /// The arguments.
    pub input: String,
    /// What came of it: `returns 3`.
    pub result: String,
}

impl Call {
    /// Whether the input is the test's own.
    pub(crate) fn is_own(&self) -> bool {
        self.origin == Origin::Test
    }

    /// The call as people write it.
    pub(crate) fn written(&self) -> String {
        format!("{}({})", self.function, self.input)
    }
}

impl Validator {
    /// What the changed functions do with drawn inputs, for the untouched code and then for each patch; `None` where that
    /// cannot be had, or no function is changed that there was before.
    ///
    /// # Errors
    /// Faults of the environment.
    pub async fn drawn(
        &self,
        patches: &[&Patch],
        language: &'static dyn Language,
    ) -> Result<Option<Vec<Vec<Call>>>, ValidateError> {
        Ok(self.drawn_by(patches, language).await?.map(|(versions, _)| versions))
    }

    /// The same, with what was asked for.
    async fn drawn_by(
        &self,
        patches: &[&Patch],
        language: &'static dyn Language,
    ) -> Result<Option<(Vec<Vec<Call>>, Vec<Draw>)>, ValidateError> {
        let mut draws = vec![functions::changed(patches, language)];
        if draws[0].functions.is_empty() {
            return Ok(None);
        }
        let Some(mut versions) = self.of_each(patches, &draws[0]).await? else { return Ok(None) };
        let around = compare::alone(&versions, &self.baseline().triggering);
        if !around.is_empty() {
            // A failing test may give many inputs before the one that it fails for, and many after it.
            let near = Draw { around, only: self.baseline().triggering.clone(), ..draws[0].clone() };
            let more = self.of_each(patches, &near).await?.unwrap_or_default();
            versions.iter_mut().zip(more).for_each(|(calls, more)| calls.extend(more));
            draws.push(near);
        }
        Ok(versions.iter().any(|calls| !calls.is_empty()).then_some((versions, draws)))
    }

    /// What is drawn for the untouched code and then for each patch; `None` where that cannot be had of one of them.
    async fn of_each(&self, patches: &[&Patch], draw: &Draw) -> Result<Option<Vec<Vec<Call>>>, ValidateError> {
        let nothing = Patch::default();
        let versions = std::iter::once(&nothing).chain(patches.iter().copied());
        let calls: Vec<_> = versions.map(|patch| self.probe().drawn(patch, draw)).collect();
        let calls: Vec<Option<Vec<Call>>> = futures::stream::iter(calls).buffered(lanes::count()).try_collect().await?;
        Ok(calls.into_iter().collect())
    }

    /// What drawn inputs say against a patch beside the untouched code; `None` where nothing can be compared.
    ///
    /// # Errors
    /// Faults of the environment.
    pub(crate) async fn warned(
        &self,
        patch: &Patch,
        language: &'static dyn Language,
    ) -> Result<Option<Vec<Warning>>, ValidateError> {
        let Some((versions, draws)) = self.drawn_by(&[patch], language).await? else { return Ok(None) };
        let Ok([before, mut after]) = <[Vec<Call>; 2]>::try_from(versions) else { return Ok(None) };
        let triggering = &self.baseline().triggering;
        let exchange = Exchange::of(patch);
        let found = warnings(&before, &after, triggering, exchange);
        if found.is_empty() {
            return Ok(Some(found));
        }
        // What differs from run to run of the untouched code says nothing of the patch.
        let only = compare::differing(&before, &after);
        let mut again = Vec::new();
        for draw in draws {
            let draw = Draw { look: Look::Reordered, only: only.clone(), ..draw };
            let Some(calls) = self.probe().drawn(&Patch::default(), &draw).await? else { return Ok(None) };
            again.extend(calls);
        }
        compare::keep_stable(&mut after, &before, &again);
        Ok(Some(warnings(&before, &after, triggering, exchange)))
    }
}

/// Runs the tests near the functions in a copy, and tells what came of their inputs and of drawn ones.
pub(super) async fn of(
    subject: &dyn Subject,
    baseline: &Baseline,
    copy: &Copy,
    draw: &Draw,
) -> Result<Option<Vec<Call>>, ValidateError> {
    let mut deadlines = Deadlines::of(EACH, TOTAL);
    deadlines.own.extend(coverage::endless(baseline).map(|id| (id.clone(), ENDLESS)));
    let files = draw.functions.iter().map(|(path, _)| path);
    let plan = match draw.only.is_empty() {
        true => subject.plan(coverage::near(subject, baseline, subject.tests(), files), deadlines),
        false => subject.plan_of(draw.only.clone(), deadlines),
    };
    let plan = plan.looking(draw.look);
    let draw = Draw { first: baseline.triggering.to_vec(), ..draw.clone() };
    let Some(executed) = subject.drawn(copy, &plan, &draw).await? else { return Ok(None) };
    let calls = executed.iter().flat_map(|(test, events)| events.iter().filter_map(|event| call(test, event)));
    Ok(Some(calls.collect()))
}

/// Reads one call; what is not understood is none.
fn call(test: &TestId, event: &str) -> Option<Call> {
    let Ok(Value::Array(parts)) = serde_json::from_str::<Value>(event) else { return None };
    let text = |at: usize| Some(clipped(&parts.get(at)?.as_str()?.replace(['\n', '\r'], " "), LONGEST));
    Some(Call {
        file: text(0)?,
        function: text(1)?,
        test: test.clone(),
        origin: Origin::deserialize(parts.get(2)?).ok()?,
        input: text(3)?,
        result: text(4)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_is_a_call() {
        let test = TestId::new("t", "test_f");
        let read = call(&test, r#"["cart.py","Cart.total","test","n=2","returns 3"]"#).unwrap();
        assert_eq!((read.written().as_str(), read.origin), ("Cart.total(n=2)", Origin::Test));
        assert_eq!(call(&test, r#"["cart.py","total",1,"n=2","returns 3"]"#), None);
    }

    proptest! {
        #[test]
        fn nothing_that_is_told_makes_it_panic(text in r#"\["?[a-z"]{0,5},("test"|null|7),.{0,40}\]?"#) {
            call(&TestId::new("t", "x"), &text);
        }
    }
}
