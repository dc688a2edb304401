//! The choice: what passed is ranked, confirmed in that order, and explained.

use super::{Judged, SearchResult};
use crate::benchmark::ProductChange;
use crate::language::Language;
use crate::patch::{self, is_part_of};
use crate::validate::{LeftOpen, ValidateError, Validator};
use std::time::{Duration, Instant};

/// Candidates confirmed at most: each confirmation is a fresh process with the full suite.
pub const MOST_CONFIRMED: u32 = 3;

/// What is taken from the merit of a change that every passing test runs: it changes more than what fails.
const DISTURBANCE: f64 = 0.3;

/// Best first: few edits, then what only takes back some of the change that broke the tests, then a small change from a likely
/// family at a place that few passing tests run. How suspicious the place is does not count: that was told by the same tests,
/// which the candidate satisfies. Ties keep the order of the search.
pub(super) fn rank(passed: &mut [Judged], broken_by: Option<&ProductChange>) {
    for judged in passed.iter_mut() {
        judged.restores = broken_by.is_some_and(|change| is_part_of(&judged.candidate.patch, &change.revert));
    }
    let merit = |judged: &Judged| {
        let candidate = &judged.candidate;
        let small = 1.0 / (1.0 + candidate.size as f64 / 150.0);
        let quiet = 1.0 - DISTURBANCE * candidate.exposure;
        candidate.likelihood * small * quiet * fidelity(candidate.template)
    };
    let first = |judged: &Judged| (judged.candidate.edits, !judged.restores);
    passed.sort_by(|a, b| first(a).cmp(&first(b)).then(merit(b).total_cmp(&merit(a))));
}

/// What deletes behaviour has less.
const FAITHFUL: f64 = 0.7;

/// Families that delete behaviour pass weak tests more often than they repair.
fn fidelity(template: &str) -> f64 {
    match template {
        "remove" => 0.3,
        "reduce_condition" | "missing_jump" => 0.6,
        "copy_statement" | "literal" => 0.8,
        _ => 1.0,
    }
}

/// Those that may only hide the failure come after the others.
pub(super) async fn evading_last(
    passed: Vec<Judged>,
    validator: &Validator,
    language: &'static dyn Language,
) -> Vec<Judged> {
    let asked = passed.iter().map(|judged| validator.left_open(&judged.candidate.patch, language));
    let answers = futures::future::join_all(asked).await;
    let evades = answers.into_iter().map(|answer| answer.ok().filter(|open| *open >= LeftOpen::Check));
    let mut all: Vec<(Option<LeftOpen>, Judged)> = evades.zip(passed).collect();
    all.sort_by_key(|(evades, _)| *evades);
    all.into_iter().map(|(_, judged)| judged).collect()
}

/// Confirms in order until one is plausible, then a few more of which each would end in time. Those with which fewer tests
/// still fail come first.
pub(super) async fn confirm(
    result: &mut SearchResult,
    passed: Vec<Judged>,
    validator: &Validator,
    started: Instant,
    time: Duration,
) -> Result<(), ValidateError> {
    for mut judged in passed {
        if !judged.validation.is_plausible() {
            let longest = result.plausible.iter().map(|judged| judged.validation.seconds).fold(0.0, f64::max);
            let is_late = started.elapsed().as_secs_f64() + longest >= time.as_secs_f64();
            let is_enough = result.plausible.len() >= MOST_CONFIRMED as usize || is_late;
            if !result.plausible.is_empty() && is_enough {
                result.unconfirmed.push(judged);
                continue;
            }
            let verdict = validator.verdict(&judged.candidate.patch).await?;
            judged.validation = verdict.validation;
            result.disagreements.extend(verdict.disagreements);
        }
        let results = if judged.validation.is_plausible() { &mut result.plausible } else { &mut result.refuted };
        results.push(judged);
    }
    result.plausible.sort_by_key(|judged| judged.validation.still_failing.len());
    Ok(())
}

/// Of several plausible candidates that are equally small, those come first of which the tests leave the least open: a loop
/// that never begins, a condition that always holds, or a check that does not run any more may only hide what fails. What is
/// taken away has no side that could be run. Tells what the first one leaves open, where that makes it the first.
pub(super) async fn prefer_what_is_run(
    plausible: &mut Vec<Judged>,
    validator: &Validator,
    language: &'static dyn Language,
) -> Option<LeftOpen> {
    let size = |judged: &Judged| (judged.validation.still_failing.len(), judged.candidate.edits, !judged.restores);
    let best = plausible.first().map(size);
    let equal = plausible.iter().take_while(|judged| Some(size(judged)) == best).count();
    if equal < 2 {
        return None;
    }
    let asked = plausible[..equal].iter().map(|judged| validator.left_open(&judged.candidate.patch, language));
    let answers = futures::future::join_all(asked).await;
    let left_open = |(judged, answer): (Judged, Result<LeftOpen, ValidateError>)| {
        let open = answer.unwrap_or_else(|error| {
            tracing::warn!("what the tests run of a plausible patch cannot be measured: {error}");
            LeftOpen::Nothing
        });
        let patch = &judged.candidate.patch;
        let takes_away = fidelity(judged.candidate.template) < FAITHFUL || patch::takes_words_out(patch);
        (if takes_away { open.max(LeftOpen::Side) } else { open }, judged)
    };
    let mut asked: Vec<(LeftOpen, Judged)> = plausible.drain(..equal).zip(answers).map(left_open).collect();
    let likeliest = asked[0].0;
    asked.sort_by_key(|(open, _)| *open);
    let least = asked[0].0;
    plausible.splice(..0, asked.into_iter().map(|(_, judged)| judged));
    (least < likeliest).then_some(least)
}

/// Why the first plausible candidate was chosen; `preferred` is what the tests leave open of it, where a likelier one leaves
/// more.
pub(super) fn explanation(result: &SearchResult, preferred: Option<LeftOpen>) -> String {
    let Some(chosen) = result.plausible.first() else {
        let near = result.nearest.as_ref().map_or_else(String::new, |judged| {
            format!("; nearest: {} ({} of the failing tests pass)", judged.candidate.note, judged.validation.fixed)
        });
        return format!("none of {} candidates is plausible{near}", result.tried);
    };
    let still = |judged: &Judged| judged.validation.still_failing.len();
    let reason = match result.plausible.len() + result.unconfirmed.len() {
        1 => "the only one that passed".to_owned(),
        n if result.plausible.iter().any(|judged| still(judged) > still(chosen)) => {
            format!("the one of {n} that passed with which the fewest tests still fail")
        }
        n if chosen.restores => format!("the one of {n} that passed which brings back what stood there before"),
        n if preferred == Some(LeftOpen::Nothing) => {
            format!("the likeliest of {n} that passed of which the tests run every side")
        }
        n if preferred == Some(LeftOpen::Side) => {
            format!("the likeliest of {n} that passed with which the check that failed still runs")
        }
        n if preferred.is_some() => {
            format!("the likeliest of {n} that passed and leave the assertion that failed alone")
        }
        n => format!(
            "the smallest likely change of {n} that passed ({:.0} % of the passing tests run its line)",
            100.0 * chosen.candidate.exposure
        ),
    };
    format!("chosen as {reason}: {}", chosen.candidate.note)
}
