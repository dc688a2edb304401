//! What the program itself costs: between a response and the next request, in memory, and to start.
//!
//! `cargo bench --bench overhead` runs the built program against a local endpoint, as a user runs it, and fails when a
//! bound is not kept.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/endpoint.rs"]
mod endpoint;
#[path = "../support/program.rs"]
mod program;

use endpoint::{Endpoint, Reply, Served};
use program::Unidebug;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// Cycles of one agent run, and how often it is run: a thousand cycles.
const CYCLES: usize = 40;
const ATTEMPTS: usize = 25;
/// Files of the project whose index must fit.
const FILES: usize = 300;

const MOST_GAP: Duration = Duration::from_millis(5);
const MOST_MEMORY_MB: u64 = 80;
const MOST_START: Duration = Duration::from_millis(10);

fn main() {
    let start = start_up();
    println!("start-up    `--help` {:.1} ms (at most {} ms)", ms(start), MOST_START.as_millis());
    let gaps = cycles();
    let (median, p95) = (gaps[gaps.len() / 2], gaps[gaps.len() * 95 / 100]);
    println!(
        "cycle       {} gaps between response and request, tools aside: median {:.2} ms (at most {} ms), p95 {:.2} ms",
        gaps.len(),
        ms(median),
        MOST_GAP.as_millis(),
        ms(p95)
    );
    let memory = memory();
    println!("memory      {memory} MB at most with a project of {FILES} files (at most {MOST_MEMORY_MB} MB)");
    assert!(start <= MOST_START && median <= MOST_GAP && memory <= MOST_MEMORY_MB, "a bound is not kept");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Median of the time that `--help` takes.
fn start_up() -> Duration {
    let home = tempfile::tempdir().unwrap();
    let mut times: Vec<Duration> = (0..31)
        .map(|_| {
            let started = Instant::now();
            Unidebug::new(&["--help"]).start(home.path()).wait_with_output().unwrap();
            started.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

/// The gaps between a response and the next request of the same agent run, without its tool, sorted.
fn cycles() -> Vec<Duration> {
    let home = tempfile::tempdir().unwrap();
    let agents = home.path().join("agents");
    fs::create_dir(&agents).unwrap();
    let profile = include_str!("../../agents/locator.toml");
    let cycles = profile.lines().find(|line| line.starts_with("cycles")).unwrap();
    fs::write(agents.join("locator.toml"), profile.replace(cycles, &format!("cycles = {CYCLES}"))).unwrap();
    // Every cycle reads other lines, so that none is refused as a repetition.
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth % CYCLES) {
        ("Locator", 1) => Reply::command("express_hypothesis", json!({"hypothesis": "somewhere"})),
        ("Locator", n) => {
            let args = json!({"file_path": "RingBuffer.java", "start_line": n + 1, "end_line": n + 25});
            Reply::command("read_range", args)
        }
        _ => Reply::command("goal_accomplished", json!({"explanation": "no"})),
    });
    let (url, out) = (endpoint.base_url(), home.path().join("run"));
    let attempts = ATTEMPTS.to_string();
    let args = ["run", "fixtures:ring-buffer", "--model", "m", "--base-url", &url, "--no-first", "--levels", "L1"];
    let more = ["--attempts", &attempts, "--idle-cycles", "1000", "--max-time", "30m", "--quiet", "--json"];
    let paths = ["--agents", agents.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let done = Unidebug::new(&[&args[..], &more, &paths].concat()).run();
    assert_eq!(done.code, Some(1), "{done}");
    gaps(&endpoint.served_to("Locator"), &tool_seconds(&out.join("run.journal")))
}

/// Seconds that the tool of each of Locator's cycles took, by attempt and cycle.
fn tool_seconds(journal: &Path) -> HashMap<(u64, u64), f64> {
    let text = fs::read_to_string(journal).unwrap();
    let events = text.lines().filter_map(|line| line.split_once(' ')?.1.parse::<Value>().ok());
    let observed = events.map(|record| record.get("event").cloned().unwrap_or(record));
    observed
        .filter(|event| event["kind"] == "observed" && event["scope"]["agent"] == "locator")
        .filter_map(|event| {
            let scope = &event["scope"];
            Some(((scope["attempt"].as_u64()?, scope["cycle"].as_u64()?), event["seconds"].as_f64()?))
        })
        .collect()
}

fn gaps(served: &[Served], tools: &HashMap<(u64, u64), f64>) -> Vec<Duration> {
    assert!(served.len() >= CYCLES * ATTEMPTS, "{} requests", served.len());
    assert!(tools.len() >= CYCLES * ATTEMPTS, "{} tool calls in the journal", tools.len());
    let mut gaps = Vec::new();
    for (at, pair) in served.windows(2).enumerate() {
        let (attempt, cycle) = (at / CYCLES + 1, at % CYCLES + 1);
        if cycle < CYCLES {
            let tool = Duration::from_secs_f64(tools[&(attempt as u64, cycle as u64)]);
            gaps.push((pair[1].started - pair[0].ended).saturating_sub(tool));
        }
    }
    gaps.sort();
    gaps
}

/// Peak resident memory of the program in a run over a project of many files, in MB.
fn memory() -> u64 {
    let (project, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    many_files(project.path());
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("Locator", 1) => Reply::command("search_code_base", json!({"key_words": ["step"]})),
        ("Locator", _) => Reply::command(
            "goal_accomplished",
            json!({"marked_code": "return a - b; // buggy line", "explanation": "sign"}),
        ),
        _ => Reply::command(
            "write_fix",
            json!({"diff": "--- a/src/Sum.java\n+++ b/src/Sum.java\n@@\n-    return a - b;\n+    return a + b;\n"}),
        ),
    });
    let url = endpoint.base_url();
    let args = ["run", project.path().to_str().unwrap(), "--model", "m", "--base-url", &url, "--no-first", "--json"];
    let mut child = Unidebug::new(&args).start(home.path());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak_kb(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    most / 1024
}

fn peak_kb(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

/// A project of files as large as usual ones, that call each other, with one bug.
fn many_files(root: &Path) {
    fs::create_dir_all(root.join("src")).unwrap();
    fs::create_dir_all(root.join("test")).unwrap();
    for n in 0..FILES {
        let mut text = format!("import java.util.*;\n\n/** Part {n} of many. */\npublic class Part{n} {{\n");
        for m in 0..25 {
            text += &format!(
                "\n    /** Takes step {m}. */\n    public static int step{m}(int value, List<String> names) {{\n        \
                 int sum = value;\n        for (String name : names) {{\n            sum += name.length() + {m};\n        \
                 }}\n        return sum > {m} ? Part{}.step{m}(0, new ArrayList<>()) : sum;\n    }}\n",
                (n + 1) % FILES
            );
        }
        fs::write(root.join(format!("src/Part{n}.java")), text + "}\n").unwrap();
    }
    let product = "public class Sum {\n  static int of(int a, int b) {\n    return a - b;\n  }\n}\n";
    fs::write(root.join("src/Sum.java"), product).unwrap();
    let test = "import static org.junit.Assert.*;\nimport org.junit.Test;\npublic class SumTest {\n  @Test public void adds() { assertEquals(5, Sum.of(2, 3)); }\n}\n";
    fs::write(root.join("test/SumTest.java"), test).unwrap();
}
