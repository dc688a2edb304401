//! What every figure depends on: the settings of each configuration, and the conditions of all runs.

use crate::domain::words::counted;
use crate::report::study::{Cell, RunFacts, Study, Table};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Caps of a bug, as settings.
const CAPS: [&str; 5] = ["max_time", "max_tokens", "max_cost", "max_validations", "max_candidates"];
/// Letters of a date without its time.
const DAY: usize = 10;

/// What is shown of a run beside its settings.
type Condition = (&'static str, fn(&RunFacts) -> String);

/// Conditions that no row is made of.
const AROUND: [Condition; 4] = [
    ("host", |run| run.setting.conditions.host.clone()),
    ("CPU", |run| run.setting.conditions.cpu.clone()),
    ("system", |run| run.setting.conditions.system.clone()),
    ("date", |run| run.setting.conditions.date.chars().take(DAY).collect()),
];

/// A row for each setting that differs or was given, a column for each configuration.
pub(super) fn settings(study: &Study) -> Table {
    let mut table = Table::new("settings", "Settings", &["setting"]).note(
        "Settings in which configurations differ, or that are no defaults. Runs that differ in any setting which can \
         change a result stand in different rows everywhere. A dash: not set, or not known.",
    );
    table.columns.extend(study.configurations.keys().map(|name| Cow::Owned(name.clone())));
    let shown = |value: &String| if value.is_empty() { "–".to_owned() } else { value.clone() };
    table.rows(study.settings.iter().map(|row| {
        let values = row.values.iter().map(|values| values.iter().map(shown).collect::<Vec<_>>().join("; ").into());
        std::iter::once(row.setting.as_str().into()).chain(values).collect()
    }))
}

/// In what the runs of one configuration differ, though no column tells; empty where they do not.
pub(super) fn unseen(study: &Study) -> String {
    let mut sentences = Vec::new();
    for (at, name) in study.configurations.keys().enumerate() {
        let settings = study.settings.iter().filter(|row| row.values[at].len() > 1).map(|row| row.setting.clone());
        let runs = || study.runs.iter().filter(|run| run.setting.line == *name);
        let differs = |of: fn(&RunFacts) -> String| runs().map(of).collect::<BTreeSet<_>>().len() > 1;
        let around = AROUND.into_iter().filter(|(_, of)| differs(*of)).map(|(what, _)| what.to_owned());
        let all: Vec<String> = settings.chain(around).collect();
        if !all.is_empty() {
            sentences.push(format!("Runs of `{name}` differ in {}, see Settings and Conditions.", all.join(", ")));
        }
    }
    sentences.join(" ")
}

/// What every figure depends on.
pub(super) fn conditions(study: &Study) -> Table {
    let set = |value: &dyn Fn(&RunFacts) -> Option<String>| tallied(study.runs.iter().filter_map(value));
    let report = |value: &dyn Fn(&crate::report::RunReport) -> Option<String>| {
        set(&|run: &RunFacts| run.report.as_ref().and_then(value))
    };
    let retrieved = study.runs.iter().filter_map(|run| run.report.as_ref()?.retrieved.as_ref());
    let dropped: usize = retrieved.map(|retrieved| retrieved.dropped).sum();
    let disagreements: u64 = study.runs.iter().map(|run| run.disagreements).sum();
    let around = AROUND.iter().filter(|(what, _)| *what != "date").map(|(what, of)| (*what, set(&|run| Some(of(run)))));
    let mut rows = vec![
        ("date", dates(study)),
        ("program", set(&|run| Some(program(run)))),
        ("command", commands(study)),
        ("dataset", set(&|run| Some(dataset(run)))),
        ("caps a bug", set(&|run| Some(caps(run)))),
        ("localization", report(&|report| Some(report.localization.clone()))),
        ("model", set(&|run| Some(run.setting.model.clone()))),
        ("endpoint", report(&|report| report.model.endpoint.clone())),
        ("prices", set(&|run| Some(run.setting.prices.clone()))),
        ("JDK", report(&|report| report.jdk.clone())),
        ("sandbox", set(&|run| Some(run.sandbox.clone()))),
    ];
    rows.extend(around);
    rows.extend([
        ("seed", set(&|run| run.setting.seed.map(|seed| seed.to_string()))),
        ("confirmed besides by", report(&|report| report.confirmed_by.clone())),
        (
            "unverified",
            set(&|run| Some(format!("{}: {}", run.bug.benchmark, run.report.as_ref()?.unverified.as_ref()?))),
        ),
        ("retrieved repairs dropped as leaks", dropped.to_string()),
        ("candidates that two judges judged differently", disagreements.to_string()),
    ]);
    let known = rows.into_iter().filter(|(_, value)| !value.is_empty());
    let rows = known.map(|(what, value)| vec![what.into(), Cell::from(value)]);
    Table::new("conditions", "Conditions", &["what", "value"]).rows(rows)
}

/// From the first day to the last.
fn dates(study: &Study) -> String {
    let days = study.runs.iter().map(AROUND[3].1).filter(|day| !day.is_empty());
    let days: BTreeSet<String> = days.collect();
    match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(day), _) => day.clone(),
        _ => String::new(),
    }
}

fn program(run: &RunFacts) -> String {
    let (version, commit) = (&run.version, &run.setting.conditions.commit);
    match (version.is_empty(), commit.is_empty()) {
        (true, _) => String::new(),
        (_, true) => format!("unidebug {version}"),
        _ => format!("unidebug {version}, commit {commit}"),
    }
}

/// What was typed, once for each configuration.
fn commands(study: &Study) -> String {
    let several = study.configurations.len() > 1;
    let mut commands = BTreeSet::new();
    for run in &study.runs {
        let command = run.setting.command();
        if !command.is_empty() {
            let name = if several { format!("{}: ", run.setting.line) } else { String::new() };
            commands.insert(format!("{name}unidebug {command}"));
        }
    }
    commands.into_iter().collect::<Vec<_>>().join("; ")
}

fn dataset(run: &RunFacts) -> String {
    let (name, version) = (&run.bug.benchmark, &run.setting.conditions.dataset);
    if version.is_empty() { name.clone() } else { format!("{name} {version}") }
}

fn caps(run: &RunFacts) -> String {
    let value = |cap: &&str| run.setting.value(&format!("settings.{cap}"));
    let caps = CAPS.iter().filter(|cap| !value(cap).is_empty()).map(|cap| {
        let words = cap.trim_start_matches("max_");
        format!("{words} {}", value(cap))
    });
    caps.collect::<Vec<_>>().join(", ")
}

/// The values, each once; where there are several, with the number of runs that have it.
fn tallied(values: impl Iterator<Item = String>) -> String {
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    values.filter(|text| !text.is_empty()).for_each(|text| *times.entry(text).or_default() += 1);
    let several = times.len() > 1;
    let counts =
        times.into_iter().map(|(value, n)| if several { format!("{value} ({})", counted(n, "run")) } else { value });
    counts.collect::<Vec<_>>().join("; ")
}

/// The values, each once and in order.
pub(super) fn joined(values: impl Iterator<Item = String>) -> String {
    let values: BTreeSet<String> = values.filter(|text| !text.is_empty()).collect();
    values.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_once_and_in_order() {
        let values = || ["b", "", "a", "b"].map(str::to_owned).into_iter();
        assert_eq!(joined(values()), "a, b");
        assert_eq!(tallied(values()), "a (1 run); b (2 runs)");
        assert_eq!(tallied(values().take(2)), "b");
    }
}
