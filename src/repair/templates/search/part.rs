//! When a search for a repair of all failing tests is over: a candidate repairs a part of them, and no later one more.

use crate::domain::Validation;
use crate::validate::Baseline;
use std::time::{Duration, Instant};

/// Answers after which nothing more is expected.
const ANSWERS: usize = 120;
/// Time that must be over by then: tests may be quick.
const TIME: Duration = Duration::from_secs(15);

/// What the searches of one bug know of candidates that repair a part.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Failing tests that the nearest candidate repairs.
    fixed: usize,
    /// When the first candidate came that repairs as many, if the others fail for another reason.
    since: Option<Instant>,
    /// Answers since then.
    answers: usize,
}

impl Parts {
    /// Takes the judge's answer on a candidate.
    pub(super) fn take(&mut self, baseline: &Baseline, validation: &Validation) {
        self.answers += 1;
        let is_nearer = validation.fixed > self.fixed;
        if is_nearer {
            (self.fixed, self.since) = (validation.fixed, None);
        }
        if validation.fixed == self.fixed && self.since.is_none() && baseline.repaired_part(validation).is_some() {
            (self.since, self.answers) = (Some(Instant::now()), 0);
        }
    }

    /// Whether nothing more is expected.
    pub(crate) fn are_all(&self) -> bool {
        self.answers >= ANSWERS && self.since.is_some_and(|since| since.elapsed() >= TIME)
    }
}
