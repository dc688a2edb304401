//! What a judged candidate costs: processor seconds of the whole process tree, and wall time.
//!
//! The subject is generated: 100 classes, 100 test classes, 2,000 tests. Both sides of every ratio run in one go on the
//! same machine and must give the same outcomes. On a machine that is busy with other things ratios mean nothing, so
//! they are left out there unless `UNIDEBUG_BENCH_ANYWAY` is set.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/tree.rs"]
mod tree;
#[path = "../support/trial.rs"]
#[allow(dead_code)]
mod trial;

use nix::sys::resource::{UsageWho, getrusage};
use std::ops::ControlFlow;
use std::time::Instant;
use trial::Trial;
use unidebug::domain::{Outcome, Patch};
use unidebug::sandbox::{Choice, Job, Sandbox};
use unidebug::validate::{ColdValidator, Validator, WarmValidator};

const CLASSES: usize = 100;
const METHODS: usize = 20;
/// The class and the method with the bug.
const BUGGY: usize = 42;
const LINE: &str = "return x * 7 + 43;";
const REPAIR: &str = "return x * 7 + 42;";

fn product(class: usize) -> String {
    let mut text = format!("package gen;\n\npublic class C{class} {{\n");
    for method in 0..METHODS {
        let added = if class == BUGGY && method == 7 { class + 1 } else { class };
        text.push_str(&format!(
            "    public static int m{method}(int x) {{\n        return x * {method} + {added};\n    }}\n\n"
        ));
    }
    let below = class.saturating_sub(1);
    text.push_str(&format!(
        "    public static int chain(int x) {{\n        return C{below}.m1(x) + m2(x);\n    }}\n}}\n"
    ));
    text
}

fn test(class: usize) -> String {
    let mut text = format!(
        "package gen;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class C{class}Test {{\n"
    );
    for method in 0..METHODS {
        let (call, wanted) = if method == 0 {
            (format!("C{class}.chain(3)"), 3 + class.saturating_sub(1) + 6 + class)
        } else {
            (format!("C{class}.m{method}(3)"), 3 * method + class)
        };
        text.push_str(&format!(
            "    @Test\n    public void m{method}() {{\n        assertEquals({wanted}, {call});\n    }}\n\n"
        ));
    }
    text + "}\n"
}

async fn subject() -> Trial {
    // Another subject each time, so that nothing of it is in the cache.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let mut files =
        vec![("src/gen/Salt.java".to_owned(), format!("package gen;\n\nclass Salt {{\n    // {now}\n}}\n"))];
    for class in 0..CLASSES {
        files.push((format!("src/gen/C{class}.java"), product(class)));
        files.push((format!("test/gen/C{class}Test.java"), test(class)));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Trial::new(&files).await
}

/// Processor seconds of everything this process ever started.
fn processor() -> f64 {
    let reaped = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let mut total = seconds(reaped.user_time()) + seconds(reaped.system_time());
    let mut open = vec![std::process::id()];
    while let Some(pid) = open.pop() {
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|word| word.parse().ok()) {
                total += of_process(child);
                open.push(child);
            }
        }
    }
    total
}

