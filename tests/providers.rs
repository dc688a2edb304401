//! Endpoints that differ, in whole runs: where the key comes from, what is refused, what does not fit.

use crate::support::{Endpoint, Finished, Reply, Unidebug};
use serde_json::{Value, json};
use std::fs;

const DIFF: &str = "--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@\n-        return size >= slots.length - 1;\n+        return size >= slots.length;\n";

fn marked() -> Value {
    json!({"marked_code": "return size >= slots.length - 1; // buggy line", "explanation": "off by one"})
}

fn fix() -> Value {
    json!({"diff": DIFF, "explanation": "the last slot counts"})
}

fn run(endpoint: &Endpoint, flags: &[&str], variables: &[(&str, &str)]) -> Finished {
    let url = endpoint.base_url();
    let args = ["run", "fixtures:ring-buffer", "--base-url", &url, "--no-first", "--json"];
    let mut program = Unidebug::new(&[&args[..], flags].concat());
    for (name, value) in variables {
        program = program.env(name, value);
    }
    program.run()
}

#[test]
fn the_strictest_form_that_is_taken_is_used_down_to_text() {
    // It takes neither tools nor schemas, as servers of one's own often do.
    let endpoint = Endpoint::start(|agent, _, body| {
        let refuse = |what: &str| Reply::status(400, json!({"error": {"message": what}}).to_string());
        if body.get("tools").is_some() {
            return refuse("tools are not supported by this model");
        }
        if body["response_format"]["type"] == "json_schema" {
            return refuse("This response_format type is unavailable now");
        }
        if body.get("reasoning_effort").is_some() {
            return refuse("unrecognized field reasoning_effort");
        }
        match agent {
            "Locator" => Reply::command("goal_accomplished", marked()),
            _ => Reply::command("write_fix", fix()),
        }
    });
    let done = run(&endpoint, &["--model", "m", "--answers", "tools", "--reasoning-effort", "low"], &[]);
    done.expect_code(0);
    let forms: Vec<String> = endpoint.served().iter().map(|s| s.body["response_format"]["type"].to_string()).collect();
    assert_eq!(forms.last().unwrap(), "\"json_object\"", "{forms:?}");
    assert_eq!(endpoint.served_to("Fixer").len(), 1, "what was refused once is not sent again");
}

#[test]
fn native_calls_are_understood() {
    let endpoint = Endpoint::start(|agent, _, _| match agent {
        "Locator" => Reply::call("goal_accomplished", &marked()),
        _ => Reply::call("write_fix", &fix()),
    });
    run(&endpoint, &["--model", "m", "--answers", "tools"], &[]).expect_code(0);
    let served = endpoint.served();
    let tools: Vec<&str> =
        served[0].body["tools"].as_array().unwrap().iter().filter_map(|t| t["function"]["name"].as_str()).collect();
    assert!(tools.contains(&"goal_accomplished"), "{tools:?}");
}

#[test]
fn a_prompt_that_does_not_fit_is_cut_once_and_then_said_to_be_too_large() {
    let limit = |most: usize| {
        Endpoint::start(move |agent, _, body| {
            let prompt = body["messages"][1]["content"].as_str().unwrap_or("");
            match agent {
                _ if prompt.len() > most => Reply::status(
                    400,
                    json!({"error": {"code": "context_length_exceeded", "message": "maximum context length is 1000"}})
                        .to_string(),
                ),
                "Locator" if prompt.contains("Cycle 1 ") => Reply::command("extract_tests", json!({})),
                "Locator" if prompt.contains("Cycle 2 ") => Reply::command("run_fault_localization", json!({})),
                "Locator" => Reply::command("goal_accomplished", marked()),
                _ => Reply::command("write_fix", fix()),
            }
        })
    };
    let whole = limit(usize::MAX);
    run(&whole, &["--model", "m"], &[]).expect_code(0);
    let size = whole.served_to("Locator")[2].prompt().len()
        - whole.served()[0].body["messages"][0]["content"].as_str().unwrap().len();
    let tight = limit(size - 100);
    let keep = tempfile::tempdir().unwrap();
    let record = keep.path().join("rec");
    let record = record.to_str().unwrap();
    let done = run(&tight, &["--model", "m", "--record", record], &[]);
    done.expect_code(0);
    assert_eq!(tight.served_to("Locator").len(), 4, "cut once");
    // The refusal is part of the recording, so that the run can be repeated from it.
    let replay = format!("replay:{record}");
    let args = ["run", "fixtures:ring-buffer", "--no-first", "--model", &replay, "--json"];
    assert_eq!(Unidebug::new(&args).run().expect_code(0).json()["patch"], done.json()["patch"]);

    let none = limit(10);
    let done = run(&none, &["--model", "m"], &[]);
    done.expect_code(4);
    assert!(done.stderr.contains("maximum context length") && done.stderr.contains("larger context"), "{done}");
    assert_eq!(none.served().len(), 2, "it is not asked again and again");
}

