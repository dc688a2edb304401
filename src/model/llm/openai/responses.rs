//! OpenAI's Responses: requests in their form, and answers of that form put into the one that everything behind reads.
//! Nothing is stored at the endpoint: every request is a conversation of its own.

use super::super::{Abilities, Form, Query, ToolSpec};
use super::{schema, wire};
use serde_json::{Map, Value, json};

/// The shortest limit of an answer that is taken.
const SHORTEST: u32 = 16;

/// The body of a request.
pub(super) fn request(query: &Query, caps: &Abilities, stream: bool) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    put("model", json!(query.model));
    put("input", json!(query.messages));
    put("store", Value::Bool(false));
    if let Some(temperature) = query.temperature.filter(|_| caps.temperature) {
        put("temperature", json!(temperature));
    }
    if let (true, Some(name)) = (caps.cache_key, wire::cache_name(query)) {
        put("prompt_cache_key", json!(name));
    }
    if let Some(limit) = query.max_tokens {
        put("max_output_tokens", json!(limit.max(SHORTEST)));
    }
    if let Some(effort) = query.effort.as_ref().filter(|_| caps.reasoning_effort) {
        put("reasoning", json!({"effort": effort}));
    }
    let wished = query.form.unwrap_or(if query.tools.is_empty() { Form::Text } else { Form::Tools });
    match caps.form(wished) {
        Form::Tools if !query.tools.is_empty() => {
            put("tools", query.tools.iter().map(tool).collect());
            put("parallel_tool_calls", Value::Bool(false));
        }
        Form::JsonSchema => {
            let mut format = schema::format(&query.tools, caps.strict_schema);
            format["type"] = json!("json_schema");
            put("text", json!({"format": format}));
        }
        Form::JsonObject => put("text", json!({"format": {"type": "json_object"}})),
        Form::Tools | Form::Text => {}
    }
    if stream {
        put("stream", Value::Bool(true));
    }
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        "strict": false,
    })
}

/// Whether a body is an answer of this form.
pub(super) fn is_answer(body: &Value) -> bool {
    body["object"] == "response" && body["output"].is_array() && body["error"].is_null()
}

/// The answer as chat completions have it; usage stays as it was told.
pub(super) fn as_chat(body: &Value) -> Value {
    let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
    let texts = |parts: &Value, names: &[&str]| -> String {
        let parts = parts.as_array().into_iter().flatten();
        parts.filter_map(|part| names.iter().find_map(|name| part[*name].as_str())).collect()
    };
    for item in body["output"].as_array().into_iter().flatten() {
        match item["type"].as_str().unwrap_or("") {
            "message" => text += &texts(&item["content"], &["text", "refusal"]),
            "reasoning" => thought += &texts(&item["summary"], &["text"]),
            "function_call" => calls.push(json!({
                "id": item["call_id"], "type": "function",
                "function": {"name": item["name"], "arguments": item["arguments"]},
            })),
            _ => {}
        }
    }
    let finish = match (body["status"].as_str(), body["incomplete_details"]["reason"].as_str()) {
        (Some("incomplete"), Some("max_output_tokens")) => "length",
        (Some("incomplete"), Some(other)) => other,
        _ if calls.is_empty() => "stop",
        _ => "tool_calls",
    };
    let finish = json!(finish);
    let mut message = json!({"role": "assistant", "content": text});
    if !thought.is_empty() {
        message["reasoning_content"] = json!(thought);
    }
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    json!({
        "id": body["id"], "model": body["model"], "usage": body["usage"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    })
}

/// The whole answer, when an event of a stream holds it: the last one does.
pub(super) fn whole_in(event: &Value) -> Option<&Value> {
    let kind = event["type"].as_str()?;
    ["response.completed", "response.incomplete", "response.failed"].contains(&kind).then(|| &event["response"])
}

/// Whether an event belongs to a stream of this form.
pub(super) fn is_event(event: &Value) -> bool {
    event["type"].as_str().is_some_and(|kind| kind.starts_with("response."))
}

#[cfg(test)]
mod tests {
    use super::super::super::Message;
    use super::*;

    #[test]
    fn a_request_stores_nothing_and_an_answer_is_read_in_all_parts() {
        let query = Query {
            model: "o3-pro".into(),
            messages: vec![Message { role: "user".into(), content: "a bug".into() }],
            tools: vec![ToolSpec { name: "f".into(), description: "d".into(), parameters: json!({"type": "object"}) }],
            form: Some(Form::Tools),
            effort: Some("high".into()),
            temperature: Some(0.0),
            max_tokens: Some(100),
            sample: 1,
        };
        let body = request(&query, &Abilities { temperature: false, cache_key: true, ..Abilities::ALL }, false);
        assert_eq!((&body["store"], &body["max_output_tokens"]), (&json!(false), &json!(100)));
        assert_eq!((&body["reasoning"]["effort"], &body["tools"][0]["name"]), (&json!("high"), &json!("f")));
        assert!(
            body.get("temperature").is_none() && body.get("seed").is_none() && body["prompt_cache_key"].is_string()
        );
        let answer = json!({"object": "response", "status": "incomplete", "error": null,
            "incomplete_details": {"reason": "max_output_tokens"}, "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                {"type": "message", "content": [{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "b"}]},
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]});
        assert!(is_answer(&answer));
        let chat = as_chat(&answer);
        let message = &chat["choices"][0]["message"];
        assert_eq!((&message["content"], &message["reasoning_content"]), (&json!("ab"), &json!("hm")));
        assert_eq!(message["tool_calls"][0]["function"]["name"], "f");
        assert_eq!(chat["choices"][0]["finish_reason"], "length");
        assert!(!is_answer(&json!({"object": "response", "output": [], "error": {"code": "server_error"}})));
    }
}
