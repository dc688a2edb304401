//! The client of endpoints: OpenAI-compatible ones, OpenAI's Responses and Anthropic's messages.
//!
//! async-openai carries the call; what is sent and read are our own lenient forms, and the transport below it is ours
//! too, because compatible servers differ exactly where typed clients break: error bodies, statuses, missing fields.

mod batches;
mod certificate;
mod endpoint;
mod error_body;
mod failure;
mod learned;
mod messages;
mod pace;
mod probe;
mod reach;
mod responses;
mod schema;
mod shape;
mod stream;
mod transport;
mod wire;

pub(super) use batches::{Came, Item, Stage};
pub use endpoint::{Endpoint, Patience};
pub use probe::Finding;
pub use wire::answer_from;
pub(super) use wire::usage;

use super::{Abilities, Answer, Api, ChatModel, ModelError, Query};
use async_openai::Client;
use async_openai::error::OpenAIError;
use endpoint::Wiring;
use failure::Failure;
use learned::Learned;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;
use transport::Transport;

/// An endpoint, ready to be asked; safe to share.
pub struct OpenAi {
    endpoint: Endpoint,
    host: String,
    http: reqwest::Client,
    transport: Transport,
    /// The form of its other requests, as that for its list of models.
    api: Api,
    learned: Learned,
    /// One permit for each request that may be on its way.
    turns: Semaphore,
    /// Whether the endpoint ever answered: a refused connection after that is a failure of the moment.
    reached: AtomicBool,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl OpenAi {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// The base URL is none, or the key cannot stand in a header.
    pub fn new(endpoint: Endpoint) -> Result<Self, ModelError> {
        let url = endpoint.checked_url()?;
        let host = endpoint::host_of(&url);
        let http = endpoint.http_client(&url)?;
        let learned = Learned::at(endpoint.provider);
        let api = endpoint.provider.map_or(Api::Chat, |provider| provider.abilities.api);
        // A key that no header can carry is reported now.
        endpoint::headers(endpoint.key.as_ref(), api)?;
        let transport = Transport::new(http.clone(), &endpoint);
        let turns = Semaphore::new(endpoint.concurrency.max(1));
        Ok(Self { endpoint, host, http, transport, api, learned, turns, reached: AtomicBool::new(false) })
    }

    /// Sends one body and returns the raw response.
    async fn post(&self, api: Api, body: &Value) -> Result<Value, Failure> {
        let wiring = Wiring::new(&self.endpoint, api)
            .map_err(|error| Failure::new(failure::Kind::Malformed, error.to_string()))?;
        let client = Client::build(self.http.clone(), wiring).with_http_service(self.transport.clone());
        // Nobody closes the semaphore; were it closed, there would be no limit.
        let _turn = self.turns.acquire().await.ok();
        let response: Result<Value, OpenAIError> = client.chat().create_byot(body).await;
        let response = response.map_err(Failure::from_client);
        if !matches!(&response, Err(failure) if failure.never_connected()) {
            self.reached.store(true, Ordering::Relaxed);
        }
        response
    }

    fn classified(&self, failure: &Failure, model: &str) -> ModelError {
        let key = self.endpoint.key.as_ref();
        failure.classify(&failure::Target {
            host: &self.host,
            model,
            key,
            reached: self.reached.load(Ordering::Relaxed),
        })
    }
}

#[async_trait::async_trait]
impl ChatModel for OpenAi {
    fn endpoint(&self) -> String {
        self.host.clone()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        loop {
            let caps: Abilities = self.learned.of(&query.model);
            let body = shape::request(query, &caps, &self.host, self.endpoint.stream);
            match self.post(caps.api, &body).await {
                Ok(raw) => {
                    let usage = wire::usage(&raw, query, self.endpoint.prices.as_deref());
                    return Ok(answer_from(raw, usage));
                }
                // Each lesson takes one parameter away, so this ends.
                Err(failure) => match self.learned.lesson(&query.model, &failure, &body) {
                    Some(lesson) => tracing::warn!(host = self.host, model = query.model, "{lesson}"),
                    None => return Err(self.classified(&failure, &query.model)),
                },
            }
        }
    }
}
