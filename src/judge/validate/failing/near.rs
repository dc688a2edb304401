//! What tests near the failing ones execute, measured while the project's own command is asked and other classes run. The
//! first ranking finds it where it is kept.

use super::edited::Edited;
use super::{Facts, Selection, decide};
use crate::validate::subject::Subject;
use crate::validate::{ValidateError, coverage};

/// Measures it for the bug that these facts tell of, if somebody wants it.
pub(super) async fn measure(
    subject: &dyn Subject,
    facts: &Facts,
    selection: &Selection,
    edited: Option<&Edited>,
) -> Result<(), ValidateError> {
    let Some(scope) = &subject.options().scope else { return Ok(()) };
    // What the command says may change what the bug is; then it is measured again.
    let Ok(baseline) = decide(facts.clone(), selection, edited) else { return Ok(()) };
    let scope = scope.of(&baseline).await;
    coverage::by_test(subject, &baseline, &scope).await.map(drop)
}
