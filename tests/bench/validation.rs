//! What a judged candidate costs: processor seconds of the whole process tree, and wall time.
//!
//! ```text
//! cargo bench --bench validation -- [--subject DIR]
//! ```
//!
//! The subject is a generated project of 100 classes, 100 test classes and 2,000 tests, or a copy of the one in DIR, in
//! which a drawn method is made to fail. What is learnt of it once, its baseline and what each test executes, is there
//! before the variants are judged, and has a row of its own. Both sides of every ratio run in one go on the same machine and must give the
//! same outcomes. On a machine that is busy with other things ratios mean nothing, so they are left out there unless
//! `UNIDEBUG_BENCH_ANYWAY` is set.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "validation/subject.rs"]
mod subject;

use nix::sys::resource::{UsageWho, getrusage};
use std::ops::ControlFlow;
use std::time::Instant;
use subject::Subject;
use unidebug::domain::{Outcome, Patch};
use unidebug::sandbox::{Choice, Job, Sandbox};
use unidebug::validate::{ColdJudge, Judge, WarmJudge};

/// Failing candidates in a batch, and batches of which the median is told.
const BATCH: usize = 20;
const BATCHES: usize = 5;

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
#[derive(Clone)]
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
            "{:<48} {:>5} {:>9.2} {:>9.2} {:>11.1} {:>11.1}",
            self.name,
            self.count,
            self.processor,
            self.wall,
            self.processor * each,
            self.wall * each
        );
    }

    /// Processor seconds of one.
    fn each(&self) -> f64 {
        self.processor / self.count as f64
    }
}

async fn measured<T>(name: &'static str, count: usize, work: impl Future<Output = T>) -> (Row, T) {
    let (processor_before, begin) = (processor(), Instant::now());
    let done = work.await;
    (Row { name, count, processor: processor() - processor_before, wall: begin.elapsed().as_secs_f64() }, done)
}

/// Measures and prints.
async fn shown<T>(name: &'static str, count: usize, work: impl Future<Output = T>) -> (Row, T) {
    let (row, done) = measured(name, count, work).await;
    row.print();
    (row, done)
}

/// Judges batch after batch and prints the one in the middle, with all outcomes.
async fn median(name: &'static str, judge: &dyn Judge, batches: &[Vec<Patch>]) -> (Row, Vec<Outcome>) {
    let (mut rows, mut outcomes) = (Vec::new(), Vec::new());
    for batch in batches {
        let (row, told) = measured(name, batch.len(), all(judge, batch)).await;
        rows.push(row);
        outcomes.extend(told);
    }
    rows.sort_by(|a, b| a.processor.total_cmp(&b.processor));
    let row = rows[rows.len() / 2].clone();
    row.print();
    (row, outcomes)
}

async fn all(judge: &dyn Judge, patches: &[Patch]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut keep = |_: usize, validation: &unidebug::domain::Validation| {
        outcomes.push(validation.outcome);
        ControlFlow::Continue(())
    };
    judge.validate_all(patches, &mut keep).await.unwrap();
    outcomes
}

/// Batches of candidates that fail, none of them twice; `nth` makes those of one call differ from those of others.
fn failing(subject: &Subject, nth: usize, batch: usize) -> Vec<Vec<Patch>> {
    let begin = 1_000_000 * (nth + 1);
    (0..BATCHES).map(|at| (0..batch).map(|n| subject.failing(begin + at * batch + n)).collect()).collect()
}

/// The project that was named, or the generated one.
async fn subject() -> Subject {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    match (words.next().as_deref(), words.next()) {
        (None, _) => Subject::generated().await,
        (Some("--subject"), Some(folder)) => Subject::copy_of(folder.as_str().into()).await,
        (Some(other), _) => panic!("unknown argument {other}, or a folder is missing behind it"),
    }
}

/// Own resident memory in MiB.
fn own_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() >> 10
}

