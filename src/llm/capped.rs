//! A model that asks only what its budget allows.

use super::{Answer, Budget, ChatModel, ModelError, Permit, Prices, Query, WorstCase};
use crate::domain::{Cost, Usage};
use std::sync::Arc;

/// A model inside a budget.
pub struct Capped {
    inner: Arc<dyn ChatModel>,
    budget: Budget,
    prices: Option<Arc<Prices>>,
}

/// Limit of an answer when a cap is set and the query names none.
const ANSWER_TOKENS: u32 = 4096;
/// Near the end of a budget an answer is limited further, but not below this: it would be of no use.
const SHORTEST_ANSWER: u32 = 512;

impl Capped {
    /// Wraps a model; prices as the endpoint uses them.
    pub fn new(inner: Arc<dyn ChatModel>, budget: Budget, prices: Option<Arc<Prices>>) -> Self {
        Self { inner, budget, prices }
    }

    /// Counts what an earlier session spent, and its requests without a response by the most they can have taken.
    pub fn count(&self, spent: &Usage, unanswered: impl IntoIterator<Item = Query>) {
        self.budget.count(spent);
        for query in unanswered {
            let WorstCase { tokens, cost } = WorstCase::of(&query, query.max_tokens, self.prices.as_deref());
            self.budget.count(&Usage { prompt_tokens: tokens, cost_usd: cost, ..Usage::default() });
        }
    }

    /// The reservation and the limit of the answer it was made for.
    fn reserve(&self, query: &Query) -> Result<(Permit, u32), ModelError> {
        let mut answer = query.max_tokens.unwrap_or(ANSWER_TOKENS);
        loop {
            match self.budget.reserve(WorstCase::of(query, Some(answer), self.prices.as_deref())) {
                Ok(permit) => return Ok((permit, answer)),
                Err(refusal) if answer / 2 < SHORTEST_ANSWER => return Err(refusal),
                Err(_) => answer /= 2,
            }
        }
    }
}

impl WorstCase {
    /// The most that a request can take when its answer is limited like that.
    pub fn of(query: &Query, answer: Option<u32>, prices: Option<&Prices>) -> Self {
        let usage = Usage {
            requests: 1,
            prompt_tokens: most_prompt_tokens(query),
            cached_tokens: 0,
            completion_tokens: u64::from(answer.unwrap_or(ANSWER_TOKENS)),
            cost_usd: Cost::UNKNOWN,
        };
        let cost = prices.map_or(Cost::UNKNOWN, |prices| prices.cost(&query.model, &usage));
        Self { tokens: usage.prompt_tokens + usage.completion_tokens, cost }
    }
}

impl WorstCase {
    /// The most that so many requests can take, when each prompt can grow by so many tokens.
    pub fn of_many(query: &Query, growth: u64, requests: u64, prices: Option<&Prices>) -> Self {
        let one = Self::of(query, query.max_tokens, None).tokens + growth;
        let answer = u64::from(query.max_tokens.unwrap_or(ANSWER_TOKENS));
        let usage = Usage {
            requests,
            prompt_tokens: (one - answer) * requests,
            cached_tokens: 0,
            completion_tokens: answer * requests,
            cost_usd: Cost::UNKNOWN,
        };
        let cost = prices.map_or(Cost::UNKNOWN, |prices| prices.cost(&query.model, &usage));
        Self { tokens: one * requests, cost }
    }
}

/// An upper bound of what a prompt takes: program text has more than two bytes a token in every tokenizer in use.
fn most_prompt_tokens(query: &Query) -> u64 {
    const BYTES_PER_TOKEN: usize = 2;
    const PER_MESSAGE: usize = 8;
    let messages: usize =
        query.messages.iter().map(|message| message.content.len() + BYTES_PER_TOKEN * PER_MESSAGE).sum();
    let tools =
        if query.tools.is_empty() { 0 } else { serde_json::to_string(&query.tools).map_or(0, |text| text.len()) };
    ((messages + tools).div_ceil(BYTES_PER_TOKEN)) as u64
}

#[async_trait::async_trait]
impl ChatModel for Capped {
    fn endpoint(&self) -> String {
        self.inner.endpoint()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        match self.within_budget(query).await {
            // It cost nothing, and a replay must meet it at the same place: it is an answer like any other.
            Err(ModelError::ContextLength(what)) => Ok(Answer::overflow(&what)),
            other => other,
        }
    }
}

impl Capped {
    async fn within_budget(&self, query: &Query) -> Result<Answer, ModelError> {
        if !self.budget.is_capped() {
            let answer = self.inner.ask(query).await?;
            self.budget.count(&answer.usage);
            return Ok(answer);
        }
        let (permit, limit) = self.reserve(query)?;
        match self.inner.ask(&Query { max_tokens: Some(limit), ..query.clone() }).await {
            Ok(answer) => {
                permit.settle(&answer.usage);
                Ok(answer)
            }
            // After the last try it is not known whether one of them was billed: the reservation stays spent.
            Err(error @ ModelError::Failed(_)) => Err(error),
            Err(refused) => {
                permit.release();
                Err(refused)
            }
        }
    }
}
