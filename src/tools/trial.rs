//! One candidate's way through the judge: apply, look for duplicates, validate, look at what tests cannot see, confirm.

use super::{ToolContext, ToolError, Workbench};
use crate::domain::{Event, Outcome, Patch, PatchAttempt, Validation};
use crate::patch::{self, Edits, PatchError};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::PoisonError;

/// Judged candidates by content, so that none is judged twice.
#[derive(Debug, Default)]
pub struct Tried {
    outcomes: HashMap<[u8; 32], Outcome>,
}

impl Tried {
    /// The outcome of an equal candidate, if there was one.
    pub fn outcome(&self, patch: &Patch) -> Option<Outcome> {
        self.outcomes.get(&digest(patch)).copied()
    }

    /// Remembers a judged candidate.
    pub fn remember(&mut self, patch: &Patch, outcome: Outcome) {
        if !patch.is_empty() && outcome != Outcome::Duplicate {
            self.outcomes.insert(digest(patch), outcome);
        }
    }
}

fn digest(patch: &Patch) -> [u8; 32] {
    let mut hash = Sha256::new();
    for file in &patch.files {
        hash.update(file.path.as_str());
        hash.update([0]);
        hash.update((file.after.len() as u64).to_le_bytes());
        hash.update(&file.after);
    }
    hash.finalize().into()
}

/// Makes a patch of the edits and judges it. What is wrong with the edits is an outcome too.
///
/// # Errors
/// Faults of the environment and of the journal.
pub async fn judge(edits: &Edits, explanation: &str, cx: &ToolContext<'_>) -> Result<PatchAttempt, ToolError> {
    let bench = cx.bench;
    let applied = patch::apply(edits, &bench.originals, &bench.policy);
    let attempt = match applied {
        Ok(patch) => {
            let validation = judge_patch(&patch, cx).await?;
            PatchAttempt { patch, validation, explanation: explanation.to_owned() }
        }
        Err(error) => {
            let outcome = match error {
                PatchError::Unappliable { .. } => Outcome::Unappliable,
                PatchError::Refused { .. } => Outcome::Refused,
            };
            let validation = Validation::without_tests(outcome, error.to_string());
            PatchAttempt { patch: Patch::default(), validation, explanation: explanation.to_owned() }
        }
    };
    tell(&attempt, cx)?;
    Ok(attempt)
}

/// Journals a judged candidate.
///
/// # Errors
/// The journal cannot be written.
pub fn tell(attempt: &PatchAttempt, cx: &ToolContext<'_>) -> Result<(), ToolError> {
    cx.sink.emit(&Event::Validated {
        scope: cx.scope.clone(),
        outcome: attempt.validation.outcome,
        diff: patch::render(&attempt.patch),
        detail: attempt.validation.detail.clone(),
        origin: attempt.explanation.clone(),
        diagnostics: attempt.validation.diagnostics.clone(),
        failing: attempt.validation.failing.clone(),
        fixed: attempt.validation.fixed,
        seconds: attempt.validation.seconds,
    })?;
    Ok(())
}

/// The attempt that a `Validated` event tells of; `None` when it is another event, or its diff does not fit the code.
pub fn told(event: &Event, bench: &Workbench) -> Option<PatchAttempt> {
    let Event::Validated { outcome, diff, detail, origin, diagnostics, failing, fixed, seconds, .. } = event else {
        return None;
    };
    let patch = match diff.as_str() {
        "" => Patch::default(),
        diff => patch::apply(&Edits::Diff(diff.to_owned()), &bench.originals, &bench.policy).ok()?,
    };
    // A diff in another encoding, or with a place that fits twice, may not lead back to its patch.
    if patch::render(&patch) != *diff {
        return None;
    }
    let validation = Validation {
        outcome: *outcome,
        detail: detail.clone(),
        diagnostics: diagnostics.clone(),
        failing: failing.clone(),
        fixed: *fixed,
        seconds: *seconds,
    };
    Some(PatchAttempt { patch, validation, explanation: origin.clone() })
}

async fn judge_patch(patch: &Patch, cx: &ToolContext<'_>) -> Result<Validation, ToolError> {
    let bench = cx.bench;
    if patch.is_empty() {
        return Ok(Validation::without_tests(Outcome::Duplicate, "it changes nothing"));
    }
    let tried = || bench.tried.lock().unwrap_or_else(PoisonError::into_inner);
    let earlier = tried().outcome(patch);
    if let Some(outcome) = earlier {
        let detail = format!("equal to an earlier candidate, which was `{outcome}`");
        return Ok(Validation::without_tests(Outcome::Duplicate, detail));
    }
    let mut validation = bench.validator.validate(patch).await?;
    if validation.outcome == Outcome::PassedWarm {
        validation = settle(patch, validation, cx).await?;
    }
    tried().remember(patch, validation.outcome);
    Ok(validation)
}

/// What becomes of a candidate that passed: suspicious, or confirmed in a cold process, or found out there.
async fn settle(patch: &Patch, passed: Validation, cx: &ToolContext<'_>) -> Result<Validation, ToolError> {
    let passed = doubt(patch, passed, cx.bench);
    if passed.outcome == Outcome::Suspicious {
        return Ok(passed);
    }
    let confirmed = cx.bench.validator.confirm(patch).await?;
    if !confirmed.is_plausible() {
        cx.sink.emit(&Event::disagreement(&confirmed))?;
    }
    let seconds = passed.seconds + confirmed.seconds;
    Ok(Validation { seconds, ..confirmed })
}

/// Looks at a candidate that passed for what tests cannot see; unless such patches are accepted, it becomes
/// `suspicious`.
pub fn doubt(patch: &Patch, passed: Validation, bench: &Workbench) -> Validation {
    let tests: Vec<&str> = bench
        .bug
        .failing
        .iter()
        .filter_map(|test| Some(bench.index.file(test.file.as_ref()?)?.lines(test.span?)))
        .collect();
    let doubts = patch::suspicious::reasons(patch, &tests, bench.language);
    if doubts.is_empty() || bench.accept_suspicious {
        return passed;
    }
    let detail = format!("all tests pass, but it holds what tests cannot judge: {}", doubts.join("; "));
    Validation { outcome: Outcome::Suspicious, detail, ..passed }
}