#[tokio::main]
async fn main() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load: f64 = std::fs::read_to_string("/proc/loadavg").unwrap().split(' ').next().unwrap().parse().unwrap();
    let trust = load <= cores as f64 || std::env::var_os("UNIDEBUG_BENCH_ANYWAY").is_some();
    let subject = subject().await;
    let heap = subject.options.heap_mib;
    println!("subject: {}; {cores} processors, load {load:.1}", subject.title);
    println!("JVM: -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Xmx{heap}m\n");
    println!("{:<48} {:>5} {:>9} {:>9} {:>11} {:>11}", "", "n", "CPU s", "wall s", "CPU ms each", "wall ms each");
    // The kernel does not credit a parent with what runs in a namespace of its own, so processor seconds are taken
    // without one on both sides; what the sandbox adds has its own rows, in wall time.
    let none = Sandbox::detect(Choice::None).await.unwrap();
    let cold = ColdJudge::open(&subject.checkout, &none, subject.options.clone()).await.unwrap();
    let singles: Vec<Vec<Patch>> = failing(&subject, 0, 1);
    let (one_cold, cold_failing) = median("failing candidate, cold", &cold, &singles).await;
    let plain = ColdJudge::open(&subject.checkout, &none, subject.with_plain_jdk()).await.unwrap();
    let (one_plain, plain_failing) = median("the same, with no JVM flags of ours", &plain, &singles).await;
    drop(plain);
    let repaired = subject.repaired(0);
    let (suite_cold, confirmed) = shown("one file and the full suite, cold", 1, cold.confirm(&repaired)).await;
    assert!(confirmed.unwrap().is_plausible());

    let first = async {
        let judge = WarmJudge::open(&subject.checkout, &none, subject.options.clone()).await.unwrap();
        assert_eq!(judge.validate(&subject.repaired(300)).await.unwrap().outcome, Outcome::PassedWarm);
    };
    shown("the very first repair, with what is kept of it", 1, first).await;
    let from_start = async {
        let judge = WarmJudge::open(&subject.checkout, &none, subject.options.clone()).await.unwrap();
        let outcomes = all(&judge, &subject.variants(1)).await;
        (judge, outcomes)
    };
    let (_, (warm, outcomes)) = shown("30 variants, warm, from cold start", 30, from_start).await;
    for (outcome, count) in Subject::EXPECTED {
        assert_eq!(outcomes.iter().filter(|seen| **seen == outcome).count(), count, "{outcome}: {outcomes:?}");
    }
    let (_, more) = shown("30 more variants, warm", 30, all(&warm, &subject.variants(2))).await;
    assert_eq!(more, outcomes);
    let (_, confirmed) = shown("their cold confirmation", 1, warm.confirm(&subject.repaired(200))).await;
    assert!(confirmed.unwrap().is_plausible());
    let batches = failing(&subject, 1, BATCH);
    let (marginal, warm_failing) = median("failing candidate, warm, marginal", &warm, &batches).await;
    assert!(
        warm_failing.iter().chain(&cold_failing).chain(&plain_failing).all(|seen| *seen == Outcome::Failed),
        "warm and cold agree"
    );
    let resident = warm.resident_mib().await + own_mib();
    drop(warm);
    sandboxed(&subject).await;
    println!("\nresident memory of all processes: {resident} MiB");
    if !trust {
        println!("ratios are left out: load {load:.1} on {cores} processors; set UNIDEBUG_BENCH_ANYWAY=1 to see them");
        return;
    }
    println!("failing candidate, cold / warm: {:.0}x CPU", one_cold.each() / marginal.each());
    println!("failing candidate, cold with no flags / warm: {:.0}x CPU", one_plain.each() / marginal.each());
    println!(
        "one file and full suite cold / failing candidate warm: {:.0}x CPU",
        suite_cold.processor / marginal.each()
    );
}

/// What the strongest isolation adds: wall time, as its processor time cannot be seen from outside.
async fn sandboxed(subject: &Subject) {
    let sandbox = match Sandbox::detect(Choice::Auto).await {
        Ok(sandbox) => sandbox,
        Err(error) => return println!("no sandbox works here: {error}"),
    };
    let starts = async {
        for _ in 0..20 {
            sandbox.run(Job::new("true", "/usr")).await.unwrap();
        }
    };
    shown("sandbox: start and end of a process (wall)", 20, starts).await;
    let judge = WarmJudge::open(&subject.checkout, &sandbox, subject.options.clone()).await.unwrap();
    all(&judge, &subject.variants(3)).await;
    let (_, outcomes) = median("sandbox: failing candidate, warm (wall)", &judge, &failing(subject, 2, BATCH)).await;
    assert!(outcomes.iter().all(|seen| *seen == Outcome::Failed), "with and without isolation agree");
}
