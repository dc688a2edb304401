//! Vendors' own ways, in whole runs: Anthropic's messages, OpenAI's Responses, strict schemas; each as its published
//! reference has it, errors included.

use crate::support::{Endpoint, Finished, Reply, Unidebug};
use serde_json::{Value, json};
use std::time::Duration;

const DIFF: &str = "--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@\n-        return size >= slots.length - 1;\n+        return size >= slots.length;\n";
const CLAUDE: &str = "claude-sonnet-4-20250514";

fn marked() -> Value {
    json!({"marked_code": [{"code": "return size >= slots.length - 1; // buggy line"}], "explanation": "off by one"})
}

fn fix() -> Value {
    json!({"diff": DIFF, "explanation": "the last slot counts"})
}

fn run(endpoint: &Endpoint, flags: &[&str]) -> Finished {
    let url = endpoint.base_url();
    let args = ["run", "fixtures:ring-buffer", "--base-url", &url, "--no-first", "--json"];
    Unidebug::new(&[&args[..], flags].concat()).env("ANTHROPIC_API_KEY", "sk-ant-0123456789abcdef").run()
}

fn anthropic(endpoint: &Endpoint, flags: &[&str]) -> Finished {
    run(endpoint, &[&["--provider", "anthropic", "--model", CLAUDE], flags].concat())
}

/// A message with one tool call and these counts.
fn message(name: &str, input: &Value, usage: &Value) -> Value {
    json!({
        "id": "msg_01", "type": "message", "role": "assistant", "model": CLAUDE, "stop_sequence": null,
        "content": [
            {"type": "thinking", "thinking": "the bound is one too low", "signature": "c2ln"},
            {"type": "tool_use", "id": "toolu_01", "name": name, "input": input},
        ],
        "stop_reason": "tool_use", "usage": usage,
    })
}

/// An error as Anthropic has it.
fn refusal(status: u16, kind: &str, message: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"});
    Reply::status(status, body.to_string())
}

#[test]
fn anthropics_messages_are_cached_counted_and_priced() {
    let endpoint = Endpoint::start(|agent, _, _| match agent {
        "Locator" => Reply::Json(message(
            "goal_accomplished",
            &marked(),
            &json!({"input_tokens": 100, "cache_creation_input_tokens": 2000, "cache_read_input_tokens": 0, "output_tokens": 50}),
        )),
        _ => Reply::Json(message(
            "write_fix",
            &fix(),
            &json!({"input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 2000, "output_tokens": 50}),
        )),
    });
    let done = anthropic(&endpoint, &["--answers", "tools", "--reasoning-effort", "low", "--max-cost", "1"]);
    let report = done.expect_code(0).json();
    let usage = &report["usage"];
    assert_eq!((&usage["prompt_tokens"], &usage["cached_tokens"]), (&json!(4200), &json!(2000)));
    assert_eq!((&usage["cache_write_tokens"], &usage["completion_tokens"]), (&json!(2000), &json!(100)));
    let wanted = 200.0 * 3e-6 + 2000.0 * 3.75e-6 + 2000.0 * 0.3e-6 + 100.0 * 15e-6;
    let cost = usage["cost_usd"].as_f64().unwrap();
    assert!((cost - wanted).abs() < 1e-12, "{cost}, not {wanted}");
    let served = endpoint.served();
    assert!(served.iter().all(|s| s.path == "/v1/messages" && s.authorization.is_none()));
    assert_eq!(served[0].headers["x-api-key"], "sk-ant-0123456789abcdef");
    assert_eq!(served[0].headers["anthropic-version"], "2023-06-01");
    let body = &served[0].body;
    assert_eq!(body["system"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": 2048}));
    assert!(body["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "goal_accomplished"));
    assert!(done.stderr.is_empty() || !done.stderr.contains("sk-ant-0123456789abcdef"));
}

#[test]
fn an_overloaded_or_limited_anthropic_is_asked_again_and_a_refused_key_is_not() {
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("Locator", 1) => refusal(529, "overloaded_error", "Overloaded"),
        ("Locator", 2) => refusal(429, "rate_limit_error", "slow down").with_header("retry-after", "0"),
        ("Locator", 3) => refusal(500, "api_error", "Internal server error"),
        ("Locator", _) => Reply::call("goal_accomplished", &marked()),
        ("Fixer", 1) => Reply::Half(Box::new(Reply::call("write_fix", &fix()))),
        _ => Reply::call("write_fix", &fix()),
    });
    let done = anthropic(&endpoint, &["--answers", "tools"]);
    assert_eq!(done.expect_code(0).json()["usage"]["requests"], 2);
    assert_eq!((endpoint.served_to("Locator").len(), endpoint.served_to("Fixer").len()), (4, 2));

    let endpoint = Endpoint::start(|_, _, _| refusal(401, "authentication_error", "invalid x-api-key"));
    let done = anthropic(&endpoint, &[]);
    done.expect_code(4);
    assert!(done.stderr.contains("…cdef is refused") && endpoint.served().len() == 1, "{done}");
}

#[test]
fn a_stream_of_anthropics_that_breaks_is_asked_for_again() {
    let events = |name: &str, input: &Value| -> Vec<String> {
        let whole = message(name, input, &json!({"input_tokens": 10, "output_tokens": 1}));
        let mut head = whole.clone();
        (head["content"], head["stop_reason"]) = (json!([]), Value::Null);
        let text = input.to_string();
        let (first, rest) = text.split_at(text.len() / 2);
        let piece = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}});
        let block = json!({"type": "tool_use", "id": "toolu_01", "name": name, "input": {}});
        [
            json!({"type": "message_start", "message": head}),
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "ping"}),
            piece(first),
            piece(rest),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 42}}),
            json!({"type": "message_stop"}),
        ]
        .map(|event| event.to_string())
        .into()
    };
    let endpoint = Endpoint::start(move |agent, nth, _| {
        let (name, input) = if agent == "Locator" { ("goal_accomplished", marked()) } else { ("write_fix", fix()) };
        let mut events = events(name, &input);
        match (agent, nth) {
            ("Locator", 1) => events.truncate(4),
            ("Locator", 2) => {
                events.truncate(3);
                events.push(
                    json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
                        .to_string(),
                );
            }
            _ => {}
        }
        Reply::Stream(Duration::ZERO, events)
    });
    let done = anthropic(&endpoint, &["--answers", "tools", "--stream"]);
    assert_eq!(done.expect_code(0).json()["usage"]["completion_tokens"], 84);
    assert_eq!(endpoint.served_to("Locator").len(), 3);
    assert_eq!(endpoint.served()[0].body["stream"], true);
}

