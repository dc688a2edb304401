//! Streamed answers, put together to what the same answer is without a stream: one form for everything behind it.

use super::failure::{Failure, Kind};
use super::{messages, responses};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Map, Value, json};

/// No answer has more calls than this; an index above it is not believed.
const MOST_CALLS: usize = 128;

/// Whether a response is a stream of events.
pub(super) fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    kind.to_ascii_lowercase().starts_with("text/event-stream")
}

/// The whole answer as one JSON body.
///
/// # Errors
/// The stream carries an error, or ended before the answer did.
pub(super) fn assembled(headers: &HeaderMap, body: &[u8]) -> Result<Vec<u8>, Failure> {
    let text = String::from_utf8_lossy(body);
    let (mut answer, mut message) = (Assembly::default(), messages::Assembly::default());
    for data in text.lines().filter_map(|line| line.strip_prefix("data:")) {
        let data = data.trim();
        if data == "[DONE]" {
            answer.done = true;
            break;
        }
        // Half an event is the end of a stream that was cut: what follows decides.
        let Ok(event) = serde_json::from_str::<Value>(data) else { continue };
        if event["type"] == "error" || event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Failure::of_response(200, headers, data.as_bytes()));
        }
        if let Some(whole) = responses::whole_in(&event) {
            return Ok(whole.to_string().into_bytes());
        }
        if !responses::is_event(&event) && !message.take(&event) {
            answer.take(&event);
        }
    }
    if message.began() {
        let whole = message.whole().ok_or_else(cut)?;
        return Ok(whole.to_string().into_bytes());
    }
    if !answer.done && answer.finish.is_null() {
        return Err(cut());
    }
    Ok(answer.whole().to_string().into_bytes())
}

fn cut() -> Failure {
    Failure::new(Kind::Broken, "the stream ended before the answer did".to_owned())
}

#[derive(Default)]
struct Assembly {
    /// Fields of the response beside its choices, the latest of each.
    head: Map<String, Value>,
    content: String,
    /// Other texts of the message by name: `reasoning_content`, `refusal`.
    texts: Map<String, Value>,
    calls: Vec<(String, String)>,
    finish: Value,
    done: bool,
}

impl Assembly {
    fn take(&mut self, event: &Value) {
        for (name, value) in event.as_object().into_iter().flatten() {
            if name != "choices" && !value.is_null() {
                self.head.insert(name.clone(), value.clone());
            }
        }
        let choice = &event["choices"][0];
        if !choice["finish_reason"].is_null() {
            self.finish = choice["finish_reason"].clone();
        }
        // Servers that do not stream but are asked to send the whole message as one event.
        let delta = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
        for (name, value) in delta.as_object().into_iter().flatten() {
            match (name.as_str(), value) {
                ("content", Value::String(text)) => self.content.push_str(text),
                ("role", _) => {}
                (_, Value::String(text)) => self.append(name, text),
                _ => {}
            }
        }
        for (at, call) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
            self.call(at, call);
        }
    }

    fn append(&mut self, name: &str, text: &str) {
        let before = self.texts.get(name).and_then(Value::as_str).unwrap_or("");
        let longer = Value::String(format!("{before}{text}"));
        self.texts.insert(name.to_owned(), longer);
    }

    fn call(&mut self, at: usize, call: &Value) {
        let index = call["index"].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or(at);
        if index >= MOST_CALLS {
            return;
        }
        if self.calls.len() <= index {
            self.calls.resize(index + 1, (String::new(), String::new()));
        }
        let (name, arguments) = &mut self.calls[index];
        name.push_str(call["function"]["name"].as_str().unwrap_or(""));
        arguments.push_str(call["function"]["arguments"].as_str().unwrap_or(""));
    }

    fn whole(self) -> Value {
        let mut message = self.texts;
        message.insert("role".to_owned(), json!("assistant"));
        message.insert("content".to_owned(), Value::String(self.content));
        let call = |(name, arguments): (String, String)| json!({"type": "function", "function": {"name": name, "arguments": arguments}});
        let calls: Vec<Value> = self.calls.into_iter().filter(|(name, _)| !name.is_empty()).map(call).collect();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        let mut body = self.head;
        body.insert("choices".to_owned(), json!([{"index": 0, "message": message, "finish_reason": self.finish}]));
        Value::Object(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn events_without_a_space_and_notes_between_them_are_read() {
        let body =
            b": keep-alive\n\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\nevent: x\ndata: [DONE]\n\n";
        let whole: Value = serde_json::from_slice(&assembled(&HeaderMap::new(), body).unwrap()).unwrap();
        assert_eq!(whole["choices"][0]["message"]["content"], "a");
    }

    #[test]
    fn a_stream_without_end_is_broken_even_in_the_middle_of_an_event() {
        let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"del";
        assert_eq!(assembled(&HeaderMap::new(), body).unwrap_err().kind, Kind::Broken);
    }

    proptest! {
        #[test]
        fn any_stream_is_put_together_or_refused(parts in prop::collection::vec(any::<String>(), 0..5), index: u64) {
            let mut body = String::new();
            for part in &parts {
                body += &format!("data: {part}\n\n");
                body += &format!("data: {}\n\n", json!({"choices": [{"delta": {"content": part, "tool_calls": [{"index": index}]}}]}));
            }
            let _ = assembled(&HeaderMap::new(), body.as_bytes());
            body += "data: [DONE]";
            let _ = assembled(&HeaderMap::new(), body.as_bytes());
        }
    }
}
