//! Many requests as one batch: OpenAI's batches of an uploaded file, and Anthropic's batches of messages. Both cost half.

mod anthropic;
mod openai;

use super::super::{Api, ModelError, Query};
use super::endpoint::headers;
use super::failure::Failure;
use super::{OpenAi, shape};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use reqwest::RequestBuilder;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// Nothing that an endpoint says about a batch is larger.
const MAX_BODY: usize = 512 << 20;

/// A request of a batch.
#[derive(Debug, Clone, Copy)]
pub(in crate::llm) struct Item<'a> {
    /// Its name in the batch.
    pub id: &'a str,
    /// What is asked.
    pub query: &'a Query,
}

/// How far a batch is.
pub(in crate::llm) enum Stage {
    /// It is worked on.
    Working {
        /// Requests that are done.
        done: u64,
    },
    /// It is over, with what came of each request that it names.
    Ended(Vec<(String, Came)>),
    /// The endpoint does not take it, and why.
    Refused(String),
}

/// What came of a request.
pub(in crate::llm) enum Came {
    /// An answer, as chat completions have it.
    Answer(Value),
    /// An error.
    Failed(Failed),
    /// Nothing: it expired, or the batch was cancelled.
    Nothing,
}

/// An error that a batch holds.
pub(in crate::llm) struct Failed(Failure);

impl Failed {
    fn of(status: u16, body: &Value) -> Self {
        Self(Failure::of_response(status, &HeaderMap::new(), body.to_string().as_bytes()))
    }
}

impl OpenAi {
    /// Whether two requests can be in one batch: files of OpenAI's hold one model and one form.
    pub(in crate::llm) fn share_a_batch(&self, a: &Query, b: &Query) -> bool {
        a.model == b.model && self.learned.of(&a.model).api == self.learned.of(&b.model).api
    }

    /// Sends a batch; gives its id. Where it is not known whether it arrived, the error is [`ModelError::Failed`].
    ///
    /// # Errors
    /// See [`ModelError`].
    pub(in crate::llm) async fn send_batch(&self, tag: &str, items: &[Item<'_>]) -> Result<String, ModelError> {
        let sent = match self.api {
            Api::Messages => self.send_messages(items).await,
            Api::Chat | Api::Responses => self.send_file(tag, items).await,
        };
        sent.map_err(|failure| self.of_batch(&failure))
    }

    /// The batch of this tag, or else one of this many requests that was made then, among those that are not known.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub(in crate::llm) async fn find_batch(
        &self,
        tag: &str,
        at: i64,
        count: usize,
        not: &[&str],
    ) -> Result<Option<String>, ModelError> {
        let found = match self.api {
            Api::Messages => self.find_messages(at, count, not).await,
            Api::Chat | Api::Responses => self.find_file(tag).await,
        };
        found.map_err(|failure| self.of_batch(&failure))
    }

    /// How far a batch is, with what came when it is over.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub(in crate::llm) async fn look_at_batch(&self, id: &str) -> Result<Stage, ModelError> {
        let stage = match self.api {
            Api::Messages => self.look_at_messages(id).await,
            Api::Chat | Api::Responses => self.look_at_file(id).await,
        };
        stage.map_err(|failure| self.of_batch(&failure))
    }

    /// What an error of a batch means; `None` where it only teaches to leave a parameter out.
    pub(in crate::llm) fn error_of(&self, query: &Query, failed: &Failed) -> Option<ModelError> {
        let body = self.body(query);
        if let Some(lesson) = self.learned.lesson(&query.model, &failed.0, &body) {
            tracing::warn!(host = self.host, model = query.model, "{lesson}");
            return None;
        }
        Some(self.classified(&failed.0, &query.model))
    }

    fn body(&self, query: &Query) -> Value {
        shape::request(query, &self.learned.of(&query.model), &self.host, false)
    }

    fn of_batch(&self, failure: &Failure) -> ModelError {
        match self.classified(failure, "") {
            // After a first contact a broken connection is a failure of the moment.
            ModelError::Unreachable(problem) if failure.status.is_none() => ModelError::Failed(problem),
            other => other,
        }
    }

    /// One exchange about batches, tried again where the same can succeed a moment later; what makes a batch is not.
    async fn about_batches(&self, make: impl Fn() -> RequestBuilder, again: bool) -> Result<Vec<u8>, Failure> {
        let patience = &self.endpoint.patience;
        let mut tried = 0;
        loop {
            tried += 1;
            let failure = match self.once_about_batches(make()).await {
                Ok(body) => return Ok(body),
                Err(failure) => failure.after(tried).without(self.endpoint.key.as_ref()),
            };
            // A request that was refused for its rate has made nothing.
            let may = again || failure.status == Some(429);
            if !may || tried >= patience.tries || !failure.can_pass() {
                return Err(failure);
            }
            let pause = patience.first_pause.saturating_mul(1 << tried.min(16));
            let pause = failure.retry_after.unwrap_or(pause).min(patience.longest_pause);
            tokio::time::sleep(pause.max(Duration::from_millis(1))).await;
        }
    }

    async fn once_about_batches(&self, request: RequestBuilder) -> Result<Vec<u8>, Failure> {
        let key = headers(self.endpoint.key.as_ref(), self.api).unwrap_or_default();
        let mut response = request.headers(key).send().await.map_err(|error| Failure::transport(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| Failure::transport(&error))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(Failure::new(
                    super::failure::Kind::TooLarge,
                    "what it says of a batch is too large".into(),
                ));
            }
            body.extend_from_slice(&chunk);
        }
        if (200..300).contains(&status) { Ok(body) } else { Err(Failure::of_response(status, &headers, &body)) }
    }

    async fn json_about_batches(&self, make: impl Fn() -> RequestBuilder, again: bool) -> Result<Value, Failure> {
        let body = self.about_batches(make, again).await?;
        serde_json::from_slice(&body).map_err(|_| Failure::not_json(200, &HeaderMap::new(), &body))
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.endpoint.base_url)
    }
}

/// What must not stand in a segment of a path as it is.
const IN_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// A name that stands in the path of an address: what an endpoint gave must not lead elsewhere.
fn segment(id: &str) -> String {
    percent_encoding::utf8_percent_encode(id, IN_SEGMENT).to_string()
}

/// The id in a response.
fn id_in(body: &Value) -> Result<String, Failure> {
    let id = body["id"].as_str().filter(|id| !id.is_empty());
    id.map(str::to_owned).ok_or_else(|| {
        Failure::new(super::failure::Kind::Malformed, "the response names no id of what was made".to_owned())
    })
}

/// The lines of a file, each a JSON object; others say nothing.
fn lines(body: &[u8]) -> impl Iterator<Item = Value> {
    body.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok())
}
