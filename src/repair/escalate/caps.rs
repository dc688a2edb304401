//! Caps inside those of the bug: of a call, of an agent run, of one pass of a level.

use crate::agent::limits::Limits;
use crate::domain::words::counted;
use crate::domain::{Cap, Reached};
use crate::llm::{Budget, Caps, PricedBudget, Prices};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What one part may use.
#[derive(Debug, Clone, Copy, Default)]
pub struct PartCap {
    /// Tokens and money.
    pub spending: Caps,
    /// Wall time.
    pub time: Option<Duration>,
    /// Queries of an agent.
    pub cycles: Option<u32>,
    /// Candidates that are judged.
    pub validations: Option<u64>,
}

/// The caps of all parts; nothing is capped by default.
#[derive(Debug, Clone, Default)]
pub struct PartCaps {
    /// Of one request: tokens and money.
    pub call: Caps,
    /// Of one agent run.
    pub agent: PartCap,
    /// Of one pass of one level.
    pub level: PartCap,
    /// Candidates of the bug.
    pub validations: Option<u64>,
    /// Wall time of the bug, for messages.
    pub time: Option<Duration>,
    /// Cycles in a row that teach an agent nothing new, after which it is ended.
    pub idle: Option<u32>,
    /// What models cost.
    pub prices: Option<Arc<Prices>>,
}

/// Whether there is anything left to use.
pub(super) enum Left {
    /// There is.
    Something,
    /// Nothing of the level's; and why.
    OfLevel(String),
    /// Nothing of the bug's; and why.
    OfBug(Reached),
}

impl PartCaps {
    /// What is left after this much.
    pub(super) fn check(&self, spent: &Spent, judged: u64) -> Left {
        let here = spent.validations();
        if let Some(most) = self.validations.filter(|most| judged + here >= *most) {
            let what = format!("the cap of {} is reached", counted(most, "candidate"));
            return Left::OfBug(Reached::of(Cap::Validations, what));
        }
        if spent.until.is_some_and(|until| Instant::now() >= until) {
            return Left::OfLevel("its time is up".to_owned());
        }
        match self.level.validations.filter(|most| here >= *most) {
            Some(most) => Left::OfLevel(format!("its cap of {most} validations is reached")),
            None => Left::Something,
        }
    }
}

/// What one pass of a level has used.
pub(super) struct Spent {
    budget: Budget,
    until: Option<Instant>,
    validations: AtomicU64,
}

impl Spent {
    /// Nothing yet.
    pub(super) fn nothing(caps: &PartCaps) -> Self {
        Self {
            budget: Budget::of_part("level", caps.level.spending),
            until: caps.level.time.map(|time| Instant::now() + time),
            validations: AtomicU64::new(0),
        }
    }

    /// Counts candidates.
    pub(super) fn count(&self, validations: usize) {
        self.validations.fetch_add(validations as u64, Ordering::Relaxed);
    }

    /// Candidates that were judged.
    pub(super) fn validations(&self) -> u64 {
        self.validations.load(Ordering::Relaxed)
    }

    /// What an agent run may spend: its own cap inside the level's.
    pub(super) fn priced_budget(&self, caps: &PartCaps) -> PricedBudget {
        let agent = self.budget.part("agent", caps.agent.spending);
        PricedBudget::new(agent, caps.call, caps.prices.clone())
    }

    /// What else an agent run may use, when so many candidates of the bug were judged before this pass.
    pub(super) fn limits(&self, caps: &PartCaps, judged: u64) -> Limits {
        let own = caps.agent.time.map(|time| Instant::now() + time);
        let of_level = caps.level.validations.map(|most| most.saturating_sub(self.validations()));
        let of_bug = caps.validations.map(|most| most.saturating_sub(judged + self.validations()));
        Limits {
            until: [own, self.until].into_iter().flatten().min(),
            validations: [caps.agent.validations, of_level, of_bug].into_iter().flatten().min(),
            bug: caps.time,
            idle: caps.idle,
        }
    }
}
