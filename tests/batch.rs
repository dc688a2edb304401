//! `unidebug bench run` and its relatives: many bugs, killed, shared, handed to a scheduler.

use crate::support::{Unidebug, status, unidebug};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const SETS: [&str; 2] = ["fixtures:roman-numerals", "fixtures:date-range"];
const FLAGS: [&str; 5] = ["--", "--model", "builtin", "--max-time", "60s"];

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Verdict and patch of each bug, as the report tells them.
fn verdicts(folder: &Path) -> BTreeMap<String, (String, String)> {
    let done = unidebug(&["report", &text(folder), "--format", "json"]);
    done.expect_code(0);
    let runs = done.json()["runs"].as_array().unwrap().clone();
    let verdict = |run: &Value| {
        let report = &run["report"];
        (report["verdict"].as_str().unwrap().to_owned(), report["patch"].as_str().unwrap_or("").to_owned())
    };
    runs.iter().map(|run| (run["bug"].as_str().unwrap().to_owned(), verdict(run))).collect()
}

#[test]
fn a_batch_runs_every_bug_once_and_goes_on_where_it_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (quiet, killed) = (folder.path().join("quiet"), folder.path().join("killed"));
    let (quiet_text, killed_text) = (text(&quiet), text(&killed));
    let words = |out| [&["bench", "run"], &SETS[..], &["--out", out, "--jobs", "2", "--quiet"], &FLAGS].concat();

    let done = unidebug(&words(&quiet_text));
    done.expect_code(0);
    assert!(done.stdout.contains("\n2/2 completed, 2 plausible (L1 2), $0.0000\n"), "{done}");
    assert_eq!(done.stdout.lines().filter(|line| line.starts_with("plausible ")).count(), 2, "a line a bug: {done}");
    let again = unidebug(&words(&quiet_text));
    assert!(again.expect_code(0).took < Duration::from_secs(5), "nothing is left to do: {again}");

    let home = tempfile::tempdir().unwrap();
    for moment in [300, 1500, 3000] {
        let mut batch = Unidebug::new(&words(&killed_text)).start(home.path());
        std::thread::sleep(Duration::from_millis(moment));
        batch.kill().unwrap();
        batch.wait().unwrap();
    }
    // Runs whose batch was killed may still be at work: the next batch leaves them their claim and waits.
    unidebug(&words(&killed_text)).expect_code(0);
    assert_eq!(verdicts(&killed), verdicts(&quiet));
    assert_eq!(status(&killed_text)["over"], 2);
}

#[test]
fn what_the_environment_failed_is_kept_apart_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let batch = text(&folder.path().join("batch"));
    let jdk = text(&folder.path().join("jdk"));
    let words = ["bench", "run", SETS[0], "--out", &batch, "--quiet"];
    let flags = ["--", "--model", "builtin", "--java-home", &jdk];
    let waits = unidebug(&[&words[..], &["--retry-pause", "1h", "--total-time", "1s"], &flags].concat());
    waits.expect_code(5);
    assert!(waits.stdout.contains("failed 1 time; tried again in 0:59:5"), "{waits}");
    let state = status(&batch)["failed_by_environment"][0].clone();
    assert!(state["tries"] == 1 && state["again_in_s"].as_u64() > Some(3500), "{state}");

    unidebug(&["bench", "resubmit", &batch]).expect_code(0);
    let done = unidebug(&[&words[..], &["--retry-pause", "20ms"], &flags].concat());
    done.expect_code(3);
    assert!(done.stdout.contains("0/1 completed, 0 plausible, 1 failed by the environment"), "{done}");
    assert!(done.stdout.contains("given up; `bench resubmit` tries again"), "{done}");
    assert!(done.took < Duration::from_secs(60), "{done}");
    let state = status(&batch);
    assert_eq!((state["over"].as_u64(), state["failed_by_environment"][0]["tries"].as_u64()), (Some(0), Some(3)));

    unidebug(&["bench", "resubmit", &batch]).expect_code(0);
    assert_eq!(status(&batch)["failed_by_environment"], serde_json::json!([]));
}

#[test]
fn wrong_arguments_are_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let batch = text(&folder.path().join("batch"));
    let done = unidebug(&["bench", "run", SETS[0], "--out", &batch, "--", "--modle", "x"]);
    done.expect_code(2);
    assert!(done.stderr.contains("--modle") && done.stderr.contains("hint:"), "{done}");
    assert!(!Path::new(&batch).exists());
    let done = unidebug(&["bench", "status", &batch]);
    done.expect_code(3);
    assert!(done.stderr.contains("holds no batch"), "{done}");
}

#[test]
fn two_machines_take_halves_and_merge_counts_each_run_once() {
    let folder = tempfile::tempdir().unwrap();
    let parts = ["a", "b"].map(|name| text(&folder.path().join(name)));
    for (at, part) in parts.iter().enumerate() {
        let words = [&["bench", "run"], &SETS[..], &["--out", part, "--executor", "shards", "--shards", "2"], &FLAGS];
        let printed = unidebug(&words.concat());
        let line = printed.expect_code(0).stdout.lines().nth(at).unwrap().to_owned();
        let typed = shlex::split(&line).unwrap();
        let typed: Vec<&str> = typed[1..].iter().map(String::as_str).collect();
        unidebug(&[&typed[..], &["--quiet"]].concat()).expect_code(0);
        assert_eq!(status(part)["over"], 1);
    }
    let whole = text(&folder.path().join("whole"));
    let merge = ["bench", "merge", &parts[0], &parts[1], "--out", &whole];
    assert!(unidebug(&merge).expect_code(0).stdout.starts_with("2 runs came"));
    assert!(unidebug(&merge).expect_code(0).stdout.starts_with("0 runs came"), "nothing counts twice");
    assert_eq!(verdicts(Path::new(&whole)).len(), 2);
}
