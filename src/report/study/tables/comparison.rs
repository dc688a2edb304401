//! Configurations against each other and against published lists.

use crate::report::study::{Cell, Overlap, Pair, Quality, RunFacts, Study, Table};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most configurations that stand side by side for every bug.
const MOST_COLUMNS: usize = 8;
/// Most bugs that are named in one field.
const MOST_NAMED: usize = 40;

const PAIR: [&str; 9] =
    ["first", "second", "bugs", "both", "first alone", "second alone", "difference in points", "95 % interval", "p"];

/// A table that counts plausible repairs and correct ones.
type Names = [(&'static str, &'static str); 2];

/// Of the two names the one of a quality.
fn named(names: Names, quality: Quality) -> (&'static str, &'static str) {
    names[usize::from(quality == Quality::Correct)]
}

/// What is counted, for a note.
fn counted(quality: Quality) -> &'static str {
    match quality {
        Quality::Plausible => "By plausible repairs.",
        Quality::Correct => "By repairs that are known to be correct; those that wait for a review do not count.",
    }
}

pub(super) fn pairs(study: &Study, quality: Quality) -> Table {
    let names = [("pairs", "Paired comparison"), ("pairs-of-correct", "Paired comparison of correct repairs")];
    let (name, title) = named(names, quality);
    let of = if quality == Quality::Correct { &study.pairs_of_correct } else { &study.pairs };
    let note = "On bugs that both finished; a bug counts as repaired when any repetition repaired it, \
                so both need equally many. Interval: Bonett and Price's for paired shares. p: McNemar's exact two-sided test.";
    Table::new(name, title, &PAIR).note(format!("{} {note}", counted(quality))).rows(of.iter().map(pair))
}

fn pair(pair: &Pair) -> Vec<Cell> {
    vec![
        pair.a.as_str().into(),
        pair.b.as_str().into(),
        pair.bugs.into(),
        pair.both.into(),
        pair.only_a.into(),
        pair.only_b.into(),
        Cell::Number(100.0 * pair.difference, 1),
        Cell::interval(pair.interval),
        Cell::Number(pair.p, 4),
    ]
}

/// FixAgent's Table 3.
pub(super) fn gains(study: &Study, quality: Quality) -> Table {
    let names =
        [("gains", "Gain over asking directly"), ("gains-of-correct", "Gain over asking directly, correct repairs")];
    let (name, title) = named(names, quality);
    let of = if quality == Quality::Correct { &study.gains_of_correct } else { &study.gains };
    let columns = [
        "model",
        "strategy",
        "bugs",
        "asked directly",
        "by the strategy",
        "gain",
        "gain in points",
        "95 % interval",
        "p",
    ];
    let note = "The same model, once asked directly and once working by a strategy, on bugs that both finished.";
    Table::new(name, title, &columns).note(format!("{} {note}", counted(quality))).rows(of.iter().map(|gain| {
        let Pair { both, only_a, only_b, bugs, .. } = gain.pair;
        let more = (only_a as f64) - (only_b as f64);
        vec![
            gain.model.as_str().into(),
            gain.pair.a.as_str().into(),
            bugs.into(),
            (both + only_b).into(),
            (both + only_a).into(),
            Cell::Number(more, 0),
            Cell::Number(100.0 * gain.pair.difference, 1),
            Cell::interval(gain.pair.interval),
            Cell::Number(gain.pair.p, 4),
        ]
    }))
}

/// What is repaired of bugs and not of their twins.
pub(super) fn twins(study: &Study) -> Table {
    let columns = [
        "configuration",
        "repairs",
        "bugs",
        "repaired originals",
        "repaired twins",
        "original alone",
        "twin alone",
        "drop in points",
        "95 % interval",
        "p",
    ];
    let note = "Bugs and their twins, which have other names, other words and another order, where both finished. A drop is \
                what was learnt by heart, and what names tell. Interval and p as in the paired comparison.";
    Table::new("twins", "Originals and twins", &columns).note(note).rows(study.twins.iter().map(|drop| {
        let Pair { both, only_a, only_b, bugs, .. } = drop.pair;
        vec![
            drop.configuration.as_str().into(),
            if drop.quality == Quality::Correct { "correct" } else { "plausible" }.into(),
            bugs.into(),
            (both + only_a).into(),
            (both + only_b).into(),
            only_a.into(),
            only_b.into(),
            Cell::Number(100.0 * drop.pair.difference, 1),
            Cell::interval(drop.pair.interval),
            Cell::Number(drop.pair.p, 4),
        ]
    }))
}

/// Every bug in a row, every configuration in a column: on which level and by whom it was repaired first.
pub(super) fn by_bug(study: &Study) -> Table {
    let names: Vec<&String> = study.configurations.keys().collect();
    let mut table = Table::new("by-bug", "Bug by bug", &["bug"]);
    if !(2..=MOST_COLUMNS).contains(&names.len()) {
        return table;
    }
    table.columns.extend(names.iter().map(|name| Cow::Owned((*name).clone())));
    let mut rows: Vec<(String, BTreeMap<&str, Vec<&RunFacts>>)> = Vec::new();
    for run in &study.runs {
        let bug = run.bug.to_string();
        if rows.last().is_none_or(|(last, _)| *last != bug) {
            rows.push((bug, BTreeMap::new()));
        }
        if let Some((_, by_name)) = rows.last_mut() {
            by_name.entry(&run.setting.line).or_default().push(run);
        }
    }
    let rows = rows.into_iter().map(|(bug, by_name)| {
        let cells = names.iter().map(|name| by_name.get(name.as_str()).map_or("not run".into(), |runs| first(runs)));
        std::iter::once(bug.into()).chain(cells).collect()
    });
    let note = "The lowest level on which any repetition was repaired, by which agent, and what is known of the patch.";
    table.note(note).rows(rows)
}

fn first(runs: &[&RunFacts]) -> Cell {
    let repaired = runs.iter().filter(|run| run.plausible()).min_by_key(|run| (run.level(), !run.correct()));
    let Some(run) = repaired else {
        return runs.iter().map(|run| run.verdict_title()).min().unwrap_or("not run").into();
    };
    let by = run.report.as_ref().and_then(|report| report.by.as_ref()).map_or("", |by| by.agent.as_str());
    let level = run.level().map_or("", |level| level.label());
    let known = match run.correctness() {
        Some(known) if known.is_correct() => "correct",
        Some(known) => known.words(),
        None => "",
    };
    format!("{level} {by}: {known}").into()
}

pub(super) fn overlap(study: &Study, quality: Quality) -> Table {
    let names = [("overlap", "Overlap of repaired bugs"), ("overlap-of-correct", "Overlap of correctly repaired bugs")];
    let (name, title) = named(names, quality);
    let Overlap { sets, regions } =
        if quality == Quality::Correct { &study.overlap_of_correct } else { &study.overlap };
    let columns = ["repaired by exactly", "bugs", "which"];
    let rows = regions.iter().map(|region| {
        let by = match region.by.len() {
            n if n == sets.len() => format!("all {n}"),
            1 => format!("{} alone", region.by[0]),
            _ => region.by.join(" + "),
        };
        let mut which = region.bugs.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        if region.bugs.len() > MOST_NAMED {
            which.push_str(", …");
        }
        vec![by.into(), (region.bugs.len() as u64).into(), which.into()]
    });
    let note = "Lists that were named with --published stand beside the runs as far as they tell of such repairs. Bugs of \
                a list that no run tried are left out.";
    Table::new(name, title, &columns).note(format!("{} {note}", counted(quality))).rows(rows)
}