#[test]
fn keys_come_from_the_configured_variable_or_file_and_names_from_aliases() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    fs::write(&key, "sk-from-a-file-0123456789\n").unwrap();
    fs::create_dir_all(folder.path().join("unidebug")).unwrap();
    fs::write(
        folder.path().join("unidebug/config.toml"),
        "key_file = \"../key\"\nmodel = [\"cheap\"]\n[models]\ncheap = \"some-model\"\n",
    )
    .unwrap();
    let endpoint = Endpoint::start(|agent, _, _| match agent {
        "Locator" => Reply::command("goal_accomplished", marked()),
        _ => Reply::command("write_fix", fix()),
    });
    let done = run(&endpoint, &[], &[("XDG_CONFIG_HOME", folder.path().to_str().unwrap())]);
    done.expect_code(0);
    let served = endpoint.served();
    assert!(served.iter().all(|s| s.body["model"] == "some-model"), "{:?}", served[0].body["model"]);
    assert_eq!(served[0].authorization.as_deref(), Some("Bearer sk-from-a-file-0123456789"));

    let done = run(&endpoint, &["--model", "m", "--provider", "openruter"], &[]);
    done.expect_code(2);
    assert!(done.stderr.contains("no provider `openruter`") && done.stderr.contains("openrouter"), "{done}");
}

#[test]
fn an_unknown_price_is_refused_under_a_cap_and_stays_unknown_when_allowed() {
    let endpoint = Endpoint::start(|agent, _, _| match agent {
        "Locator" => Reply::command("goal_accomplished", marked()),
        _ => Reply::command("write_fix", fix()),
    });
    let refused = run(&endpoint, &["--model", "m", "--max-cost", "1"], &[]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("--allow-unpriced") && refused.stderr.contains("bundled list of"), "{refused}");
    assert!(endpoint.served().is_empty(), "nothing may be sent before");
    let allowed = run(&endpoint, &["--model", "m", "--max-cost", "1", "--allow-unpriced"], &[]);
    assert_eq!(allowed.expect_code(0).json()["usage"]["cost_usd"], Value::Null);
}

/// A reply with these fields of usage beside the counts.
fn counted(args: &str, usage: &Value) -> Reply {
    let mut all = json!({"prompt_tokens": 1000, "completion_tokens": 100});
    all.as_object_mut().unwrap().extend(usage.as_object().unwrap().clone());
    Reply::Json(json!({
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": args}}],
        "usage": all,
    }))
}

#[test]
fn a_cost_is_the_endpoints_own_else_the_lists_else_unknown() {
    let command =
        |name: &str, args: Value| json!({"thoughts": "", "command": {"name": name, "args": args}}).to_string();
    let cost_of = |usage: Value| {
        Endpoint::start(move |agent, _, _| match agent {
            "Locator" => counted(&command("goal_accomplished", marked()), &usage),
            _ => counted(&command("write_fix", fix()), &usage),
        })
    };
    let cost = |endpoint: &Endpoint, model: &str| {
        let done = run(endpoint, &["--model", model], &[]);
        done.expect_code(0).json()["usage"]["cost_usd"].clone()
    };
    let own = cost_of(json!({"cost": 0.25}));
    assert_eq!(cost(&own, "gpt-4o-mini"), json!(0.5), "what the endpoint says wins over the list");
    assert_eq!(cost(&own, "m"), json!(0.5), "and is known where the list is not");
    let silent = cost_of(json!({}));
    let listed = cost(&silent, "gpt-4o-mini").as_f64().unwrap();
    assert!((listed - 2.0 * (1000.0 * 0.15e-6 + 100.0 * 0.6e-6)).abs() < 1e-9, "{listed}");
    let done = run(&silent, &["--model", "m"], &[]);
    assert_eq!(done.expect_code(0).json()["usage"]["cost_usd"], Value::Null, "unknown is not nothing");
    let url = silent.base_url();
    let people =
        Unidebug::new(&["run", "fixtures:ring-buffer", "--base-url", &url, "--no-first", "--model", "m"]).run();
    assert!(people.stdout.contains("unknown price") && !people.stdout.contains("$0"), "{people}");
}
