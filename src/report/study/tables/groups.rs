//! Counts by group: all runs, configurations, projects, location types; and what every figure depends on.

use super::tokens;
use crate::report::study::{Cell, Counts, RunFacts, Study, Table, wilson};
use std::collections::BTreeSet;

pub fn summary(study: &Study) -> Table {
    let all = &study.all;
    let finished = all.finished();
    let row = |what: &str, n: u64| {
        let share = if finished == 0 { Cell::Unknown } else { Cell::percent(n, finished) };
        vec![what.into(), n.into(), share, Cell::interval(wilson(n, finished))]
    };
    let note = "Plausible: every test that should pass passes, confirmed in a fresh process. Correct: equal to the \
                developer's patch, or found correct by a person; the rest waits for one.";
    Table::new("summary", "Summary", &["runs", "n", "% of finished", "95 % interval"]).note(note).rows([
        row("plausible", all.plausible),
        row("correct", all.correct),
        row("needs review", all.needs_review),
        row("reviewed as wrong", all.reviewed_wrong),
        row("without a repair", all.unrepaired),
        row("stopped at a cap", all.exhausted),
        vec!["unfinished, counted in no share".into(), all.unfinished.into(), "".into(), "".into()],
    ])
}

/// How it is known which plausible patches are correct, and the rate among those that a person looked at.
pub fn correctness(study: &Study) -> Table {
    let all = &study.all;
    if all.plausible == 0 {
        return Table::new("correctness", "Correctness", &[]);
    }
    let row = |what: &str, n: u64, of: u64| {
        let interval = if of == 0 { "".into() } else { Cell::interval(wilson(n, of)) };
        vec![what.into(), n.into(), of.into(), Cell::percent(n, of), interval]
    };
    let reviewed = all.reviewed_correct + all.reviewed_wrong;
    let note = "The three ways to know are counted apart. The last line is the rate to expect of patches that wait, as \
                far as those that were reviewed are a random sample, as --review --sample N draws one.";
    Table::new("correctness", "Correctness of plausible patches", &["how it is known", "n", "of", "%", "95 % interval"])
        .note(note)
        .rows([
            row("same syntax tree in normal form", all.same_tree, all.plausible),
            row("same bytecode", all.same_bytecode, all.plausible),
            row("reviewed as correct", all.reviewed_correct, all.plausible),
            row("reviewed as wrong", all.reviewed_wrong, all.plausible),
            row("needs review", all.needs_review, all.plausible),
            row("correct of those reviewed", all.reviewed_correct, reviewed),
        ])
}

pub fn configurations(study: &Study) -> Table {
    let localization = |name: &str| {
        let of = |run: &RunFacts| run.report.as_ref().map(|report| report.localization.clone());
        joined(study.runs.iter().filter(|run| run.setting.line == name).filter_map(of))
    };
    let more = ["attempts a run", "patches a run", "localization", "tokens", "USD", "USD a run", "s a run"];
    let columns = columns("configuration", &more);
    Table::new("configurations", "Configurations side by side", &columns).rows(study.configurations.iter().map(
        |(name, counts)| {
            let mut row = plain(name, counts);
            row.extend([
                Cell::mean(counts.attempts as f64, counts.runs, 1),
                Cell::mean(counts.candidates as f64, counts.runs, 1),
                localization(name).into(),
                tokens(&counts.usage).into(),
                Cell::money(&counts.usage),
                Cell::money_each(&counts.usage, counts.runs),
                Cell::mean(counts.seconds, counts.finished(), 1),
            ]);
            row
        },
    ))
}

pub fn projects(study: &Study) -> Table {
    grouped("projects", "By project", "project", study.projects.iter().map(|(name, counts)| (name.as_str(), counts)))
}

pub fn location_types(study: &Study) -> Table {
    let groups = study.location_types.iter().map(|(kind, counts)| (kind.word(), counts));
    let note = "How far the developer's repair is spread. Runs of bugs whose repair is not known are in no row.";
    grouped("location-types", "By type of location", "the repair takes", groups).note(note)
}

fn grouped<'a>(
    name: &'static str,
    title: &'static str,
    first: &'static str,
    groups: impl Iterator<Item = (&'a str, &'a Counts)>,
) -> Table {
    Table::new(name, title, &columns(first, &["tokens", "USD"])).rows(groups.map(|(group, counts)| {
        let mut row = plain(group, counts);
        row.extend([tokens(&counts.usage).into(), Cell::money(&counts.usage)]);
        row
    }))
}

/// Columns of [`plain`] between those that a table has of its own.
fn columns(first: &'static str, more: &[&'static str]) -> Vec<&'static str> {
    let shared = ["bugs", "runs", "plausible", "%", "95 % interval", "correct", "needs review", "unfinished"];
    [&[first], &shared[..], more].concat()
}

/// What every group of runs is told by.
fn plain(name: &str, counts: &Counts) -> Vec<Cell> {
    let finished = counts.finished();
    vec![
        name.into(),
        counts.bugs.into(),
        counts.runs.into(),
        counts.plausible.into(),
        Cell::percent(counts.plausible, finished),
        Cell::interval(wilson(counts.plausible, finished)),
        counts.correct.into(),
        counts.needs_review.into(),
        counts.unfinished.into(),
    ]
}

/// What every figure depends on.
pub fn conditions(study: &Study) -> Table {
    let set = |value: &dyn Fn(&RunFacts) -> Option<String>| joined(study.runs.iter().filter_map(value));
    let retrieved = study.runs.iter().filter_map(|run| run.report.as_ref()?.retrieved.as_ref());
    let dropped: usize = retrieved.map(|retrieved| retrieved.dropped).sum();
    let disagreements: u64 = study.runs.iter().map(|run| run.disagreements).sum();
    let endpoint = |run: &RunFacts| run.report.as_ref().and_then(|report| report.model.endpoint.clone());
    let unverified =
        |run: &RunFacts| Some(format!("{}: {}", run.bug.benchmark, run.report.as_ref()?.unverified.as_ref()?));
    let rows = [
        ("localization", set(&|run| run.report.as_ref().map(|report| report.localization.clone()))),
        ("model", set(&|run| Some(run.setting.model.clone()))),
        ("endpoint", set(&endpoint)),
        ("prices", set(&|run| Some(run.setting.prices.clone()))),
        ("sandbox", set(&|run| Some(run.sandbox.clone()))),
        ("seed", set(&|run| run.setting.seed.map(|seed| seed.to_string()))),
        ("program", set(&|run| Some(run.version.clone()))),
        ("confirmed besides by", set(&|run| run.report.as_ref().and_then(|report| report.confirmed_by.clone()))),
        ("unverified", set(&unverified)),
        ("retrieved repairs dropped as leaks", dropped.to_string()),
        ("candidates that two judges judged differently", disagreements.to_string()),
    ];
    let known = rows.into_iter().filter(|(_, value)| !value.is_empty());
    let rows = known.map(|(what, value)| vec![what.into(), value.into()]);
    Table::new("conditions", "Conditions", &["what", "value"]).rows(rows)
}

fn joined(values: impl Iterator<Item = String>) -> String {
    let values: BTreeSet<String> = values.filter(|text| !text.is_empty()).collect();
    values.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_once_and_in_order() {
        let values = ["b", "", "a", "b"].map(str::to_owned);
        assert_eq!(joined(values.into_iter()), "a, b");
    }

    #[test]
    fn a_group_of_nothing_has_no_share() {
        let row = plain("none", &Counts::default());
        assert_eq!((row[4].shown(), row[5].shown()), (String::new(), "0.0 to 100.0".to_owned()));
    }
}
