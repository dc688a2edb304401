//! How a model is asked: the request is journaled before it leaves, the response before anybody reads it.

use crate::agent::error::AgentError;
use crate::domain::{Event, EventSink, Scope};
use crate::llm::{Answer, ChatModel, Message, ModelError, Query, key};
use crate::prompt::Library;
use std::sync::Arc;
use std::time::Instant;

/// Tokens of one answer at most.
const ANSWER_TOKENS: u32 = 4096;

/// How one model is asked on behalf of one agent.
#[derive(Clone)]
pub struct Voice {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// Its name at the endpoint.
    pub name: String,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Prompts.
    pub library: Arc<Library>,
    /// The journal.
    pub sink: Arc<dyn EventSink>,
}

impl Voice {
    /// Asks once: `Sent` is journaled before, `Received` before anybody reads the answer.
    ///
    /// # Errors
    /// The model's, the journal's.
    pub async fn ask(&self, scope: &Scope, system: String, user: String, sample: u32) -> Result<Answer, AgentError> {
        let message = |role: &str, content: String| Message { role: role.to_owned(), content };
        let query = Query {
            model: self.name.clone(),
            messages: vec![message("system", system), message("user", user)],
            tools: Vec::new(),
            temperature: self.temperature,
            max_tokens: Some(ANSWER_TOKENS),
            sample,
        };
        let key = key(&query);
        let request = serde_json::to_value(&query).map_err(std::io::Error::other)?;
        self.sink.emit(&Event::Sent { scope: scope.clone(), key: key.clone(), request })?;
        let started = Instant::now();
        let answer = self.model.ask(&query).await.map_err(|error| match error {
            ModelError::OverBudget(cap) => AgentError::Exhausted(cap),
            other => AgentError::Model(other),
        })?;
        self.sink.emit(&Event::Received {
            scope: scope.clone(),
            key,
            response: answer.raw.clone(),
            usage: answer.usage,
            seconds: started.elapsed().as_secs_f64(),
        })?;
        Ok(answer)
    }
}
