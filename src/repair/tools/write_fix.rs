//! `write_fix`: applies a patch in one of three forms, has it judged, and always undoes it.
//!
//! Variants of a candidate that does not pass are tried where the run asks for them (paper, section III-D3); rivals of one
//! that passes where they cost nothing but time.

use super::{Effect, Explored, Observation, Tool, ToolContext, ToolError, failing_text, judge};
use crate::domain::{Outcome, PatchAttempt};
use crate::patch::proposal;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Causes of failing tests that are shown; the compiler's complaints are the detail itself.
const MAX_SHOWN: usize = 5;

/// The tool that proposes a patch.
pub const WRITE_FIX: &str = "write_fix";

pub(super) struct WriteFix;

#[async_trait]
impl Tool for WriteFix {
    fn name(&self) -> &'static str {
        WRITE_FIX
    }

    fn about(&self) -> &'static str {
        "apply a patch and run the tests; undone if they fail"
    }

    fn schema(&self) -> Value {
        json!({"type": "object", "properties": {
            "diff": {"type": "string", "description": "unified diff; line numbers are ignored"},
            "methods": {"type": "array", "items": schemars::schema_for!(crate::patch::MethodEdit)},
            "edits": {"type": "array", "items": schemars::schema_for!(crate::patch::LineEdits)},
            "explanation": {"type": "string", "description": "which marks are kept or rejected, and why"},
            "analysis": {"type": "string", "description": "why the last patch failed, or what to know of this one"}
        }})
    }

    async fn call(&self, args: Value, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let proposed = proposal::parse(&args)?;
        let explanation = proposed.analysis.or(proposed.explanation).unwrap_or_default();
        let first = judge(&proposed.edits, &explanation, cx).await?;
        if matches!(first.validation.outcome, Outcome::Unappliable | Outcome::Refused) {
            return Ok(Observation::plain(attempt_text(&first)).with(Effect::NotApplied(first)));
        }
        let is_plausible = first.validation.is_plausible();
        let explored = match cx.variants.filter(|variants| !is_plausible || variants.rivals()) {
            Some(variants) => variants.explore(&first, cx).await?,
            None => Explored::default(),
        };
        let (text, mut attempts) = (attempts_text(&first, &explored.attempts), explored.attempts);
        let at = if is_plausible && explored.is_better { attempts.len() } else { 0 };
        attempts.insert(at, first);
        Ok(Observation::plain(text).with(Effect::Tried(attempts)))
    }
}

fn attempts_text(first: &PatchAttempt, variants: &[PatchAttempt]) -> String {
    let mut text = attempt_text(first);
    if !variants.is_empty() {
        let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
        for attempt in variants {
            *counts.entry(attempt.validation.outcome).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
        let _ = writeln!(text, "{} variants of it were tried: {}", variants.len(), counts.join(", "));
    }
    text
}

/// The judge's answer for the agent.
fn attempt_text(attempt: &PatchAttempt) -> String {
    let validation = &attempt.validation;
    let mut text = format!("{}: {}\n", validation.outcome, validation.detail);
    if validation.outcome == Outcome::Regression {
        text.push_str("the triggering tests pass with it; these passed without it:\n");
    }
    text.push_str(&failing_text(&validation.failing, MAX_SHOWN));
    if !validation.is_plausible() && validation.outcome.compiled() {
        text.push_str("the change was undone\n");
    }
    text
}
