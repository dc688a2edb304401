//! What an endpoint refused once is not sent to it again.

use super::super::family::Family;
use super::super::provider::{Abilities, Api, Limit, Provider};
use super::failure::Failure;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What may be sent for one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caps {
    pub abilities: Abilities,
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
    /// What is known of an endpoint beforehand.
    pub(super) fn at(provider: Option<&Provider>) -> Self {
        let abilities = provider.map_or(Abilities::ALL, |provider| provider.abilities);
        Self { start: Caps { abilities, limit_renamed: false }, models: Mutex::new(HashMap::new()) }
    }

    /// What is known of the endpoint and of the model by its name.
    fn begin(&self, model: &str) -> Caps {
        let mut caps = self.start;
        let family = Family::of(model);
        if !family.temperature {
            caps.abilities = Abilities { temperature: false, limit: Limit::MaxCompletionTokens, ..caps.abilities };
        }
        caps.abilities.thinking_budget = family.thinking_budget;
        // Only OpenAI itself is known to have both.
        if family.only_responses && caps.abilities.api == Api::Chat && caps.abilities.batches {
            caps.abilities.api = Api::Responses;
        }
        caps
    }

    pub(super) fn of(&self, model: &str) -> Abilities {
        let models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        models.get(model).copied().unwrap_or_else(|| self.begin(model)).abilities
    }

    /// Takes away the one parameter that a refusal names, if it was sent; returns the sentence to tell. Another task
    /// may have learnt the same meanwhile: then the lesson is just followed.
    pub(super) fn lesson(&self, model: &str, failure: &Failure, sent: &Value) -> Option<String> {
        if !matches!(failure.status, Some(400 | 404 | 422)) || failure.is_context_overflow() {
            return None;
        }
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let now = models.get(model).copied().unwrap_or_else(|| self.begin(model));
        let (caps, what) = refused(now, &failure.text(), sent)?;
        models.insert(model.to_owned(), caps);
        Some(format!("the endpoint refuses a parameter, {what}"))
    }
}

/// What follows from a refusal with this text, when `sent` was sent.
fn refused(now: Caps, text: &str, sent: &Value) -> Option<(Caps, &'static str)> {
    let named = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let has = |key: &str| sent.get(key).is_some();
    let about_size = named(&["too large", "at most", "less than", "greater than", "maximum"]);
    let about_limit = named(&["max_tokens", "max_completion_tokens"]) && !about_size;
    if about_limit && (has("max_tokens") || has("max_completion_tokens")) {
        return Some(other_limit(now, sent));
    }
    let without = |change: fn(&mut Abilities), what| {
        let mut caps = now;
        change(&mut caps.abilities);
        Some((caps, what))
    };
    if has("messages") && now.abilities.api == Api::Chat && named(&["v1/responses"]) {
        return without(|a| a.api = Api::Responses, "the model is asked by Responses from now on");
    }
    if has("temperature") && named(&["temperature"]) {
        return without(|a| a.temperature = false, "the temperature is left out from now on");
    }
    if has("seed") && named(&["seed"]) {
        return without(|a| a.seed = false, "no seed is sent from now on");
    }
    if has("prompt_cache_key") && named(&["prompt_cache_key"]) {
        return without(|a| a.cache_key = false, "no name for cached prompts is sent from now on");
    }
    if has("stream_options") && named(&["stream_options", "include_usage"]) {
        return without(|a| a.stream_usage = false, "usage is not asked for in streams from now on");
    }
    if has("reasoning_effort") && named(&["reasoning_effort", "reasoning effort", "reasoning"]) {
        return without(|a| a.reasoning_effort = false, "no effort of thinking is asked for from now on");
    }
    if has("response_format") && named(&["response_format", "json_schema", "json_object", "structured", "schema"]) {
        return match sent["response_format"]["type"].as_str() {
            Some("json_schema") if sent["response_format"]["json_schema"]["strict"] == true => {
                without(|a| a.strict_schema = false, "the schema of answers is no longer strict from now on")
            }
            Some("json_schema") => {
                without(|a| a.json_schema = false, "answers are asked for without a schema from now on")
            }
            _ => without(|a| a.json_object = false, "answers are asked for as text from now on"),
        };
    }
    if has("thinking") && named(&["thinking", "adaptive", "effort"]) {
        return if sent["thinking"]["type"] == "adaptive" {
            without(|a| a.thinking_budget = true, "thinking is asked for in tokens from now on")
        } else {
            without(|a| a.reasoning_effort = false, "no effort of thinking is asked for from now on")
        };
    }
    let is_strict = sent["text"]["format"]["strict"] == true;
    if (has("text") || sent["output_config"].get("format").is_some())
        && named(&["text.format", "output_config", "json_schema", "structured", "schema"])
    {
        return if is_strict {
            without(|a| a.strict_schema = false, "the schema of answers is no longer strict from now on")
        } else {
            without(|a| a.json_schema = false, "answers are asked for without a schema from now on")
        };
    }
    if has("reasoning") && named(&["reasoning"]) {
        return without(|a| a.reasoning_effort = false, "no effort of thinking is asked for from now on");
    }
    if has("tools") && named(&["tool", "function"]) {
        return without(|a| a.tools = false, "tools are no longer offered natively from now on");
    }
    None
}

