//! Variants of a candidate that did not pass: asked for in as many queries as the model needs, or made by the engine.

use super::model_settings::ModelSettings;
use crate::agent::answer;
use crate::agent::evidence::{Evidence, changed};
use crate::domain::{Event, PatchAttempt, Validation};
use crate::patch::{self, proposal};
use crate::prompt::PromptError;
use crate::templates::{Budget as SearchBudget, Candidate, Engine, search, search_beside};
use crate::tools::{Explored, ToolContext, ToolError, Variants, failing_text, judge, tell};
use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Queries in which the variants of one candidate are asked for at most; a model that gives few at a time gets several.
const QUERIES: u32 = 6;
/// Causes of failing tests that are shown.
const CAUSES: usize = 3;

/// A model's variants (RepairAgent: 30 of each candidate).
pub(super) struct ModelVariants {
    /// How a model is asked for them.
    pub model_settings: ModelSettings,
    /// How many are asked for.
    pub count: u32,
}

#[async_trait]
impl Variants for ModelVariants {
    async fn explore(&self, of: &PatchAttempt, cx: &ToolContext<'_>) -> Result<Explored, ToolError> {
        let wanted = self.count as usize;
        let mut attempts: Vec<PatchAttempt> = Vec::new();
        for sample in 0..QUERIES {
            if attempts.len() >= wanted {
                break;
            }
            let system = self.prompt(of, wanted - attempts.len(), &attempts, cx);
            let system = system.map_err(|e| ToolError::Correctable(e.to_string()))?;
            let answer =
                match self.model_settings.ask(cx.scope, system, "Answer with the JSON array.".into(), sample).await {
                    Ok(answer) => answer,
                    // The candidate was judged: its answer is not lost because no variants can be had.
                    Err(error) => {
                        cx.sink.emit(&Event::Notice { text: format!("no further variants: {error}") })?;
                        break;
                    }
                };
            let proposals = answer::list(&answer.text);
            if proposals.is_empty() {
                break;
            }
            for args in proposals.iter().take(wanted - attempts.len()) {
                let Ok(proposal) = proposal::parse(args) else { continue };
                attempts.push(judge(&proposal.edits, "variant", cx).await?);
            }
        }
        Ok(Explored { attempts, is_better: false })
    }
}

impl ModelVariants {
    /// What is asked: the candidate with what it failed at, the tests and the code, and the variants that are there.
    fn prompt(
        &self,
        of: &PatchAttempt,
        count: usize,
        known: &[PatchAttempt],
        cx: &ToolContext<'_>,
    ) -> Result<String, PromptError> {
        let Validation { outcome, detail, failing, .. } = &of.validation;
        let feedback = format!("{outcome}: {detail}\n{}", failing_text(failing, CAUSES));
        let known: Vec<String> =
            known.iter().filter(|one| !one.patch.is_empty()).map(|one| changed(&one.patch)).collect();
        let ctx = json!({
            "language": cx.bench.language.title(), "count": count, "known": known, "feedback": feedback.trim_end(),
            "evidence": Evidence::to_vary(cx.bench, &of.patch).text().trim_end(), "diff": patch::render(&of.patch),
        });
        self.model_settings.library.render("variants.md", ctx)
    }
}

/// The engine of one bug, for all agents that use it.
pub(crate) type SharedEngine<'b> = Arc<Mutex<Engine<'b>>>;

/// The engine's candidates, tried one after the other until one is plausible or nothing is left.
pub(super) struct EngineVariants<'b> {
    /// The engine, shared by all agents of a run: each goes on where the one before stopped.
    pub engine: SharedEngine<'b>,
    /// What it may use.
    pub budget: SearchBudget,
    /// The candidate that the agent proposes.
    pub first: Option<Candidate>,
}

#[async_trait]
impl Variants for EngineVariants<'_> {
    fn rivals(&self) -> bool {
        true
    }

    async fn explore(&self, of: &PatchAttempt, cx: &ToolContext<'_>) -> Result<Explored, ToolError> {
        let (engine, validator) = (&mut *self.engine.lock().await, &cx.bench.validator);
        let mut attempts: Vec<PatchAttempt> = Vec::new();
        let mut reported = Ok(());
        let mut on_result = |candidate: &Candidate, validation: &Validation| {
            let attempt = attempt_of(candidate, validation, candidate.note.clone());
            if reported.is_ok() {
                reported = tell(&attempt, cx);
            }
            attempts.push(attempt);
        };
        let found = match self.first.as_ref().filter(|_| of.validation.is_plausible()) {
            Some(first) => {
                engine.learn(first, &of.validation);
                search_beside(first, &of.validation, engine, validator, self.budget, &mut on_result).await?
            }
            None => search(engine, validator, self.budget, &mut on_result).await?,
        };
        reported?;
        cx.sink.emit(&Event::Searched {
            scope: cx.scope.clone(),
            candidates: found.tried,
            making: found.generating.as_secs_f64(),
            seconds: found.total.as_secs_f64(),
        })?;
        for disagreement in found.disagreements {
            cx.sink.emit(&Event::Disagreed(disagreement))?;
        }
        for judged in found.refuted {
            let attempt = attempt_of(&judged.candidate, &judged.validation, judged.candidate.note.clone());
            tell(&attempt, cx)?;
            attempts.push(attempt);
        }
        let is_better = found.plausible.first().is_some_and(|best| best.candidate.patch != of.patch);
        let others = found.plausible.into_iter().enumerate().filter(|(_, judged)| judged.candidate.patch != of.patch);
        for (nth, judged) in others {
            let explanation = if nth == 0 { found.explanation.clone() } else { judged.candidate.note.clone() };
            let attempt = attempt_of(&judged.candidate, &judged.validation, explanation);
            tell(&attempt, cx)?;
            attempts.push(attempt);
        }
        Ok(Explored { attempts, is_better })
    }
}

fn attempt_of(candidate: &Candidate, validation: &Validation, explanation: String) -> PatchAttempt {
    PatchAttempt { patch: candidate.patch.clone(), validation: validation.clone(), explanation }
}
