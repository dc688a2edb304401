//! A proposal becomes a candidate: its edits are applied, the judge has its word, and the journal records the outcome.

use super::{ToolContext, ToolError, Variants, Workbench};
use crate::domain::{Event, EventSink, Outcome, Patch, PatchAttempt, Scope, Validation};
use crate::patch::{self, Edits, PatchError};

/// Makes a patch of the edits and judges it. What is wrong with the edits is an outcome too.
///
/// # Errors
/// Faults of the environment and of the journal.
pub async fn judge(edits: &Edits, explanation: &str, cx: &ToolContext<'_>) -> Result<PatchAttempt, ToolError> {
    let bench = cx.bench;
    let applied = patch::apply(edits, &bench.originals, &bench.policy);
    let attempt = match applied {
        Ok(patch) => {
            let is_one_of_many = cx.variants.is_some_and(Variants::rivals);
            let validation = match is_one_of_many {
                true => judge_one_of_many(&patch, bench, cx.sink).await?,
                false => judge_patch(&patch, bench, cx.sink).await?,
            };
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

/// Judges a candidate on a bench that did not judge it before, and journals it.
///
/// # Errors
/// As [`judge`].
pub(crate) async fn judge_again(
    earlier: PatchAttempt,
    scope: &Scope,
    bench: &Workbench,
    sink: &dyn EventSink,
) -> Result<PatchAttempt, ToolError> {
    let validation = judge_patch(&earlier.patch, bench, sink).await?;
    let attempt = PatchAttempt { validation, ..earlier };
    sink.emit(&validated(&attempt, scope))?;
    Ok(attempt)
}

/// Journals a judged candidate.
///
/// # Errors
/// The journal cannot be written.
pub fn tell(attempt: &PatchAttempt, cx: &ToolContext<'_>) -> Result<(), ToolError> {
    cx.sink.emit(&validated(attempt, cx.scope))?;
    Ok(())
}

fn validated(attempt: &PatchAttempt, scope: &Scope) -> Event {
    Event::Validated {
        scope: scope.clone(),
        outcome: attempt.validation.outcome,
        diff: patch::render(&attempt.patch),
        detail: attempt.validation.detail.clone(),
        origin: attempt.explanation.clone(),
        diagnostics: attempt.validation.diagnostics.clone(),
        failing: attempt.validation.failing.clone(),
        fixed: attempt.validation.fixed,
        still_failing: attempt.validation.still_failing.clone(),
        seconds: attempt.validation.seconds,
    }
}

/// The attempt that a `Validated` event tells of; `None` when it is another event, or its diff does not fit the code.
pub fn attempt_of(event: &Event, bench: &Workbench) -> Option<PatchAttempt> {
    let Event::Validated { outcome, diff, detail, origin, diagnostics, failing, fixed, still_failing, seconds, .. } =
        event
    else {
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
        still_failing: still_failing.clone(),
        seconds: *seconds,
    };
    Some(PatchAttempt { patch, validation, explanation: origin.clone() })
}

/// Judges a candidate beside which others are tried anyway: a quick no is enough.
async fn judge_one_of_many(patch: &Patch, bench: &Workbench, sink: &dyn EventSink) -> Result<Validation, ToolError> {
    let answer = bench.validator.screen_one(patch).await?;
    if answer.outcome.passes() { judge_patch(patch, bench, sink).await } else { Ok(answer) }
}

async fn judge_patch(patch: &Patch, bench: &Workbench, sink: &dyn EventSink) -> Result<Validation, ToolError> {
    let verdict = bench.validator.verdict(patch).await?;
    for disagreement in verdict.disagreements {
        sink.emit(&Event::Disagreed(disagreement))?;
    }
    Ok(verdict.validation)
}
