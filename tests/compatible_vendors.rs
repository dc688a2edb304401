//! Vendors that speak OpenAI's chat completions with an accent: Gemini's and Bedrock's compatible interfaces, each with
//! the errors, counts and streams that its reference and its users report.

use crate::support::{Endpoint, Finished, Reply, Unidebug};
use serde_json::{Value, json};
use std::time::Duration;

const DIFF: &str = "--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@\n-        return size >= slots.length - 1;\n+        return size >= slots.length;\n";

/// What each agent calls: the name of the tool and its arguments.
fn command(agent: &str) -> (&'static str, Value) {
    match agent {
        "Locator" => (
            "goal_accomplished",
            json!({"marked_code": [{"code": "return size >= slots.length - 1; // buggy line"}], "explanation": "off by one"}),
        ),
        _ => ("write_fix", json!({"diff": DIFF, "explanation": "the last slot counts"})),
    }
}

fn run(endpoint: &Endpoint, provider: &str, model: &str, flags: &[&str]) -> Finished {
    let url = endpoint.base_url();
    let args = ["run", "fixtures:ring-buffer", "--base-url", &url, "--no-first", "--json", "--provider", provider];
    let key = "key-0123456789abcdef";
    Unidebug::new(&[&args[..], &["--model", model], flags].concat())
        .env("GEMINI_API_KEY", key)
        .env("AWS_BEARER_TOKEN_BEDROCK", key)
        .run()
}

/// Google's form of an error: a list with one error, and for limits when to come back.
fn google(code: u16, status: &str, message: &str, delay: Option<&str>) -> Reply {
    let details: Vec<Value> = delay
        .into_iter()
        .map(|delay| json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}))
        .collect();
    let body = json!([{"error": {"code": code, "message": message, "status": status, "details": details}}]);
    Reply::status(code, body.to_string())
}

/// A tool call as Gemini sends it: no id worth the name, `stop` as the reason, and a signature of its thoughts.
fn gemini_call(agent: &str) -> Value {
    let (name, args) = command(agent);
    json!({
        "id": "abc", "object": "chat.completion", "created": 1, "model": "gemini-2.5-pro",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "tool_calls": [{
            "id": "", "type": "function", "function": {"name": name, "arguments": args.to_string()},
            "extra_content": {"google": {"thought_signature": "c2ln"}},
        }]}}],
        "usage": {"prompt_tokens": 3000, "completion_tokens": 50, "total_tokens": 3450,
            "prompt_tokens_details": {"cached_tokens": 2000}},
    })
}

const TOO_LARGE: &str = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
const MINUTE_LIMIT: &str = "You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 5\nPlease retry in 0.01s.";

#[test]
fn gemini_is_waited_for_counted_and_priced() {
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("Locator", 1) => google(429, "RESOURCE_EXHAUSTED", MINUTE_LIMIT, Some("0.01s")),
        ("Locator", 2) => google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", None),
        ("Fixer", 1) => Reply::Half(Box::new(Reply::Json(gemini_call(agent)))),
        _ => Reply::Json(gemini_call(agent)),
    });
    let report = run(&endpoint, "gemini", "gemini-2.5-pro", &["--answers", "tools", "--max-cost", "1"]);
    let usage = report.expect_code(0).json()["usage"].clone();
    assert_eq!((endpoint.served_to("Locator").len(), endpoint.served_to("Fixer").len()), (3, 2));
    assert_eq!((&usage["prompt_tokens"], &usage["cached_tokens"]), (&json!(6000), &json!(4000)));
    // Tokens of thoughts stand in the sum alone, and are paid as output.
    let output = usage["completion_tokens"].as_f64().unwrap();
    let wanted = 2000.0 * 1.25e-6 + 4000.0 * 1.25e-7 + output * 1e-5;
    assert!((usage["cost_usd"].as_f64().unwrap() - wanted).abs() < 1e-12, "{usage}");
    assert_eq!(output, 900.0, "{usage}");
    let body = &endpoint.served()[0].body;
    assert!(body.get("seed").is_none() && body.get("prompt_cache_key").is_none(), "{body}");
}

#[test]
fn a_stream_of_geminis_that_breaks_is_asked_for_again() {
    let endpoint = Endpoint::start(|agent, nth, _| {
        let (name, args) = command(agent);
        let chunk = |delta: Value, reason: Value, usage: Value| {
            json!({"id": "abc", "object": "chat.completion.chunk", "created": 1, "model": "gemini-2.5-pro",
                "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": usage})
            .to_string()
        };
        let call = json!({"index": 0, "id": "", "type": "function", "function": {"name": name, "arguments": args.to_string()}});
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 42, "total_tokens": 52});
        let mut events = vec![
            chunk(json!({"role": "assistant", "content": ""}), Value::Null, Value::Null),
            chunk(json!({"role": "assistant", "tool_calls": [call]}), json!("stop"), usage),
            "[DONE]".to_owned(),
        ];
        if (agent, nth) == ("Locator", 1) {
            events.truncate(1);
        }
        Reply::Stream(Duration::ZERO, events)
    });
    let done = run(&endpoint, "gemini", "gemini-2.5-pro", &["--answers", "tools", "--stream"]);
    assert_eq!(done.expect_code(0).json()["usage"]["completion_tokens"], 84);
    assert_eq!(endpoint.served_to("Locator").len(), 2);
}

