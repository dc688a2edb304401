//! Our own forms of request and response: only what we need is sent, and everything may be missing from what comes.

use super::super::{Abilities, Answer, Form, Limit, Prices, Query, ToolCall};
use super::schema;
use crate::domain::{Cost, Fingerprint, Usage};
use serde_json::{Map, Value, json};

/// The body of a request.
pub(super) fn request(query: &Query, caps: &Abilities, host: &str, stream: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(query.model));
    body.insert("messages".to_owned(), json!(query.messages));
    if let Some(temperature) = query.temperature.filter(|_| caps.temperature) {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    // The first sample is the model's own; each further one has a seed, so that it differs and can be had again.
    if query.sample > 0 && caps.seed && caps.temperature {
        body.insert("seed".to_owned(), json!(query.sample));
    }
    if let (true, Some(name)) = (caps.cache_key, cache_name(query)) {
        body.insert("prompt_cache_key".to_owned(), json!(name));
    }
    if let Some(limit) = query.max_tokens {
        match caps.limit {
            Limit::MaxTokens => body.insert("max_tokens".to_owned(), json!(limit)),
            Limit::MaxCompletionTokens => body.insert("max_completion_tokens".to_owned(), json!(limit)),
            Limit::Unlimited => None,
        };
    }
    if let Some(effort) = query.effort.as_ref().filter(|_| caps.reasoning_effort) {
        body.insert("reasoning_effort".to_owned(), json!(effort));
    }
    let wished = query.form.unwrap_or(if query.tools.is_empty() { Form::Text } else { Form::Tools });
    match caps.form(wished) {
        Form::Tools if !query.tools.is_empty() => {
            let tools = query.tools.iter().map(|tool| json!({"type": "function", "function": tool}));
            body.insert("tools".to_owned(), tools.collect());
        }
        Form::JsonSchema => {
            let schema = schema::format(&query.tools, caps.strict_schema);
            let format = json!({"type": "json_schema", "json_schema": schema});
            body.insert("response_format".to_owned(), format);
        }
        Form::JsonObject => {
            body.insert("response_format".to_owned(), json!({"type": "json_object"}));
        }
        Form::Tools | Form::Text => {}
    }
    if stream {
        body.insert("stream".to_owned(), Value::Bool(true));
        if caps.stream_usage {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
    }
    if host == "openrouter.ai" {
        // It tells the true price of a call only when it is asked to.
        body.insert("usage".to_owned(), json!({"include": true}));
    }
    Value::Object(body)
}

/// A name for the cache of equal beginnings: requests of one agent begin alike, so they belong to the same.
pub(super) fn cache_name(query: &Query) -> Option<String> {
    let name = Fingerprint::default().add(&query.messages.first()?.content).name();
    Some(format!("unidebug-{name}"))
}

/// An answer out of a raw response body: fresh from an endpoint, or out of a recording or a journal. What cannot be
/// read is empty.
pub fn answer_from(raw: Value, usage: Usage) -> Answer {
    let choice = &raw["choices"][0];
    let message = &choice["message"];
    let text = [&message["content"], &message["refusal"], &choice["text"]]
        .into_iter()
        .map(content)
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    let mut calls: Vec<ToolCall> = message["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|call| tool_call(&call["function"]))
        .collect();
    // The older form of a single call.
    calls.extend(tool_call(&message["function_call"]));
    let finish = choice["finish_reason"].as_str().map(str::to_owned);
    Answer { text, calls, finish, usage, raw }
}

/// Text as a plain string or as a list of parts.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str().or(part.as_str())).collect(),
        _ => String::new(),
    }
}

fn tool_call(function: &Value) -> Option<ToolCall> {
    let name = function["name"].as_str()?.to_owned();
    let arguments = match &function["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        // Some servers send the object itself.
        other => other.to_string(),
    };
    Some(ToolCall { name, arguments })
}

/// What a response cost: tokens as the endpoint counted them, the price as it told it or as the list says. Without
/// any count the tokens are estimated from the texts and the price is unknown.
pub(in crate::llm) fn usage(raw: &Value, query: &Query, prices: Option<&Prices>) -> Usage {
    let counts = &raw["usage"];
    let count = |names: &[&str]| names.iter().find_map(|name| counts.pointer(name).and_then(Value::as_u64));
    let (prompt, completion) =
        (count(&["/prompt_tokens", "/input_tokens"]), count(&["/completion_tokens", "/output_tokens"]));
    // Gemini and Grok leave thoughts, which are paid as output, to the sum.
    let beside_prompt = count(&["/total_tokens"]).unwrap_or(0).saturating_sub(prompt.unwrap_or(u64::MAX));
    let completion = completion.map(|tokens| tokens.max(beside_prompt));
    let names =
        ["/prompt_tokens_details/cached_tokens", "/input_tokens_details/cached_tokens", "/prompt_cache_hit_tokens"];
    // Anthropic counts what was read from its cache and what went into it beside the prompt.
    let (read, written) = (count(&["/cache_read_input_tokens"]), count(&["/cache_creation_input_tokens"]));
    let aside =
        if counts.get("prompt_tokens").is_some() { 0 } else { read.unwrap_or(0).saturating_add(written.unwrap_or(0)) };
    let prompt = prompt.map(|tokens| tokens.saturating_add(aside));
    let cached = count(&names).or(read).unwrap_or(0).min(prompt.unwrap_or(0));
    let counted = Usage {
        requests: 1,
        prompt_tokens: prompt.unwrap_or_else(|| estimate(query.messages.iter().map(|m| m.content.as_str()))),
        cached_tokens: cached,
        cache_write_tokens: written.unwrap_or(0).min(prompt.unwrap_or(0) - cached),
        completion_tokens: completion.unwrap_or_else(|| estimate([answer_text(raw).as_str()])),
        cost_usd: Cost::UNKNOWN,
    };
    let reported_cost = ["cost", "total_cost"].iter().find_map(|name| counts[*name].as_f64());
    let cost_usd = match reported_cost.filter(|cost| cost.is_finite() && *cost >= 0.0) {
        Some(cost) => Cost(Some(cost)),
        None if prompt.is_none() || completion.is_none() => Cost::UNKNOWN,
        None => prices.map_or(Cost::UNKNOWN, |prices| prices.cost(&query.model, &counted)),
    };
    Usage { cost_usd, ..counted }
}

