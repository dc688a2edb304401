//! Rows of what judging costs: processor seconds of the whole process tree, and wall time.

use nix::sys::resource::{UsageWho, getrusage};
use std::ops::ControlFlow;
use std::time::Instant;
use unidebug::domain::{Outcome, Patch};
use unidebug::validate::Judge;

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
pub struct Row {
    name: &'static str,
    count: usize,
    pub processor: f64,
    pub wall: f64,
}

impl Row {
    pub fn print(&self) {
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
    pub fn each(&self) -> f64 {
        self.processor / self.count as f64
    }
}

pub async fn measured<T>(name: &'static str, count: usize, work: impl Future<Output = T>) -> (Row, T) {
    let (processor_before, begin) = (processor(), Instant::now());
    let done = work.await;
    (Row { name, count, processor: processor() - processor_before, wall: begin.elapsed().as_secs_f64() }, done)
}

/// Measures and prints.
pub async fn shown<T>(name: &'static str, count: usize, work: impl Future<Output = T>) -> (Row, T) {
    let (row, done) = measured(name, count, work).await;
    row.print();
    (row, done)
}

/// Judges batch after batch and prints the one in the middle, with all outcomes.
pub async fn median(name: &'static str, judge: &dyn Judge, batches: &[Vec<Patch>]) -> (Row, Vec<Outcome>) {
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

pub async fn all(judge: &dyn Judge, patches: &[Patch]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut keep = |_: usize, validation: &unidebug::domain::Validation| {
        outcomes.push(validation.outcome);
        ControlFlow::Continue(())
    };
    judge.validate_all(patches, &mut keep).await.unwrap();
    outcomes
}

/// Whether ratios mean something here: not on a machine that is busy with other things, but where one insists. The
/// number of processors and the load come with it.
pub fn trusted() -> (bool, usize, f64) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load: f64 = std::fs::read_to_string("/proc/loadavg").unwrap().split(' ').next().unwrap().parse().unwrap();
    (load <= cores as f64 || std::env::var_os("UNIDEBUG_BENCH_ANYWAY").is_some(), cores, load)
}

/// The heads of the columns.
pub fn print_heads() {
    println!("{:<48} {:>5} {:>9} {:>9} {:>11} {:>11}", "", "n", "CPU s", "wall s", "CPU ms each", "wall ms each");
}
