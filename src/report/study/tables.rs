//! The figures as tables: one form that text, Markdown, CSV and the page share.

use super::{AgentFacts, Counts, RunFacts, Study, ToolFacts, wilson};
use crate::domain::{ToolName, Usage};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One value of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A word.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number with its decimals.
    Number(f64, usize),
    /// Nothing is known.
    Unknown,
}

impl Cell {
    /// As people read it.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(n) => n.to_string(),
            Self::Number(value, decimals) => format!("{value:.decimals$}"),
            Self::Unknown => "unknown".into(),
        }
    }

    /// Whether it is set to the right.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Count(_) | Self::Number(..))
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
impl From<u64> for Cell {
    fn from(n: u64) -> Self {
        Self::Count(n)
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Name for files and anchors: `escalation`.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// How to read it, in a sentence; may be empty.
    pub note: String,
    /// Headings of the columns.
    pub columns: Vec<&'static str>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    fn new(name: &'static str, title: &'static str, columns: &[&'static str]) -> Self {
        Self { name, title, note: String::new(), columns: columns.to_vec(), rows: Vec::new() }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    fn rows(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        self.rows.extend(rows);
        self
    }
}

impl Study {
    /// All tables, the most asked-for first; tables without rows are left out.
    pub fn tables(&self) -> Vec<Table> {
        let all = [
            self.summary(),
            self.escalation_table(),
            self.credited_table(),
            self.by_configuration(),
            self.pairs_table(),
            self.by_project(),
            self.agents_table(),
            self.tools_table(),
            self.outcomes_table(),
            self.distributions(),
            self.conditions(),
            self.bugs(),
        ];
        all.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }

    fn summary(&self) -> Table {
        let finished = self.all.finished();
        let row = |what: &str, n: u64| {
            let (low, high) = wilson(n, finished);
            let share = if finished == 0 { Cell::Unknown } else { percent(n, finished) };
            vec![what.into(), n.into(), share, format!("{:.1} to {:.1}", 100.0 * low, 100.0 * high).into()]
        };
        let table = Table::new("summary", "Summary", &["runs", "n", "% of finished", "95 % interval"]);
        let note = "Plausible: every test that should pass passes, confirmed in a fresh process. Correct: equal to the \
                    developer's patch; the rest waits for a person.";
        table.note(note).rows([
            row("plausible", self.all.plausible),
            row("correct", self.all.correct),
            row("needs review", self.all.needs_review),
            row("without a repair", self.all.unrepaired),
            row("stopped at a cap", self.all.exhausted),
            vec!["unfinished, counted in no share".into(), self.all.unfinished.into(), "".into(), "".into()],
        ])
    }

    fn escalation_table(&self) -> Table {
        let columns = [
            "rung",
            "runs that came to it",
            "repaired",
            "% of these",
            "correct",
            "requests",
            "tokens",
            "USD",
            "USD a repair",
        ];
        let note = "Level 0 is the built-in engine before the first paid call. A rung's cost is that of all runs that \
                    came to it.";
        Table::new("escalation", "Escalation", &columns).note(note).rows(self.escalation.iter().map(|rung| {
            let each = match (rung.repaired, rung.usage.cost_usd.0) {
                (0, _) | (_, None) => Cell::Unknown,
                (n, Some(cost)) => Cell::Number(cost / n as f64, 4),
            };
            let each = if rung.repaired == 0 { "".into() } else { each };
            vec![
                rung.level.label().into(),
                rung.entered.into(),
                rung.repaired.into(),
                percent(rung.repaired, rung.entered),
                rung.correct.into(),
                rung.usage.requests.into(),
                tokens(&rung.usage).into(),
                money(&rung.usage),
                each,
            ]
        }))
    }

    fn credited_table(&self) -> Table {
        let note = "Who made the plausible patch.";
        let table = Table::new("credited", "Repairs by rung and agent", &["rung and agent", "repairs"]).note(note);
        table.rows(self.credited.iter().map(|(who, n)| vec![who.as_str().into(), (*n).into()]))
    }

    fn by_configuration(&self) -> Table {
        counts("configurations", "Configurations side by side", "configuration", &self.configurations)
    }