/// User and system time of a process and of those it waited for, in seconds; 100 ticks are one on Linux.
fn of_process(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace().skip(11).take(4);
    fields.filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// One line of the table.
struct Row {
    name: &'static str,
    count: usize,
    processor: f64,
    wall: f64,
}

impl Row {
    fn print(&self) {
        let each = 1000.0 / self.count as f64;
        println!(
            "{:<44} {:>5} {:>9.2} {:>9.2} {:>11.1} {:>11.1}",
            self.name,
            self.count,
            self.processor,
            self.wall,
            self.processor * each,
            self.wall * each
        );
    }
}

/// Measures and prints; rows with one candidate each are best read as medians of several calls.
async fn measured<T>(name: &'static str, count: usize, work: impl Future<Output = T>) -> (Row, T) {
    let (processor_before, begin) = (processor(), Instant::now());
    let done = work.await;
    let row = Row { name, count, processor: processor() - processor_before, wall: begin.elapsed().as_secs_f64() };
    row.print();
    (row, done)
}

async fn all(judge: &dyn Validator, patches: &[Patch]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut keep = |_: usize, validation: &unidebug::domain::Validation| {
        outcomes.push(validation.outcome);
        ControlFlow::Continue(())
    };
    judge.validate_all(patches, &mut keep).await.unwrap();
    outcomes
}

/// 30 candidates as a search makes them: 6 do not compile, 20 fail, 1 breaks another test, 3 pass.
fn variants(trial: &Trial, salt: usize) -> Vec<Patch> {
    let patch = |code: String| trial.patch(&format!("src/gen/C{BUGGY}.java"), LINE, &code);
    let mut all: Vec<Patch> = (0..6).map(|at| patch(format!("return x * 7 + no{at}_{salt};"))).collect();
    all.extend((0..20).map(|at| patch(format!("return x * 7 + {};", 1000 + salt * 100 + at))));
    all.push(breaking(trial, salt));
    all.extend((0..3).map(|at| patch(format!("return x * 7 + 42 + {at} * (x - x) * {};", salt + 2))));
    all
}

/// Repairs one method and breaks the one after it.
fn breaking(trial: &Trial, salt: usize) -> Patch {
    let mut patch = trial.patch(&format!("src/gen/C{BUGGY}.java"), LINE, REPAIR);
    let text = String::from_utf8(patch.files[0].after.to_vec()).unwrap();
    let broken = text.replace("return x * 8 + 42;", &format!("return x * 8 + {};", 6000 + salt));
    patch.files[0].after = broken.into_bytes().into();
    patch
}

#[tokio::main]
async fn main() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load: f64 = std::fs::read_to_string("/proc/loadavg").unwrap().split(' ').next().unwrap().parse().unwrap();
    let trust = load <= cores as f64 || std::env::var_os("UNIDEBUG_BENCH_ANYWAY").is_some();
    println!("subject: {CLASSES} classes, {} tests; {cores} processors, load {load:.1}", CLASSES * METHODS);
    println!("JVM: -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Xmx1024m\n");
    println!("{:<44} {:>5} {:>9} {:>9} {:>11} {:>11}", "", "n", "CPU s", "wall s", "CPU ms each", "wall ms each");
    let mut trial = subject().await;
    // The kernel does not credit a parent with what runs in a namespace of its own, so processor seconds are taken
    // without one on both sides; what the sandbox adds has its own row, in wall time.
    let sandbox = std::mem::replace(&mut trial.sandbox, Sandbox::detect(Choice::None).await.unwrap());
    let open_cold = ColdValidator::open(&trial.checkout, &trial.sandbox, trial.options.clone());
    let (_, cold) = measured("compile everything, three baseline runs", 1, open_cold).await;
    let cold = cold.unwrap();
    let starts = async {
        for _ in 0..20 {
            sandbox.run(Job::new("true", "/usr")).await.unwrap();
        }
    };
    measured("sandbox: start and end of a process (wall)", 20, starts).await;

    let first = variants(&trial, 1);
    let (one_cold, cold_failing) = measured("failing candidate, cold", 5, all(&cold, &first[6..11])).await;
    let plausible = trial.patch(&format!("src/gen/C{BUGGY}.java"), LINE, REPAIR);
    let (suite_cold, confirmed) = measured("one file and the full suite, cold", 1, cold.confirm(&plausible)).await;
    assert!(confirmed.unwrap().is_plausible());

    let from_start = async {
        let judge = WarmValidator::open(&trial.checkout, &trial.sandbox, trial.options.clone()).await.unwrap();
        let outcomes = all(&judge, &first).await;
        (judge, outcomes)
    };
    let (_, (warm, outcomes)) = measured("30 variants, warm, from cold start", 30, from_start).await;
    assert_eq!(outcomes[6..11], cold_failing, "warm and cold must say the same");
    let expected =
        [(Outcome::CompileError, 6), (Outcome::Failed, 20), (Outcome::Regression, 1), (Outcome::PassedWarm, 3)];
    for (outcome, count) in expected {
        assert_eq!(outcomes.iter().filter(|seen| **seen == outcome).count(), count, "{outcome}: {outcomes:?}");
    }
    measured("30 more variants, warm", 30, all(&warm, &variants(&trial, 2))).await;
    let failing: Vec<Patch> = (3..8).flat_map(|salt| variants(&trial, salt)[6..26].to_vec()).collect();
    let (marginal, _) = measured("failing candidate, warm, marginal", failing.len(), all(&warm, &failing)).await;
    println!("\nresident memory of the warm processes: {} MiB", warm.resident_mib().await);
    if !trust {
        println!("ratios are left out: load {load:.1} on {cores} processors; set UNIDEBUG_BENCH_ANYWAY=1 to see them");
        return;
    }
    let each = marginal.processor / marginal.count as f64;
    println!("failing candidate, cold / warm: {:.0}x CPU", one_cold.processor / one_cold.count as f64 / each);
    println!("one file and full suite cold / failing candidate warm: {:.0}x CPU", suite_cold.processor / each);
}
