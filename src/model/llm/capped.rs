//! A model that asks only what its budget allows.

use super::budget::Amount;
use super::{Account, Answer, Budget, ChatModel, Family, ModelError, Permit, Prices, Query, WorstCase};
use crate::domain::{Cost, Usage};
use std::sync::Arc;

/// A model inside a budget.
pub struct Capped {
    inner: Arc<dyn ChatModel>,
    budget: Budget,
    prices: Option<Arc<Prices>>,
    account: Option<Arc<Account>>,
}

/// Limit of an answer when a cap is set and the query names none.
const ANSWER_TOKENS: u32 = 4096;
/// Near the end of a budget an answer is limited further, but not below this: it would be of no use.
const SHORTEST_ANSWER: u32 = 512;

impl Capped {
    /// Wraps a model; prices as the endpoint uses them.
    pub fn new(inner: Arc<dyn ChatModel>, budget: Budget, prices: Option<Arc<Prices>>) -> Self {
        Self { inner, budget, prices, account: None }
    }

    /// The same model, drawing on an account that other processes draw on too.
    #[must_use]
    pub fn drawing_on(mut self, account: Option<Arc<Account>>) -> Self {
        self.account = account;
        self
    }

    /// Counts what earlier sessions spent, before anything is asked: answers by their usage, or, where their price is
    /// unknown, by the most they can have cost; requests without a response by the most they can have taken.
    ///
    /// # Errors
    /// The account cannot be read or written.
    pub fn count(
        &self,
        answered: impl IntoIterator<Item = (Query, Usage)>,
        unanswered: impl IntoIterator<Item = Query>,
    ) -> std::io::Result<()> {
        let most = |query: &Query| Amount::of_worst(&WorstCase::of(query, query.max_tokens, self.prices.as_deref()));
        let mut spent = Amount::default();
        for (query, usage) in answered {
            spent.add(Amount::of_usage(&usage, most(&query)));
        }
        for query in unanswered {
            spent.add(most(&query));
        }
        self.budget.add(spent);
        self.account.as_ref().map_or(Ok(()), |account| account.begin(spent))
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
            cache_write_tokens: most_written(query),
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
            cache_write_tokens: if most_written(query) > 0 { (one - answer) * requests } else { 0 },
            completion_tokens: answer * requests,
            cost_usd: Cost::UNKNOWN,
        };
        let cost = prices.map_or(Cost::UNKNOWN, |prices| prices.cost(&query.model, &usage));
        Self { tokens: one * requests, cost }
    }
}

/// The most tokens of a prompt that can cost more because they go into a cache.
fn most_written(query: &Query) -> u64 {
    if Family::of(&query.model).pays_for_caching { most_prompt_tokens(query) } else { 0 }
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
            Err(ModelError::ContextLength(problem)) => Ok(Answer::overflow(&problem.what)),
            other => other,
        }
    }
}

impl Capped {
    async fn within_budget(&self, query: &Query) -> Result<Answer, ModelError> {
        if !self.budget.is_capped() && self.account.is_none() {
            let answer = self.inner.ask(query).await?;
            self.budget.count(&answer.usage);
            return Ok(answer);
        }
        let (permit, limit) = self.reserve(query)?;
        let worst = WorstCase::of(query, Some(limit), self.prices.as_deref());
        if let Some(Err(refusal)) = self.account.as_ref().map(|account| account.reserve(&worst)) {
            permit.release();
            return Err(refusal);
        }
        match self.inner.ask(&Query { max_tokens: Some(limit), ..query.clone() }).await {
            Ok(answer) => {
                permit.settle(&answer.usage);
                self.account.iter().for_each(|account| account.settle(&worst, &answer.usage));
                Ok(answer)
            }
            // It is held until the answer comes with its batch: the session that takes it counts anew.
            Err(error @ ModelError::Deferred(_)) => Err(error),
            // After the last try it is not known whether one of them was billed: the reservation stays spent.
            Err(error @ ModelError::Failed(_)) => Err(error),
            Err(refused) => {
                permit.release();
                self.account.iter().for_each(|account| account.release(&worst));
                Err(refused)
            }
        }
    }
}
