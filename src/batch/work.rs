//! A worker: takes the units of a plan one after another until none is left.
//!
//! A unit is a process of this program and a run directory. The lock of that directory is the claim: two workers may
//! begin one unit, only one gets it. A unit whose worker died is gone on with, from its journal.

use super::watch::Watch;
use super::{BatchError, Plan, Posts, Progress, Running, State, Unit};
use crate::benchmark::typed;
use crate::llm::Gate;
use crate::sandbox::own::{ProcessEnd, own};
use camino::{Utf8Path, Utf8PathBuf};
use futures::StreamExt;
use serde_json::Value;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Exit codes of a run that is over: plausible, no repair, a cap.
const OVER: [i32; 3] = [0, 1, 5];
/// A cap: the unit's own, or that of all units together.
const CAP: i32 = 5;
/// The command line is wrong: it would be for every unit.
const USAGE: i32 = 2;
/// Another worker has it.
const BUSY: i32 = 75;
/// The word for a run that waits for an answer.
const DEFERRED: &str = "deferred";
const INTERRUPTED: i32 = 130;
/// How often the progress of the batch is reported.
const LOOK: Duration = Duration::from_secs(1);
/// Before units that others have, or that wait for their next try, are looked at again.
const PAUSE: Duration = Duration::from_secs(3);
/// What the units say on stderr.
const LOG: &str = "log.txt";

/// Every `of`-th unit, from the `at`-th on; counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Number of the part, from 1 to `of`.
    pub at: usize,
    /// Of how many.
    pub of: usize,
}

impl Shard {
    /// Whether the unit at this place of the plan, from 0, is in it.
    fn has(self, place: usize) -> bool {
        place % self.of == self.at - 1
    }
}

/// A worker on one machine.
pub(crate) struct Worker<'a> {
    /// The batch's folder.
    pub folder: &'a Utf8Path,
    /// What the batch runs, unit by unit.
    pub plan: &'a Plan,
    /// Units at a time.
    pub jobs: usize,
    /// After a failure of the environment: so long nobody tries the unit again. After the next one it is longer.
    pub pause: Duration,
    /// Which part of the plan; all without.
    pub shard: Option<Shard>,
    /// When no other unit is begun any more.
    pub until: Option<Instant>,
    /// Who sends the requests of units as batches of the vendor's.
    pub posts: Posts,
    /// Closed when the work is to stop; units at work are on their way until they have saved what is paid for.
    pub gate: Arc<Gate>,
}

