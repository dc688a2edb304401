//! What a batch of a whole benchmark costs: 835 bugs that are planned, run, merged and reported.
//!
//! `cargo bench --bench batch` makes projects whose tests are a shell script that gives its verdict by a pattern, so that
//! no JVM runs, and a local endpoint whose answers repair half of them on level 1, some on levels 2 and 3 and the rest
//! not at all. All else is what a user's batch is: a process, a checkout, a baseline, a journal and a report for each
//! bug, worked on in two folders as by two machines. `cargo bench --bench batch -- 100` takes a hundred bugs.
// What tests and benches share is public to both.
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/endpoint.rs"]
mod endpoint;
#[path = "../support/program.rs"]
mod program;

use endpoint::{Endpoint, Reply};
use program::Unidebug;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const BUGS: usize = 835;
const PROJECTS: usize = 17;
/// Machines, and bugs at a time on each.
const MACHINES: usize = 2;
const JOBS: &str = "2";

/// Name of the method with the bug, before the bug's number: a word that no prompt has of its own.
const METHOD: &str = "mayEnter";

const MOST_TIME: Duration = Duration::from_secs(60);
const MOST_MEMORY_MB: u64 = 300;

fn main() {
    let bugs = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(BUGS);
    let made = tempfile::tempdir().unwrap();
    make(made.path(), bugs);
    let endpoint = scripted();
    let begin = Instant::now();
    let mut peak = 0;
    let parts: Vec<String> = (1..=MACHINES).map(|n| text(&made.path().join(format!("part-{n}")))).collect();
    let planning = measure(&mut peak, || parts.iter().map(|part| plan(made.path(), part, &endpoint)).collect());
    let shard = |n: usize| format!("{}/{MACHINES}", n + 1);
    let working = measure(&mut peak, || {
        let work = |(n, part): (usize, &String)| {
            vec![
                "bench".into(),
                "work".into(),
                part.clone(),
                "--shard".into(),
                shard(n),
                "--jobs".into(),
                JOBS.into(),
                "--quiet".into(),
            ]
        };
        parts.iter().enumerate().map(work).collect()
    });
    let whole = text(&made.path().join("whole"));
    let merge = [&["bench".to_owned(), "merge".to_owned()], &parts[..], &["--out".to_owned(), whole.clone()]].concat();
    let merging = measure(&mut peak, || vec![merge.clone()]);
    let report = |more: &[&str]| -> Vec<Vec<String>> {
        vec![["report", &whole].iter().chain(more).map(|word| (*word).to_owned()).collect()]
    };
    let page = text(&made.path().join("page.html"));
    let reporting = measure(&mut peak, || report(&["--html", "--out", &page]));
    let all = begin.elapsed();
    for (what, took) in [("plan", planning), ("run", working), ("merge", merging), ("report", reporting)] {
        println!("{what:<8} {:.1} s, {:.1} s of processor time", took.wall.as_secs_f64(), took.cpu.as_secs_f64());
    }
    let size = fs::metadata(&page).unwrap().len() / 1024;
    println!("requests {} of the scripted endpoint; page {size} KiB", endpoint.served().len());
    println!("time     {:.1} s in all ({})", all.as_secs_f64(), bound(all <= MOST_TIME, "60 s"));
    println!("memory   {peak} MB at most, all processes together ({})", bound(peak <= MOST_MEMORY_MB, "300 MB"));
    check(&whole, bugs);
}

