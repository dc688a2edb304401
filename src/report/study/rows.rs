//! Which runs share a row: those whose frozen configurations agree in everything that can change a result. A row is
//! called by its given name, else by model and strategy, with the settings in which rows of that name differ.

use super::RunFacts;
use super::facts::Facet;
use crate::domain::Fingerprint;
use crate::domain::words::clipped;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Letters of a fingerprint.
const SHORT: usize = 8;
/// Longest value in a name, in characters.
const LONGEST: usize = 40;

/// What sets a row apart: its given name, then each facet that is set.
type Identity = Vec<(String, String)>;

/// Gives every run the name of its row. Two configurations that can differ in their results never get the same one.
pub(crate) fn name_rows(runs: &mut [RunFacts]) {
    let identities = identities(runs);
    let names = names(&identities, runs);
    for (run, identity) in runs.iter_mut().zip(&identities) {
        if let Some(name) = names.get(identity) {
            run.setting.line.clone_from(name);
        }
    }
}

fn identities(runs: &[RunFacts]) -> Vec<Identity> {
    let always = |run: &RunFacts| identity(run, |facet| !facet.of_bug);
    let mut groups: BTreeMap<Identity, Vec<usize>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        groups.entry(always(run)).or_default().push(at);
    }
    let mut identities = vec![Identity::new(); runs.len()];
    for group in groups.values() {
        let split = doubled(group.iter().map(|&at| &runs[at]));
        for &at in group {
            identities[at] = identity(&runs[at], |facet| !facet.of_bug || split.contains(&facet.key));
        }
    }
    identities
}

fn identity(run: &RunFacts, counts: impl Fn(&Facet) -> bool) -> Identity {
    let name = run.setting.name.iter().map(|name| ("name".to_owned(), name.clone()));
    let set = run.facets().filter(|facet| !facet.value.is_empty() && counts(facet));
    name.chain(set.map(|facet| (facet.key.clone(), facet.value.clone()))).collect()
}

/// Facets of bugs that one bug was run with two values of. What was not found out about a run says nothing.
fn doubled<'r>(runs: impl Iterator<Item = &'r RunFacts>) -> BTreeSet<String> {
    let mut values: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut doubled = BTreeSet::new();
    for run in runs {
        for facet in run.facets().filter(|facet| facet.of_bug && !facet.is_unknown()) {
            let first = values.entry((run.bug.to_string(), facet.key.clone())).or_insert_with(|| facet.value.clone());
            if *first != facet.value {
                doubled.insert(facet.key);
            }
        }
    }
    doubled
}

fn names(identities: &[Identity], runs: &[RunFacts]) -> BTreeMap<Identity, String> {
    let mut families: BTreeMap<String, BTreeMap<&Identity, &RunFacts>> = BTreeMap::new();
    for (identity, run) in identities.iter().zip(runs) {
        families.entry(run.setting.base()).or_default().entry(identity).or_insert(run);
    }
    let mut names: BTreeMap<Identity, String> = BTreeMap::new();
    for family in families.values() {
        let differing = differing(family.keys().copied());
        for (identity, run) in family {
            names.insert((*identity).clone(), in_words(run, identity, &differing));
        }
    }
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    names.values().for_each(|name| *times.entry(name.clone()).or_default() += 1);
    for (identity, name) in &mut names {
        if times.get(name).is_some_and(|n| *n > 1) {
            *name = format!("{name}, settings {}", fingerprint(identity));
        }
    }
    names
}

/// Keys in which these identities differ.
fn differing<'i>(identities: impl Iterator<Item = &'i Identity> + Clone) -> BTreeSet<&'i str> {
    let keys: BTreeSet<&str> = identities.clone().flatten().map(|(key, _)| key.as_str()).collect();
    let value = |identity: &'i Identity, key: &str| identity.iter().find(|(k, _)| k == key).map(|(_, value)| value);
    let differs =
        |key: &&str| identities.clone().map(|identity| value(identity, key)).collect::<BTreeSet<_>>().len() > 1;
    keys.into_iter().filter(differs).collect()
}

fn in_words(run: &RunFacts, identity: &Identity, differing: &BTreeSet<&str>) -> String {
    let facets = run.facets().filter(|facet| {
        let counts = identity.iter().any(|(key, _)| *key == facet.key);
        counts && differing.contains(facet.key.as_str())
    });
    let words = facets.map(|facet| {
        let words = facet.words();
        if words.chars().count() <= LONGEST {
            return words;
        }
        format!("{} {}", facet.name(), clipped(&facet.value, LONGEST / 2))
    });
    std::iter::once(run.setting.base()).chain(words).collect::<Vec<_>>().join(", ")
}

fn fingerprint(identity: &Identity) -> String {
    let mut name = Fingerprint::default().add(format!("{identity:?}")).name();
    name.truncate(SHORT);
    name
}

/// A setting in which rows differ, or that one of them was given: its value in each row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SettingRow {
    /// Its name: `max time`.
    pub setting: String,
    /// By row, in the order of their names: the values of its runs, empty where it is not set.
    pub values: Vec<BTreeSet<String>>,
}

/// The settings of the rows, as far as they differ or are no defaults. The runs have their rows' names.
pub(super) fn settings(runs: &[RunFacts]) -> Vec<SettingRow> {
    let rows: BTreeSet<&str> = runs.iter().map(|run| run.setting.line.as_str()).collect();
    let mut known: Vec<String> = Vec::new();
    for facet in runs.iter().flat_map(RunFacts::facets) {
        if !known.contains(&facet.key) {
            known.push(facet.key);
        }
    }
    let given: BTreeSet<String> =
        runs.iter().flat_map(|run| &run.setting.given).map(|name| format!("settings.{name}")).collect();
    let mut by_row: BTreeMap<(&str, String), BTreeSet<String>> = BTreeMap::new();
    for run in runs {
        for facet in run.facets().filter(|facet| !facet.is_unknown()) {
            by_row.entry((run.setting.line.as_str(), facet.key)).or_default().insert(facet.value);
        }
    }
    let varying = known.into_iter().filter_map(|key| {
        let unset = || BTreeSet::from([String::new()]);
        let of = |row: &&str| by_row.get(&(*row, key.clone())).cloned().unwrap_or_else(unset);
        let values: Vec<BTreeSet<String>> = rows.iter().map(of).collect();
        let differs = values.windows(2).any(|pair| pair[0] != pair[1]) || values.iter().any(|value| value.len() > 1);
        let is_given = given.iter().any(|name| key == *name || key.starts_with(&format!("{name}.")));
        let is_set = values.iter().flatten().any(|value| !value.is_empty());
        let setting = Facet::new(&key, "", false).name();
        (is_set && (differs || is_given)).then_some(SettingRow { setting, values })
    });
    varying.collect()
}
