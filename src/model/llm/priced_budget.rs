//! What one agent run may spend. Its caps lie inside those of its level, and those of each call inside both; they hold
//! for answers out of a journal or a recording too, so that a repeated run stops where the first one stopped.

use super::{Budget, Caps, ModelError, Permit, Prices, Query, WorstCase};
use std::sync::Arc;

/// A budget with prices. Without any cap nothing is reserved.
#[derive(Debug, Clone, Default)]
pub struct PricedBudget {
    budget: Option<Budget>,
    call: Caps,
    prices: Option<Arc<Prices>>,
}

impl PricedBudget {
    /// A budget with prices, with a cap for each call.
    pub fn new(budget: Budget, call: Caps, prices: Option<Arc<Prices>>) -> Self {
        let capped = budget.is_capped() || call.tokens.is_some() || call.usd.is_some();
        Self { budget: capped.then_some(budget), call, prices }
    }

    /// Holds back the most that a request can take.
    ///
    /// # Errors
    /// A cap could be exceeded.
    pub fn reserve(&self, query: &Query) -> Result<Option<Permit>, ModelError> {
        let Some(budget) = &self.budget else { return Ok(None) };
        let worst = WorstCase::of(query, query.max_tokens, self.prices.as_deref());
        budget.part("call", self.call).reserve(worst).map(Some)
    }
}
