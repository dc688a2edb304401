//! The search: candidates stream into the judge, answers steer the engine, and what passes is ranked and confirmed.

mod choice;
mod part;

use super::engine::TAKE_BACK;
use super::{Candidate, Engine};
use crate::benchmark::ProductChange;
use crate::domain::{Disagreement, Outcome, Patch, Validation};
use crate::validate::{LeftOpen, ValidateError, Validator};
pub use choice::MOST_CONFIRMED;
use choice::{confirm, evading_last, explanation, prefer_what_is_run, rank};
pub(crate) use part::Parts;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Candidates generated at a time: few enough that answers steer, many enough that choosing costs nothing.
const BATCH: usize = 8;

/// Candidates that were cut and have all their time in the end, where no other passed: a test that fails at once may take
/// long to pass, and most of what is cut never ends.
const MOST_CUT: usize = 2;

/// What a search may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Candidates at most.
    pub candidates: usize,
    /// Wall time at most; a candidate under way is finished.
    pub time: Duration,
    /// Candidates still tried after the first one that passes, within the two limits above.
    pub after_first: usize,
    /// Wall time at most for those: a guard against candidates that never end, generous enough that the number decides.
    pub time_after_first: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            candidates: 10_000,
            time: Duration::from_secs(60),
            after_first: 30,
            time_after_first: Duration::from_secs(15),
        }
    }
}

/// A candidate with the judge's last word on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The candidate.
    pub candidate: Candidate,
    /// The judge's word.
    pub validation: Validation,
    /// Whether it only takes back some of the change that broke the tests; false for what did not pass.
    pub restores: bool,
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct SearchResult {
    /// Plausible candidates, the chosen one first.
    pub plausible: Vec<Judged>,
    /// Candidates that passed the fast run and were not confirmed, best first.
    pub unconfirmed: Vec<Judged>,
    /// Candidates that passed the quick look and not their confirmation, with the word of the latter.
    pub refuted: Vec<Judged>,
    /// Candidates on which two judges disagree.
    pub disagreements: Vec<Disagreement>,
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
    /// One sentence: why the first plausible one was chosen, or how near the others came.
    pub explanation: String,
}

/// Times as many candidates are tried where what passed may only hide the failure.
const LONGER: usize = 4;

/// Tries candidates until the budget ends, or a little longer than the first that passes; then confirms what passed,
/// best first.
///
/// # Errors
/// Faults of the environment, as the validator reports them.
pub async fn search(
    engine: &mut Engine<'_>,
    validator: &Validator,
    budget: Budget,
    on_result: &mut (dyn FnMut(&Candidate, &Validation) + Send),
) -> Result<SearchResult, ValidateError> {
    Progress::new(budget).go_on(engine, validator, on_result).await
}

/// Tries what else passes beside a candidate that is plausible, as long as [`search`] goes on after the first that passes.
/// The candidate is one of those found. Where it takes back the change that broke the tests, nothing is tried.
///
/// # Errors
/// As [`search`].
pub async fn search_beside(
    first: &Candidate,
    validation: &Validation,
    engine: &mut Engine<'_>,
    validator: &Validator,
    budget: Budget,
    on_result: &mut (dyn FnMut(&Candidate, &Validation) + Send),
) -> Result<SearchResult, ValidateError> {
    let mut progress = Progress::new(budget);
    progress.take(first, validation);
    // It was judged before.
    (progress.result.tried, progress.result.compiled, progress.result.first_passed) = (0, 0, Some(0));
    progress.go_on(engine, validator, on_result).await
}

/// A search under way.
struct Progress {
    budget: Budget,
    started: Instant,
    result: SearchResult,
    /// What passed and is not confirmed yet.
    passed: Vec<Judged>,
    /// Some of what was cut.
    cut: Vec<Judged>,
    /// When the first one passed.
    passed_at: Option<Instant>,
    /// Whether it went on for longer, because what passed may only hide the failure.
    is_longer: bool,
}

impl Progress {
    fn new(budget: Budget) -> Self {
        let (result, passed, cut) = Default::default();
        Self { budget, started: Instant::now(), result, passed, cut, passed_at: None, is_longer: false }
    }

