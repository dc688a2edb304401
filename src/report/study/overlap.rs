//! Which bugs who repairs: sets of several systems, what they share, and what one of them alone repairs.

use super::published::whole_ids;
use super::{Published, Quality, RunFacts};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Most sets of which every combination is shown.
pub(super) const MOST_COMBINED: usize = 3;

/// Bugs that one system repairs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Repaired {
    /// The system: a configuration, or the name of a published list.
    pub name: String,
    /// Its bugs.
    pub bugs: BTreeSet<String>,
}

/// One combination of sets: bugs that exactly these systems repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Region {
    /// Names of the sets, in their order.
    pub by: Vec<String>,
    /// Bit `n` for the set at `n`.
    pub mask: usize,
    /// Its bugs.
    pub bugs: Vec<String>,
}

/// The sets and how they overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Overlap {
    /// The sets; none when there is only one.
    pub sets: Vec<Repaired>,
    /// Combinations that hold a bug; of more than three sets only what one alone repairs, and what all do.
    pub regions: Vec<Region>,
}

impl Overlap {
    /// Compares what configurations repaired with each other and with published lists, by one quality; lists that tell
    /// nothing of it are left out, and so are bugs of a list that no run tried.
    pub(crate) fn of(runs: &[RunFacts], published: &[Published], quality: Quality) -> Self {
        let tried: BTreeSet<String> = runs.iter().map(|run| run.bug.to_string()).collect();
        let mut sets: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for run in runs {
            let bugs = sets.entry(&run.setting.line).or_default();
            if run.repaired(quality) {
                bugs.insert(run.bug.to_string());
            }
        }
        let own = sets.into_iter().map(|(name, bugs)| Repaired { name: name.to_owned(), bugs });
        let lists = published.iter().filter_map(|list| {
            Some(Repaired { name: list.name.clone(), bugs: whole_ids(list.bugs(quality)?, &tried) })
        });
        let sets: Vec<Repaired> = own.chain(lists).collect();
        if sets.len() < 2 {
            return Self::default();
        }
        let regions = regions(&sets);
        Self { sets, regions }
    }
}

fn regions(sets: &[Repaired]) -> Vec<Region> {
    let all: BTreeSet<&String> = sets.iter().flat_map(|set| &set.bugs).collect();
    let mut by_members: BTreeMap<Vec<usize>, Vec<String>> = BTreeMap::new();
    for bug in all {
        let members = (0..sets.len()).filter(|&at| sets[at].bugs.contains(bug)).collect();
        by_members.entry(members).or_default().push(bug.clone());
    }
    let is_shown = |members: &[usize]| sets.len() <= MOST_COMBINED || [1, sets.len()].contains(&members.len());
    let mut regions: Vec<(Vec<usize>, Vec<String>)> =
        by_members.into_iter().filter(|(members, _)| is_shown(members)).collect();
    regions.sort_by_key(|(members, _)| (members.len(), members.clone()));
    let region = |(members, bugs): (Vec<usize>, Vec<String>)| Region {
        by: members.iter().map(|&at| sets[at].name.clone()).collect(),
        mask: members.iter().fold(0, |mask, at| mask | 1usize.checked_shl(*at as u32).unwrap_or(0)),
        bugs,
    };
    regions.into_iter().map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, bugs: &[&str]) -> Repaired {
        Repaired { name: name.into(), bugs: bugs.iter().map(|bug| (*bug).to_owned()).collect() }
    }

    #[test]
    fn every_combination_of_three_is_told() {
        let sets = [set("a", &["1", "2", "3"]), set("b", &["2", "3", "4"]), set("c", &["3"])];
        let regions: Vec<(Vec<String>, usize)> =
            regions(&sets).into_iter().map(|region| (region.by, region.bugs.len())).collect();
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let wanted = [(names(&["a"]), 1), (names(&["b"]), 1), (names(&["a", "b"]), 1), (names(&["a", "b", "c"]), 1)];
        assert_eq!(regions, wanted);
    }
}
