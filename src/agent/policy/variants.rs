//! Variants of a candidate that did not pass: asked for in one query, or made by the engine.

use super::voice::Voice;
use crate::agent::answer;
use crate::domain::{Event, PatchAttempt, Validation};
use crate::patch::{self, proposal};
use crate::templates::{Budget as SearchBudget, Candidate, Engine, search};
use crate::tools::{ToolContext, ToolError, Variants, judge, tell};
use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A model's variants (RepairAgent: 30 in one query).
pub struct ModelVariants {
    /// The model.
    pub voice: Voice,
    /// How many are asked for.
    pub count: u32,
}

#[async_trait]
impl Variants for ModelVariants {
    async fn explore(&self, of: &PatchAttempt, cx: &ToolContext<'_>) -> Result<Vec<PatchAttempt>, ToolError> {
        let validation = &of.validation;
        let ctx = json!({
            "language": cx.bench.language.title(), "count": self.count, "evidence": "",
            "diff": patch::render(&of.patch), "feedback": format!("{}: {}", validation.outcome, validation.detail),
        });
        let prompt =
            self.voice.library.render("variants.md", ctx).map_err(|e| ToolError::Correctable(e.to_string()))?;
        let asked = self.voice.ask(cx.scope, prompt, "Answer with the JSON array.".into(), 0).await;
        let answer = asked.map_err(|e| ToolError::Correctable(format!("no variants: {e}")))?;
        let mut attempts: Vec<PatchAttempt> = Vec::new();
        for args in answer::list(&answer.text).iter().take(self.count as usize) {
            let Ok(proposal) = proposal::parse(args) else { continue };
            let attempt = judge(&proposal.edits, "variant", cx).await?;
            attempts.push(attempt);
        }
        Ok(attempts)
    }
}

/// The engine of one bug, for all agents that use it.
pub type SharedEngine<'b> = Arc<Mutex<Engine<'b>>>;

/// The engine's candidates, tried one after the other until one is plausible or nothing is left.
pub struct EngineVariants<'b> {
    /// The engine, shared by all agents of a run: each goes on where the one before stopped.
    pub engine: SharedEngine<'b>,
    /// What it may use.
    pub budget: SearchBudget,
}

#[async_trait]
impl Variants for EngineVariants<'_> {
    async fn explore(&self, _: &PatchAttempt, cx: &ToolContext<'_>) -> Result<Vec<PatchAttempt>, ToolError> {
        let mut engine = self.engine.lock().await;
        let mut attempts: Vec<PatchAttempt> = Vec::new();
        let mut told = Ok(());
        let found = search(&mut engine, &cx.bench.validator, self.budget, &mut |candidate, validation| {
            let attempt = attempt_of(candidate, validation, candidate.note.clone());
            if told.is_ok() {
                told = tell(&attempt, cx);
            }
            attempts.push(attempt);
        })
        .await?;
        told?;
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
        for (nth, judged) in found.plausible.into_iter().enumerate() {
            let explanation = if nth == 0 { found.explanation.clone() } else { judged.candidate.note.clone() };
            let attempt = attempt_of(&judged.candidate, &judged.validation, explanation);
            tell(&attempt, cx)?;
            attempts.push(attempt);
        }
        Ok(attempts)
    }
}

fn attempt_of(candidate: &Candidate, validation: &Validation, explanation: String) -> PatchAttempt {
    PatchAttempt { patch: candidate.patch.clone(), validation: validation.clone(), explanation }
}
