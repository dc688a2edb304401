//! Language models behind one trait; only this room knows a vendor.
//!
//! Models wrap models: [`Redacting`] replaces secrets, [`Recorder`] keeps what is answered, [`Capped`] reserves before it
//! spends, [`OpenAi`] asks an endpoint, [`Deferred`] leaves a request for the next batch, and a [`Replay`] answers from a
//! recording. Secrets go outermost and caps
//! innermost, so that the key of a request does not depend on a budget. Journaling is the caller's: an answer is on
//! disk before it is read.

mod account;
mod budget;
mod capped;
mod deferred;
mod family;
mod gate;
mod key;
mod openai;
mod priced_budget;
mod prices;
mod provider;
mod recording;
mod redact;
mod replay;
mod secret;

pub use account::{Account, Standing};
pub use budget::{Budget, Caps, Permit, WorstCase};
pub use capped::Capped;
pub use deferred::{Deferred, Mailbox, Post, PostError, Waiting};
pub use family::Family;
pub use gate::{Gate, Gated};
pub use key::key;
pub use openai::{Endpoint, Finding, OpenAi, Patience, answer_from};
pub use priced_budget::PricedBudget;
pub use prices::{PriceError, Prices, Taken};
pub use provider::{Abilities, Api, Form, Limit, PROVIDERS, Provider};
pub use recording::{Exchange, Recorder, RecordingError};
pub use redact::{Redacting, Redactor};
pub use replay::Replay;
pub use secret::Secret;

use crate::domain::{Problem, Reached, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// Plain text.
    pub content: String,
}

/// A tool offered natively.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name.
    pub name: String,
    /// One line for the model.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: Value,
}

/// A query, free of any vendor's form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Model name as the endpoint knows it.
    pub model: String,
    /// The conversation.
    pub messages: Vec<Message>,
    /// Tools offered natively; empty means the answer is text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// The form of the answer; without one, native calls when tools are offered and text otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// How long the model thinks before it answers: `low`, `medium`, `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Most tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Which sample of the same request this is, from 0; part of the key.
    #[serde(default)]
    pub sample: u32,
}

/// A native tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Name.
    pub name: String,
    /// Arguments as the model wrote them: JSON text, perhaps broken.
    pub arguments: String,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Text, possibly empty.
    pub text: String,
    /// Native tool calls.
    pub calls: Vec<ToolCall>,
    /// The endpoint's reason for the end.
    pub finish: Option<String>,
    /// Tokens and price.
    pub usage: Usage,
    /// The raw response body.
    pub raw: Value,
}

/// What an answer's `finish` says when the prompt was larger than the model's context.
const OVERFLOW: &str = "context_overflow";

impl Answer {
    /// The answer of an endpoint whose context is smaller than the prompt; nothing was paid for it.
    pub(crate) fn overflow(what: &str) -> Self {
        let raw = serde_json::json!({
            "choices": [{"finish_reason": OVERFLOW, "message": {"content": ""}}], "error": {"message": what},
        });
        answer_from(raw, Usage::default())
    }

    /// The endpoint's message when the prompt was larger than its context.
    pub fn overflowed(&self) -> Option<&str> {
        let what = self.raw["error"]["message"].as_str().unwrap_or("the prompt is larger than the model's context");
        (self.finish.as_deref() == Some(OVERFLOW)).then_some(what)
    }
}

/// Why a query has no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    /// No key, or the endpoint refuses it (401, 403, 402).
    #[error("{0}")]
    Auth(Problem),
    /// The endpoint does not know the model.
    #[error("{0}")]
    UnknownModel(Problem),
    /// The endpoint was never reached.
    #[error("{0}")]
    Unreachable(Problem),
    /// The prompt is larger than the model's context.
    #[error("{0}")]
    ContextLength(Problem),
    /// The endpoint refuses a parameter.
    #[error("{0}")]
    BadRequest(Problem),
    /// Still failing after all retries: rate limit, server, transport.
    #[error("{0}")]
    Failed(Problem),
    /// The recording holds no answer to this request.
    #[error("{0}")]
    NotRecorded(Problem),
    /// The request waits for the next batch, and its run with it; nothing was sent yet.
    #[error("{0}")]
    Deferred(String),
    /// A cap would be exceeded by this request; nothing was sent.
    #[error("{0}")]
    OverBudget(Reached),
}

impl ModelError {
    /// The same error with other texts.
    #[must_use]
    pub fn map(self, change: impl Fn(String) -> String) -> Self {
        match self {
            Self::Auth(problem) => Self::Auth(problem.map(change)),
            Self::UnknownModel(problem) => Self::UnknownModel(problem.map(change)),
            Self::Unreachable(problem) => Self::Unreachable(problem.map(change)),
            Self::ContextLength(problem) => Self::ContextLength(problem.map(change)),
            Self::BadRequest(problem) => Self::BadRequest(problem.map(change)),
            Self::Failed(problem) => Self::Failed(problem.map(change)),
            Self::NotRecorded(problem) => Self::NotRecorded(problem.map(change)),
            Self::Deferred(what) => Self::Deferred(change(what)),
            Self::OverBudget(cap) => Self::OverBudget(Reached { what: change(cap.what), ..cap }),
        }
    }

    /// What went wrong, with what to do where that is known.
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Auth(problem)
            | Self::UnknownModel(problem)
            | Self::Unreachable(problem)
            | Self::ContextLength(problem)
            | Self::BadRequest(problem)
            | Self::Failed(problem)
            | Self::NotRecorded(problem) => problem,
            Self::Deferred(what) => what.into(),
            Self::OverBudget(cap) => cap.into(),
        }
    }
}

/// A language model.
#[async_trait::async_trait]
pub trait ChatModel: Send + Sync {
    /// The host requests go to, or `replay`; for messages and reports.
    fn endpoint(&self) -> String;

    /// Asks once. Retries of what can pass happen inside.
    ///
    /// # Errors
    /// See [`ModelError`].
    async fn ask(&self, query: &Query) -> Result<Answer, ModelError>;
}
