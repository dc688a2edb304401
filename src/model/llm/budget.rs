//! Caps on tokens and money: the worst case is reserved before a request is sent and settled when its answer is
//! there, so that no number of agents at once can spend more than was allowed.

use super::ModelError;
use crate::domain::{Cap, Cost, Reached, Usage};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// What may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Caps {
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// US dollars.
    pub usd: Option<f64>,
    /// Whether requests without a known price are allowed under a cap in dollars; they then count as free there.
    pub allow_unpriced: bool,
}

/// The most a request can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstCase {
    /// Tokens, sent and received.
    pub tokens: u64,
    /// Money.
    pub cost: Cost,
}

/// Money in millionths of a millionth of a dollar: sums of whole numbers do not drift.
pub(super) fn pico(usd: f64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = (usd * 1e12).ceil() as u64;
    whole
}

pub(super) fn dollars(pico: u64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let usd = pico as f64 / 1e12;
    format!("${usd:.4}")
}

/// Tokens and money.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Amount {
    pub tokens: u64,
    pub pico: u64,
}

impl Amount {
    /// The most that a request can take; what has no price counts as free here.
    pub(super) fn of_worst(worst: &WorstCase) -> Self {
        Self { tokens: worst.tokens, pico: worst.cost.0.map_or(0, pico) }
    }

    /// What a usage took; where its price is unknown, the fallback's.
    pub(super) fn of_usage(usage: &Usage, fallback: Self) -> Self {
        Self {
            tokens: usage.prompt_tokens.saturating_add(usage.completion_tokens),
            pico: usage.cost_usd.0.map_or(fallback.pico, pico),
        }
    }

    pub(super) fn add(&mut self, more: Self) {
        self.tokens = self.tokens.saturating_add(more.tokens);
        self.pico = self.pico.saturating_add(more.pico);
    }

    pub(super) fn take(&mut self, less: Self) {
        self.tokens = self.tokens.saturating_sub(less.tokens);
        self.pico = self.pico.saturating_sub(less.pico);
    }
}

#[derive(Debug, Default)]
struct Spending {
    spent: Amount,
    held: Amount,
}

#[derive(Debug)]
struct Pot {
    /// `call`, `agent`, `level`; empty for the bug.
    part: &'static str,
    caps: Caps,
    spending: Mutex<Spending>,
}

impl Pot {
    /// Holds the amount back, or says why it does not fit.
    fn hold(&self, worst: &WorstCase, amount: Amount) -> Result<(), Reached> {
        let mut spending = self.spending.lock().unwrap_or_else(PoisonError::into_inner);
        let mut used = spending.spent;
        used.add(spending.held);
        if let Some(cap) = self.caps.tokens
            && used.tokens.saturating_add(amount.tokens) > cap
        {
            let left = cap.saturating_sub(used.tokens);
            let what = format!(
                "the cap of {cap} tokens{} is reached: the next request can take {} and {left} are left",
                self.whose(),
                amount.tokens
            );
            return Err(self.reached(Cap::Tokens, what));
        }
        if let Some(usd) = self.caps.usd {
            if worst.cost.0.is_none() && !self.caps.allow_unpriced {
                return Err(Reached::other(
                    "a cap in dollars is set and the model's price is not known",
                    "give its price with --prices FILE, cap with --max-tokens instead, or allow it with --allow-unpriced",
                ));
            }
            let cap = pico(usd);
            if used.pico.saturating_add(amount.pico) > cap {
                let what = format!(
                    "the cap of ${usd}{} is reached: the next request can cost {} and {} are left",
                    self.whose(),
                    dollars(amount.pico),
                    dollars(cap.saturating_sub(used.pico))
                );
                return Err(self.reached(Cap::Cost, what));
            }
        }
        spending.held.add(amount);
        Ok(())
    }

    /// Whose cap it is, for messages.
    fn whose(&self) -> String {
        if self.part.is_empty() { String::new() } else { format!(" of this {}", self.part) }
    }

    /// The bug's cap, or that of the part.
    fn reached(&self, cap: Cap, what: String) -> Reached {
        match self.part {
            "" => Reached::of(cap, what),
            part => Reached::of_part(&format!("--cap {part}.{}", cap.flag().trim_start_matches("--max-")), what),
        }
    }

    fn settle(&self, held: Amount, spent: Amount) {
        let mut spending = self.spending.lock().unwrap_or_else(PoisonError::into_inner);
        spending.held.take(held);
        spending.spent.add(spent);
    }
}

/// A budget, perhaps inside others: a call's inside an agent's inside a level's. Clones share what is spent.
#[derive(Debug, Clone)]
pub struct Budget {
    /// This budget first, then those it lies in.
    pots: Vec<Arc<Pot>>,
}

impl Budget {
    /// A budget on its own.
    pub fn new(caps: Caps) -> Self {
        Self::of_part("", caps)
    }

    /// A budget of a part of a bug's run: `call`, `agent`, `level`.
    pub fn of_part(part: &'static str, caps: Caps) -> Self {
        Self { pots: vec![Arc::new(Pot { part, caps, spending: Mutex::default() })] }
    }

    /// A budget of a part that also draws on this one.
    #[must_use]
    pub fn part(&self, part: &'static str, caps: Caps) -> Self {
        let mut pots = Self::of_part(part, caps).pots;
        pots.extend(self.pots.iter().cloned());
        Self { pots }
    }

    /// Whether any cap is set here or around it.
    pub(crate) fn is_capped(&self) -> bool {
        self.pots.iter().any(|pot| pot.caps.tokens.is_some() || pot.caps.usd.is_some())
    }

