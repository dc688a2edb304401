//! Sums over the events of one run: candidates, tokens, money, time.

use super::summary::{Candidates, Searching, Seconds};
use crate::domain::{Event, EventSink, Failure, Outcome, Suspect, TestId, Unanswered, Usage};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Sums that grow with every event.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    sums: Mutex<Sums>,
}

/// The sums at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    /// Candidates.
    pub candidates: Candidates,
    /// Candidates by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Tokens and money.
    pub usage: Usage,
    /// Tokens and money that were spent when the plausible patch came.
    pub at_repair: Option<Usage>,
    /// Requests whose response did not come, though the endpoint may bill it.
    pub possibly_billed: u64,
    /// What the built-in engine did, if it searched.
    pub engine: Option<Searching>,
    /// Time in models and tests; the wall is the caller's to know.
    pub seconds: Seconds,
    /// Of the time in tests, that of the first run.
    pub baseline: f64,
    /// What the next one to look at the bug wants to know.
    pub known: Known,
}

/// What is known of a bug, repaired or not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Tests that fail and must pass.
    pub failing: Vec<TestId>,
    /// Tests that count for nothing, with the reason.
    pub set_aside: Vec<(TestId, String)>,
    /// The most suspicious lines.
    pub suspects: Vec<Suspect>,
    /// The candidate that came nearest without passing.
    pub nearest: Option<Nearest>,
}

/// A candidate that did not pass, and how far it came.
#[derive(Debug, Clone)]
pub(crate) struct Nearest {
    /// The how-manieth candidate it was.
    pub nth: u64,
    /// The judge's word.
    pub outcome: Outcome,
    /// Triggering tests that pass under it.
    pub fixed: usize,
    /// Tests that fail under it, as far as the judge names them.
    pub failing: Vec<(TestId, Failure)>,
    /// Its diff.
    pub diff: String,
    /// Template or explanation.
    pub origin: String,
}

impl Nearest {
    /// More tests that pass are nearer; of as many, what only breaks another test or looks suspicious.
    fn rank(&self) -> (usize, u8) {
        let rank = match self.outcome {
            Outcome::Suspicious => 2,
            Outcome::Regression => 1,
            _ => 0,
        };
        (self.fixed, rank)
    }
}

/// Suspicious lines that are kept.
const SUSPECTS: usize = 3;

impl Tally {
    /// The sums so far.
    pub(crate) fn sums(&self) -> Sums {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sums over a finished list of events.
    pub(crate) fn over<'e>(events: impl IntoIterator<Item = &'e Event>) -> Sums {
        let mut sums = Sums::default();
        for event in events {
            sums.add(event);
        }
        sums
    }
}

impl Sums {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Validated { outcome, diff, origin, fixed, failing, seconds, .. } => {
                // The confirmation of a candidate that passed is recorded under the same candidate.
                if *outcome != Outcome::PassedWarm {
                    self.candidates.proposed += 1;
                    self.candidates.compiled += u64::from(outcome.compiled());
                    self.candidates.plausible += u64::from(*outcome == Outcome::Plausible);
                    *self.outcomes.entry(*outcome).or_default() += 1;
                }
                self.seconds.tests += seconds;
                if !outcome.passes() && *outcome != Outcome::Duplicate && *fixed > 0 {
                    let (nth, diff, origin) = (self.candidates.proposed, diff.clone(), origin.clone());
                    let failing = failing.clone();
                    let new = Nearest { nth, outcome: *outcome, fixed: *fixed, failing, diff, origin };
                    if self.known.nearest.as_ref().is_none_or(|old| new.rank() > old.rank()) {
                        self.known.nearest = Some(new);
                    }
                }
            }
            Event::Received { usage, seconds, .. } => {
                self.possibly_billed = self.possibly_billed.saturating_sub(1);
                self.usage += *usage;
                self.seconds.model += seconds;
            }
            Event::Sent { .. } => self.possibly_billed += 1,
            Event::Failed { how: Unanswered::Lost, .. } => {}
            Event::Failed { .. } => self.possibly_billed = self.possibly_billed.saturating_sub(1),
            Event::Searched { candidates, making, seconds, .. } => {
                let engine = self.engine.get_or_insert_default();
                engine.candidates += *candidates as u64;
                engine.making += making;
                engine.seconds += seconds;
            }
            Event::Repaired { .. } => self.at_repair = Some(self.usage),
            Event::Baseline { triggering, set_aside, seconds, .. } => {
                self.seconds.tests += seconds;
                self.baseline += seconds;
                self.known.failing.clone_from(triggering);
                self.known.set_aside.clone_from(set_aside);
            }
            Event::Localized { ranking } => {
                self.known.suspects = ranking.lines.iter().take(SUSPECTS).cloned().collect();
            }
            _ => {}
        }
    }
}

impl EventSink for Tally {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner).add(event);
        Ok(())
    }
}