fn bound(is_kept: bool, most: &str) -> String {
    format!("at most {most} wanted: {}", if is_kept { "kept" } else { "NOT KEPT" })
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The report tells of every bug what the script decided.
fn check(whole: &str, bugs: usize) {
    let report = Unidebug::new(&["report", whole, "--format", "json"]).run().json();
    let wanted = |class: Class| (0..bugs).filter(|&bug| class_of(bug) == class).count() as u64;
    assert_eq!(report["all"]["bugs"].as_u64(), Some(bugs as u64));
    let repaired = |level: u64| {
        let mut levels = report["escalation"].as_array().unwrap().iter();
        let counts = levels.find(|counts| counts["level"].as_u64() == Some(level));
        counts.map_or(0, |counts| counts["repaired"].as_u64().unwrap())
    };
    for (level, class) in [(1, Class::L1), (2, Class::L2), (3, Class::L3)] {
        assert_eq!(repaired(level), wanted(class), "level {level}");
    }
    assert_eq!(report["all"]["no_repair"].as_u64(), Some(wanted(Class::Never)));
}

/// What a step took.
struct Took {
    wall: Duration,
    cpu: Duration,
}

/// Runs command lines at the same time, and keeps the most memory that all their processes had together.
fn measure(peak: &mut u64, words: impl FnOnce() -> Vec<Vec<String>>) -> Took {
    let (begin, before, home) = (Instant::now(), of_children(), tempfile::tempdir().unwrap());
    let start = |words: Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Unidebug::new(&words).env("OPENAI_API_KEY", "sk-bench-0123456789").start(home.path())
    };
    let mut children: Vec<Child> = words().into_iter().map(start).collect();
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        *peak = (*peak).max(memory_of(&children.iter().map(Child::id).collect::<Vec<_>>()) / 1024);
        std::thread::sleep(Duration::from_millis(250));
    }
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    Took { wall: begin.elapsed(), cpu: of_children().saturating_sub(before) }
}

/// Processor time of all children that were waited for, and of theirs.
fn of_children() -> Duration {
    let used = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(u64::try_from(value.tv_sec()).unwrap(), u32::try_from(value.tv_usec()).unwrap() * 1000)
    };
    time(used.user_time()) + time(used.system_time())
}

/// Kilobytes of these processes and all below them; what several share is shared out among them.
fn memory_of(roots: &[u32]) -> u64 {
    let mut parents: Vec<(u32, u32)> = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name in brackets may hold anything.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        parents.extend(parent.map(|parent| (id, parent)));
    }
    let mut family = roots.to_vec();
    let mut at = 0;
    while let Some(&id) = family.get(at) {
        family.extend(parents.iter().filter(|(_, parent)| *parent == id).map(|(child, _)| *child));
        at += 1;
    }
    let kilobytes = |id: &u32| {
        let rollup = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    family.iter().filter_map(kilobytes).sum()
}

/// `bench run` that freezes the plan in a folder and starts nothing.
fn plan(made: &Path, part: &str, endpoint: &Endpoint) -> Vec<String> {
    let (root, prices) = (text(&made.join("bugs.jsonl")), text(&made.join("prices.json")));
    let url = endpoint.base_url();
    let own = ["bench", "run", "jsonl", "--out", part, "--executor", "shards", "--shards", "2", "--"];
    let each = ["--root", &root, "--model", "scripted", "--base-url", &url, "--prices", &prices, "--no-first"];
    let levels = ["--levels", "L1..L3", "--without", "skipping"];
    [&own[..], &each, &levels].concat().into_iter().map(str::to_owned).collect()
}

/// On which level the endpoint repairs a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    L1,
    L2,
    L3,
    Never,
}

/// Of ten bugs five, two, one and two.
fn class_of(bug: usize) -> Class {
    match bug % 10 {
        0..5 => Class::L1,
        5 | 6 => Class::L2,
        7 => Class::L3,
        _ => Class::Never,
    }
}

/// Knows a bug by the name of its method, and the level by how often an agent asked.
fn scripted() -> Endpoint {
    let counts: Mutex<HashMap<(usize, String), usize>> = Mutex::default();
    Endpoint::start(move |agent, _, body| {
        let bug = bug_of(body);
        let nth = {
            let mut counts = counts.lock().unwrap();
            let count = counts.entry((bug, agent.to_owned())).or_default();
            *count += 1;
            *count
        };
        reply(agent, bug, nth)
    })
}

fn bug_of(body: &Value) -> usize {
    let text = body["messages"].to_string();
    let at = text.find(METHOD).map_or(0, |at| at + METHOD.len());
    let digits: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("which bug? {text}"))
}