    /// Counts what was spent without a reservation.
    pub(crate) fn count(&self, usage: &Usage) {
        self.add(Amount::of_usage(usage, Amount::default()));
    }

    /// Counts what was spent earlier, as before a resume.
    pub(super) fn add(&self, amount: Amount) {
        self.pots.iter().for_each(|pot| pot.settle(Amount::default(), amount));
    }

    /// Holds back the most a request can take.
    ///
    /// # Errors
    /// A cap could be exceeded, or the price is unknown under a cap in dollars; nothing is held then.
    pub(crate) fn reserve(&self, worst: WorstCase) -> Result<Permit, ModelError> {
        let held = Amount::of_worst(&worst);
        for (at, pot) in self.pots.iter().enumerate() {
            if let Err(why) = pot.hold(&worst, held) {
                self.pots[..at].iter().for_each(|earlier| earlier.settle(held, Amount::default()));
                return Err(ModelError::OverBudget(why));
            }
        }
        Ok(Permit { pots: self.pots.clone(), held })
    }
}

/// A reservation. Dropped without a word, all of it counts as spent: the request may have been billed.
#[derive(Debug)]
#[must_use = "a reservation that is dropped counts as spent"]
pub struct Permit {
    pots: Vec<Arc<Pot>>,
    held: Amount,
}

impl Permit {
    /// Replaces the worst case by what it was; an unknown price stays at the worst case.
    pub fn settle(mut self, usage: &Usage) {
        self.close(Amount::of_usage(usage, self.held));
    }

    /// Gives everything back: nothing was billed.
    pub(crate) fn release(mut self) {
        self.close(Amount::default());
    }

    fn close(&mut self, spent: Amount) {
        let held = self.held;
        self.pots.drain(..).for_each(|pot| pot.settle(held, spent));
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.close(self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::thread;

    fn worst(tokens: u64, cost: Option<f64>) -> WorstCase {
        WorstCase { tokens, cost: Cost(cost) }
    }

    fn usage(tokens: u64, cost: Option<f64>) -> Usage {
        Usage { requests: 1, prompt_tokens: tokens, cost_usd: Cost(cost), ..Usage::default() }
    }

    fn tokens(cap: u64) -> Caps {
        Caps { tokens: Some(cap), ..Caps::default() }
    }

    #[test]
    fn what_is_held_cannot_be_spent_by_another() {
        let budget = Budget::new(tokens(100));
        let first = budget.reserve(worst(60, None)).unwrap();
        let refused = budget.reserve(worst(60, None)).unwrap_err().to_string();
        assert!(refused.contains("can take 60 and 40 are left") && refused.contains("--max-tokens"), "{refused}");
        first.settle(&usage(10, None));
        let second = budget.reserve(worst(60, None)).unwrap();
        second.release();
        let third = budget.reserve(worst(90, None)).unwrap();
        drop(third);
        assert!(budget.reserve(worst(1, None)).is_err(), "a dropped reservation counts as spent");
    }

    #[test]
    fn an_unknown_price_is_refused_under_a_cap_in_dollars() {
        let caps = Caps { usd: Some(1.0), ..Caps::default() };
        let refused = Budget::new(caps).reserve(worst(1, None)).unwrap_err().to_string();
        assert!(refused.contains("--allow-unpriced"), "{refused}");
        Budget::new(Caps { allow_unpriced: true, ..caps }).reserve(worst(1, None)).unwrap().release();
        let budget = Budget::new(caps);
        budget.reserve(worst(1, Some(0.6))).unwrap().settle(&usage(1, None));
        assert!(budget.reserve(worst(1, Some(0.6))).is_err(), "an answer without a price costs its worst case");
        budget.reserve(worst(1, Some(0.4))).unwrap().settle(&usage(1, Some(0.4)));
    }

    #[test]
    fn an_inner_budget_draws_on_the_outer_one_and_a_refusal_holds_nothing() {
        let level = Budget::of_part("level", tokens(100));
        let first = level.part("agent", tokens(80));
        first.reserve(worst(70, None)).unwrap().settle(&usage(70, None));
        let other = level.part("agent", tokens(80));
        assert!(other.reserve(worst(40, None)).is_err());
        other.reserve(worst(30, None)).unwrap().settle(&usage(30, None));
        assert!(level.reserve(worst(1, None)).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn eight_agents_at_once_never_exceed_the_cap(
            cap in 1.0..3.0f64,
            calls in prop::collection::vec((0.01..0.5f64, 0.0..1.0f64), 8..40),
        ) {
            let budget = Budget::new(Caps { usd: Some(cap), ..Caps::default() });
            let chunks: Vec<Vec<(f64, f64)>> = calls.chunks(calls.len().div_ceil(8)).map(<[_]>::to_vec).collect();
            let agents = chunks.into_iter().map(|calls| {
                let budget = budget.clone();
                thread::spawn(move || {
                    let mut ledger = 0.0;
                    for (most, share) in calls {
                        if let Ok(permit) = budget.reserve(worst(1, Some(most))) {
                            thread::yield_now();
                            ledger += most * share;
                            permit.settle(&usage(1, Some(most * share)));
                        }
                    }
                    ledger
                })
            });
            let ledger: f64 = agents.collect::<Vec<_>>().into_iter().map(|agent| agent.join().unwrap()).sum();
            prop_assert!(ledger <= cap + 1e-9, "{ledger} of {cap}");
        }
    }
}
