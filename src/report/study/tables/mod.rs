//! The figures as tables, by what they are about.

mod agents;
mod comparison;
mod conditions;
mod cumulative;
mod escalation;
mod groups;
mod papers;
mod repetitions;
mod runs;
mod spread;

use super::{Quality, Study, Table};
use crate::domain::Usage;

pub(super) use cumulative::{Cumulative, by_cost, by_time};
pub(super) use spread::{MEASURES, Measure, quantile};

/// Tables over all configurations.
const POOLED: [&str; 3] = ["escalation", "places", "outcomes"];

impl Study {
    /// All tables, the most asked-for first; tables without rows are left out.
    pub(crate) fn tables(&self) -> Vec<Table> {
        let all = [
            groups::summary(self),
            groups::correctness(self),
            escalation::by_level(self),
            escalation::places(self),
            groups::configurations(self),
            conditions::settings(self),
            repetitions::at_k(self),
            repetitions::rounds(self),
            papers::variants(self),
            papers::benchmarks(self),
            papers::by_project(self),
            papers::by_location(self),
            papers::agents(self),
            papers::interactions(self),
            papers::sizes(self),
            comparison::pairs(self, Quality::Plausible),
            comparison::pairs(self, Quality::Correct),
            comparison::gains(self, Quality::Plausible),
            comparison::gains(self, Quality::Correct),
            comparison::twins(self),
            comparison::by_bug(self),
            comparison::overlap(self, Quality::Plausible),
            comparison::overlap(self, Quality::Correct),
            groups::projects(self),
            groups::location_types(self),
            agents::agents(self),
            agents::tools(self),
            agents::tool_use(self),
            agents::outcomes(self),
            spread::distributions(self),
            cumulative::repairs_by_cost(self),
            cumulative::repairs_by_time(self),
            conditions::conditions(self),
            runs::runs(self),
        ];
        let mut tables: Vec<Table> = all.into_iter().filter(|table| !table.rows.is_empty()).collect();
        for table in tables.iter_mut().filter(|table| POOLED.contains(&table.name)) {
            table.note = format!("{}{}", self.pooled(), table.note).trim_end().to_owned();
        }
        tables
    }

    /// What is said of figures that are over all configurations; empty where there is one.
    pub(super) fn pooled(&self) -> String {
        match self.configurations.len() {
            0 | 1 => String::new(),
            n => format!("All {n} configurations together; --configuration NAME tells of one. "),
        }
    }
}

/// Tokens of prompts and answers.
pub(super) fn tokens(usage: &Usage) -> u64 {
    usage.prompt_tokens + usage.completion_tokens
}