impl Worker<'_> {
    /// Works until every unit of the shard is over, or the environment failed it too often; tells now and then how far
    /// the batch is.
    ///
    /// # Errors
    /// The units' command line is wrong, they were interrupted, what all may use together is used up, or the folder
    /// cannot be written. No further unit is begun then, and what is at work saves what it has and stops; at a cap it
    /// ends as it can.
    pub(crate) async fn work(&self, tell: &(dyn Fn(&Progress) + Sync)) -> Result<(), BatchError> {
        let mut watch = Watch::new(self.folder, self.plan);
        let here = Mutex::new(Vec::new());
        let mut look = || {
            let begin = Instant::now();
            tell(&Progress { running: self.running(&here), waiting: self.posts.waiting(), ..watch.look() });
            // Where looking takes long, as over a network, it is done less often.
            LOOK.max(begin.elapsed() * 20)
        };
        let mut done = pin!(self.passes(&here));
        loop {
            let pause = look();
            tokio::select! {
                done = &mut done => {
                    look();
                    return done;
                }
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    fn running(&self, here: &Mutex<Vec<(Unit, Instant)>>) -> Vec<Running> {
        let now = here.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let entry = |(unit, since): (Unit, Instant)| {
            let at = unit.at(self.folder);
            Running { unit, since: since.elapsed(), at }
        };
        now.into_iter().map(entry).collect()
    }

    async fn passes(&self, here: &Mutex<Vec<(Unit, Instant)>>) -> Result<(), BatchError> {
        loop {
            self.posts.exchange(&self.gate).await?;
            let left = self.units().into_iter().filter_map(|unit| unit.left_in(self.folder).map(|wait| (unit, wait)));
            let (due, later): (Vec<_>, Vec<_>) = left.partition(|(_, wait)| wait.is_zero());
            if due.is_empty() && later.is_empty() {
                return Ok(());
            }
            self.check_time()?;
            if self.gate.is_closed() {
                return Err(BatchError::Interrupted);
            }
            let due: Vec<Unit> = due.into_iter().map(|(unit, _)| unit).collect();
            if self.pass(&due, here).await? == due.len() {
                let pause = later.iter().map(|(_, wait)| *wait).min().map_or(PAUSE, |wait| wait.min(PAUSE));
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = self.gate.closed() => {}
                }
            }
        }
    }

    /// Tries every one of these units once; gives how many of them others have.
    async fn pass(&self, due: &[Unit], here: &Mutex<Vec<(Unit, Instant)>>) -> Result<usize, BatchError> {
        let here = || here.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = due.iter().map(|unit| async move {
            here().push((unit.clone(), Instant::now()));
            let result = self.run(unit).await;
            here().retain(|(other, _)| other != unit);
            result
        });
        let stopped = AtomicBool::new(false);
        let may_begin = || !stopped.load(Ordering::Relaxed) && !self.gate.is_closed() && self.check_time().is_ok();
        let begun = futures::stream::iter(runs).take_while(|_| futures::future::ready(may_begin()));
        let mut runs = begun.buffer_unordered(self.jobs.max(1));
        let (mut busy, mut first) = (0, None);
        while let Some(result) = runs.next().await {
            let error = match result {
                Ok(claim) => {
                    busy += usize::from(claim == Claim::Busy);
                    (claim == Claim::UsedUp).then(|| self.used_up())
                }
                Err(error) => {
                    self.gate.close();
                    Some(error)
                }
            };
            stopped.fetch_or(error.is_some(), Ordering::Relaxed);
            first = first.or(error);
        }
        first.map_or(Ok(busy), Err)
    }

    fn units(&self) -> Vec<Unit> {
        let mine = |at: usize| self.shard.is_none_or(|shard| shard.has(at));
        self.plan.units().into_iter().enumerate().filter(|(at, _)| mine(*at)).map(|(_, unit)| unit).collect()
    }

    async fn run(&self, unit: &Unit) -> Result<Claim, BatchError> {
        // Another worker can have done it since the list was made, or have failed.
        if unit.left_in(self.folder) != Some(Duration::ZERO) {
            return Ok(Claim::Done);
        }
        let dir = unit.dir(self.folder);
        std::fs::create_dir_all(&dir).map_err(|source| BatchError::Io {
            what: "creating the folder of a unit",
            path: dir.clone(),
            source,
        })?;
        let words = self.words(unit, &dir)?;
        let _at_work = self.gate.enter();
        let end = own(&words, &dir.join(LOG), self.gate.closed()).await?;
        match end.code {
            Some(CAP) if self.has_account()? && !matches!(unit.state(self.folder), State::Over(_)) => Ok(Claim::UsedUp),
            Some(code) if OVER.contains(&code) => match unit.over(self.folder, &end.stdout)? {
                true => Ok(Claim::Done),
                false => self.failed(unit, end.code, "it ended without a report".into()),
            },
            // Its answer comes with the next batch of the vendor's.
            Some(BUSY) if code_word(&end) == DEFERRED => Ok(Claim::Done),
            Some(BUSY) => Ok(Claim::Busy),
            Some(INTERRUPTED) => Err(BatchError::Interrupted),
            // It was asked to stop before it could listen.
            None if self.gate.is_closed() => Err(BatchError::Interrupted),
            Some(USAGE) => Err(BatchError::Usage { unit: unit.bug.to_string(), message: message(&end) }),
            code => self.failed(unit, code, message(&end)),
        }
    }

    /// Notes that the environment failed a unit, which says nothing about the bug.
    fn failed(&self, unit: &Unit, code: Option<i32>, message: String) -> Result<Claim, BatchError> {
        let trouble = unit.failed(self.folder, self.pause, code, message)?;
        tracing::warn!(unit = %unit.folder, tries = trouble.tries, "{}", trouble.message);
        Ok(Claim::Done)
    }

    /// What is typed for a unit: a run, or going on with one that has begun.
    fn words(&self, unit: &Unit, dir: &Utf8PathBuf) -> Result<Vec<String>, BatchError> {
        let mut words: Vec<String> = if unit.has_begun(self.folder) {
            vec!["resume".into(), dir.to_string()]
        } else {
            let mut words = vec!["run".into(), typed(&unit.bug), "--out".into(), dir.to_string()];
            let configuration = &self.plan.configurations[unit.configuration];
            words.extend(configuration.named().into_iter().flat_map(|name| ["--name".to_owned(), name.to_owned()]));
            words.extend(configuration.args.iter().cloned());
            words
        };
        words.extend(["--json".into(), "--quiet".into()]);
        if self.has_account()? {
            words.extend(["--account".into(), format!("{}:{}", self.folder, unit.folder)]);
        }
        words.extend(self.posts.words(unit));
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

/// The object that a run ended with.
fn object(end: &ProcessEnd) -> Value {
    serde_json::from_str(end.stdout.lines().last().unwrap_or("")).unwrap_or_default()
}

/// The word for the error that a run ended with.
fn code_word(end: &ProcessEnd) -> String {
    object(end)["error"]["code"].as_str().unwrap_or("").to_owned()
}

/// What a run said when it ended with an error: the message of its JSON.
fn message(end: &ProcessEnd) -> String {
    let value = object(end);
    match value["error"]["message"].as_str() {
        Some(message) => message.to_owned(),
        None => match end.code {
            Some(code) => format!("it ended with code {code} and no message"),
            None => "a signal ended it".into(),
        },
    }
}

/// Lets every unit that the environment failed be tried again, at once. Gives how many.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn forgive(folder: &Utf8Path, plan: &Plan) -> Result<usize, BatchError> {
    let mut units = plan.units();
    units.retain(|unit| matches!(unit.state(folder), State::Trouble(_)));
    units.iter().try_for_each(|unit| unit.forgive(folder))?;
    Ok(units.len())
}

/// The shards, from 1, of so many that still have something to do.
pub(crate) fn left(folder: &Utf8Path, plan: &Plan, shards: usize) -> Vec<usize> {
    let units = plan.units();
    let has_some = |shard: Shard| {
        let mut mine = units.iter().enumerate().filter(|(at, _)| shard.has(*at));
        mine.any(|(_, unit)| unit.left_in(folder).is_some())
    };
    (1..=shards).filter(|&at| has_some(Shard { at, of: shards })).collect()
}
