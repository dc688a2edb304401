//! What repetitions add: the chance that one of several runs repairs a bug, and how much whole rounds differ.

use crate::report::study::{Cell, RunFacts, Share, Study, Table, spread};
use std::collections::BTreeMap;

/// Numbers of runs that are shown, as far as every bug was run so often.
const ATTEMPTS: [u64; 6] = [1, 2, 3, 5, 10, 100];

/// `plausible@k` and `pass@k` of every configuration.
pub(super) fn at_k(study: &Study) -> Table {
    let columns = ["configuration", "k", "bugs", "plausible@k, %", "95 % interval", "pass@k, %", "95 % interval"];
    let note = "The chance that one of k runs of a bug is plausible, and that one is correct, by the unbiased estimator of \
                Chen et al. (2021), mean over bugs. Patches that wait for a review do not count as correct.";
    let mut table = Table::new("at-k", "Repaired in one of k runs", &columns).note(note);
    for (name, counts) in &study.configurations {
        let tries: Vec<_> = counts.tries.values().filter(|tries| tries.finished > 0).collect();
        let least = tries.iter().map(|tries| tries.finished).min().unwrap_or(0);
        let ks = ATTEMPTS.into_iter().filter(|k| *k < least).chain((least > 0).then_some(least));
        table.rows.extend(ks.map(|k| {
            let plausible = Share::at(k, tries.iter().map(|tries| (tries.plausible, tries.finished)));
            let correct = Share::at(k, tries.iter().map(|tries| (tries.correct, tries.finished)));
            vec![
                name.as_str().into(),
                k.into(),
                (tries.len() as u64).into(),
                Cell::share(plausible),
                Cell::interval_of(plausible),
                Cell::share(correct),
                Cell::interval_of(correct),
            ]
        }));
    }
    table
}

/// What is summed over one round: every bug once.
type Measure = (&'static str, usize, fn(&RunFacts) -> Option<f64>);

const MEASURES: [Measure; 5] = [
    ("plausible", 1, |run| Some(f64::from(u8::from(run.plausible())))),
    ("correct", 1, |run| Some(f64::from(u8::from(run.correct())))),
    ("tokens", 0, |run| Some(super::tokens(&run.usage) as f64)),
    ("USD", 4, |run| run.usage.cost_usd.0),
    ("seconds", 1, |run| Some(run.seconds.wall)),
];

/// Mean and deviation over whole rounds of every configuration that has several.
pub(super) fn rounds(study: &Study) -> Table {
    let columns = ["configuration", "of a round", "rounds", "bugs", "mean", "standard deviation", "least", "most"];
    let note = "A round is one finished run of every bug of the configuration; further runs of single bugs are left out. \
                The deviation is that of the sample.";
    let mut table = Table::new("rounds", "Over repetitions", &columns).note(note);
    for name in study.configurations.keys() {
        let rounds = rounds_of(study, name);
        if rounds.len() < 2 {
            continue;
        }
        for (measure, decimals, of) in MEASURES {
            let sum = |round: &Vec<&RunFacts>| round.iter().map(|run| of(run)).sum::<Option<f64>>();
            let Some(sums) = rounds.iter().map(sum).collect::<Option<Vec<f64>>>() else { continue };
            let Some((mean, deviation)) = spread(&sums).filter(|(mean, _)| *mean > 0.0) else { continue };
            let ends = [f64::min, f64::max].map(|pick| sums.iter().copied().reduce(pick).unwrap_or(mean));
            let head: [Cell; 4] =
                [name.as_str().into(), measure.into(), (sums.len() as u64).into(), (rounds[0].len() as u64).into()];
            let exact = if sums.iter().all(|sum| sum.fract() == 0.0) { 0 } else { decimals };
            let tail = [(mean, decimals + 1), (deviation, decimals + 1), (ends[0], exact), (ends[1], exact)];
            table.rows.push(head.into_iter().chain(tail.map(|(value, digits)| Cell::Number(value, digits))).collect());
        }
    }
    table
}

/// The first finished runs of every bug, the second ones, and so on.
fn rounds_of<'s>(study: &'s Study, name: &str) -> Vec<Vec<&'s RunFacts>> {
    let mut by_bug: BTreeMap<String, Vec<&RunFacts>> = BTreeMap::new();
    for run in study.runs.iter().filter(|run| run.setting.line == name && run.report.is_some()) {
        by_bug.entry(run.bug.to_string()).or_default().push(run);
    }
    let rounds = by_bug.values().map(Vec::len).min().unwrap_or(0);
    (0..rounds).map(|nth| by_bug.values().filter_map(|runs| runs.get(nth).copied()).collect()).collect()
}