    fn by_project(&self) -> Table {
        counts("projects", "By project", "project", &self.projects)
    }

    fn pairs_table(&self) -> Table {
        let columns = ["first", "second", "bugs", "both", "first alone", "second alone", "p"];
        let note = "On bugs that both finished. p: McNemar's exact two-sided test.";
        Table::new("pairs", "Paired comparison", &columns).note(note).rows(self.pairs.iter().map(|pair| {
            vec![
                pair.a.as_str().into(),
                pair.b.as_str().into(),
                pair.bugs.into(),
                pair.both.into(),
                pair.only_a.into(),
                pair.only_b.into(),
                Cell::Number(pair.p, 4),
            ]
        }))
    }

    fn agents_table(&self) -> Table {
        let columns = [
            "agent",
            "started",
            "requests",
            "cycles",
            "invalid answers",
            "tokens in",
            "% cached",
            "tokens out",
            "USD",
            "model s",
            "tool s",
        ];
        Table::new("agents", "By agent", &columns).rows(self.agents.iter().map(|(name, facts)| {
            let AgentFacts { started, cycles, invalid, usage, model_seconds, tool_seconds } = facts;
            vec![
                name.as_str().into(),
                (*started).into(),
                usage.requests.into(),
                (*cycles).into(),
                (*invalid).into(),
                usage.prompt_tokens.into(),
                if usage.prompt_tokens == 0 { "".into() } else { percent(usage.cached_tokens, usage.prompt_tokens) },
                usage.completion_tokens.into(),
                money(usage),
                Cell::Number(*model_seconds, 1),
                Cell::Number(*tool_seconds, 1),
            ]
        }))
    }

    fn tools_table(&self) -> Table {
        let columns = ["tool", "calls, correct", "a run", "calls, others", "a run", "% that worked", "s a call"];
        let (correct, others) = (self.all.correct, self.all.runs - self.all.correct);
        let names: BTreeSet<&ToolName> = self.tools_of_correct.keys().chain(self.tools_of_others.keys()).collect();
        let of = |group: &BTreeMap<ToolName, ToolFacts>, name: &ToolName| group.get(name).copied().unwrap_or_default();
        let rows = names.into_iter().map(|name| {
            let (a, b) = (of(&self.tools_of_correct, name), of(&self.tools_of_others, name));
            let calls = a.calls + b.calls;
            vec![
                name.as_str().into(),
                a.calls.into(),
                mean(a.calls as f64, correct),
                b.calls.into(),
                mean(b.calls as f64, others),
                percent(a.ok + b.ok, calls),
                mean(a.seconds + b.seconds, calls),
            ]
        });
        let note = "Runs that repaired correctly against all others.";
        Table::new("tools", "By tool", &columns).note(note).rows(rows)
    }

    fn outcomes_table(&self) -> Table {
        let all: u64 = self.outcomes.values().sum();
        let table = Table::new("outcomes", "Candidates by outcome", &["outcome", "candidates", "%"]);
        table.rows(self.outcomes.iter().map(|(outcome, n)| vec![outcome.word().into(), (*n).into(), percent(*n, all)]))
    }