fn answer_text(raw: &Value) -> String {
    let message = &raw["choices"][0]["message"];
    content(&message["content"])
        + &message["tool_calls"].as_array().map(|calls| json!(calls).to_string()).unwrap_or_default()
}

/// Characters divided by four, rounded up for each text.
fn estimate<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    texts.into_iter().map(|text| text.chars().count().div_ceil(4) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Message, ToolSpec};
    use super::*;
    use proptest::prelude::*;

    fn query() -> Query {
        Query {
            model: "gpt-4o-mini".into(),
            messages: vec![Message { role: "user".into(), content: "a".repeat(40) }],
            tools: Vec::new(),
            form: None,
            effort: None,
            temperature: Some(0.0),
            max_tokens: Some(9),
            sample: 0,
        }
    }

    #[test]
    fn the_form_of_the_answer_follows_what_the_endpoint_takes() {
        let tools = vec![ToolSpec { name: "f".into(), description: "d".into(), parameters: json!({"type": "object"}) }];
        let with_tools = Query { tools, form: Some(Form::Tools), effort: Some("low".into()), ..query() };
        let body = |abilities| request(&with_tools, &abilities, "h", false);
        let all = body(Abilities::ALL);
        assert!(all.get("tools").is_some() && all.get("response_format").is_none());
        assert_eq!(all["reasoning_effort"], "low");
        let without = Abilities { tools: false, reasoning_effort: false, ..Abilities::ALL };
        let schema = body(without);
        assert_eq!(schema["response_format"]["type"], "json_schema");
        assert!(schema.to_string().contains(r#""enum":["f"]"#) && schema.get("reasoning_effort").is_none());
        let without = Abilities { json_schema: false, ..without };
        assert_eq!(body(without)["response_format"]["type"], "json_object");
        assert!(body(Abilities { json_object: false, ..without }).get("response_format").is_none());
    }

    #[test]
    fn text_calls_and_reasons_are_read_in_all_forms() {
        let parts = json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}]});
        assert_eq!(answer_from(parts, Usage::default()).text, "ab");
        let call = json!({"choices": [{"finish_reason": "odd_reason", "message": {"content": null, "reasoning_content": "hm",
            "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}, {"function": {}}]}}]});
        let answer = answer_from(call, Usage::default());
        assert_eq!(answer.calls, [ToolCall { name: "f".into(), arguments: "{\"x\":1}".into() }]);
        assert_eq!((answer.text.as_str(), answer.finish.as_deref()), ("", Some("odd_reason")));
        assert_eq!(answer.raw["choices"][0]["message"]["reasoning_content"], "hm");
    }

    #[test]
    fn the_endpoints_own_cost_wins_and_missing_counts_have_no_price() {
        let prices = Prices::bundled();
        let raw = json!({"usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25}});
        assert_eq!(usage(&raw, &query(), Some(&prices)).cost_usd, Cost(Some(0.25)));
        let listed = json!({"usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 0}}});
        assert_eq!(usage(&listed, &query(), Some(&prices)).cost_usd, Cost(Some(0.15)));
        assert_eq!(usage(&listed, &query(), None).cost_usd, Cost::UNKNOWN);
        let nothing = json!({"choices": [{"message": {"content": "abcdefgh"}}]});
        let used = usage(&nothing, &query(), Some(&prices));
        assert_eq!((used.prompt_tokens, used.completion_tokens, used.cost_usd), (10, 2, Cost::UNKNOWN));
        let deepseek = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4}});
        assert_eq!(usage(&deepseek, &query(), None).cached_tokens, 4);
        let anthropic = json!({"usage": {"input_tokens": 10, "cache_read_input_tokens": 2000,
            "cache_creation_input_tokens": 300, "output_tokens": 5}});
        let used = usage(&anthropic, &query(), None);
        assert_eq!((used.prompt_tokens, used.cached_tokens, used.cache_write_tokens), (2310, 2000, 300));
        let responses =
            json!({"usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 8}, "output_tokens": 1}});
        assert_eq!(usage(&responses, &query(), None).cached_tokens, 8);
        let gemini = json!({"usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 45}});
        assert_eq!(usage(&gemini, &query(), None).completion_tokens, 35, "thoughts are paid, too");
    }

    proptest! {
        #[test]
        fn any_json_is_read_without_a_panic(text in any::<String>(), number: u64) {
            for raw in [
                json!(text), json!([number]), json!({"choices": text}), json!({"choices": [text], "usage": text}),
                json!({"choices": [{"message": {"content": number, "tool_calls": {"a": text}}}], "usage": {"prompt_tokens": -1.5, "cost": text}}),
            ] {
                let used = usage(&raw, &query(), None);
                let _ = answer_from(raw, used);
            }
        }
    }
}
