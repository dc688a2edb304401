//! The fault storm over whole runs: whatever the endpoint does wrong, no run panics or is lost, and each ends in the
//! class and with the exit code that its fault deserves.

use crate::support::{Endpoint, Finished, Gate, Reply, fix, in_parallel, up_to_level_3};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::Duration;

/// Runs at the same time.
const AT_ONCE: usize = 4;

fn error(message: &str) -> String {
    json!({"error": {"message": message, "type": "x", "code": null}}).to_string()
}

fn good(agent: &str) -> Reply {
    if agent == "Fixer" { fix("age >= limit") } else { up_to_level_3(agent, 1) }
}

fn choice(message: Value, finish: &str) -> Reply {
    Reply::Json(json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]}))
}

/// Faults that pass, or that cost a cycle: the run is repaired all the same.
fn survived() -> Vec<(&'static str, Reply)> {
    let soon = |status, body: &str| Reply::status(status, body).with_header("retry-after-ms", "5");
    vec![
        ("429 with an integer code", soon(429, r#"{"error": {"message": "slow down", "code": 429}}"#)),
        ("429 with seconds", Reply::status(429, "{}").with_header("retry-after", "0.01")),
        (
            "429 with a date long ago",
            Reply::status(429, "{}").with_header("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ),
        ("429 with nonsense", Reply::status(429, "[]").with_header("retry-after", "soon")),
        ("429 in a list", soon(429, r#"[{"error": {"status": "RESOURCE_EXHAUSTED"}}]"#)),
        ("408", soon(408, &error("timeout"))),
        ("409", soon(409, &error("conflict"))),
        ("500 without a body", soon(500, "")),
        ("500 with null", soon(500, "null")),
        ("502 with HTML", soon(502, "<html><title>Bad gateway</title></html>")),
        ("503 with zeros", soon(503, "\u{0}\u{1}")),
        ("529", soon(529, &error("overloaded"))),
        ("an error with status 200", Reply::Json(json!({"error": {"message": "upstream", "code": 502}}))),
        ("empty choices", Reply::Json(json!({"choices": []}))),
        ("no choices", Reply::Json(json!({"id": "x"}))),
        ("half of a JSON", Reply::status(200, r#"{"choices": [{"mess"#)),
        ("a connection that closes", Reply::HangUp),
        ("half of a body", Reply::Half(Box::new(Reply::text("never whole")))),
        ("an answer without text", choice(json!({"content": null}), "stop")),
        ("an answer cut at its limit", choice(json!({"content": "{\"thoughts\": \"I think that"}), "length")),
        ("a refusal", choice(json!({"content": null, "refusal": "I cannot help with that"}), "content_filter")),
        ("a call with broken arguments", Reply::Call("write_fix".into(), "{\"diff\": \"--- a".into())),
        ("a call of nothing", choice(json!({"content": null, "tool_calls": [{"function": {}}]}), "tool_calls")),
        ("text that is no command", Reply::text("I am sure that the limit is wrong.")),
        ("much text", Reply::text("x".repeat(1 << 18))),
        ("text full of controls", Reply::text("\u{1b}[31m\u{0}\u{7}\u{202e}")),
        ("brackets without end", Reply::text("[{".repeat(20_000))),
        (
            "wrong types everywhere",
            Reply::Json(
                json!({"choices": [{"message": {"content": {"a": [1]}}, "finish_reason": 7}], "usage": "lots"}),
            ),
        ),
        ("a model that is still loading", soon(503, &error("model is loading"))),
    ]
}

/// Faults that end the run: exit code, and a word of the message.
fn fatal() -> Vec<(&'static str, Reply, i32, &'static str)> {
    vec![
        ("401", Reply::status(401, error("incorrect key")), 4, "key"),
        ("401 with HTML", Reply::status(401, "<html><title>401</title></html>"), 4, "401"),
        ("nothing at all", Reply::status(200, ""), 4, "empty body"),
        ("402", Reply::status(402, error("payment required")), 4, "payment"),
        ("403", Reply::status(403, error("country not supported")), 4, "country"),
        (
            "quota",
            Reply::status(429, r#"{"error": {"message": "you exceeded your quota", "code": "insufficient_quota"}}"#),
            4,
            "quota",
        ),
        ("unknown model", Reply::status(404, error("The model `scripted` does not exist")), 4, "scripted"),
        ("bad request", Reply::status(400, error("messages must not be empty")), 4, "empty"),
        ("a page", Reply::status(200, "<html><title>Welcome</title></html>"), 4, "Welcome"),
        (
            "elsewhere",
            Reply::status(307, "").with_header("location", "http://elsewhere.example/"),
            4,
            "elsewhere.example",
        ),
        ("down for good", Reply::status(503, error("down")).with_header("retry-after-ms", "1"), 4, "down"),
        ("thirty-three megabytes", Reply::text("x".repeat(33 << 20)), 4, "larger"),
    ]
}

/// A run whose first request meets the fault; always, or until it was met so often.
fn run(fault: &Reply, times: usize) -> (Finished, usize, Gate) {
    let gate = Gate::new();
    let left = Mutex::new(times);
    let fault = fault.clone();
    let endpoint = Endpoint::start(move |agent, _, _| {
        let mut left = left.lock().unwrap();
        if *left == 0 {
            return good(agent);
        }
        *left -= 1;
        fault.clone()
    });
    let done = gate.run(&endpoint, &["--levels", "L1"]).limit(Duration::from_secs(120)).run();
    (done, endpoint.served().len(), gate)
}

fn no_panic(name: &str, done: &Finished) {
    assert!(!done.stderr.contains("panicked"), "{name}: {done}");
}

#[test]
fn faults_that_pass_lose_no_run() {
    let faults = survived();
    assert!(faults.len() >= 20);
    in_parallel(AT_ONCE, faults, |(name, fault)| {
        let (done, served, _) = run(&fault, 1);
        no_panic(name, &done);
        assert_eq!((done.code, &done.json()["verdict"]), (Some(0), &json!("plausible")), "{name}: {done}");
        assert_eq!(served, 3, "{name}: one more request than without the fault\n{done}");
    });
}

#[test]
fn faults_that_stay_end_the_run_with_their_class_and_it_goes_on_later() {
    in_parallel(AT_ONCE, fatal(), |(name, fault, code, word)| {
        let (done, _, gate) = run(&fault, usize::MAX);
        no_panic(name, &done);
        assert_eq!(done.code, Some(code), "{name}: {done}");
        let error = &done.json()["error"];
        assert_eq!(error["code"], "model", "{name}: {done}");
        let (message, hint) = (error["message"].as_str().unwrap(), error["hint"].as_str().unwrap());
        assert!(message.contains(word) && !hint.is_empty(), "{name}: {done}");
        // Another endpoint at another address stands in for the one that works again.
        let mended = Endpoint::start(|agent, _, _| good(agent));
        crate::support::change(&gate.run_dir().join("config.json"), |text| {
            let frozen: Value = serde_json::from_slice(text).unwrap();
            let old = frozen["settings"]["base_url"].as_str().unwrap().to_owned();
            *text = String::from_utf8_lossy(text).replace(&old, &mended.base_url()).into_bytes();
        });
        let resumed = gate.resume(&[]).run();
        assert_eq!(resumed.code, Some(0), "{name}: {resumed}");
        assert_eq!(mended.served().len(), 2, "{name}");
    });
}

#[test]
fn a_prompt_that_does_not_fit_is_cut_once_and_never_fits_later() {
    let overflow = r#"{"error": {"message": "too long", "code": "context_length_exceeded"}}"#;
    let (done, served, _) = run(&Reply::status(400, overflow), 1);
    assert_eq!((done.code, served), (Some(0), 3), "{done}");
    let (done, served, gate) = run(&Reply::status(400, overflow), usize::MAX);
    assert_eq!((done.code, served), (Some(4), 2), "{done}");
    assert!(done.stderr.contains("hint: use a model with a larger context"), "{done}");
    gate.resume(&[]).run().expect_code(4);
}

#[test]
fn the_time_of_a_bug_ends_waiting_too() {
    let silence = Duration::from_secs(60);
    for fault in [
        Reply::Drip(Duration::from_secs(1), Box::new(Reply::text("slow"))),
        Reply::After(silence, Box::new(Reply::text("late"))),
    ] {
        let gate = Gate::new();
        let first = Mutex::new(Some(fault));
        let endpoint = Endpoint::start(move |agent, _, _| first.lock().unwrap().take().unwrap_or_else(|| good(agent)));
        let done = gate.run(&endpoint, &["--levels", "L1", "--max-time", "2s"]).run();
        done.expect_code(5);
        assert!(done.took < silence / 2, "{done}");
        let report = done.json();
        assert_eq!((&report["verdict"], &report["possibly_billed"]), (&json!("stopped_at_cap"), &json!(1)), "{done}");
        gate.on_run("replay", &[]).run().expect_code(0);
        let later = gate.resume(&["--max-time", "60s"]).run();
        later.expect_code(0);
        assert_eq!((&later.json()["possibly_billed"], &later.json()["usage"]["requests"]), (&json!(1), &json!(2)));
    }
}
