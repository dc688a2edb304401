//! `bench run --batch`: what models are asked goes as batches of the vendor's, at half the price. A process that dies
//! between sending and collecting buys nothing twice.

use crate::support::{Batches, Gate, Made, Reply, Unidebug, fix, status};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

const BUGS: usize = 3;

fn answer(agent: &str) -> Reply {
    match agent {
        "Locator" => Reply::command(
            "goal_accomplished",
            json!({"marked_code": "return age > limit; // buggy line", "explanation": "the limit is left out"}),
        ),
        _ => fix("age >= limit"),
    }
}

/// Bugs that differ in nothing but their folder.
struct Set {
    gates: Vec<Gate>,
    endpoint: Batches,
    provider: &'static str,
}

impl Set {
    fn of(provider: &'static str, endpoint: Batches) -> Self {
        Self { gates: (0..BUGS).map(|_| Gate::new()).collect(), endpoint, provider }
    }

    fn folder(&self) -> String {
        self.gates[0].path("batch").to_str().unwrap().to_owned()
    }

    fn run(&self, own: &[&str], each: &[&str]) -> Unidebug {
        let bugs: Vec<String> = self.gates.iter().map(|gate| gate.path("bug").to_str().unwrap().to_owned()).collect();
        let bugs: Vec<&str> = bugs.iter().map(String::as_str).collect();
        let (url, prices, folder) = (self.endpoint.base_url(), self.gates[0].path("prices.json"), self.folder());
        let how =
            ["--out", &folder, "--jobs", "2", "--batch", "--batch-pause", "30ms", "--retry-pause", "50ms", "--quiet"];
        let model = ["--", "--test", "sh check.sh", "--prices", prices.to_str().unwrap(), "--base-url", &url];
        let more = ["--provider", self.provider, "--model", "scripted", "--no-first"];
        let args = [&["bench", "run"], &bugs[..], &how, own, &model, &more, each].concat();
        let program = Unidebug::new(&args).env("OPENAI_API_KEY", "sk-batch-0123456789abcdef");
        program.env("ANTHROPIC_API_KEY", "sk-ant-batch-0123456789abcdef")
    }

    /// Names of all requests that were bought.
    fn bought(&self) -> Vec<String> {
        self.endpoint.made().iter().flat_map(|made: &Made| made.requests.iter().map(|(name, _)| name.clone())).collect()
    }
}

#[test]
fn a_process_that_dies_between_send_and_collect_buys_nothing_twice() {
    for provider in ["openai", "anthropic"] {
        let set = Set::of(provider, Batches::start(2, |agent, _| answer(agent)));
        let run = || set.run(&[], &["--levels", "L1"]);
        // Right after the endpoint took the batch: its id is nowhere on disk.
        let died = run().env("UNIDEBUG_FAILPOINT", "batch.sent").run();
        assert_eq!((died.code, set.endpoint.made().len()), (None, 1), "{provider}: {died}");
        // The answers of that batch come, the next one is sent and noted.
        let died = run().env("UNIDEBUG_FAILPOINT", "batch.noted").run();
        assert_eq!((died.code, set.endpoint.made().len()), (None, 2), "{provider}: {died}");
        run().run().expect_code(0);
        let bought = set.bought();
        assert_eq!((bought.len(), bought.iter().collect::<BTreeSet<_>>().len()), (2 * BUGS, 2 * BUGS), "{provider}");
        let status = status(&set.folder());
        assert_eq!((&status["over"], &status["plausible"]["1"]), (&json!(BUGS), &json!(BUGS)), "{provider}: {status}");
        assert_cost(&set);
        // Typed again, it has nothing to do.
        run().run().expect_code(0);
        assert_eq!(set.bought().len(), 2 * BUGS);
    }
}

/// Every run costs half of what its tokens cost alone: a millionth of a dollar each.
fn assert_cost(set: &Set) {
    let mut count = 0;
    for entry in walk(set.folder().as_ref()) {
        let report: Value = serde_json::from_slice(&std::fs::read(entry).unwrap()).unwrap();
        let usage = &report["usage"];
        let tokens = usage["prompt_tokens"].as_f64().unwrap() + usage["completion_tokens"].as_f64().unwrap();
        let cost = usage["cost_usd"].as_f64().unwrap();
        assert!(tokens > 0.0 && (cost - tokens * 0.5e-6).abs() < 1e-9, "{cost} for {tokens} tokens");
        assert_eq!((&usage["requests"], &report["possibly_billed"]), (&json!(2), &Value::Null));
        count += 1;
    }
    assert_eq!(count, BUGS);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else if path.ends_with("report.json") {
            found.push(path);
        }
    }
    found
}

#[test]
fn what_expires_or_fails_in_a_batch_is_sent_again_and_what_is_refused_is_not() {
    let error = |status: u16, kind: &str, message: &str| {
        Reply::status(status, json!({"type": "error", "error": {"type": kind, "message": message}}).to_string())
    };
    for provider in ["openai", "anthropic"] {
        let count = AtomicUsize::new(0);
        let set = Set::of(
            provider,
            Batches::start(1, move |agent, _| match count.fetch_add(1, Ordering::SeqCst) {
                0 => Reply::HangUp,
                1 => error(500, "api_error", "Internal server error"),
                _ => answer(agent),
            }),
        );
        set.run(&[], &["--levels", "L1"]).run().expect_code(0);
        let sizes: Vec<usize> = set.endpoint.made().iter().map(|made| made.requests.len()).collect();
        assert_eq!(sizes, [BUGS, 2, BUGS], "{provider}");

        let refuse = move |_: &str, _: &Value| error(400, "invalid_request_error", "prompts of this kind are refused");
        let set = Set::of(provider, Batches::start(1, refuse));
        let done = set.run(&[], &["--levels", "L1"]).run();
        done.expect_code(4);
        assert_eq!(set.bought().len(), BUGS, "{provider}");
        let status = status(&set.folder()).to_string();
        assert!(status.contains("prompts of this kind are refused"), "{status}");
    }
}

#[test]
fn what_cannot_wait_for_a_batch_is_refused_before_anything_is_sent() {
    let set = Set::of("openai", Batches::start(1, |agent, _| answer(agent)));
    let refused = set.run(&[], &[]).run();
    refused.expect_code(2);
    assert!(refused.stderr.contains("dozens of answers") && refused.stderr.contains("--levels L1"), "{refused}");
    let set = Set { provider: "ollama", ..set };
    let refused = set.run(&[], &["--levels", "L1"]).run();
    refused.expect_code(2);
    assert!(refused.stderr.contains("not known to take batches") && set.endpoint.made().is_empty(), "{refused}");
}
