//! Values of a run as evidence: a failing test beside the nearest passing one, digested to where the two differ.
//!
//! [`choose`] says what is watched, [`calls`] makes calls of steps, [`rows`] tells the values at a line, and [`mod@digest`]
//! puts the table together.

mod calls;
mod choose;
mod digest;
mod rows;

pub(super) use choose::{Chosen, around};
pub(super) use digest::{Focus, digest};

use super::Workbench;
use crate::llm::Redactor;
use crate::validate::ValidateError;
use crate::validate::observe::{Trace, Watch};

/// What the first failing test and the nearest passing one show; nothing where no values can be had.
///
/// # Errors
/// Faults of the environment.
pub(super) async fn first(bench: &Workbench) -> Result<Option<String>, ValidateError> {
    let Some(chosen) = choose::first(bench) else { return Ok(None) };
    let text = table(bench, &chosen, &Focus::default()).await?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// Runs what was chosen and digests it; `None` where nothing was recorded.
pub(super) async fn table(bench: &Workbench, chosen: &Chosen, focus: &Focus) -> Result<Option<String>, ValidateError> {
    let watch = Watch {
        tests: chosen.tests().cloned().collect(),
        places: chosen.places.clone(),
        expressions: focus.expressions.clone(),
    };
    let Some(traces) = bench.validator.probe().observed(&watch).await? else { return Ok(None) };
    let of = |test| traces.iter().find(|trace: &&Trace| Some(&trace.test) == test);
    let Some(watched) = of(Some(&chosen.test)) else { return Ok(None) };
    let text = digest(bench, watched, of(chosen.passing.as_ref()), focus);
    Ok(Some(Redactor::of_environment([]).text(&text).into_owned()))
}
