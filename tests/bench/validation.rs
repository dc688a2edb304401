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
// What tests and benches share is public to both.
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/phases.rs"]
mod phases;
#[path = "../support/processor.rs"]
mod processor;
#[path = "rows.rs"]
mod rows;
#[path = "validation/subject.rs"]
mod subject;

use phases::{CONTROLS, Cost, PLAIN, Phases};
use rows::{all, median, print_heads, shown, trusted};
use subject::Subject;
use unidebug::domain::{Outcome, Patch};
use unidebug::sandbox::{Choice, Job, Sandbox};
use unidebug::validate::{ColdJudge, Judge, Options, WarmJudge};

/// Failing candidates in a batch, and batches of which the median is told.
const BATCH: usize = 20;
const BATCHES: usize = 5;

/// Batches of candidates that fail, none of them twice; `nth` makes those of one call differ from those of others.
fn failing(subject: &Subject, nth: usize, batch: usize) -> Vec<Vec<Patch>> {
    let begin = 1_000_000 * (nth + 1);
    (0..BATCHES).map(|at| (0..batch).map(|n| subject.failing(begin + at * batch + n)).collect()).collect()
}

/// A line of a part of the row above.
fn print_part(name: &str, cost: Cost) {
    println!("{name:<48} {:>5} {:>9.2} {:>9.2}", "", cost.processor, cost.wall);
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
    let (trust, cores, load) = trusted();
    let subject = subject().await;
    let heap = subject.options.heap_mib;
    println!("subject: {}; {cores} processors, load {load:.1}", subject.title);
    println!("JVM: -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Xmx{heap}m\n");
    print_heads();
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
    let phases = Phases::default();
    let options = Options { watcher: phases.watcher(), ..subject.options.clone() };
    let from_start = async {
        let judge = WarmJudge::open(&subject.checkout, &none, options).await.unwrap();
        let outcomes = all(&judge, &subject.variants(1)).await;
        (judge, outcomes)
    };
    let (_, (warm, outcomes)) = shown("30 variants, warm, from cold start", 30, from_start).await;
    for (outcome, count) in Subject::EXPECTED {
        assert_eq!(outcomes.iter().filter(|one| **one == outcome).count(), count, "{outcome}: {outcomes:?}");
    }
    let (_, more) = shown("30 more variants, warm", 30, all(&warm, &subject.variants(2))).await;
    assert_eq!(more, outcomes);
    phases.forget();
    let (_, confirmed) = shown("their cold confirmation", 1, warm.confirm(&subject.repaired(200))).await;
    assert!(confirmed.unwrap().is_plausible());
    phases.note("over");
    let (triggering, controls) = (phases.cost_of(PLAIN), phases.cost_of(CONTROLS));
    print_part("of it the triggering tests, in a plain process", triggering);
    print_part("of it their controls", controls);
    let batches = failing(&subject, 1, BATCH);
    let (marginal, warm_failing) = median("failing candidate, warm, marginal", &warm, &batches).await;
    assert!(
        warm_failing.iter().chain(&cold_failing).chain(&plain_failing).all(|one| *one == Outcome::Failed),
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
    println!(
        "controls / triggering tests: {:.2}x CPU, {:.2}x by the clock",
        controls.processor / triggering.processor,
        controls.wall / triggering.wall
    );
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
    assert!(outcomes.iter().all(|one| *one == Outcome::Failed), "with and without isolation agree");
}
