//! Spans of a run for a collector of OpenTelemetry.

use crate::support::unidebug;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

fn spans(recording: &str) -> Vec<Value> {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recordings").join(recording);
    let done = unidebug(&["inspect", run.to_str().unwrap(), "--format", "otlp"]);
    // What prompts and answers say stays here.
    assert!(!done.expect_code(0).stdout.contains("# Fixer") && !done.stdout.contains("slots.length"), "{done}");
    let object = done.json();
    assert_eq!(object["resourceSpans"][0]["resource"]["attributes"][0]["value"]["stringValue"], "unidebug");
    object["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let all = span["attributes"].as_array().unwrap().iter();
    all.filter(|one| one["key"] == key).map(|one| &one["value"]).next().unwrap_or(&Value::Null)
}

fn nanos(span: &Value, key: &str) -> u64 {
    span[key].as_str().unwrap().parse().unwrap()
}

#[test]
fn a_run_is_one_tree_of_spans_with_what_each_question_cost() {
    let spans = spans("L2");
    let ids: HashSet<&str> = spans.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), spans.len(), "an id is used twice");
    let roots: Vec<&Value> = spans.iter().filter(|span| span["parentSpanId"].is_null()).collect();
    assert_eq!((roots.len(), &roots[0]["name"]), (1, &"invoke_workflow unidebug".into()));
    for span in &spans {
        assert_eq!((span["traceId"].as_str().unwrap().len(), span["spanId"].as_str().unwrap().len()), (32, 16));
        assert!(span["parentSpanId"].as_str().is_none_or(|parent| ids.contains(parent)), "{span}");
        assert!(nanos(span, "startTimeUnixNano") <= nanos(span, "endTimeUnixNano"), "{span}");
        assert!(nanos(span, "endTimeUnixNano") <= nanos(roots[0], "endTimeUnixNano"), "{span}");
    }
    let named = |operation: &str| {
        let is = |span: &&Value| attribute(span, "gen_ai.operation.name")["stringValue"] == operation;
        spans.iter().filter(is).collect::<Vec<_>>()
    };
    let agents = named("invoke_agent");
    assert!(agents.iter().any(|span| span["name"] == "invoke_agent fixer"), "{agents:?}");
    let agents: HashSet<&str> = agents.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    let chats = named("chat");
    let whole = unidebug(&["report", concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/recordings/L2"), "--json"]).json();
    let usage = &whole["runs"][0]["report"]["usage"];
    assert_eq!(chats.len() as u64, usage["requests"].as_u64().unwrap());
    let sum = |key: &str| {
        let tokens =
            chats.iter().map(|span| attribute(span, key)["intValue"].as_str().unwrap().parse::<u64>().unwrap());
        tokens.sum::<u64>()
    };
    assert_eq!(Some(sum("gen_ai.usage.input_tokens")), usage["prompt_tokens"].as_u64());
    assert_eq!(Some(sum("gen_ai.usage.output_tokens")), usage["completion_tokens"].as_u64());
    for span in named("execute_tool").into_iter().chain(chats) {
        assert!(agents.contains(span["parentSpanId"].as_str().unwrap()), "{span}");
    }
    assert!(
        spans
            .iter()
            .any(|span| span["name"] == "judge" && attribute(span, "unidebug.outcome")["stringValue"] == "plausible")
    );
}
