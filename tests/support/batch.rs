//! Bugs that are worked on as a batch, against one endpoint. Each run takes half a second.
#![allow(dead_code)]

use super::{Endpoint, Gate, Unidebug, unidebug};
use serde_json::Value;
use std::path::Path;

/// The bugs and the endpoint; folders of batches lie beside the first bug.
pub struct Batch {
    pub gates: Vec<Gate>,
    pub endpoint: Endpoint,
}

impl Batch {
    /// So many bugs that differ in nothing but their folder.
    pub fn of(bugs: usize, endpoint: Endpoint) -> Self {
        Self { gates: (0..bugs).map(|_| Gate::new()).collect(), endpoint }
    }

    /// A folder for a batch.
    pub fn folder(&self, name: &str) -> String {
        self.gates[0].path(name).to_str().unwrap().to_owned()
    }

    /// `bench run` into a folder, with these flags of its own.
    pub fn run_in(&self, folder: &str, own: &[&str]) -> Unidebug {
        let bugs: Vec<String> = self.gates.iter().map(|gate| gate.path("bug").to_str().unwrap().to_owned()).collect();
        let bugs: Vec<&str> = bugs.iter().map(String::as_str).collect();
        let (url, prices) = (self.endpoint.base_url(), self.gates[0].path("prices.json"));
        let each = ["--", "--test", "sh check.sh", "--prices", prices.to_str().unwrap(), "--base-url", &url];
        let more = ["--model", "scripted", "--no-first", "--levels", "L1..L3", "--without", "skipping"];
        let args = [&["bench", "run"], &bugs[..], &["--out", folder, "--quiet"], own, &each, &more].concat();
        self.with_key(Unidebug::new(&args))
    }

    /// Another command of `bench` on a folder.
    pub fn command(&self, command: &str, folder: &str, more: &[&str]) -> Unidebug {
        self.with_key(Unidebug::new(&[&["bench", command, folder], more].concat()))
    }

    fn with_key(&self, program: Unidebug) -> Unidebug {
        program.env("OPENAI_API_KEY", "sk-batch-0123456789abcdef")
    }
}

/// What `bench status --json` tells of a folder.
pub fn status(folder: &str) -> Value {
    unidebug(&["bench", "status", folder, "--json"]).json()
}

/// The whole report of a folder, without what differs from run to run: times, folders, what was typed, requests whose responses never
/// came, and the order of what happens at the same time.
pub fn essence(folder: &str) -> Value {
    let done = unidebug(&["report", folder, "--format", "json"]);
    let mut report = done.expect_code(0).json();
    forget(&mut report);
    report
}

fn forget(value: &mut Value) {
    const DIFFERS: [&str; 8] =
        ["dir", "run_dir", "seconds", "model_seconds", "tool_seconds", "possibly_billed", "date", "command"];
    match value {
        Value::Object(object) => {
            object.retain(|name, _| !DIFFERS.contains(&name.as_str()));
            object.values_mut().for_each(forget);
            if let Some(Value::Array(steps)) = object.get_mut("steps") {
                steps.sort_by_key(Value::to_string);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(forget),
        _ => {}
    }
}

/// Fails the test with every place where two reports differ.
pub fn expect_same(found: &Value, wanted: &Value) {
    let mut places = Vec::new();
    differences("", found, wanted, &mut places);
    assert!(places.is_empty(), "the reports differ:\n{}", places.join("\n"));
}

fn differences(at: &str, a: &Value, b: &Value, places: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().for_each(|(name, value)| differences(&format!("{at}.{name}"), value, &b[name], places));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.for_each(|(nth, (a, b))| differences(&format!("{at}[{nth}]"), a, b, places));
        }
        _ if a == b => {}
        _ => places.push(format!("{at}: {a}\n  instead of {b}")),
    }
}

/// Requests of all runs below a folder that are told as possibly billed.
pub fn possibly_billed(folder: &Path) -> u64 {
    let done = unidebug(&["report", folder.to_str().unwrap(), "--format", "json"]);
    let report = done.expect_code(0).json();
    let runs = report["runs"].as_array().unwrap().iter();
    runs.map(|run| run["report"]["possibly_billed"].as_u64().unwrap_or(0)).sum()
}