    fn distributions(&self) -> Table {
        let finished = || self.runs.iter().filter(|run| run.report.is_some());
        let columns = ["a run", "least", "quarter", "median", "three quarters", "9 of 10", "most"];
        let row = |what: &str, decimals: usize, value: &dyn Fn(&RunFacts) -> Option<f64>| {
            let mut values: Vec<f64> = finished().filter_map(value).collect();
            values.sort_by(f64::total_cmp);
            let at = |share: f64| Cell::Number(quantile(&values, share), decimals);
            let shares = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0];
            let known = !values.is_empty();
            known.then(|| std::iter::once(what.into()).chain(shares.map(at)).collect::<Vec<Cell>>())
        };
        let rows = [
            row("seconds", 1, &|run| Some(run.seconds.wall)),
            row("seconds in tests", 1, &|run| Some(run.seconds.tests)),
            row("tokens", 0, &|run| Some(tokens(&run.usage) as f64)),
            row("USD", 4, &|run| run.usage.cost_usd.0),
            row("candidates", 0, &|run| Some(run.validations.candidates as f64)),
            row("tool calls", 0, &|run| Some(run.tools.values().map(|used| used.calls).sum::<u64>() as f64)),
        ];
        Table::new("distributions", "Distributions", &columns).rows(rows.into_iter().flatten())
    }

    /// What every figure depends on.
    fn conditions(&self) -> Table {
        let set = |value: &dyn Fn(&RunFacts) -> Option<String>| {
            let values: BTreeSet<String> = self.runs.iter().filter_map(value).filter(|text| !text.is_empty()).collect();
            values.into_iter().collect::<Vec<_>>().join(", ")
        };
        let retrieved = self.runs.iter().filter_map(|run| run.report.as_ref()?.retrieved.as_ref());
        let dropped: usize = retrieved.map(|retrieved| retrieved.dropped).sum();
        let disagreements: u64 = self.runs.iter().map(|run| run.disagreements).sum();
        let rows = [
            ("localization", set(&|run| run.report.as_ref().map(|report| report.localization.clone()))),
            ("model", set(&|run| run.report.as_ref().map(|report| report.model.name.clone()))),
            ("sandbox", set(&|run| Some(run.sandbox.clone()))),
            ("seed", set(&|run| run.seed.map(|seed| seed.to_string()))),
            ("program", set(&|run| Some(run.version.clone()))),
            ("retrieved repairs dropped as leaks", dropped.to_string()),
            ("candidates that warm and cold judged differently", disagreements.to_string()),
        ];
        let rows = rows.into_iter().map(|(what, value)| vec![what.into(), value.into()]);
        Table::new("conditions", "Conditions", &["what", "value"]).rows(rows)
    }

    fn bugs(&self) -> Table {
        let columns =
            ["bug", "verdict", "correct", "rung", "agent", "candidates", "tokens", "USD", "seconds", "configuration"];
        Table::new("bugs", "Every run", &columns).rows(self.runs.iter().map(|run| {
            let by = run.report.as_ref().and_then(|report| report.by.as_ref());
            vec![
                run.bug.to_string().into(),
                run.verdict().into(),
                if run.correct() {
                    "yes".into()
                } else if run.plausible() {
                    "needs review".into()
                } else {
                    "".into()
                },
                run.level().map_or("", |level| level.label()).into(),
                by.map_or("", |by| by.agent.as_str()).into(),
                run.validations.candidates.into(),
                tokens(&run.usage).into(),
                money(&run.usage),
                Cell::Number(run.seconds.wall, 1),
                run.configuration.as_str().into(),
            ]
        }))
    }
}

fn counts(name: &'static str, title: &'static str, first: &'static str, groups: &BTreeMap<String, Counts>) -> Table {
    let columns = [
        first,
        "bugs",
        "runs",
        "plausible",
        "%",
        "95 % interval",
        "correct",
        "needs review",
        "unfinished",
        "tokens",
        "USD",
    ];
    Table::new(name, title, &columns).rows(groups.iter().map(|(group, counts)| {
        let finished = counts.finished();
        let (low, high) = wilson(counts.plausible, finished);
        vec![
            group.as_str().into(),
            counts.bugs.into(),
            counts.runs.into(),
            counts.plausible.into(),
            percent(counts.plausible, finished),
            format!("{:.1} to {:.1}", 100.0 * low, 100.0 * high).into(),
            counts.correct.into(),
            counts.needs_review.into(),
            counts.unfinished.into(),
            tokens(&counts.usage).into(),
            money(&counts.usage),
        ]
    }))
}

/// Tokens of prompts and answers.
pub(super) fn tokens(usage: &Usage) -> u64 {
    usage.prompt_tokens + usage.completion_tokens
}

fn money(usage: &Usage) -> Cell {
    usage.cost_usd.0.map_or(Cell::Unknown, |cost| Cell::Number(cost, 4))
}

fn percent(part: u64, of: u64) -> Cell {
    if of == 0 { "".into() } else { Cell::Number(100.0 * part as f64 / of as f64, 1) }
}

fn mean(sum: f64, of: u64) -> Cell {
    if of == 0 { "".into() } else { Cell::Number(sum / of as f64, 2) }
}

/// Quantile of sorted values, interpolated between neighbours; 0 for none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
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
