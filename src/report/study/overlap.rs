//! Which bugs who repairs: sets of several systems, what they share, and what one of them alone repairs.

use super::RunFacts;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Most sets of which every combination is told.
pub const MOST_COMBINED: usize = 3;

/// Bugs that one system repairs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repaired {
    /// The system: a configuration, or the name of a published list.
    pub name: String,
    /// Its bugs.
    pub bugs: BTreeSet<String>,
}

impl Repaired {
    /// Reads a published list: one bug a line, as `defects4j:Lang-1` or only `Lang-1`; what stands behind a comma, a
    /// space or `#` is passed over.
    pub fn published(name: &str, text: &str) -> Self {
        let bug = |line: &str| {
            let word = line.split(['#', ',', ';', '\t', ' ']).next().unwrap_or("").trim();
            (!word.is_empty()).then(|| word.to_owned())
        };
        let bugs = text.trim_start_matches('\u{feff}').lines().map(str::trim).filter_map(bug).collect();
        Self { name: name.to_owned(), bugs }
    }
}

/// One combination of sets: bugs that exactly these systems repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Region {
    /// Names of the sets, in their order.
    pub by: Vec<String>,
    /// Bit `n` for the set at `n`.
    pub mask: usize,
    /// Its bugs.
    pub bugs: Vec<String>,
}

/// The sets and how they overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The sets; none when there is only one.
    pub sets: Vec<Repaired>,
    /// Combinations that hold a bug; of more than three sets only what one alone repairs, and what all do.
    pub regions: Vec<Region>,
}

impl Overlap {
    /// Compares what configurations repaired plausibly with each other and with published lists. Bugs of a list that no
    /// run tried are left out: the runs say nothing about them.
    pub fn of(runs: &[RunFacts], published: &[Repaired]) -> Self {
        let tried: BTreeSet<String> = runs.iter().map(|run| run.bug.to_string()).collect();
        let mut sets: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for run in runs {
            let bugs = sets.entry(&run.setting.line).or_default();
            if run.plausible() {
                bugs.insert(run.bug.to_string());
            }
        }
        let own = sets.into_iter().map(|(name, bugs)| Repaired { name: name.to_owned(), bugs });
        let lists =
            published.iter().map(|list| Repaired { name: list.name.clone(), bugs: whole_ids(&list.bugs, &tried) });
        let sets: Vec<Repaired> = own.chain(lists).collect();
        if sets.len() < 2 {
            return Self::default();
        }
        let regions = regions(&sets);
        Self { sets, regions }
    }
}

/// The tried bugs that a list means, by id or by the name behind the benchmark's; case does not matter.
fn whole_ids(listed: &BTreeSet<String>, tried: &BTreeSet<String>) -> BTreeSet<String> {
    let listed: BTreeSet<String> = listed.iter().map(|name| name.to_lowercase()).collect();
    let means = |id: &&String| {
        let id = id.to_lowercase();
        let name = id.split_once(':').map_or(id.as_str(), |(_, name)| name);
        listed.contains(&id) || listed.contains(name)
    };
    tried.iter().filter(means).cloned().collect()
}

fn regions(sets: &[Repaired]) -> Vec<Region> {
    let all: BTreeSet<&String> = sets.iter().flat_map(|set| &set.bugs).collect();
    let mut by_members: BTreeMap<Vec<usize>, Vec<String>> = BTreeMap::new();
    for bug in all {
        let members = (0..sets.len()).filter(|&at| sets[at].bugs.contains(bug)).collect();
        by_members.entry(members).or_default().push(bug.clone());
    }
    let told = |members: &[usize]| sets.len() <= MOST_COMBINED || [1, sets.len()].contains(&members.len());
    let mut regions: Vec<(Vec<usize>, Vec<String>)> =
        by_members.into_iter().filter(|(members, _)| told(members)).collect();
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
        let told: Vec<(Vec<String>, usize)> =
            regions(&sets).into_iter().map(|region| (region.by, region.bugs.len())).collect();
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let wanted = [(names(&["a"]), 1), (names(&["b"]), 1), (names(&["a", "b"]), 1), (names(&["a", "b", "c"]), 1)];
        assert_eq!(told, wanted);
    }

    #[test]
    fn a_published_list_is_read_as_people_write_it() {
        let list =
            Repaired::published("paper", "\u{feff}# repaired\nLang-1, correct\nlang-5\n\ndefects4j:Math-2 #\r\n");
        let tried = ["defects4j:Lang-1", "defects4j:Lang-5", "defects4j:Math-2", "defects4j:Math-3"];
        let tried = tried.iter().map(|bug| (*bug).to_owned()).collect();
        assert_eq!(whole_ids(&list.bugs, &tried).len(), 3);
    }
}
