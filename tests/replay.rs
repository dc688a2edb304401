//! `unidebug replay`: recorded runs are repeated offline, and the first difference is named.

use crate::support::{Endpoint, Gate, Reply, Unidebug, change, fix, steady, unidebug, up_to_level_3};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LEVELS: [&str; 2] = ["--levels", "L1..L3"];

fn repeated(gate: &Gate, more: &[&str], code: i32) -> Value {
    let done = gate.on_run("replay", more).run();
    done.expect_code(code);
    done.json()
}

#[test]
fn a_run_is_repeated_offline_with_and_without_its_tools() {
    let gate = Gate::new();
    let endpoint = steady(Duration::ZERO, up_to_level_3);
    gate.run(&endpoint, &LEVELS).run().expect_code(0);
    let requests = endpoint.served().len();
    drop(endpoint);
    let journal = std::fs::read(gate.journal()).unwrap();
    for more in [&[][..], &["--rerun"]] {
        let same = repeated(&gate, more, 0);
        assert_eq!((&same["identical"], &same["requests"]), (&json!(true), &json!(requests)), "{same}");
        assert!(same["observations"].as_u64() >= Some(10) && same["outcomes"].as_u64() >= Some(2), "{same}");
    }
    assert_eq!(std::fs::read(gate.journal()).unwrap(), journal, "a repetition writes nothing into the run");
}

#[test]
fn a_changed_prompt_is_named_with_its_difference() {
    let gate = Gate::new();
    let prompts = gate.path("prompts");
    std::fs::create_dir(&prompts).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts/fixer.md");
    std::fs::copy(own, prompts.join("fixer.md")).unwrap();
    let endpoint = steady(Duration::ZERO, up_to_level_3);
    let own = ["--prompts", prompts.to_str().unwrap()];
    gate.run(&endpoint, &[&LEVELS[..], &own].concat()).run().expect_code(0);
    repeated(&gate, &[], 0);
    change(&prompts.join("fixer.md"), |text| text.extend_from_slice(b"\nNever give up.\n"));
    let differs = repeated(&gate, &[], 1);
    assert_eq!(differs["identical"], false);
    let divergence = &differs["divergence"];
    assert_eq!(divergence["what"], "the request of L1 fixer, cycle 1, attempt 1 differs", "{differs}");
    assert!(divergence["diff"].as_str().unwrap().contains("+Never give up."), "{differs}");
    assert_eq!(differs["requests"], 1, "Locator's request was the same");
    let replayed = gate.on_run("replay", &[]).without("--json").run();
    replayed.expect_code(1);
    assert!(
        replayed.stdout.contains("the request of L1 fixer") && replayed.stdout.contains("+Never give up."),
        "{replayed}"
    );
}

#[test]
fn what_a_tool_tells_differently_is_seen_when_tools_work_again() {
    let gate = Gate::new();
    // A file that no prompt shows; FixerPro's search finds it.
    let other = gate.path("bug/src/Other.java");
    let class =
        |body: &str| format!("package gate;\n\nclass Other {{\n    int other() {{\n        {body}\n    }}\n}}\n");
    std::fs::write(&other, class("int limit = 1; return limit;")).unwrap();
    let endpoint = steady(Duration::ZERO, up_to_level_3);
    gate.run(&endpoint, &LEVELS).run().expect_code(0);
    std::fs::write(&other, class("int bound = 1; return bound;")).unwrap();
    repeated(&gate, &[], 0);
    let differs = repeated(&gate, &["--rerun"], 1);
    let divergence = &differs["divergence"];
    assert_eq!(divergence["what"], "the observation of L2 fixer_pro, cycle 1, attempt 1 differs", "{differs}");
    let diff = divergence["diff"].as_str().unwrap();
    assert!(diff.contains("-observation: 3 places hold limit") && diff.contains("+observation: 2 places"), "{differs}");
}

#[test]
fn another_judgement_is_a_difference() {
    let gate = Gate::new();
    let endpoint = steady(Duration::ZERO, up_to_level_3);
    gate.run(&endpoint, &LEVELS).run().expect_code(0);
    // The tests let more pass: the candidate that failed on level 1 is plausible now.
    change(&gate.path("bug/check.sh"), |text| {
        *text = String::from_utf8_lossy(text).replace("'age >= limit;'", "'age >= limit'").into_bytes();
    });
    let differs = repeated(&gate, &["--rerun"], 1);
    assert!(
        differs["divergence"]["what"].as_str().unwrap().starts_with("the outcome of L1 fixer, cycle 2"),
        "{differs}"
    );
}

#[test]
fn a_run_that_stopped_at_a_cap_and_one_that_was_killed_are_repeated_too() {
    let gate = Gate::new();
    let endpoint = steady(Duration::ZERO, up_to_level_3);
    gate.run(&endpoint, &[&LEVELS[..], &["--max-tokens", "9000"]].concat()).run().expect_code(5);
    assert_eq!(repeated(&gate, &[], 0)["requests"], endpoint.served().len() + 1, "the refused one is compared too");
    let gate = Gate::new();
    let endpoint = steady(Duration::ZERO, up_to_level_3);
    let home = tempfile::tempdir().unwrap();
    gate.run(&endpoint, &LEVELS).env("UNIDEBUG_FAILPOINT", "send.after:5").start(home.path()).wait().unwrap();
    let unfinished = gate.on_run("replay", &[]).run();
    unfinished.expect_code(3);
    assert!(unfinished.stderr.contains("is not over") && unfinished.stderr.contains("unidebug resume"), "{unfinished}");
    gate.resume(&[]).run().expect_code(0);
    assert_eq!(repeated(&gate, &[], 0)["identical"], true);
}

