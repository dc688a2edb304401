//! What the program itself costs: between a response and the next request, in memory, and to start.
//!
//! `cargo bench --bench overhead` runs the built program against a local endpoint, as a user runs it, and tells each
//! figure with its bound. `cargo bench --bench overhead -- path/to/project` also measures the memory of a run over a
//! project of one's own with a failing test.
// What tests and benches share is public to both.
#![allow(unreachable_pub)]
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
    println!("start-up    `--help` {:.1} ms ({})", ms(start), bound(start, MOST_START));
    let gaps = cycles();
    let (median, p95) = (gaps[gaps.len() / 2], gaps[gaps.len() * 95 / 100]);
    println!(
        "cycle       {} gaps between response and request, tools aside: median {:.2} ms ({}), p95 {:.2} ms",
        gaps.len(),
        ms(median),
        bound(median, MOST_GAP),
        ms(p95)
    );
    let made = tempfile::tempdir().unwrap();
    many_files(made.path());
    let memory = scripted_memory(made.path());
    println!("memory      {} with a made project of {FILES} files", of_memory(memory));
    let own = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    for project in own {
        println!(
            "memory      {} with {project} and its {} Java files",
            of_memory(memory_over(Path::new(&project))),
            java_files(Path::new(&project))
        );
    }
}

fn bound(measured: Duration, most: Duration) -> String {
    format!("at most {} ms wanted: {}", most.as_millis(), if measured <= most { "kept" } else { "NOT KEPT" })
}

fn of_memory(megabytes: u64) -> String {
    let how = if megabytes <= MOST_MEMORY_MB { "kept" } else { "NOT KEPT" };
    format!("{megabytes} MB at most (at most {MOST_MEMORY_MB} MB wanted: {how})")
}

fn java_files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let count = |path: std::path::PathBuf| {
        if path.is_dir() { java_files(&path) } else { usize::from(path.extension().is_some_and(|end| end == "java")) }
    };
    entries.map(|entry| count(entry.path())).sum()
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

/// Peak resident memory in a run over the made project that is repaired on level 1, in MB.
fn scripted_memory(project: &Path) -> u64 {
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
    let (most, repaired) = peak_of_a_run(project, &endpoint);
    assert!(repaired, "the made project is not repaired");
    most
}

/// The same in a run over any project, through all levels: every agent searches it, and nobody finds anything.
fn memory_over(project: &Path) -> u64 {
    let endpoint = Endpoint::start(|_, nth, _| match nth {
        1 => Reply::command("search_code_base", json!({"key_words": ["value", "index", "length"]})),
        2 => Reply::command("run_fault_localization", json!({})),
        _ => Reply::command("goal_accomplished", json!({"explanation": "no"})),
    });
    peak_of_a_run(project, &endpoint).0
}

/// Peak resident memory of one run, in MB, and whether the bug was repaired.
fn peak_of_a_run(project: &Path, endpoint: &Endpoint) -> (u64, bool) {
    let home = tempfile::tempdir().unwrap();
    let url = endpoint.base_url();
    let args = ["run", project.to_str().unwrap(), "--model", "m", "--base-url", &url, "--no-first"];
    let mut child =
        Unidebug::new(&[&args[..], &["--max-time", "20m", "--quiet", "--json"]].concat()).start(home.path());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak_kb(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let done = child.wait_with_output().unwrap();
    let (code, errors) = (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned());
    assert!(matches!(code, Some(0 | 1)), "code {code:?}: {errors}");
    (most / 1024, code == Some(0))
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