/// The limit under its other name; after that, none.
fn other_limit(now: Caps, sent: &Value) -> (Caps, &'static str) {
    let has = |key: &str| sent.get(key).is_some();
    let other = match now.abilities.limit {
        Limit::MaxTokens if has("max_tokens") => Limit::MaxCompletionTokens,
        Limit::MaxCompletionTokens if has("max_completion_tokens") => Limit::MaxTokens,
        _ => return (now, "which is renamed from now on"),
    };
    let limit = if now.limit_renamed { Limit::Unlimited } else { other };
    let abilities = Abilities { limit, ..now.abilities };
    (Caps { abilities, limit_renamed: true }, "the limit of tokens is sent under another name from now on")
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
        let learned = Learned::at(None);
        let body = json!({"max_tokens": 5, "temperature": 0.0, "tools": []});
        let taught = learned.lesson(
            "m",
            &refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            &body,
        );
        assert!(taught.is_some());
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
    fn formats_are_given_up_one_by_one() {
        let learned = Learned::at(None);
        let message = "This response_format type is unavailable now";
        let strict = json!({"response_format": {"type": "json_schema"}});
        assert!(learned.lesson("m", &refusal(message), &strict).is_some());
        assert!(!learned.of("m").json_schema && learned.of("m").json_object);
        let loose = json!({"response_format": {"type": "json_object"}, "reasoning_effort": "low"});
        assert!(learned.lesson("m", &refusal(message), &loose).is_some());
        assert!(!learned.of("m").json_object && learned.of("m").reasoning_effort);
        assert!(learned.lesson("m", &refusal("reasoning_effort is not supported"), &loose).is_some());
        assert!(!learned.of("m").reasoning_effort);
    }

    #[test]
    fn a_model_is_asked_where_it_is_and_thinks_as_it_can() {
        let learned = Learned::at(Provider::named("openai"));
        assert_eq!((learned.of("o3-pro").api, learned.of("o3").api), (Api::Responses, Api::Chat));
        let refused = refusal("This model is only supported in v1/responses and not in v1/chat/completions.");
        assert!(learned.lesson("new", &refused, &json!({"messages": []})).is_some());
        assert_eq!(learned.of("new").api, Api::Responses);
        let learned = Learned::at(Provider::named("anthropic"));
        assert!(learned.of("claude-3-7-sonnet-20250219").thinking_budget);
        let adaptive = json!({"thinking": {"type": "adaptive"}, "messages": []});
        assert!(learned.lesson("m", &refusal("adaptive thinking is not supported on this model"), &adaptive).is_some());
        assert!(learned.of("m").thinking_budget && learned.of("m").reasoning_effort);
        let budget = json!({"thinking": {"type": "enabled"}, "messages": []});
        assert!(learned.lesson("m", &refusal("thinking: not supported"), &budget).is_some());
        assert!(!learned.of("m").reasoning_effort);
    }

    #[test]
    fn what_was_not_sent_or_is_too_large_teaches_nothing() {
        let learned = Learned::at(None);
        let body = json!({"max_tokens": 100_000});
        assert!(learned.lesson("m", &refusal("max_tokens is too large: at most 4096"), &body).is_none());
        assert!(learned.lesson("m", &refusal("temperature is not supported"), &body).is_none());
        assert!(learned.lesson("m", &refusal("tools are not supported"), &body).is_none());
        let unavailable = Failure { status: Some(503), ..refusal("max_tokens") };
        assert!(learned.lesson("m", &unavailable, &body).is_none());
    }
}