/// Recorded runs of this repository, one a level; see `fixtures/recordings/README.md`.
const RECORDED: [&str; 3] = ["L1", "L2", "L3"];

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recordings")
}

#[test]
fn recorded_runs_of_every_level_are_repeated_with_the_same_requests() {
    for level in RECORDED {
        let run = recordings().join(level);
        let report: Value = serde_json::from_slice(&std::fs::read(run.join("report.json")).unwrap()).unwrap();
        assert_eq!(format!("L{}", report["level"]), level, "what is repeated reached its level");
        let done = unidebug(&["replay", run.to_str().unwrap(), "--json"]);
        let same = done.json();
        assert_eq!(
            same["identical"], true,
            "{level}: prompts or tools changed since; if that was meant, record again: cargo test --test all -- \
             --ignored records_a_run_of_every_level\n{done}"
        );
        done.expect_code(0);
        assert_eq!(same["requests"], report["usage"]["requests"], "{same}");
    }
}

#[test]
fn a_journal_of_schema_1_is_still_read() {
    let keep = tempfile::tempdir().unwrap();
    let run = keep.path().join("run");
    std::fs::create_dir(&run).unwrap();
    for name in ["config.json", "run.journal", "report.json"] {
        std::fs::copy(recordings().join("schema-1").join(name), run.join(name)).unwrap();
    }
    let events = unidebug::journal::Journal::read(run.to_str().unwrap().into()).unwrap();
    assert_eq!(events.len(), 18);
    let history = unidebug::journal::History::of(events);
    assert_eq!((history.spent().requests, history.finished().unwrap()["verdict"].as_str()), (2, Some("plausible")));
}

/// Answers for `fixtures:ring-buffer`: nothing is found until Fixer works on the level.
fn ring_buffer(agent: &str, nth: usize, level: usize) -> Reply {
    let file = "src/buffers/RingBuffer.java";
    let done = |args: Value| Reply::command("goal_accomplished", args);
    let write = |condition: &str| {
        let diff = format!(
            "--- a/{file}\n+++ b/{file}\n@@\n     public boolean isFull() {{\n-        return size >= slots.length - 1;\n\
             +        return {condition};\n     }}\n"
        );
        Reply::command("write_fix", json!({"diff": diff, "analysis": "one slot was kept free"}))
    };
    match agent {
        "Locator" => done(json!({
            "marked_code": "return size >= slots.length - 1; // buggy line", "explanation": "one slot is lost"
        })),
        "Fixer" if nth == 1 && level > 1 => write("size > slots.length"),
        "Fixer" if nth == 2 && level > 1 => {
            Reply::command("read_range", json!({"file_path": file, "start_line": 40, "end_line": 60}))
        }
        // Two questions on level 1 and one to give up, then one on each level.
        "Fixer" if level == 1 || nth == level + 2 => write("size >= slots.length"),
        "Fixer" => done(json!({"explanation": format!("I cannot see what is wrong ({nth})")})),
        "FixerPro" => done(json!({"analysis": format!("the bound is unclear ({nth})")})),
        "Slicer" => done(json!({
            "first_line": "    public boolean isFull() {", "last_line": "        return size >= slots.length - 1;",
            "explanation": "isFull decides"
        })),
        "Summarizer" => done(json!({
            "summary": [{"class": "RingBuffer", "method": "isFull", "returns": "whether nothing fits", "description": "true while one slot is free"}],
            "explanation": "a ring over an array"
        })),
        "Helper" => done(json!({
            "reference": "compare the count with the length", "sources": ["capacity-one-free"], "explanation": "bounds"
        })),
        "RepoFocus" => done(json!({"files": [file], "explanation": "the only file"})),
        other => panic!("nobody asks as {other}"),
    }
}

/// Makes `fixtures/recordings/L1` to `L3` anew.
#[test]
#[ignore = "writes into fixtures; to be run when prompts or tools change"]
fn records_a_run_of_every_level() {
    for (nth, level) in RECORDED.into_iter().enumerate() {
        let endpoint: Endpoint = steady(Duration::ZERO, move |agent, question| ring_buffer(agent, question, nth + 1));
        let out = Path::new("/tmp/unidebug-recordings").join(level);
        let _ = std::fs::remove_dir_all(&out);
        let (url, out_text) = (endpoint.base_url(), out.to_str().unwrap());
        let args = ["run", "fixtures:ring-buffer", "--model", "gpt-4o-mini", "--base-url", &url, "--no-first"];
        let args = [&args[..], &["--levels", "L1..L3", "--out", out_text, "--json", "--without", "skipping"]].concat();
        let done = Unidebug::new(&args).env("OPENAI_API_KEY", "sk-none-0123456789abcdef").run();
        done.expect_code(0);
        assert_eq!(done.json()["level"], nth + 1, "{done}");
        let folder = recordings().join(level);
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["config.json", "run.journal", "report.json", "patch.diff"] {
            std::fs::copy(out.join(name), folder.join(name)).unwrap();
        }
    }
}

#[test]
fn the_gate_is_repaired_by_what_its_script_says() {
    let gate = Gate::new();
    let endpoint = steady(Duration::ZERO, |agent, nth| {
        if agent == "Fixer" { fix(["age > limit - 1", "age >= limit"][nth - 1]) } else { up_to_level_3(agent, nth) }
    });
    let done = gate.run(&endpoint, &["--levels", "L1"]).run();
    done.expect_code(0);
    assert_eq!(done.json()["candidates"], json!({"proposed": 2, "compiled": 2, "plausible": 1}));
}
