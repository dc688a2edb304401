//! How far a batch is, whoever works on it.

use super::{Plan, State, Trouble, Unit};
use crate::domain::Scope;
use crate::journal;
use crate::llm::Waiting;
use camino::Utf8Path;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a batch has come to so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Progress {
    /// Units in all.
    pub units: usize,
    /// Units that are over.
    pub over: usize,
    /// Of these, plausible, by level (`0`, `1`, …, `refine`).
    pub plausible: BTreeMap<String, usize>,
    /// Units that the environment failed, each with the reason.
    pub troubles: Vec<(Unit, Trouble)>,
    /// Units that have begun and are not over: they run, or whoever ran them is gone.
    pub begun: Vec<Unit>,
    /// Dollars; `None` when a price is unknown.
    pub cost_usd: Option<f64>,
    /// Units at work here.
    pub running: Vec<Running>,
    /// What is waited for, where requests are sent as batches of the vendor's.
    pub waiting: Option<Waiting>,
}

/// A unit at work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Running {
    /// The unit that a process works on.
    pub unit: Unit,
    /// For how long.
    pub since: Duration,
    /// Where it is; `None` before its first agent.
    pub at: Option<Scope>,
}

/// What one unit that is over adds to the sums.
struct Came {
    level: Option<String>,
    cost_usd: Option<f64>,
}

impl Came {
    fn of(report: &Value) -> Self {
        let level = &report["level"];
        let level = level.as_str().map_or_else(|| level.to_string(), str::to_owned);
        let plausible = report["verdict"] == "plausible";
        Self { level: plausible.then_some(level), cost_usd: report["usage"]["cost_usd"].as_f64() }
    }
}

/// Looks at a batch again and again. A unit that is over stays over, so that only the others are read again.
pub(super) struct Watch<'a> {
    folder: &'a Utf8Path,
    units: Vec<(Unit, Option<Came>)>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(folder: &'a Utf8Path, plan: &Plan) -> Self {
        Self { folder, units: plan.units().into_iter().map(|unit| (unit, None)).collect() }
    }

    /// How far the batch is now.
    pub(super) fn look(&mut self) -> Progress {
        let mut progress = Progress { units: self.units.len(), cost_usd: Some(0.0), ..Progress::default() };
        for (unit, came) in &mut self.units {
            if came.is_none() {
                match unit.state(self.folder) {
                    State::Over(report) => *came = Some(Came::of(&report)),
                    State::Trouble(trouble) => progress.troubles.push((unit.clone(), trouble)),
                    State::Begun => progress.begun.push(unit.clone()),
                    State::Waiting => {}
                }
            }
            let Some(came) = came else { continue };
            progress.over += 1;
            progress.cost_usd = progress.cost_usd.zip(came.cost_usd).map(|(sum, more)| sum + more);
            if let Some(level) = &came.level {
                *progress.plausible.entry(level.clone()).or_default() += 1;
            }
        }
        progress
    }
}

impl Unit {
    /// The agent that was last heard of in this unit.
    pub(crate) fn at(&self, batch: &Utf8Path) -> Option<Scope> {
        journal::last_heard(&self.dir(batch))
    }
}

/// How far a batch is, whoever works on it.
pub(crate) fn progress(folder: &Utf8Path, plan: &Plan) -> Progress {
    Watch::new(folder, plan).look()
}
