//! Repairs against what they took: money or tokens, and time apart from it.

use super::tokens;
use crate::report::study::{Cell, RunFacts, Study, Table};

/// Most configurations that have a line each; more have one together.
const MOST_LINES: usize = 3;

/// Repairs, the cheapest first, against what they took together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cumulative {
    /// What is counted: `USD`, `tokens`, `s`.
    pub unit: &'static str,
    /// Digits behind the point.
    pub decimals: usize,
    /// By configuration: its name and the sum after each repair.
    pub lines: Vec<(String, Vec<f64>)>,
}

impl Cumulative {
    fn of(study: &Study, unit: &'static str, decimals: usize, cost: impl Fn(&RunFacts) -> f64) -> Option<Self> {
        let names: Vec<&String> = study.configurations.keys().collect();
        let repaired = |name: Option<&String>| {
            let of_line = study.runs.iter().filter(move |run| name.is_none_or(|name| run.setting.line == *name));
            sums(of_line.filter(|run| run.plausible()).map(&cost).collect())
        };
        let lines: Vec<(String, Vec<f64>)> = match names.len() {
            ..=MOST_LINES => names.into_iter().map(|name| (name.clone(), repaired(Some(name)))).collect(),
            n => vec![(format!("all {n} configurations"), repaired(None))],
        };
        let most = lines.iter().filter_map(|(_, sums)| sums.last()).copied().fold(0.0, f64::max);
        let lines = lines.into_iter().filter(|(_, sums)| !sums.is_empty()).collect();
        (most > 0.0).then_some(Self { unit, decimals, lines })
    }
}

fn sums(mut costs: Vec<f64>) -> Vec<f64> {
    costs.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    costs
        .iter()
        .map(|cost| {
            sum += cost;
            sum
        })
        .collect()
}

/// Against dollars where they are known of every repair and any were paid, else against tokens; `None` where no model
/// was asked.
pub(crate) fn by_cost(study: &Study) -> Option<Cumulative> {
    let mut repaired = study.runs.iter().filter(|run| run.plausible());
    let dollars = repaired.all(|run| run.usage.cost_usd.0.is_some());
    let dollars =
        dollars.then(|| Cumulative::of(study, "USD", 4, |run| run.usage.cost_usd.0.unwrap_or_default())).flatten();
    dollars.or_else(|| Cumulative::of(study, "tokens", 0, |run| tokens(&run.usage) as f64))
}

/// Against wall time.
pub(crate) fn by_time(study: &Study) -> Option<Cumulative> {
    Cumulative::of(study, "s", 1, |run| run.seconds.wall)
}

pub(super) fn repairs_by_cost(study: &Study) -> Table {
    points("repairs-by-cost", "Repairs against cost", by_cost(study))
}

pub(super) fn repairs_by_time(study: &Study) -> Table {
    points("repairs-by-time", "Repairs against time", by_time(study))
}

fn points(name: &'static str, title: &'static str, sums: Option<Cumulative>) -> Table {
    let mut table = Table::new(name, title, &["configuration", "repairs", "so far", "unit"]);
    table.is_data = true;
    let Some(Cumulative { unit, decimals, lines }) = sums else { return table };
    for (name, sums) in lines {
        let point =
            |(n, sum): (u64, f64)| vec![name.as_str().into(), n.into(), Cell::Number(sum, decimals), unit.into()];
        table.rows.extend((1..).zip(sums).map(point));
    }
    table
}