#[test]
fn tools_that_gemini_does_not_take_are_asked_for_in_another_form() {
    let endpoint = Endpoint::start(|agent, _, body| {
        if body.get("tools").is_some() {
            let text = "Invalid JSON payload received. Unknown name \"$ref\" at 'tools[0].function_declarations[0].parameters': Cannot find field.";
            return google(400, "INVALID_ARGUMENT", text, None);
        }
        let (name, args) = command(agent);
        Reply::command(name, args)
    });
    run(&endpoint, "gemini", "gemini-3-pro-preview", &["--answers", "tools"]).expect_code(0);
    let with_tools = endpoint.served().iter().filter(|served| served.body.get("tools").is_some()).count();
    assert_eq!(with_tools, 1, "it is not tried again");
}

#[test]
fn what_gemini_refuses_for_good_is_said_once() {
    let fails = |reply: fn() -> Reply| {
        let endpoint = Endpoint::start(move |_, _, _| reply());
        let done = run(&endpoint, "gemini", "gemini-2.5-pro", &["--answers", "text"]);
        done.expect_code(4);
        (done.stderr, endpoint.served().len())
    };
    let (text, requests) =
        fails(|| google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", None));
    assert!(text.contains("…cdef is refused") && requests == 1, "{text}");
    let (text, requests) = fails(|| google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", None));
    assert!(text.contains("quota is used up") && requests == 1, "{text}");
    let (text, requests) = fails(|| google(400, "INVALID_ARGUMENT", TOO_LARGE, None));
    assert!(text.contains(TOO_LARGE) && text.contains("larger context") && requests == 2, "{text}");
}

/// An error of Bedrock's compatible interface.
fn bedrock(code: u16, kind: &str, message: &str) -> Reply {
    let body = json!({"error": {"code": kind, "message": message, "param": null, "type": "invalid_request_error"}});
    Reply::status(code, body.to_string())
}

#[test]
fn bedrock_is_waited_for_counted_and_priced() {
    let endpoint = Endpoint::start(|agent, nth, _| {
        let (name, args) = command(agent);
        match (agent, nth) {
            ("Locator", 1) => bedrock(429, "throttling_exception", "Too many tokens, please wait before trying again."),
            ("Locator", 2) => bedrock(503, "service_unavailable", "Bedrock is unable to process your request."),
            ("Locator", 3) => Reply::Half(Box::new(Reply::call(name, &args))),
            _ => Reply::Json(json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "openai.gpt-oss-120b",
                "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
                    "reasoning": "the bound is one too low", "tool_calls": [{"id": "call_1", "type": "function",
                    "function": {"name": name, "arguments": args.to_string()}}]}}],
                "usage": {"prompt_tokens": 3000, "completion_tokens": 50, "total_tokens": 3050,
                    "prompt_tokens_details": {"cached_tokens": 1024}},
            })),
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let prices = folder.path().join("prices.json");
    let price = json!({"openai.gpt-oss-120b": {"input_cost_per_token": 1.5e-7, "cache_read_input_token_cost": 7.5e-8, "output_cost_per_token": 6e-7}});
    std::fs::write(&prices, price.to_string()).unwrap();
    let flags = ["--answers", "tools", "--max-cost", "1", "--prices", prices.to_str().unwrap()];
    let done = run(&endpoint, "bedrock", "openai.gpt-oss-120b", &flags);
    let usage = done.expect_code(0).json()["usage"].clone();
    assert_eq!((endpoint.served_to("Locator").len(), endpoint.served_to("Fixer").len()), (4, 1));
    assert_eq!((&usage["prompt_tokens"], &usage["cached_tokens"]), (&json!(6000), &json!(2048)));
    let wanted = (3952.0 * 0.15 + 2048.0 * 0.075 + 100.0 * 0.6) / 1e6;
    assert!((usage["cost_usd"].as_f64().unwrap() - wanted).abs() < 1e-12, "{usage}");
    let body = &endpoint.served()[0].body;
    assert!(body.get("seed").is_none() && body.get("max_completion_tokens").is_some(), "{body}");
}

#[test]
fn a_model_that_bedrock_does_not_have_is_named() {
    let endpoint = Endpoint::start(|_, _, _| {
        bedrock(404, "model_not_found", "The model 'openai.gpt-oss-9b' does not exist or you do not have access to it.")
    });
    let done = run(&endpoint, "bedrock", "openai.gpt-oss-9b", &["--answers", "text"]);
    done.expect_code(4);
    assert!(done.stderr.contains("does not know the model `openai.gpt-oss-9b`"), "{done}");
    assert_eq!(endpoint.served().len(), 1);
}
