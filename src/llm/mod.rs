//! Language models behind one trait; only this room knows a vendor.
//!
//! Models wrap models: [`Redacting`] replaces secrets, [`Recorder`] keeps what is answered, [`Capped`] reserves before it
//! spends, [`OpenAi`] asks an endpoint, and a [`Replay`] answers from a recording. Secrets go outermost and caps
//! innermost, so that the key of a request does not depend on a budget. Journaling is the caller's: an answer is on
//! disk before it is read.

mod budget;
mod capped;
mod key;
mod openai;
mod prices;
mod recording;
mod redact;
mod replay;
mod secret;

pub use budget::{Budget, Caps, Permit, WorstCase};
pub use capped::Capped;
pub use key::key;
pub use openai::{Endpoint, Finding, OpenAi, Patience, answer_from};
pub use prices::{PriceError, Prices};
pub use recording::{Exchange, Recorder, RecordingError};
pub use redact::{Redacting, Redactor};
pub use replay::Replay;
pub use secret::Secret;

use crate::domain::Usage;
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
    /// Why it ended, as the endpoint said.
    pub finish: Option<String>,
    /// Tokens and price.
    pub usage: Usage,
    /// The raw response body.
    pub raw: Value,
}

/// Why a query has no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    /// No key, or the endpoint refuses it (401, 403, 402).
    #[error("{0}")]
    Auth(String),
    /// The endpoint does not know the model.
    #[error("{0}")]
    UnknownModel(String),
    /// The endpoint was never reached.
    #[error("{0}")]
    Unreachable(String),
    /// The prompt is larger than the model's context.
    #[error("{0}")]
    ContextLength(String),
    /// The endpoint refuses a parameter.
    #[error("{0}")]
    BadRequest(String),
    /// Still failing after all retries: rate limit, server, transport.
    #[error("{0}")]
    Failed(String),
    /// The recording holds no answer to this request.
    #[error("{0}")]
    NotRecorded(String),
    /// A cap would be exceeded by this request; nothing was sent.
    #[error("{0}")]
    OverBudget(String),
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
