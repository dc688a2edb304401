//! Many runs side by side: the figures of an evaluation, from the journals alone.

mod compare;
mod counts;
pub(crate) mod facts;
mod folder;
mod forms;
mod interval;
mod latex;
mod overlap;
mod page;
mod published;
mod rows;
mod share;
mod table;
mod tables;
mod twins;

pub(crate) use compare::{Gain, Pair};
pub(crate) use counts::{Counts, LevelCounts};
pub(crate) use facts::{AgentFacts, Correctness, LocationType, PatchSize, Place, RunFacts, Step, ToolFacts};
pub(crate) use folder::run_dirs;
pub(crate) use forms::{csv, markdown, text};
pub(crate) use interval::{mcnemar, paired_difference, wilson_of};
pub(crate) use latex::latex;
pub(crate) use overlap::{Overlap, Repaired};
pub(in crate::report) use page::{FIGURE, svg};
#[cfg(feature = "pdf")]
pub(crate) use page::{PdfError, PdfWriter};
pub(crate) use page::{figures, html};
pub(crate) use published::{Published, Quality, SHIPPED_OF};
pub(crate) use rows::{SettingRow, name_rows};
pub(crate) use share::{Share, Tries, spread};
pub(crate) use table::{Cell, Table};
pub(crate) use twins::Drop;

use crate::domain::{AgentName, BugId, Outcome, ToolName};
use camino::Utf8Path;
use serde::Serialize;
use std::collections::BTreeMap;

/// Schema of [`Study`] as JSON.
pub(crate) const SCHEMA: u32 = 2;

/// Everything that is reported.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Study {
    /// [`SCHEMA`].
    pub schema: u32,
    /// All runs together.
    pub all: Counts,
    /// By configuration.
    pub configurations: BTreeMap<String, Counts>,
    /// Settings of the configurations, as far as they differ or are no defaults.
    pub settings: Vec<SettingRow>,
    /// By project.
    pub projects: BTreeMap<String, Counts>,
    /// By how far the developer's repair is spread; runs of bugs without a known repair are in none.
    pub location_types: BTreeMap<LocationType, Counts>,
    /// From level 0 to refine; levels that no run came to are left out.
    pub escalation: Vec<LevelCounts>,
    /// By agent.
    pub agents: BTreeMap<AgentName, AgentFacts>,
    /// By agent on its level.
    pub places: BTreeMap<Place, AgentFacts>,
    /// Tools in runs that repaired correctly.
    pub tools_of_correct: BTreeMap<ToolName, ToolFacts>,
    /// Tools in all other runs.
    pub tools_of_others: BTreeMap<ToolName, ToolFacts>,
    /// Candidates by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Configurations against each other, by plausible repairs.
    pub pairs: Vec<Pair>,
    /// The same by correct ones.
    pub pairs_of_correct: Vec<Pair>,
    /// Strategies against the same model asked directly, by plausible repairs.
    pub gains: Vec<Gain>,
    /// The same by correct ones.
    pub gains_of_correct: Vec<Gain>,
    /// Bugs against their twins.
    pub twins: Vec<Drop>,
    /// Which bugs who repairs plausibly.
    pub overlap: Overlap,
    /// Which bugs who repairs correctly.
    pub overlap_of_correct: Overlap,
    /// The lists that the runs are compared with.
    pub published: Vec<Published>,
    /// The runs, by bug.
    pub runs: Vec<RunFacts>,
}

impl Study {
    /// Counts runs, whose order does not matter, beside published lists of repaired bugs.
    pub(crate) fn of(mut runs: Vec<RunFacts>, published: Vec<Published>) -> Self {
        name_rows(&mut runs);
        runs.sort_by(|a, b| {
            (natural(&a.bug), &a.setting.line, repetition(&a.dir)).cmp(&(
                natural(&b.bug),
                &b.setting.line,
                repetition(&b.dir),
            ))
        });
        let (correct, others): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.correct());
        let mut agents: BTreeMap<AgentName, AgentFacts> = BTreeMap::new();
        let mut places: BTreeMap<Place, AgentFacts> = BTreeMap::new();
        let mut outcomes: BTreeMap<Outcome, u64> = BTreeMap::new();
        for run in &runs {
            for (place, facts) in &run.agents {
                *agents.entry(place.agent.clone()).or_default() += facts;
                *places.entry(place.clone()).or_default() += facts;
            }
            run.outcomes.iter().for_each(|(outcome, n)| *outcomes.entry(*outcome).or_default() += n);
        }
        Self {
            schema: SCHEMA,
            all: Counts::of(&runs),
            configurations: grouped(&runs, |run| Some(run.setting.line.clone())),
            settings: rows::settings(&runs),
            projects: grouped(&runs, |run| Some(run.project())),
            location_types: grouped(&runs, |run| run.location_type),
            escalation: counts::escalation(&runs),
            agents,
            places,
            tools_of_correct: tools(&correct),
            tools_of_others: tools(&others),
            outcomes,
            pairs: compare::pairs(&runs, Quality::Plausible),
            pairs_of_correct: compare::pairs(&runs, Quality::Correct),
            gains: compare::gains(&runs, Quality::Plausible),
            gains_of_correct: compare::gains(&runs, Quality::Correct),
            twins: twins::drops(&runs),
            overlap: Overlap::of(&runs, &published, Quality::Plausible),
            overlap_of_correct: Overlap::of(&runs, &published, Quality::Correct),
            published,
            runs,
        }
    }
}

fn grouped<K: Ord>(runs: &[RunFacts], key: impl Fn(&RunFacts) -> Option<K>) -> BTreeMap<K, Counts> {
    let mut groups: BTreeMap<K, Vec<&RunFacts>> = BTreeMap::new();
    for run in runs {
        if let Some(key) = key(run) {
            groups.entry(key).or_default().push(run);
        }
    }
    groups.into_iter().map(|(key, group)| (key, Counts::of(group))).collect()
}

fn tools(runs: &[&RunFacts]) -> BTreeMap<ToolName, ToolFacts> {
    let mut sums: BTreeMap<ToolName, ToolFacts> = BTreeMap::new();
    for (name, used) in runs.iter().flat_map(|run| &run.tools) {
        *sums.entry(name.clone()).or_default() += *used;
    }
    sums
}

/// Sorts the folder `2` of a batch before its folder `10`.
fn repetition(dir: &Utf8Path) -> (Option<&Utf8Path>, u64, &Utf8Path) {
    (dir.parent(), dir.file_name().and_then(|name| name.parse().ok()).unwrap_or(u64::MAX), dir)
}

/// Sorts `Lang-9` before `Lang-10`; no two bugs are alike.
fn natural(bug: &BugId) -> (&str, &str, u64, &str) {
    let digits = bug.name.len() - bug.name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (word, number) = bug.name.split_at(bug.name.len() - digits);
    (&bug.benchmark, word, number.parse().unwrap_or(u64::MAX), &bug.name)
}

#[cfg(test)]
mod tests;
