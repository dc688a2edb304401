//! The one door to the judge. What a candidate goes through, in one order:
//!
//! 1. is it equal to an earlier one ([`Memory`]), or did an earlier run judge it ([`Known`])?
//! 2. a quick look at its tests ([`Judge::validate`]);
//! 3. doubt: does it hold what tests cannot judge?
//! 4. the confirmation: fresh processes and all tests ([`Judge::confirm`]);
//! 5. the benchmark's own judge, where there is one.
//!
//! [`Validator::verdict`] goes all the way with one candidate. [`Validator::screen`] goes as far as the doubt with many,
//! so that a search can choose which of those that passed it wants confirmed.

use super::known::Known;
use super::memory::{Key, Memory};
use super::{Baseline, Judge, OnResult, Probe, ValidateError, clean};
use crate::benchmark::{OfficialJudge, OfficialVerdict};
use crate::domain::{Disagreement, Outcome, Patch, SurerJudge, Validation};
use crate::language::Language;
use crate::patch;
use camino::Utf8PathBuf;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// What makes a candidate that passes suspicious.
#[derive(Debug, Clone)]
pub struct Doubts {
    /// Sources of the failing tests: a candidate that repeats their literals special-cases them.
    pub tests: Vec<String>,
    /// The language of the sources.
    pub language: &'static dyn Language,
}

/// The final verdict on a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The outcome, with what stands behind it.
    pub validation: Validation,
    /// Where a surer judge disagreed with a quicker one.
    pub disagreements: Vec<Disagreement>,
}

/// Judges the candidates of one bug; cheap to clone.
#[derive(Clone)]
pub struct Validator {
    judge: Arc<dyn Judge>,
    probe: Arc<dyn Probe>,
    memory: Arc<Memory>,
    /// Verdicts of earlier runs.
    known: Option<Arc<Known>>,
    official: Option<Arc<dyn OfficialJudge>>,
    /// For copies that the official judge needs.
    work_dir: Utf8PathBuf,
    /// `None` accepts what tests cannot judge.
    doubts: Option<Doubts>,
}

impl Validator {
    /// A door to this judge, without doubts and without an official judge.
    pub fn new(judge: Arc<dyn Judge>, probe: Arc<dyn Probe>, work_dir: impl Into<Utf8PathBuf>) -> Self {
        let (memory, work_dir) = (Arc::default(), work_dir.into());
        Self { judge, probe, memory, known: None, official: None, work_dir, doubts: None }
    }

    /// The same with a memory that the judge shares.
    pub(super) fn remembering(self, memory: Arc<Memory>) -> Self {
        Self { memory, ..self }
    }

    /// The same with the verdicts of earlier runs.
    pub(super) fn knowing(self, known: Option<Known>) -> Self {
        Self { known: known.map(Arc::new), ..self }
    }

    /// The same with the benchmark's own judge besides.
    pub(crate) fn with_official(self, official: Option<Arc<dyn OfficialJudge>>) -> Self {
        Self { official, ..self }
    }

    /// The same that doubts what tests cannot judge.
    pub fn doubting(self, doubts: Doubts) -> Self {
        Self { doubts: Some(doubts), ..self }
    }

    /// The same door to another judge, made of this one.
    pub fn around(self, wrap: impl FnOnce(Arc<dyn Judge>) -> Arc<dyn Judge>) -> Self {
        Self { judge: wrap(self.judge), ..self }
    }

    /// What candidates are judged against.
    pub fn baseline(&self) -> &Baseline {
        self.judge.baseline()
    }

    /// The judge behind the door, for tests and measurements of it alone.
    pub fn judge(&self) -> &dyn Judge {
        &*self.judge
    }

    /// Facts about the untouched code.
    pub fn probe(&self) -> &dyn Probe {
        &*self.probe
    }

    /// Begins a new attempt, which gets no answers of earlier ones.
    pub fn forget(&self) {
        self.memory.forget();
    }

    /// Remembers a candidate that an earlier session judged.
    pub fn remember(&self, patch: &Patch, answer: &Validation) {
        self.memory.keep(Key::of_text(patch), answer);
    }

    /// The final verdict on one candidate.
    ///
    /// # Errors
    /// Only for faults of the environment; everything a candidate does wrong is an outcome.
    pub async fn verdict(&self, patch: &Patch) -> Result<Verdict, ValidateError> {
        let key = Key::of_text(patch);
        let first = match self.memory.last_word(&key) {
            _ if patch.is_empty() => Validation::without_tests(Outcome::Duplicate, "it changes nothing"),
            Some(earlier) if earlier.outcome != Outcome::PassedWarm => earlier,
            earlier => match (self.known.as_ref().and_then(|known| known.answer(patch)), earlier) {
                (Some(answer), _) => {
                    self.memory.keep(key.clone(), &answer);
                    answer
                }
                (None, Some(passed)) => passed,
                (None, None) => self.remembered(patch, self.screened(patch, self.judge.validate(patch).await?)),
            },
        };
        if first.outcome != Outcome::PassedWarm {
            return Ok(Verdict { validation: first, disagreements: self.judge.disagreements() });
        }
        let verdict = self.confirmed(patch, first).await?;
        self.memory.keep(key, &verdict.validation);
        Ok(Verdict { validation: self.remembered(patch, verdict.validation), ..verdict })
    }

