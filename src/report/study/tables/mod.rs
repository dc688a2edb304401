//! The figures as tables, by what they are about.

mod agents;
mod comparison;
mod escalation;
mod groups;
mod runs;
mod spread;

use super::{Study, Table};
use crate::domain::Usage;

pub(super) use escalation::{Climb, climb};
pub(super) use spread::{MEASURES, Measure, quantile};

impl Study {
    /// All tables, the most asked-for first; tables without rows are left out.
    pub fn tables(&self) -> Vec<Table> {
        let all = [
            groups::summary(self),
            groups::correctness(self),
            escalation::rungs(self),
            escalation::places(self),
            groups::configurations(self),
            comparison::pairs(self),
            comparison::gains(self),
            comparison::by_bug(self),
            comparison::overlap(self),
            groups::projects(self),
            groups::location_types(self),
            agents::agents(self),
            agents::tools(self),
            agents::tool_use(self),
            agents::outcomes(self),
            spread::distributions(self),
            escalation::repairs_by_cost(self),
            groups::conditions(self),
            runs::runs(self),
        ];
        all.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }
}

/// Tokens of prompts and answers.
pub(super) fn tokens(usage: &Usage) -> u64 {
    usage.prompt_tokens + usage.completion_tokens
}
