//! Configurations against each other, bug by bug.

use super::{Quality, RunFacts, mcnemar, paired_difference};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The strategy that agents are measured against: a model asked once.
const DIRECT: &str = "direct";

/// Two configurations on the bugs that both finished. A bug counts as repaired when any repetition repaired it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Pair {
    /// The first.
    pub a: String,
    /// The second.
    pub b: String,
    /// Bugs that both finished.
    pub bugs: u64,
    /// Repaired by both.
    pub both: u64,
    /// By the first alone.
    pub only_a: u64,
    /// By the second alone.
    pub only_b: u64,
    /// Share repaired by the first less that of the second, `-1.0..=1.0`.
    pub difference: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// McNemar's exact probability.
    pub p: f64,
}

impl Pair {
    pub(super) fn of(a: &str, b: &str, outcomes: &[(bool, bool)]) -> Self {
        let count = |want: (bool, bool)| outcomes.iter().filter(|&&got| got == want).count() as u64;
        let (only_a, only_b) = (count((true, false)), count((false, true)));
        let bugs = outcomes.len() as u64;
        Self {
            a: a.to_owned(),
            b: b.to_owned(),
            bugs,
            both: count((true, true)),
            only_a,
            only_b,
            difference: (only_a as f64 - only_b as f64) / (bugs.max(1) as f64),
            interval: paired_difference(only_a, only_b, bugs),
            p: mcnemar(only_a, only_b),
        }
    }
}

/// What a strategy repairs beyond the same model asked directly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Gain {
    /// The model.
    pub model: String,
    /// The strategy first, direct second.
    pub pair: Pair,
}

/// By configuration: whether each finished bug was repaired.
fn repaired(runs: &[RunFacts], quality: Quality) -> BTreeMap<&str, BTreeMap<String, bool>> {
    let mut repaired: BTreeMap<&str, BTreeMap<String, bool>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.report.is_some()) {
        let of_bug = repaired.entry(&run.setting.line).or_default().entry(run.bug.to_string()).or_default();
        *of_bug |= run.repaired(quality);
    }
    repaired
}

pub(super) fn on_common_bugs(a: &BTreeMap<String, bool>, b: &BTreeMap<String, bool>) -> Vec<(bool, bool)> {
    a.iter().filter_map(|(bug, x)| b.get(bug).map(|y| (*x, *y))).collect()
}

/// Every two configurations that have a bug in common.
pub(super) fn pairs(runs: &[RunFacts], quality: Quality) -> Vec<Pair> {
    let repaired: Vec<_> = repaired(runs, quality).into_iter().collect();
    let mut pairs = Vec::new();
    for (at, (a, of_a)) in repaired.iter().enumerate() {
        for (b, of_b) in &repaired[at + 1..] {
            let outcomes = on_common_bugs(of_a, of_b);
            if !outcomes.is_empty() {
                pairs.push(Pair::of(a, b, &outcomes));
            }
        }
    }
    pairs
}

/// For every model that was also asked directly: what each other configuration of it gains.
pub(super) fn gains(runs: &[RunFacts], quality: Quality) -> Vec<Gain> {
    let repaired = repaired(runs, quality);
    let settings: BTreeSet<(&str, &str, &str)> =
        runs.iter().map(|run| (&*run.setting.model, &*run.setting.strategy, &*run.setting.line)).collect();
    let mut gains = Vec::new();
    for (model, _, direct) in settings.iter().filter(|(_, strategy, _)| *strategy == DIRECT) {
        for (_, _, line) in settings.iter().filter(|(other, by, _)| other == model && *by != DIRECT) {
            let (Some(a), Some(b)) = (repaired.get(line), repaired.get(direct)) else { continue };
            let outcomes = on_common_bugs(a, b);
            if !outcomes.is_empty() {
                gains.push(Gain { model: (*model).to_owned(), pair: Pair::of(line, direct, &outcomes) });
            }
        }
    }
    gains
}
