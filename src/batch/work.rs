//! A worker: takes the units of a plan one after another until none is left.
//!
//! A unit is a process of this program and a run directory. The lock of that directory is the claim: two workers may
//! begin one unit, only one gets it. A unit whose worker died is gone on with, from its journal.

use super::{BatchError, Plan, State, Unit};
use crate::sandbox::own::{Ended, own};
use camino::{Utf8Path, Utf8PathBuf};
use futures::StreamExt;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the environment may fail on one unit.
pub const TRIES: u32 = 3;
/// Exit codes of a run that is over: plausible, no repair, a cap.
const OVER: [i32; 3] = [0, 1, 5];
/// A cap: the unit's own, or that of all units together.
const CAP: i32 = 5;
/// The command line is wrong: it would be for every unit.
const USAGE: i32 = 2;
/// Another worker has it.
const BUSY: i32 = 75;
const INTERRUPTED: i32 = 130;
/// Before units that others have are looked at again.
const PAUSE: Duration = Duration::from_secs(3);
/// What the units say on stderr.
const LOG: &str = "log.txt";

/// Every `of`-th unit, from the `at`-th on; counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub at: usize,
    /// Of how many.
    pub of: usize,
}

/// What a batch has come to so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Units in all.
    pub units: usize,
    /// Units that are over.
    pub over: usize,
    /// Of these, plausible, by rung (`0`, `1`, …, `refine`).
    pub plausible: BTreeMap<String, usize>,
    /// Units that the environment failed.
    pub trouble: usize,
    /// Dollars; `None` when a price is unknown.
    pub cost_usd: Option<f64>,
    /// Units at work here.
    pub running: Vec<String>,
}

/// A worker on one machine.
pub struct Worker<'a> {
    /// The batch's folder.
    pub folder: &'a Utf8Path,
    /// Its plan.
    pub plan: &'a Plan,
    /// Units at a time.
    pub jobs: usize,
    /// Which part of the plan; all without.
    pub shard: Option<Shard>,
    /// When no other unit is begun any more.
    pub until: Option<Instant>,
}

