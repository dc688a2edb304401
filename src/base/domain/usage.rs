//! What was spent. An unknown price is unknown and never zero.

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign};

/// Money in US dollars; `None` as soon as one part of the sum is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub Option<f64>);

impl Cost {
    /// Nothing was spent.
    pub(crate) const ZERO: Self = Self(Some(0.0));
    /// Something was spent and nobody knows how much.
    pub const UNKNOWN: Self = Self(None);
}

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.zip(other.0).map(|(a, b)| a + b))
    }
}

/// Requests and tokens as the endpoint counted them, and their price.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Requests that were answered.
    pub requests: u64,
    /// Tokens of all that was sent.
    pub prompt_tokens: u64,
    /// Of these, tokens the endpoint had cached.
    pub cached_tokens: u64,
    /// Of these, tokens the endpoint put into its cache and charged for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Tokens of all that was answered.
    pub completion_tokens: u64,
    /// Price of all of it.
    pub cost_usd: Cost,
}

/// Most endpoints charge nothing for it: then it is not written.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            requests: 0,
            prompt_tokens: 0,
            cached_tokens: 0,
            cache_write_tokens: 0,
            completion_tokens: 0,
            cost_usd: Cost::ZERO,
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.completion_tokens += other.completion_tokens;
        self.cost_usd = self.cost_usd + other.cost_usd;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unknown_price_makes_the_sum_unknown() {
        let mut sum = Usage { cost_usd: Cost(Some(0.5)), ..Usage::default() };
        sum += Usage { cost_usd: Cost::UNKNOWN, requests: 1, ..Usage::default() };
        assert_eq!(sum.cost_usd, Cost::UNKNOWN);
        assert_eq!(sum.requests, 1);
    }
}