    /// Tries candidates until the search is over.
    async fn go_on(
        mut self,
        engine: &mut Engine<'_>,
        validator: &Validator,
        on_result: &mut (dyn FnMut(&Candidate, &Validation) + Send),
    ) -> Result<SearchResult, ValidateError> {
        let mut over = self.settle(validator, engine.broken_by()).await? || engine.parts.are_all();
        while !over {
            let begin = Instant::now();
            let batch = engine.next_batch(BATCH.min(self.budget.candidates.saturating_sub(self.result.tried)));
            self.result.generating += begin.elapsed();
            let is_last = batch.is_empty();
            over = is_last;
            let mut judged = 0;
            let patches: Vec<Patch> = batch.iter().map(|candidate| candidate.patch.clone()).collect();
            let mut on_judged = |at: usize, validation: &Validation| {
                let Some(candidate) = batch.get(at) else { return ControlFlow::Break(()) };
                judged = at + 1;
                engine.learn(candidate, validation);
                engine.parts.take(validator.baseline(), validation);
                on_result(candidate, validation);
                self.take(candidate, validation);
                over = self.is_over() || self.passed.is_empty() && engine.parts.are_all();
                if over || self.is_settled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            validator.screen(&patches, &mut on_judged).await?;
            engine.put_back(batch.into_iter().skip(judged));
            over |= self.settle(validator, engine.broken_by()).await?;
            if over && !is_last {
                over = !self.goes_on_longer(validator, engine).await;
            }
        }
        self.end(validator, engine).await
    }

    /// Whether the search goes on, once, because all that passed may only hide the failure.
    async fn goes_on_longer(&mut self, validator: &Validator, engine: &Engine<'_>) -> bool {
        let few = !self.passed.is_empty() && self.passed.len() <= MOST_CONFIRMED as usize;
        if self.is_longer || !few || !self.result.plausible.is_empty() || self.is_out_of_time() {
            return false;
        }
        for judged in &self.passed {
            let open = validator.left_open(&judged.candidate.patch, engine.language()).await;
            if !open.is_ok_and(|open| open >= LeftOpen::Check) {
                return false;
            }
        }
        self.is_longer = true;
        self.budget.after_first *= LONGER;
        self.budget.time_after_first *= LONGER as u32;
        true
    }

    /// Takes the judge's answer on a candidate.
    fn take(&mut self, candidate: &Candidate, validation: &Validation) {
        let judged = Judged { candidate: candidate.clone(), validation: validation.clone(), restores: false };
        let Self { result, passed, cut, .. } = self;
        result.tried += 1;
        result.compiled += usize::from(validation.outcome.compiled());
        match validation.outcome {
            outcome if outcome.passes() => {
                result.first_passed.get_or_insert(result.tried);
                self.passed_at.get_or_insert_with(Instant::now);
                passed.push(judged);
            }
            Outcome::Failed | Outcome::Regression => {
                let worth =
                    |judged: &Judged| (judged.validation.fixed, std::cmp::Reverse(judged.validation.failing.len()));
                let is_nearer = |best: &Judged| worth(&judged) > worth(best);
                if validation.fixed > 0 && result.nearest.as_ref().is_none_or(is_nearer) {
                    result.nearest = Some(judged);
                }
            }
            Outcome::Timeout if cut.len() < MOST_CUT => cut.push(judged),
            _ => {}
        }
    }

    /// Whether the time is over, or the search went on long enough after the first candidate that passed.
    fn is_over(&self) -> bool {
        let is_late = self.passed_at.is_some_and(|at| at.elapsed() >= self.budget.time_after_first);
        let is_enough = |first: usize| self.result.tried >= first + self.budget.after_first;
        // What is confirmed later needs its time, too.
        let is_long = self.is_longer && self.started.elapsed() * 3 >= self.budget.time * 2;
        self.is_out_of_time() || is_late || is_long || self.result.first_passed.is_some_and(is_enough)
    }

    fn is_out_of_time(&self) -> bool {
        self.started.elapsed() >= self.budget.time
    }

    /// Whether nothing that passes could come before the last candidate, once it is confirmed: it takes back the one small
    /// part of the last change that broke the tests.
    fn is_settled(&self) -> bool {
        self.passed.last().is_some_and(|last| last.candidate.template == TAKE_BACK && last.candidate.edits == 1)
    }

    /// Confirms a candidate that settles the search, and tells whether it does. The search goes on as if it had not passed
    /// where it is refuted.
    async fn settle(
        &mut self,
        validator: &Validator,
        broken_by: Option<&ProductChange>,
    ) -> Result<bool, ValidateError> {
        if !self.is_settled() {
            return Ok(false);
        }
        let mut last = self.passed.split_off(self.passed.len() - 1);
        rank(&mut last, broken_by);
        confirm(&mut self.result, last, validator, self.started, self.budget.time).await?;
        let is_settled = !self.result.plausible.is_empty();
        if !is_settled && self.passed.is_empty() {
            (self.result.first_passed, self.passed_at) = (None, None);
        }
        Ok(is_settled)
    }

    /// Confirms what passed, best first, and says what was found.
    async fn end(mut self, validator: &Validator, engine: &Engine<'_>) -> Result<SearchResult, ValidateError> {
        if self.passed.is_empty() && self.result.plausible.is_empty() && !self.is_out_of_time() {
            self.passed.clone_from(&self.cut);
        }
        let Self { budget, started, is_longer, mut result, mut passed, .. } = self;
        rank(&mut passed, engine.broken_by());
        if is_longer {
            passed = evading_last(passed, validator, engine.language()).await;
        }
        confirm(&mut result, passed, validator, started, budget.time).await?;
        let preferred = prefer_what_is_run(&mut result.plausible, validator, engine.language()).await;
        result.disagreements.extend(validator.disagreements());
        result.total = started.elapsed();
        result.explanation = explanation(&result, preferred);
        Ok(result)
    }
}

/// Brings an engine to where an earlier search left it: it makes the same candidates and learns the same answers,
/// without the judge. Stops where the candidates are not those that were judged.
pub fn catch_up<'j>(engine: &mut Engine<'_>, judged: impl IntoIterator<Item = (&'j Patch, &'j Validation)>) {
    let mut judged = judged.into_iter().peekable();
    while judged.peek().is_some() {
        let batch = engine.next_batch(BATCH);
        if batch.is_empty() {
            return;
        }
        let mut batch = batch.into_iter();
        while let Some((patch, validation)) = judged.peek().copied() {
            let Some(candidate) = batch.next() else { break };
            if *patch != candidate.patch {
                return;
            }
            engine.learn(&candidate, validation);
            judged.next();
        }
        engine.put_back(batch);
    }
}

#[cfg(test)]
mod tests;
