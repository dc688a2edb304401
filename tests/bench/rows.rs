//! Rows of what judging costs: processor seconds of the whole process tree, and wall time.

use super::processor::processor;
use std::ops::ControlFlow;
use std::time::Instant;
use unidebug::domain::{Outcome, Patch};
use unidebug::validate::Judge;

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
        let (row, batch_outcomes) = measured(name, batch.len(), all(judge, batch)).await;
        rows.push(row);
        outcomes.extend(batch_outcomes);
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