    /// A quick look at candidates in their order, until there are no more or the caller breaks: nothing speaks yet
    /// against who comes back as `passed_warm`, and [`Validator::verdict`] goes on with it.
    ///
    /// # Errors
    /// As [`Validator::verdict`].
    pub async fn screen(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        let mut begin = 0;
        let mut over = false;
        while begin < patches.len() && !over {
            if let Some(answer) = self.memory.answer(&Key::of_text(&patches[begin])) {
                over = on_result(begin, &answer).is_break();
                begin += 1;
                continue;
            }
            // The judge overlaps its work over neighbours that nobody knows.
            let is_new = |patch: &&Patch| !self.memory.knows(&Key::of_text(patch));
            let new = 1 + patches[begin + 1..].iter().take_while(is_new).count();
            let mut report = |at: usize, answer: &Validation| {
                let answer = self.screened(&patches[begin + at], answer.clone());
                let flow = on_result(begin + at, &answer);
                over = flow.is_break();
                flow
            };
            self.judge.validate_all(&patches[begin..begin + new], &mut report).await?;
            begin += new;
        }
        Ok(())
    }

    /// [`Validator::screen`] for one candidate.
    ///
    /// # Errors
    /// As [`Validator::verdict`].
    pub async fn screen_one(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let mut answer = Validation::without_tests(Outcome::Duplicate, "it changes nothing");
        let mut keep = |_: usize, report: &Validation| {
            answer = report.clone();
            ControlFlow::Continue(())
        };
        self.screen(std::slice::from_ref(patch), &mut keep).await?;
        Ok(answer)
    }

    /// Where surer ways to judge disagreed with quicker ones, since the last call.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        self.judge.disagreements()
    }

    /// A verdict, kept for later runs.
    fn remembered(&self, patch: &Patch, answer: Validation) -> Validation {
        if let Some(known) = &self.known {
            known.keep(patch, &answer);
        }
        answer
    }

    /// The judge's first answer, with the doubts, remembered.
    fn screened(&self, patch: &Patch, answer: Validation) -> Validation {
        let answer = match answer.outcome {
            Outcome::PassedWarm => self.doubted(patch, answer),
            _ => answer,
        };
        self.memory.keep(Key::of_text(patch), &answer);
        answer
    }

    /// A candidate that passed and holds what tests cannot judge becomes `suspicious`.
    fn doubted(&self, patch: &Patch, passed: Validation) -> Validation {
        // What stood there before the change that broke the tests was not written for them.
        let doubts = self.doubts.as_ref().filter(|_| self.baseline().taken_back(patch).is_none());
        let Some(doubts) = doubts else { return passed };
        let tests: Vec<&str> = doubts.tests.iter().map(String::as_str).collect();
        let reasons = patch::suspicious::reasons(patch, &tests, doubts.language);
        if reasons.is_empty() {
            return passed;
        }
        let detail = format!("all tests pass, but it holds what tests cannot judge: {}", reasons.join("; "));
        Validation { outcome: Outcome::Suspicious, detail, ..passed }
    }

    /// What fresh processes and the official judge say of a candidate that passed.
    async fn confirmed(&self, patch: &Patch, first: Validation) -> Result<Verdict, ValidateError> {
        let mut confirmed = self.judge.confirm(patch).await?;
        let mut disagreements = self.judge.disagreements();
        disagreements.extend(disagreement(&first, &confirmed, SurerJudge::Cold));
        if let Some(official) = self.official.as_ref().filter(|_| confirmed.is_plausible()) {
            let official_answer = self.ask_official(&**official, patch, confirmed.clone()).await?;
            disagreements.extend(disagreement(&confirmed, &official_answer, SurerJudge::Official));
            confirmed = official_answer;
        }
        confirmed.seconds += first.seconds;
        Ok(Verdict { validation: confirmed, disagreements })
    }

    /// The official word on a patch that our judge accepts.
    async fn ask_official(
        &self,
        official: &dyn OfficialJudge,
        patch: &Patch,
        confirmed: Validation,
    ) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let by_official = official.verdict(patch, &self.baseline().triggering, &self.work_dir).await?;
        let mut answer = match by_official {
            OfficialVerdict::Agrees { how } => {
                let detail = format!("{}; {how}", confirmed.detail);
                Validation { detail, ..confirmed.clone() }
            }
            OfficialVerdict::Rejects { outcome, why, failing } => {
                let failing = failing.into_iter().map(|(id, failure)| (id, clean::clean(&failure))).collect();
                let detail = format!("it passes in a fresh process, and {why}");
                Validation { failing, ..Validation::without_tests(outcome, detail) }
            }
        };
        answer.seconds = confirmed.seconds + begin.elapsed().as_secs_f64();
        Ok(answer)
    }
}

/// Whether a surer judge rejects what the one before accepted.
fn disagreement(first: &Validation, then: &Validation, judge: SurerJudge) -> Option<Disagreement> {
    (!then.is_plausible()).then(|| Disagreement {
        judge,
        first: first.outcome,
        then: then.outcome,
        detail: then.detail.clone(),
    })
}

#[cfg(test)]
mod tests;