impl Worker<'_> {
    /// Works until every unit of the shard is over, or the environment failed it too often.
    ///
    /// # Errors
    /// The units' command line is wrong, they were interrupted, what all may use together is used up, or the folder
    /// cannot be written. At a cap units that are at work end as they can.
    pub async fn work(&self, tell: &(dyn Fn(&Progress) + Sync)) -> Result<(), BatchError> {
        let running = Mutex::new(Vec::new());
        let used_up = AtomicBool::new(false);
        let tell_now = || {
            let now = running.lock().unwrap_or_else(PoisonError::into_inner).clone();
            tell(&Progress { running: now, ..progress(self.folder, self.plan) });
        };
        loop {
            let left: Vec<Unit> = self.units().into_iter().filter(|unit| self.is_left(unit)).collect();
            if left.is_empty() {
                return Ok(());
            }
            self.check_time()?;
            let runs = left.iter().map(|unit| async {
                running.lock().unwrap_or_else(PoisonError::into_inner).push(unit.bug.to_string());
                tell_now();
                let ended = self.run(unit).await;
                let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(at) = running.iter().position(|name| *name == unit.bug.to_string()) {
                    running.remove(at);
                }
                ended
            });
            let may_begin = || !used_up.load(Ordering::Relaxed) && self.check_time().is_ok();
            let begun = futures::stream::iter(runs).take_while(|_| futures::future::ready(may_begin()));
            let mut runs = begun.buffer_unordered(self.jobs.max(1));
            let mut busy = 0;
            while let Some(ended) = runs.next().await {
                let claim = ended?;
                busy += usize::from(claim == Claim::Busy);
                used_up.fetch_or(claim == Claim::UsedUp, Ordering::Relaxed);
                tell_now();
            }
            if used_up.load(Ordering::Relaxed) {
                return Err(self.used_up());
            }
            if busy == left.len() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    fn units(&self) -> Vec<Unit> {
        let mine = |at: usize| self.shard.is_none_or(|shard| at % shard.of == shard.at - 1);
        self.plan.units().into_iter().enumerate().filter(|(at, _)| mine(*at)).map(|(_, unit)| unit).collect()
    }

    fn is_left(&self, unit: &Unit) -> bool {
        match unit.state(self.folder) {
            State::Waiting | State::Begun => true,
            State::Trouble(trouble) => trouble.tries < TRIES,
            State::Over(_) => false,
        }
    }

    async fn run(&self, unit: &Unit) -> Result<Claim, BatchError> {
        let dir = unit.dir(self.folder);
        std::fs::create_dir_all(&dir).map_err(|source| BatchError::Io {
            what: "creating the folder of a unit",
            path: dir.clone(),
            source,
        })?;
        let ended = own(&self.words(unit, &dir)?, &dir.join(LOG)).await?;
        match ended.code {
            Some(CAP) if self.has_account()? && !matches!(unit.state(self.folder), State::Over(_)) => Ok(Claim::UsedUp),
            Some(code) if OVER.contains(&code) => unit.over(self.folder, &ended.stdout).map(|()| Claim::Done),
            Some(BUSY) => Ok(Claim::Busy),
            Some(INTERRUPTED) => Err(BatchError::Interrupted),
            Some(USAGE) => Err(BatchError::Usage { unit: unit.bug.to_string(), message: message(&ended) }),
            code => {
                let trouble = unit.failed(self.folder, code, message(&ended))?;
                tracing::warn!(unit = %unit.folder, tries = trouble.tries, "{}", trouble.message);
                Ok(Claim::Done)
            }
        }
    }

    /// What is typed for a unit: a run, or going on with one that has begun.
    fn words(&self, unit: &Unit, dir: &Utf8PathBuf) -> Result<Vec<String>, BatchError> {
        let mut words: Vec<String> = if unit.has_begun(self.folder) {
            vec!["resume".into(), dir.to_string()]
        } else {
            let mut words = vec!["run".into(), bug(unit), "--out".into(), dir.to_string()];
            words.extend(self.plan.configurations[unit.configuration].args.iter().cloned());
            words
        };
        words.extend(["--json".into(), "--quiet".into()]);
        if self.has_account()? {
            words.extend(["--account".into(), format!("{}:{}", self.folder, unit.folder)]);
        }
        Ok(words)
    }
}

/// What came of trying to get a unit.
#[derive(Debug, PartialEq, Eq)]
enum Claim {
    Done,
    Busy,
    /// The account of the batch refused it; it is still to do.
    UsedUp,
}

/// The bug as it is typed: a folder by its path.
fn bug(unit: &Unit) -> String {
    if unit.bug.benchmark == "local" { unit.bug.name.clone() } else { unit.bug.to_string() }
}

/// What a run said when it ended with an error: the message of its JSON.
fn message(ended: &Ended) -> String {
    let last = ended.stdout.lines().last().unwrap_or("");
    let value: Value = serde_json::from_str(last).unwrap_or_default();
    match value["error"]["message"].as_str() {
        Some(message) => message.to_owned(),
        None => match ended.code {
            Some(code) => format!("it ended with code {code} and no message"),
            None => "a signal ended it".into(),
        },
    }
}

/// Lets every unit that the environment failed be tried again. Gives how many.
pub fn forgive(folder: &Utf8Path, plan: &Plan) -> usize {
    let failed = |unit: &Unit| matches!(unit.state(folder), State::Trouble(_));
    plan.units().iter().filter(|unit| failed(unit)).map(|unit| unit.forgive(folder)).count()
}

/// How far a batch is, whoever works on it.
pub fn progress(folder: &Utf8Path, plan: &Plan) -> Progress {
    let units = plan.units();
    let mut progress = Progress { units: units.len(), cost_usd: Some(0.0), ..Progress::default() };
    for unit in &units {
        match unit.state(folder) {
            State::Over(report) => {
                progress.over += 1;
                progress.cost_usd =
                    progress.cost_usd.zip(report["usage"]["cost_usd"].as_f64()).map(|(sum, more)| sum + more);
                if report["verdict"] == "plausible" {
                    let level = &report["level"];
                    let rung = level.as_str().map_or_else(|| level.to_string(), str::to_owned);
                    *progress.plausible.entry(rung).or_default() += 1;
                }
            }
            State::Trouble(_) => progress.trouble += 1,
            State::Waiting | State::Begun => {}
        }
    }
    progress
}
