//! A cap is never overshot: by no interleaving of agents, by no failure, and not by a kill in the middle.

use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use unidebug::domain::{Cost, Usage};
use unidebug::llm::{Answer, Budget, Capped, Caps, ChatModel, ModelError, Prices, Query, answer_from};

const AGENTS: usize = 8;
const USD_PER_TOKEN: f64 = 1e-6;

/// What the endpoint does with a request.
#[derive(Debug, Clone)]
struct Deed {
    /// Turns of the scheduler until it answers.
    turns: usize,
    /// Share of the longest answer that it gives.
    share: f64,
    /// How it ends.
    end: End,
    /// Characters of the prompt.
    prompt: usize,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Answered,
    /// The same, and it does not say what that cost.
    Unpriced,
    /// The answer is lost on its way: it is billed.
    Lost,
    /// Refused: it is not billed.
    Refused,
}

/// A model that bills as endpoints do: when a request comes in.
struct Endpoint {
    ledger: Arc<Mutex<u64>>,
    deeds: Mutex<Vec<Deed>>,
}

#[async_trait::async_trait]
impl ChatModel for Endpoint {
    fn endpoint(&self) -> String {
        "ledger".into()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        let turn: usize = query.messages[0].role.parse().unwrap();
        let deed = self.deeds.lock().unwrap()[turn].clone();
        // As dense as text gets: two bytes a token.
        let prompt_tokens = query.messages[0].content.len().div_ceil(2) as u64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let completion_tokens = (f64::from(query.max_tokens.unwrap()) * deed.share) as u64;
        if !matches!(deed.end, End::Refused) {
            *self.ledger.lock().unwrap() += prompt_tokens + completion_tokens;
        }
        for _ in 0..deed.turns {
            tokio::task::yield_now().await;
        }
        #[allow(clippy::cast_precision_loss)]
        let cost = (prompt_tokens + completion_tokens) as f64 * USD_PER_TOKEN;
        let cost_usd = if matches!(deed.end, End::Unpriced) { Cost::UNKNOWN } else { Cost(Some(cost)) };
        match deed.end {
            End::Answered | End::Unpriced => {
                let usage = Usage { requests: 1, prompt_tokens, completion_tokens, cost_usd, ..Usage::default() };
                Ok(answer_from(serde_json::json!({}), usage))
            }
            End::Lost => Err(ModelError::Failed("cut".into())),
            End::Refused => Err(ModelError::BadRequest("no".into())),
        }
    }
}

fn deed() -> impl Strategy<Value = Deed> {
    let end =
        prop_oneof![5 => Just(End::Answered), 1 => Just(End::Unpriced), 1 => Just(End::Lost), 1 => Just(End::Refused)];
    (0..12usize, 0.0..=1.0f64, end, 1..4000usize).prop_map(|(turns, share, end, prompt)| Deed {
        turns,
        share,
        end,
        prompt,
    })
}

fn prices() -> Arc<Prices> {
    let keep = tempfile::tempdir().unwrap();
    let path = keep.path().join("prices.json");
    let price = serde_json::json!({"input_cost_per_token": USD_PER_TOKEN, "output_cost_per_token": USD_PER_TOKEN});
    std::fs::write(&path, serde_json::json!({"scripted": price}).to_string()).unwrap();
    Arc::new(Prices::load(path.to_str().unwrap().into()).unwrap())
}

fn query(turn: usize, prompt: usize) -> Query {
    serde_json::from_value(serde_json::json!({
        "model": "scripted", "messages": [{"role": turn.to_string(), "content": "x".repeat(prompt)}],
        "max_tokens": 2000, "sample": 0,
    }))
    .unwrap()
}

/// What one session leaves: what was paid, and the requests that were on their way when it was killed.
#[derive(Default)]
struct Left {
    bought: Vec<(Query, Usage)>,
    open: Vec<Query>,
    answered: usize,
    refused: usize,
}

/// Agents ask their deeds in turn, all at once, until they are done or the session is killed after some turns.
async fn session(model: Arc<Capped>, deeds: &[Deed], from: usize, kill_after: Option<usize>) -> Left {
    let left: Arc<Mutex<Left>> = Arc::default();
    let local = tokio::task::LocalSet::new();
    for agent in 0..AGENTS {
        let turns: Vec<(usize, usize)> =
            (from + agent..deeds.len()).step_by(AGENTS).map(|turn| (turn, deeds[turn].prompt)).collect();
        let (model, left) = (model.clone(), left.clone());
        local.spawn_local(async move {
            for (turn, prompt) in turns {
                let query = query(turn, prompt);
                left.lock().unwrap().open.push(query.clone());
                let answer = model.ask(&query).await;
                let mut left = left.lock().unwrap();
                match answer {
                    Err(ModelError::Failed(_)) => continue,
                    Ok(answer) => {
                        left.bought.push((query.clone(), answer.usage));
                        left.answered += 1;
                    }
                    Err(_) => left.refused += 1,
                }
                left.open.retain(|open| *open != query);
            }
        });
    }
    match kill_after {
        None => local.await,
        Some(turns) => {
            local
                .run_until(async {
                    for _ in 0..turns {
                        tokio::task::yield_now().await;
                    }
                })
                .await;
            drop(local);
        }
    }
    Arc::try_unwrap(left).map(|left| left.into_inner().unwrap()).unwrap_or_else(|_| panic!("an agent lives on"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_interleaving_of_eight_agents_and_no_kill_exceeds_a_cap(
        deeds in prop::collection::vec(deed(), 16..80),
        cap in 2_000..60_000u64,
        in_dollars: bool,
        kill_after in 0..40usize,
    ) {
        let ledger: Arc<Mutex<u64>> = Arc::default();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let prices = prices();
        let model = || {
            #[allow(clippy::cast_precision_loss)]
            let caps = match in_dollars {
                true => Caps { usd: Some(cap as f64 * USD_PER_TOKEN), ..Caps::default() },
                false => Caps { tokens: Some(cap), ..Caps::default() },
            };
            let endpoint = Endpoint { ledger: ledger.clone(), deeds: Mutex::new(deeds.clone()) };
            Arc::new(Capped::new(Arc::new(endpoint), Budget::new(caps), Some(prices.clone())))
        };
        let killed = runtime.block_on(session(model(), &deeds, 0, Some(kill_after)));
        let again = model();
        again.count(killed.bought, killed.open).unwrap();
        let done = runtime.block_on(session(again, &deeds, deeds.len() / 2, None));
        let billed = *ledger.lock().unwrap();
        prop_assert!(billed <= cap, "{billed} of {cap} tokens; answered {} and {}, refused {}", killed.answered, done.answered, done.refused);
    }
}
