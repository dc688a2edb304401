//! Bugs beside their twins: what is repaired of the one and not of the other.

use super::{Pair, Quality, RunFacts, compare};
use serde::Serialize;
use std::collections::BTreeMap;

/// The benchmark whose bugs are named after their originals.
const TWIN: &str = "twin";

/// A configuration on bugs and on their twins; the first of the pair are the bugs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Drop {
    /// The configuration.
    pub configuration: String,
    /// By what repairs.
    pub quality: Quality,
    /// Originals and twins that both finished.
    pub pair: Pair,
}

/// Every configuration that ran bugs and their twins.
pub(super) fn drops(runs: &[RunFacts]) -> Vec<Drop> {
    let mut drops = Vec::new();
    for quality in [Quality::Plausible, Quality::Correct] {
        let mut repaired: BTreeMap<&str, [BTreeMap<String, bool>; 2]> = BTreeMap::new();
        for run in runs.iter().filter(|run| run.report.is_some()) {
            let is_twin = run.bug.benchmark == TWIN;
            let original = if is_twin { run.bug.name.clone() } else { run.bug.to_string() };
            let sides = repaired.entry(&run.setting.line).or_default();
            *sides[usize::from(is_twin)].entry(original).or_default() |= run.repaired(quality);
        }
        for (configuration, [originals, twins]) in repaired {
            let outcomes = compare::on_common_bugs(&originals, &twins);
            if !outcomes.is_empty() {
                let pair = Pair::of("originals", "twins", &outcomes);
                drops.push(Drop { configuration: configuration.to_owned(), quality, pair });
            }
        }
    }
    drops
}
