//! How time, tokens and money are spread over runs.

use super::groups::for_each_configuration;
use super::tokens;
use crate::report::study::{Cell, RunFacts, Study, Table};

/// What is measured of each run.
pub(crate) struct Measure {
    /// Name in tables and charts.
    pub name: &'static str,
    /// Digits behind the point.
    pub decimals: usize,
    /// The value of a run; `None` when it is not known.
    pub of: fn(&RunFacts) -> Option<f64>,
}

/// All measures.
pub(crate) const MEASURES: [Measure; 6] = [
    Measure { name: "seconds", decimals: 1, of: |run| Some(run.seconds.wall) },
    Measure { name: "seconds in tests", decimals: 1, of: |run| Some(run.seconds.tests) },
    Measure { name: "tokens", decimals: 0, of: |run| Some(tokens(&run.usage) as f64) },
    Measure { name: "USD", decimals: 4, of: |run| run.usage.cost_usd.0 },
    Measure { name: "candidates", decimals: 0, of: |run| Some(run.candidates.proposed as f64) },
    Measure { name: "tool calls", decimals: 0, of: |run| Some(run.tool_calls() as f64) },
];

impl Measure {
    /// The sorted values of runs that are over, of those with a plausible patch or of the others.
    pub(crate) fn values(&self, runs: &[&RunFacts], plausible: bool) -> Vec<f64> {
        self.of_those(runs, |run| run.plausible() == plausible)
    }

    /// The sorted values of runs that are over and belong.
    fn of_those(&self, runs: &[&RunFacts], belongs: impl Fn(&RunFacts) -> bool) -> Vec<f64> {
        let over = runs.iter().filter(|run| run.report.is_some() && belongs(run)).copied();
        let mut values: Vec<f64> = over.filter_map(self.of).collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

/// Groups of runs that are distinguished.
type Group = (&'static str, fn(&RunFacts) -> bool);

const GROUPS: [Group; 3] =
    [("plausible", RunFacts::plausible), ("of these, correct", RunFacts::correct), ("others", |run| !run.plausible())];

/// RepairAgent's Figure 9 in numbers.
pub(super) fn distributions(study: &Study) -> Table {
    let columns = ["per run", "runs", "n", "min", "5 %", "Q1", "median", "Q3", "95 %", "max"];
    let table = Table::new("distributions", "Distributions", &columns);
    for_each_configuration(study, table, |runs| {
        let mut rows = Vec::new();
        for measure in &MEASURES {
            for (group, belongs) in GROUPS {
                let values = measure.of_those(runs, belongs);
                if values.iter().all(|value| *value == 0.0) {
                    continue;
                }
                let at = |share: f64| Cell::Number(quantile(&values, share), measure.decimals);
                let head: [Cell; 3] = [measure.name.into(), group.into(), (values.len() as u64).into()];
                rows.push(head.into_iter().chain([0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0].map(at)).collect());
            }
        }
        rows
    })
}

/// Quantile of sorted values, interpolated between neighbours; 0 for none.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = share * last as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (at - at.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.5);
        assert_eq!(quantile(&[7.0], 0.9), 7.0);
        assert_eq!(quantile(&[], 0.5), 0.0);
    }
}