#[test]
fn a_model_that_is_only_at_responses_is_asked_there() {
    let refuse = || {
        let text = "This model is only supported in v1/responses and not in v1/chat/completions.";
        Reply::status(
            404,
            json!({"error": {"message": text, "type": "invalid_request_error", "param": "model", "code": null}})
                .to_string(),
        )
    };
    let endpoint = Endpoint::start(move |agent, nth, body| match agent {
        _ if body.get("messages").is_some() => refuse(),
        "Locator" if nth == 1 => Reply::status(503, r#"{"error": {"message": "The server is overloaded"}}"#),
        "Locator" => Reply::call("goal_accomplished", &marked()),
        _ => Reply::call("write_fix", &fix()),
    });
    let flags = ["--provider", "openai", "--answers", "tools", "--reasoning-effort", "high", "--model"];
    run(&endpoint, &[&flags[..], &["gpt-5.1-codex"]].concat()).expect_code(0);
    let served = endpoint.served();
    assert!(served.iter().all(|s| s.path == "/v1/responses"), "known by its name");
    assert_eq!((&served[0].body["store"], &served[0].body["reasoning"]["effort"]), (&json!(false), &json!("high")));
    // A name that says nothing is found out by asking, once.
    run(&endpoint, &[&flags[..], &["some-new-model"]].concat()).expect_code(0);
    let chats = endpoint.served().iter().filter(|s| s.path == "/v1/chat/completions").count();
    assert_eq!(chats, 1);
}

#[test]
fn a_strict_schema_closes_every_tool_and_missing_arguments_come_as_null() {
    let forms = |refuses: bool| -> Vec<Value> {
        let endpoint = Endpoint::start(move |agent, _, body| {
            let format = body["response_format"]["json_schema"].clone();
            if refuses && format["strict"] == true {
                let text = "Invalid schema for response_format 'command': too many properties";
                return Reply::status(400, json!({"error": {"message": text, "param": "response_format"}}).to_string());
            }
            let (name, args) = match agent {
                "Locator" => ("goal_accomplished", marked()),
                _ => ("write_fix", fix()),
            };
            let mut answer = json!({"thoughts": "", "command": {"name": name, "args": args}});
            let schema = jsonschema::validator_for(&format["schema"]).unwrap();
            if format["strict"] == true {
                assert!(!schema.is_valid(&answer), "what may be missing must be there");
                answer["command"]["args"]["marked_code"][0]["file_path"] = Value::Null;
            }
            assert!(schema.is_valid(&answer), "{}", format["schema"]);
            Reply::text(answer.to_string())
        });
        run(&endpoint, &["--provider", "openai", "--model", "m", "--answers", "json_schema"]).expect_code(0);
        endpoint.served().iter().map(|s| s.body["response_format"]["json_schema"]["strict"].clone()).collect()
    };
    // The patch forms of `write_fix` refer to each other, so Fixer is asked loosely.
    assert_eq!(forms(false), [json!(true), Value::Null]);
    assert_eq!(forms(true), [json!(true), Value::Null, Value::Null], "what is refused once is not sent again");
}
