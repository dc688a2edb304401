//! What an endpoint refused once is not sent to it again.

use super::failure::Failure;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Under which name the limit of the answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// `max_tokens`: what nearly all servers know.
    MaxTokens,
    /// `max_completion_tokens`: what OpenAI's reasoning models insist on.
    MaxCompletionTokens,
    /// Neither.
    Unlimited,
}

/// What may be sent for one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caps {
    pub limit: Limit,
    pub temperature: bool,
    pub tools: bool,
    /// Whether usage may be asked for in a stream.
    pub stream_options: bool,
    /// The limit was refused under one name already.
    limit_renamed: bool,
}

/// What was learnt, by model.
#[derive(Debug)]
pub(super) struct Learned {
    start: Caps,
    models: Mutex<HashMap<String, Caps>>,
}

impl Learned {
    /// What is known of a host beforehand.
    pub(super) fn for_host(host: &str) -> Self {
        let limit = if host == "api.openai.com" { Limit::MaxCompletionTokens } else { Limit::MaxTokens };
        let start = Caps { limit, temperature: true, tools: true, stream_options: true, limit_renamed: false };
        Self { start, models: Mutex::new(HashMap::new()) }
    }

    pub(super) fn of(&self, model: &str) -> Caps {
        let models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        models.get(model).copied().unwrap_or(self.start)
    }

    /// Takes away the one parameter that a refusal names, if it was sent; returns the sentence to tell. Another task
    /// may have learnt the same meanwhile: then the lesson is just followed.
    pub(super) fn lesson(&self, model: &str, failure: &Failure, sent: &Value) -> Option<String> {
        if !matches!(failure.status, Some(400 | 404 | 422)) || failure.is_context_overflow() {
            return None;
        }
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let now = models.get(model).copied().unwrap_or(self.start);
        let (caps, what) = refused(now, &failure.told(), sent)?;
        models.insert(model.to_owned(), caps);
        Some(format!("the endpoint refuses a parameter, {what}"))
    }
}

/// What follows from a refusal that says `told`, when `sent` was sent.
fn refused(now: Caps, told: &str, sent: &Value) -> Option<(Caps, &'static str)> {
    let named = |word: &str| told.contains(word);
    let has = |key: &str| sent.get(key).is_some();
    let limit_sent = has("max_tokens") || has("max_completion_tokens");
    let about_size = ["too large", "at most", "less than", "greater than", "maximum"].iter().any(|word| named(word));
    if limit_sent && (named("max_tokens") || named("max_completion_tokens")) && !about_size {
        let other = match now.limit {
            Limit::MaxTokens if has("max_tokens") => Limit::MaxCompletionTokens,
            Limit::MaxCompletionTokens if has("max_completion_tokens") => Limit::MaxTokens,
            _ => return Some((now, "which is renamed from now on")),
        };
        let limit = if now.limit_renamed { Limit::Unlimited } else { other };
        return Some((
            Caps { limit, limit_renamed: true, ..now },
            "the limit of tokens is sent under another name from now on",
        ));
    }
    if has("temperature") && named("temperature") {
        return Some((Caps { temperature: false, ..now }, "the temperature is left out from now on"));
    }
    if has("stream_options") && (named("stream_options") || named("include_usage")) {
        return Some((Caps { stream_options: false, ..now }, "usage is not asked for in streams from now on"));
    }
    if has("tools") && (named("tool") || named("function")) {
        return Some((Caps { tools: false, ..now }, "tools are no longer offered natively from now on"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::failure::Kind;
    use super::*;
    use serde_json::json;

    fn refusal(message: &str) -> Failure {
        Failure { status: Some(400), ..Failure::new(Kind::Refused, message.to_owned()) }
    }

    #[test]
    fn the_named_parameter_is_taken_away_and_no_other() {
        let learned = Learned::for_host("127.0.0.1:1");
        let body = json!({"max_tokens": 5, "temperature": 0.0, "tools": []});
        let told = learned.lesson(
            "m",
            &refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            &body,
        );
        assert!(told.is_some());
        assert_eq!(learned.of("m").limit, Limit::MaxCompletionTokens);
        assert!(learned.of("m").temperature && learned.of("m").tools);
        let body = json!({"max_completion_tokens": 5, "temperature": 0.0});
        assert!(learned.lesson("m", &refusal("unknown field max_completion_tokens"), &body).is_some());
        assert_eq!(learned.of("m").limit, Limit::Unlimited);
        assert!(learned.lesson("m", &refusal("temperature does not support 0"), &body).is_some());
        assert!(!learned.of("m").temperature && learned.of("m").tools);
        assert_eq!(learned.of("other").limit, Limit::MaxTokens);
    }

    #[test]
    fn what_was_not_sent_or_is_too_large_teaches_nothing() {
        let learned = Learned::for_host("h");
        let body = json!({"max_tokens": 100_000});
        assert!(learned.lesson("m", &refusal("max_tokens is too large: at most 4096"), &body).is_none());
        assert!(learned.lesson("m", &refusal("temperature is not supported"), &body).is_none());
        assert!(learned.lesson("m", &refusal("tools are not supported"), &body).is_none());
        let unavailable = Failure { status: Some(503), ..refusal("max_tokens") };
        assert!(learned.lesson("m", &unavailable, &body).is_none());
    }
}
