//! Counts by group: configurations, projects, location types.

use super::conditions::{joined, unseen};
use super::tokens;
use crate::domain::HeldOut;
use crate::report::VerdictWord;
use crate::report::study::{Cell, Correctness, Counts, LocationType, RunFacts, Share, Study, Table};
use std::collections::BTreeMap;

/// A table whose rows are listed for every configuration apart; where there is only one, it is not named.
pub(super) fn for_each_configuration<'s>(
    study: &'s Study,
    mut table: Table,
    rows: impl Fn(&[&'s RunFacts]) -> Vec<Vec<Cell>>,
) -> Table {
    let names: Vec<&String> = study.configurations.keys().collect();
    let several = names.len() > 1;
    if several {
        table.columns.insert(0, "configuration".into());
    }
    for name in names {
        let runs: Vec<&RunFacts> = study.runs.iter().filter(|run| run.setting.line == *name).collect();
        let head = || several.then(|| Cell::from(name.as_str()));
        table.rows.extend(rows(&runs).into_iter().map(|row| head().into_iter().chain(row).collect()));
    }
    table
}

/// The share of runs with a quality among those that `counts` lets in, mean over bugs.
fn share(runs: &[&RunFacts], counts: impl Fn(&RunFacts) -> bool, hits: impl Fn(&RunFacts) -> bool) -> Option<Share> {
    let mut by_bug: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for run in runs.iter().filter(|run| counts(run)) {
        let tries = by_bug.entry(run.bug.to_string()).or_default();
        tries.0 += u64::from(hits(run));
        tries.1 += 1;
    }
    Share::per_bug(by_bug.into_values())
}

pub(super) fn summary(study: &Study) -> Table {
    let note = "Plausible: every test that should pass passes, confirmed in a fresh process. Correct: equal to the \
                developer's patch, or found correct by a person; the rest waits for one. Shares are means over bugs. \
                Intervals count bugs and not repetitions: Wilson's, with the effective number of bugs where there are \
                several runs of each.";
    let table = Table::new("summary", "Summary", &["runs", "n", "% of finished", "95 % interval"]).note(note);
    for_each_configuration(study, table, |runs| {
        let counts = Counts::of(runs.iter().copied());
        let row = |what: &str, n: u64, hits: &dyn Fn(&RunFacts) -> bool| {
            let share = share(runs, |run| run.report.is_some(), hits);
            let mean = if share.is_none() { Cell::Unknown } else { Cell::share(share) };
            vec![what.into(), n.into(), mean, Cell::interval_of(share)]
        };
        let known = |wanted: Correctness| move |run: &RunFacts| run.correctness() == Some(wanted);
        let ended_with = |wanted: &'static [VerdictWord]| {
            move |run: &RunFacts| run.verdict().is_some_and(|word| wanted.contains(&word))
        };
        let none = &[VerdictWord::NoRepair, VerdictWord::NotReproduced];
        let mut rows = vec![
            row("plausible", counts.plausible, &RunFacts::plausible),
            row("correct", counts.correct, &RunFacts::correct),
            row("needs review", counts.needs_review, &known(Correctness::Waiting)),
            row("reviewed as wrong", counts.reviewed_wrong, &known(Correctness::ReviewedWrong)),
            row("no repair", counts.no_repair, &ended_with(none)),
            row("stopped at a cap", counts.stopped_at_cap, &ended_with(&[VerdictWord::StoppedAtCap])),
            vec!["unfinished, counted in no share".into(), counts.unfinished.into(), "".into(), "".into()],
        ];
        // What such tests say of plausible patches; most benchmarks have none.
        let passes = |run: &RunFacts| run.held_out().is_some_and(HeldOut::all_pass);
        if runs.iter().any(|run| run.held_out().is_some()) {
            let n = runs.iter().filter(|run| passes(run)).count() as u64;
            rows.insert(2, row("correct on held-out tests", n, &passes));
        }
        rows
    })
}