fn reply(agent: &str, bug: usize, nth: usize) -> Reply {
    let done = |args: Value| Reply::command("goal_accomplished", args);
    match agent {
        "Locator" => {
            done(json!({"marked_code": "return age > limit; // buggy line", "explanation": "the limit is left out"}))
        }
        "Fixer" => {
            let repairs = match class_of(bug) {
                Class::L1 => true,
                Class::L2 => nth >= 2,
                Class::L3 => nth >= 3,
                Class::Never => false,
            };
            let diff = format!(
                "--- a/src/Gate.java\n+++ b/src/Gate.java\n@@\n     public boolean mayEnter{bug}(int age, int limit) {{\n-        \
                 return age > limit;\n+        return age >= limit;\n     }}\n"
            );
            if repairs {
                Reply::command("write_fix", json!({"diff": diff}))
            } else {
                done(json!({"explanation": format!("I cannot see it ({nth})")}))
            }
        }
        "FixerPro" => done(json!({"analysis": format!("the bound is unclear ({nth})")})),
        "Slicer" => done(json!({
            "first_line": format!("    public boolean mayEnter{bug}(int age, int limit) {{"),
            "last_line": "        return age > limit;", "explanation": "it decides"
        })),
        "Summarizer" => {
            let summary = json!([{"class": "Gate", "method": format!("mayEnter{bug}"), "returns": "whether one may pass", "description": "compares"}]);
            done(json!({"summary": summary, "explanation": "a gate"}))
        }
        "RepoFocus" => done(json!({"files": ["src/Gate.java"], "explanation": "the only file"})),
        _ => done(json!({"reference": "compare with >=", "sources": [], "explanation": "bounds"})),
    }
}

/// Writes the projects, the list of bugs and the prices.
fn make(folder: &Path, bugs: usize) {
    let mut lines = String::new();
    for bug in 0..bugs {
        let directory = folder.join(format!("bugs/{bug}"));
        fs::create_dir_all(directory.join("src")).unwrap();
        fs::create_dir_all(directory.join("test")).unwrap();
        fs::create_dir_all(directory.join("target/surefire-reports")).unwrap();
        let source = format!(
            "package gate;\n\n/** Lets people in. */\npublic class Gate {{\n    /** Whether somebody of this age may pass. */\n    \
             public boolean mayEnter{bug}(int age, int limit) {{\n        return age > limit;\n    }}\n}}\n"
        );
        let test = format!(
            "package gate;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class GateTest {{\n    \
             @Test public void atTheLimit() {{\n        assertTrue(new Gate().mayEnter{bug}(18, 18));\n    }}\n}}\n"
        );
        fs::write(directory.join("src/Gate.java"), source).unwrap();
        fs::write(directory.join("test/GateTest.java"), test).unwrap();
        fs::write(directory.join("check.sh"), VERDICT).unwrap();
        let id = format!("Project{:02}-{}", bug % PROJECTS, bug / PROJECTS + 1);
        let entry = json!({"id": id, "directory": format!("bugs/{bug}"), "test": "sh check.sh"});
        lines += &format!("{entry}\n");
    }
    fs::write(folder.join("bugs.jsonl"), lines).unwrap();
    let price = json!({"scripted": {"input_cost_per_token": 1e-7, "output_cost_per_token": 4e-7}});
    fs::write(folder.join("prices.json"), price.to_string()).unwrap();
}

/// Passes when the source compares as it should; needs no process but the shell.
const VERDICT: &str = r#"bad='<failure type="java.lang.AssertionError" message="the gate is shut">at gate.GateTest.atTheLimit(GateTest.java:8)</failure>'
while read -r line; do case $line in *'age >= limit;'*) bad= ;; esac; done < src/Gate.java
echo "<testsuite name=\"gate.GateTest\" tests=\"2\"><testcase classname=\"gate.GateTest\" name=\"atTheLimit\" time=\"0\">$bad</testcase><testcase classname=\"gate.GateTest\" name=\"below\" time=\"0\"/></testsuite>" > target/surefire-reports/TEST-gate.GateTest.xml
"#;
