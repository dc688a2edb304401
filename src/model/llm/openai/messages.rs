//! Anthropic's messages: requests in their form, and answers of that form put into the one that everything behind reads.
//!
//! The system prompt is the same in every cycle of an agent, so it is marked to be cached.

use super::super::{Abilities, Form, Query, ToolSpec};
use super::schema;
use serde_json::{Map, Value, json};

/// The limit of an answer when the query names none: this interface insists on one.
const ANSWER_TOKENS: u32 = 4096;
/// The highest temperature that is taken.
const HOTTEST: f64 = 1.0;
/// The least thinking that can be asked for, in tokens.
const LEAST_THINKING: u32 = 1024;

/// The body of a request.
pub(super) fn request(query: &Query, caps: &Abilities, stream: bool) -> Value {
    let limit = query.max_tokens.unwrap_or(ANSWER_TOKENS);
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    put("model", json!(query.model));
    put("max_tokens", json!(limit));
    let (system, rest): (Vec<_>, Vec<_>) = query.messages.iter().partition(|message| message.role == "system");
    let system: Vec<&str> = system.iter().map(|message| message.content.as_str()).collect();
    if !system.is_empty() {
        put("system", json!([{"type": "text", "text": system.join("\n\n"), "cache_control": {"type": "ephemeral"}}]));
    }
    put("messages", json!(rest));
    let thinking = thinking(query, caps, limit);
    // A model that thinks is not sampled otherwise.
    if let Some(temperature) = query.temperature.filter(|_| caps.temperature && thinking.is_none()) {
        put("temperature", json!(temperature.min(HOTTEST)));
    }
    let mut output = Map::new();
    if let Some(thinking) = thinking {
        if let (false, Some(effort)) = (caps.thinking_budget, &query.effort) {
            output.insert("effort".to_owned(), json!(effort));
        }
        put("thinking", thinking);
    }
    let wished = query.form.unwrap_or(if query.tools.is_empty() { Form::Text } else { Form::Tools });
    match caps.form(wished) {
        Form::Tools if !query.tools.is_empty() => {
            put("tools", query.tools.iter().map(tool).collect());
            // One command is run of each answer.
            put("tool_choice", json!({"type": "auto", "disable_parallel_tool_use": true}));
        }
        Form::JsonSchema => {
            if let Some(schema) = schema::strict(&query.tools) {
                output.insert("format".to_owned(), json!({"type": "json_schema", "schema": schema}));
            }
        }
        _ => {}
    }
    if !output.is_empty() {
        put("output_config", Value::Object(output));
    }
    if stream {
        put("stream", Value::Bool(true));
    }
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

/// How long the model thinks: by a word, or by tokens of its answer, of which at least half stay for what it says.
fn thinking(query: &Query, caps: &Abilities, limit: u32) -> Option<Value> {
    let effort = query.effort.as_deref().filter(|_| caps.reasoning_effort)?;
    if !caps.thinking_budget {
        return Some(json!({"type": "adaptive"}));
    }
    let wished = match effort {
        "low" => 2048,
        "medium" => 8192,
        _ => 16_384,
    };
    let budget = wished.min(limit / 2);
    (budget >= LEAST_THINKING).then(|| json!({"type": "enabled", "budget_tokens": budget}))
}

/// Whether a body is an answer of this form.
pub(super) fn is_answer(body: &Value) -> bool {
    body["type"] == "message" && body["content"].is_array()
}

/// The answer as chat completions have it; usage stays as it was told.
pub(super) fn as_chat(body: &Value) -> Value {
    let mut text = String::new();
    let mut thought = String::new();
    let mut calls = Vec::new();
    for block in body["content"].as_array().into_iter().flatten() {
        match block["type"].as_str().unwrap_or("") {
            "text" => text.push_str(block["text"].as_str().unwrap_or("")),
            "thinking" => thought.push_str(block["thinking"].as_str().unwrap_or("")),
            "tool_use" => calls.push(json!({
                "id": block["id"], "type": "function",
                "function": {"name": block["name"], "arguments": block["input"].to_string()},
            })),
            _ => {}
        }
    }
    let mut message = json!({"role": "assistant", "content": text});
    if !thought.is_empty() {
        message["reasoning_content"] = json!(thought);
    }
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    let finish = match body["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence" | "pause_turn") => json!("stop"),
        Some("max_tokens" | "model_context_window_exceeded") => json!("length"),
        Some("tool_use") => json!("tool_calls"),
        Some("refusal") => json!("content_filter"),
        _ => body["stop_reason"].clone(),
    };
    json!({
        "id": body["id"], "model": body["model"], "stop_reason": body["stop_reason"], "usage": body["usage"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    })
}

/// Events of a streamed answer, put together to what the same answer is without a stream.
#[derive(Default)]
pub(super) struct Assembly {
    message: Value,
    /// Arguments of tool calls, by the index of their block: they come as pieces of JSON text.
    arguments: Vec<String>,
    done: bool,
}

/// No answer has more blocks than this; an index above it is not believed.
const MOST_BLOCKS: usize = 256;

impl Assembly {
    /// Takes an event; gives whether it was one of this form.
    pub(super) fn take(&mut self, event: &Value) -> bool {
        match event["type"].as_str().unwrap_or("") {
            "message_start" => self.message = event["message"].clone(),
            "content_block_start" => self.begin(event),
            "content_block_delta" => self.add(event),
            "message_delta" => {
                self.message["stop_reason"] = event["delta"]["stop_reason"].clone();
                for (name, count) in event["usage"].as_object().into_iter().flatten() {
                    if !count.is_null() && self.message["usage"].is_object() {
                        self.message["usage"][name] = count.clone();
                    }
                }
            }
            "message_stop" => self.done = true,
            "content_block_stop" | "ping" => {}
            _ => return false,
        }
        true
    }

    /// Whether the answer began; an answer in another form did not.
    pub(super) fn began(&self) -> bool {
        self.message.is_object()
    }

    /// The whole answer; `None` where the stream ended before it.
    pub(super) fn whole(mut self) -> Option<Value> {
        if !self.done {
            return None;
        }
        for (at, text) in self.arguments.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            // Broken arguments stay text: the parser behind says what is wrong with them.
            let input = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
            if let Some(block) = self.message["content"].get_mut(at).filter(|block| block["type"] == "tool_use") {
                block["input"] = input;
            }
        }
        Some(self.message)
    }

    fn index(event: &Value) -> Option<usize> {
        let index = usize::try_from(event["index"].as_u64()?).ok()?;
        (index < MOST_BLOCKS).then_some(index)
    }

    fn begin(&mut self, event: &Value) {
        let (Some(index), true) = (Self::index(event), self.message.is_object()) else { return };
        if !self.message["content"].is_array() {
            self.message["content"] = json!([]);
        }
        if let Some(blocks) = self.message["content"].as_array_mut() {
            if blocks.len() <= index {
                blocks.resize(index + 1, Value::Null);
            }
            blocks[index] = event["content_block"].clone();
        }
    }

    fn add(&mut self, event: &Value) {
        let Some(index) = Self::index(event) else { return };
        let delta = &event["delta"];
        if let Some(piece) = delta["partial_json"].as_str() {
            if self.arguments.len() <= index {
                self.arguments.resize(index + 1, String::new());
            }
            self.arguments[index].push_str(piece);
            return;
        }
        let Some(block) = self.message.get_mut("content").and_then(|blocks| blocks.get_mut(index)) else { return };
        for name in ["text", "thinking"] {
            if let (Some(piece), true) = (delta[name].as_str(), block.is_object()) {
                let before = block[name].as_str().unwrap_or("");
                block[name] = json!(format!("{before}{piece}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Limit, Message};
    use super::*;

    fn query() -> Query {
        let message = |role: &str, content: &str| Message { role: role.into(), content: content.into() };
        Query {
            model: "claude-x".into(),
            messages: vec![message("system", "rules"), message("user", "a bug")],
            tools: vec![ToolSpec { name: "f".into(), description: "d".into(), parameters: json!({"type": "object"}) }],
            form: Some(Form::Tools),
            effort: None,
            temperature: Some(1.4),
            max_tokens: Some(9000),
            sample: 2,
        }
    }

    #[test]
    fn the_stable_beginning_is_marked_and_thinking_leaves_room_for_an_answer() {
        let caps = Abilities { limit: Limit::MaxTokens, ..Abilities::ALL };
        let body = request(&query(), &caps, false);
        assert_eq!(body["system"][0]["cache_control"]["type"], "ephemeral");
        assert_eq!(body["messages"], json!([{"role": "user", "content": "a bug"}]));
        assert_eq!((&body["temperature"], &body["tools"][0]["name"]), (&json!(1.0), &json!("f")));
        assert_eq!(body["tool_choice"]["disable_parallel_tool_use"], true);
        assert!(body.get("seed").is_none() && body.get("thinking").is_none());
        let thinks = Query { effort: Some("high".into()), ..query() };
        let adaptive = request(&thinks, &caps, false);
        assert_eq!(adaptive["thinking"]["type"], "adaptive");
        assert_eq!(adaptive["output_config"]["effort"], "high");
        assert!(adaptive.get("temperature").is_none());
        let budget = request(&thinks, &Abilities { thinking_budget: true, ..caps }, false);
        assert_eq!(budget["thinking"], json!({"type": "enabled", "budget_tokens": 4500}));
        assert!(budget.get("output_config").is_none());
    }

    #[test]
    fn a_stream_is_put_together_with_its_thoughts_its_call_and_both_counts() {
        let events = [
            json!({"type": "message_start", "message": {"type": "message", "id": "m", "content": [], "stop_reason": null,
                "usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"x\":"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "1}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 12}}),
            json!({"type": "message_stop"}),
        ];
        let mut assembly = Assembly::default();
        assert!(events.iter().all(|event| assembly.take(event)));
        let whole = as_chat(&assembly.whole().unwrap());
        let message = &whole["choices"][0]["message"];
        assert_eq!(message["reasoning_content"], "hm");
        assert_eq!(message["tool_calls"][0]["function"], json!({"name": "f", "arguments": "{\"x\":1}"}));
        assert_eq!(whole["choices"][0]["finish_reason"], "tool_calls");
        assert_eq!(whole["usage"], json!({"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 12}));
        let mut cut = Assembly::default();
        events[..7].iter().for_each(|event| {
            cut.take(event);
        });
        assert!(cut.began() && cut.whole().is_none());
    }
}
