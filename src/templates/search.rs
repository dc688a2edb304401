//! The search: candidates stream into the judge, answers steer the engine, and what passes is ranked and confirmed.

use super::engine::{Candidate, Engine};
use crate::domain::{Outcome, Patch, Validation};
use crate::validate::{ValidateError, Validator};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Candidates generated at a time: few enough that answers steer, many enough that choosing costs nothing.
const BATCH: usize = 8;

/// What a search may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Candidates at most.
    pub candidates: usize,
    /// Wall time at most; a candidate under way is finished.
    pub time: Duration,
    /// Candidates still tried after the first one that passes, within the two limits above.
    pub after_first: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { candidates: 10_000, time: Duration::from_secs(60), after_first: 30 }
    }
}

/// A candidate with the judge's last word on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The candidate.
    pub candidate: Candidate,
    /// The judge's word.
    pub validation: Validation,
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct SearchResult {
    /// Plausible candidates, the chosen one first.
    pub plausible: Vec<Judged>,
    /// Candidates that passed the fast run and were not confirmed, best first.
    pub unconfirmed: Vec<Judged>,
    /// The failing candidate that came nearest: most triggering tests fixed, nothing else broken.
    pub nearest: Option<Judged>,
    /// Candidates judged.
    pub tried: usize,
    /// How many had been judged when the first one passed, itself included.
    pub first_passed: Option<usize>,
    /// Of these, how many compiled.
    pub compiled: usize,
    /// Time spent on making candidates.
    pub generating: Duration,
    /// Time of the whole search.
    pub total: Duration,
    /// One sentence: how many were plausible, and why the first one was chosen.
    pub explanation: String,
}

/// Tries candidates until the budget ends, or a little longer than the first that passes; then confirms what passed,
/// best first.
///
/// # Errors
/// Faults of the environment, as the validator reports them.
pub async fn search(
    engine: &mut Engine<'_>,
    validator: &dyn Validator,
    budget: Budget,
    on_result: &mut (dyn FnMut(&Candidate, &Validation) + Send),
) -> Result<SearchResult, ValidateError> {
    let started = Instant::now();
    let mut result = SearchResult::default();
    let mut passed: Vec<Judged> = Vec::new();
    let mut over = false;
    while !over {
        let asked = Instant::now();
        let batch = engine.next_batch(BATCH.min(budget.candidates.saturating_sub(result.tried)));
        result.generating += asked.elapsed();
        over = batch.is_empty();
        let patches: Vec<Patch> = batch.iter().map(|candidate| candidate.patch.clone()).collect();
        let mut on_judged = |at: usize, validation: &Validation| {
            let Some(candidate) = batch.get(at) else { return ControlFlow::Break(()) };
            engine.learn(candidate, validation);
            on_result(candidate, validation);
            take(&mut result, &mut passed, candidate, validation);
            over = started.elapsed() >= budget.time || is_enough(&result, budget);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        validator.validate_all(&patches, &mut on_judged).await?;
    }
    rank(&mut passed);
    confirm(&mut result, passed, validator, started, budget.time).await?;
    result.total = started.elapsed();
    result.explanation = explanation(&result);
    Ok(result)
}

/// Whether the search went on long enough after the first candidate that passed.
fn is_enough(result: &SearchResult, budget: Budget) -> bool {
    result.first_passed.is_some_and(|first| result.tried >= first + budget.after_first)
}

fn take(result: &mut SearchResult, passed: &mut Vec<Judged>, candidate: &Candidate, validation: &Validation) {
    let judged = Judged { candidate: candidate.clone(), validation: validation.clone() };
    result.tried += 1;
    result.compiled += usize::from(judged.validation.outcome.compiled());
    match judged.validation.outcome {
        Outcome::PassedWarm | Outcome::Plausible => {
            result.first_passed.get_or_insert(result.tried);
            passed.push(judged);
        }
        Outcome::Failed | Outcome::Regression => {
            let worth = |judged: &Judged| (judged.validation.fixed, std::cmp::Reverse(judged.validation.failing.len()));
            if judged.validation.fixed > 0 && result.nearest.as_ref().is_none_or(|best| worth(&judged) > worth(best)) {
                result.nearest = Some(judged);
            }
        }
        _ => {}
    }
}

/// Best first: few edits, then a small change from a likely family. Ties keep the order of the search.
fn rank(passed: &mut [Judged]) {
    let merit = |judged: &Judged| {
        let candidate = &judged.candidate;
        candidate.score / (1.0 + candidate.size as f64 / 40.0) * fidelity(candidate.template)
    };
    passed.sort_by(|a, b| a.candidate.edits.cmp(&b.candidate.edits).then(merit(b).total_cmp(&merit(a))));
}

/// Families that delete behaviour pass weak tests more often than they repair.
fn fidelity(template: &str) -> f64 {
    match template {
        "remove" => 0.3,
        "reduce_condition" => 0.6,
        "copy_statement" | "literal" => 0.8,
        _ => 1.0,
    }
}

/// Confirms in order until one is plausible, and the others while there is time.
async fn confirm(
    result: &mut SearchResult,
    passed: Vec<Judged>,
    validator: &dyn Validator,
    started: Instant,
    time: Duration,
) -> Result<(), ValidateError> {
    for mut judged in passed {
        if !judged.validation.is_plausible() {
            if !result.plausible.is_empty() && started.elapsed() >= time {
                result.unconfirmed.push(judged);
                continue;
            }
            judged.validation = validator.confirm(&judged.candidate.patch).await?;
        }
        if judged.validation.is_plausible() {
            result.plausible.push(judged);
        }
    }
    Ok(())
}

fn explanation(result: &SearchResult) -> String {
    let Some(chosen) = result.plausible.first() else {
        let near = result.nearest.as_ref().map_or_else(String::new, |judged| {
            format!("; nearest: {} ({} of the failing tests pass)", judged.candidate.note, judged.validation.fixed)
        });
        return format!("none of {} candidates is plausible{near}", result.tried);
    };
    let reason = match result.plausible.len() + result.unconfirmed.len() {
        1 => "the only one that passed".to_owned(),
        n => format!("the smallest likely change of {n} that passed"),
    };
    let number = result.plausible.len();
    format!(
        "{number} plausible of {} candidates, chosen because it is {reason}: {}",
        result.tried, chosen.candidate.note
    )
}
