//! The built-in engine, end to end: the same order everywhere, patches no larger than needed, loops that end in time.

use crate::support::{Endpoint, Reply, Unidebug, unidebug};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Candidates of a run in their order, with what the judge said: the journal's lines are `checksum, space, JSON`.
fn candidates(report: &Value) -> Vec<(String, String)> {
    let run = Path::new(report["run_dir"].as_str().unwrap());
    let text = std::fs::read_to_string(run.join("run.journal")).unwrap();
    let records = text.lines().filter_map(|line| serde_json::from_str::<Value>(line.split_once(' ')?.1).ok());
    let candidate =
        |record: &Value| Some((record["diff"].as_str()?.to_owned(), record["outcome"].as_str()?.to_owned()));
    let found: Vec<_> = records.filter(|record| record["kind"] == "validated").filter_map(|r| candidate(&r)).collect();
    assert!(found.len() > 5, "the journal tells of {} candidates", found.len());
    found
}

#[test]
fn the_same_seed_gives_the_same_candidates_and_the_same_patch_on_any_number_of_processors() {
    // Enough candidates that the answers steer the search, and none that depends on time.
    let args = ["run", "fixtures:inventory", "--model", "builtin", "--seed", "7", "--max-candidates", "80", "--json"];
    let runs = [Unidebug::new(&args).run(), Unidebug::new(&args).run(), Unidebug::new(&args).on_processors("0").run()];
    let reports: Vec<Value> = runs.iter().map(|run| run.json()).collect();
    let first = candidates(&reports[0]);
    for (report, run) in reports.iter().zip(&runs) {
        assert_eq!(report["patch"], reports[0]["patch"], "{run}");
        assert_eq!(candidates(report), first, "{run}");
    }
    let engine = &reports[0]["engine"];
    let judged = first.iter().filter(|(_, outcome)| outcome != "plausible").count() as u64;
    assert_eq!(engine["candidates"].as_u64().unwrap() + 1, judged, "the first one was a decision of its own");
    assert!(engine["seconds"].as_f64().unwrap() >= engine["making"].as_f64().unwrap());
}

#[test]
fn an_endless_loop_is_repaired() {
    let done = Unidebug::new(&["run", "fixtures:price-steps", "--model", "builtin", "--max-time", "5m", "--json"])
        .env("UNIDEBUG_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .limit(Duration::from_secs(400))
        .run();
    done.expect_code(0);
    assert_eq!(done.json()["verdict"], "plausible");
}

/// The right line, and beside it a change of a method that the failing tests run and that needs none.
fn wordy_fix() -> Reply {
    Reply::command(
        "write_fix",
        json!({
            "diff": "--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@\n     public boolean isFull() {\n-        return size >= slots.length - 1;\n+        return size >= slots.length;\n     }\n@@\n         if (isFull()) {\n-            return false;\n+            return size < 0;\n         }\n",
            "explanation": "every slot may be used"
        }),
    )
}

#[test]
fn a_model_s_patch_loses_what_it_does_not_need() {
    let marks =
        json!({"marked_code": "return size >= slots.length - 1; // buggy line", "explanation": "one slot stays free"});
    let slice = json!({"first_line": "public boolean isFull() {", "last_line": "return size >= slots.length - 1;", "explanation": "here"});
    let summary = json!({"summary": [{"class": "RingBuffer", "method": "isFull", "parameters": "", "returns": "", "description": "whether it is full"}], "explanation": "a ring"});
    let endpoint = Endpoint::scripted([
        ("Slicer", 1, Reply::command("goal_accomplished", slice)),
        ("Summarizer", 1, Reply::command("goal_accomplished", summary)),
        ("Locator", 1, Reply::command("goal_accomplished", marks)),
        ("Fixer", 1, wordy_fix()),
        ("FixerPro", 1, Reply::command("goal_accomplished", json!({"analysis": "it is right"}))),
    ]);
    let url = endpoint.base_url();
    let args = [
        "run",
        "fixtures:ring-buffer",
        "--model",
        "scripted",
        "--base-url",
        &url,
        "--levels",
        "L2",
        "--no-first",
        "--json",
    ];
    let done = unidebug(&args);
    done.expect_code(0);
    let report = done.json();
    let patch = report["patch"].as_str().unwrap();
    assert!(patch.contains("+        return size >= slots.length;") && !patch.contains("size < 0"), "{patch}");
    assert_eq!(report["correct"], true);
    let other =
        std::fs::read_to_string(Path::new(report["run_dir"].as_str().unwrap()).join("plausible-2.diff")).unwrap();
    assert!(other.contains("size < 0"), "the patch as it was proposed is kept");
    let review = endpoint.served_to("FixerPro")[0].prompt();
    assert!(!review.contains("size < 0"), "the smaller patch is reviewed");
}