/// How it is known which plausible patches are correct, and the rate among those that a person looked at.
pub(super) fn correctness(study: &Study) -> Table {
    let note = "The three ways to know are counted apart. The last line is the rate to expect of patches that wait, as \
                far as those that were reviewed are a random sample, as --review --sample N draws one.";
    let columns = ["how it is known", "n", "of", "%", "95 % interval"];
    let table = Table::new("correctness", "Correctness of plausible patches", &columns).note(note);
    for_each_configuration(study, table, |runs| {
        let of = |known: &[Correctness]| {
            runs.iter().filter(|run| run.correctness().is_some_and(|is| known.contains(&is))).count() as u64
        };
        let row = |what: &str, hits: Correctness, among: &[Correctness]| {
            let share = share(
                runs,
                |run| run.correctness().is_some_and(|is| among.contains(&is)),
                |run| run.correctness() == Some(hits),
            );
            vec![what.into(), of(&[hits]).into(), of(among).into(), Cell::share(share), Cell::interval_of(share)]
        };
        use Correctness::{ReviewedCorrect, ReviewedWrong, SameBytecode, SameTree, Waiting};
        let all = [SameTree, SameBytecode, ReviewedCorrect, ReviewedWrong, Waiting];
        if of(&all) == 0 {
            return Vec::new();
        }
        vec![
            row("same syntax tree in normal form", SameTree, &all),
            row("same bytecode", SameBytecode, &all),
            row("reviewed as correct", ReviewedCorrect, &all),
            row("reviewed as wrong", ReviewedWrong, &all),
            row("needs review", Waiting, &all),
            row("correct of those reviewed", ReviewedCorrect, &[ReviewedCorrect, ReviewedWrong]),
        ]
    })
}

pub(super) fn configurations(study: &Study) -> Table {
    let localization = |name: &str| {
        let of = |run: &RunFacts| run.report.as_ref().map(|report| report.localization.clone());
        joined(study.runs.iter().filter(|run| run.setting.line == name).filter_map(of))
    };
    let more = [
        "attempts per run",
        "patches per run",
        "localization",
        "tokens",
        "USD",
        "USD per run",
        "USD per correct repair",
        "s per run",
    ];
    let columns = columns("configuration", &more);
    let table = Table::new("configurations", "Configurations side by side", &columns).note(unseen(study));
    table.rows(study.configurations.iter().map(|(name, counts)| {
        let mut row = plain(name, counts);
        row.extend([
            Cell::mean(counts.attempts as f64, counts.runs, 1),
            Cell::mean(counts.candidates as f64, counts.runs, 1),
            localization(name).into(),
            tokens(&counts.usage).into(),
            Cell::money(&counts.usage),
            Cell::money_each(&counts.usage, counts.runs),
            Cell::money_each(&counts.usage, counts.correct),
            Cell::mean(counts.seconds, counts.finished(), 1),
        ]);
        row
    }))
}

pub(super) fn projects(study: &Study) -> Table {
    let table = Table::new("projects", "By project", &columns("project", &["tokens", "USD"]));
    for_each_configuration(study, table, |runs| grouped(runs, |run| Some(run.project())))
}

pub(super) fn location_types(study: &Study) -> Table {
    let note = "How far the developer's repair is spread. Runs of bugs whose repair is not known are in no row.";
    let columns = columns("patch type", &["tokens", "USD"]);
    let table = Table::new("location-types", "By patch type", &columns).note(note);
    for_each_configuration(study, table, |runs| grouped(runs, |run| run.location_type.map(LocationType::label)))
}

fn grouped<K: Ord + AsRef<str>>(runs: &[&RunFacts], key: impl Fn(&RunFacts) -> Option<K>) -> Vec<Vec<Cell>> {
    let mut groups: BTreeMap<K, Vec<&RunFacts>> = BTreeMap::new();
    for run in runs {
        if let Some(key) = key(run) {
            groups.entry(key).or_default().push(run);
        }
    }
    let row = |(name, group): (K, Vec<&RunFacts>)| {
        let counts = Counts::of(group);
        let mut row = plain(name.as_ref(), &counts);
        row.extend([tokens(&counts.usage).into(), Cell::money(&counts.usage)]);
        row
    };
    groups.into_iter().map(row).collect()
}

/// Columns of [`plain`] between those that a table has of its own.
fn columns(first: &'static str, more: &[&'static str]) -> Vec<&'static str> {
    let shared = ["bugs", "runs", "plausible", "%", "95 % interval", "correct", "needs review", "unfinished"];
    [&[first], &shared[..], more].concat()
}

/// What every group of runs is told by.
fn plain(name: &str, counts: &Counts) -> Vec<Cell> {
    vec![
        name.into(),
        counts.bugs.into(),
        counts.runs.into(),
        counts.plausible.into(),
        Cell::share(counts.plausible_share),
        Cell::interval_of(counts.plausible_share),
        counts.correct.into(),
        counts.needs_review.into(),
        counts.unfinished.into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_nothing_has_no_share() {
        let row = plain("none", &Counts::default());
        assert_eq!((row[4].shown(), row[5].shown()), (String::new(), String::new()));
    }
}
