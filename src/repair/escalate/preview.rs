//! What would be asked: the first prompt of every agent on every level, as it is when nothing was learnt yet.

use super::escalator::{Decider, Escalator, RepairError};
use super::level::Stage;
use crate::agent::AgentError;
use crate::agent::evidence::Evidence;
use crate::agent::memory::Memory;
use crate::agent::policy::{CycleView, ModelSettings, Room, system_prompt, turn_prompt};
use crate::domain::{AgentName, CaseFile, Level, Scope};
use crate::llm::{Query, WorstCase};
use crate::tools::Workbench;

/// Tokens that a later prompt can hold beyond the first one: what was gathered, and the last result.
const GROWTH: u64 = 20_000;
/// The same where gathered information is never cut, as the papers have it: the context of a large model.
const GROWTH_OF_PAPERS: u64 = 128_000;

/// Attempts that an estimate counts at most: where they go on until a cap, the cap says what they cost.
const MOST_ATTEMPTS: u32 = 100;

/// The first request of one agent on one level.
#[derive(Debug)]
pub struct Preview {
    /// The level.
    pub level: Level,
    /// The agent.
    pub agent: AgentName,
    /// The request as it would be sent.
    pub request: Query,
    /// Queries it may make in all attempts, side queries included.
    pub queries: u64,
    /// The most that all of them can take.
    pub most: WorstCase,
}

impl Escalator {
    /// The first requests of all agents that a model decides for, in the order in which they would work.
    ///
    /// # Errors
    /// A prompt cannot be made, a profile is missing.
    pub async fn preview(&self, bench: &Workbench) -> Result<Vec<Preview>, RepairError> {
        let mut all = Vec::new();
        for (level, stages) in self.plan.levels_of(1) {
            for stage in &stages {
                let names: Vec<&AgentName> = match stage {
                    Stage::Together(names) => names.iter().collect(),
                    Stage::PerFile { each_file, .. } => vec![each_file],
                };
                for name in names {
                    if let Decider::Model { model_settings, .. } = (self.decider)(level, name) {
                        all.push(self.first_request(level, name, &model_settings, bench).await?);
                    }
                }
            }
        }
        Ok(all)
    }

    async fn first_request(
        &self,
        level: Level,
        agent: &AgentName,
        model_settings: &ModelSettings,
        bench: &Workbench,
    ) -> Result<Preview, RepairError> {
        let scope = Scope { attempt: 1, level, agent: agent.clone(), cycle: 1, focus: None, visit: 1 };
        let profile = self.profile(&scope)?;
        let case = CaseFile::default();
        self.look(&scope, &profile, bench).await;
        let initial_view = self.initial_view(&scope);
        let evidence = Evidence::of(&profile, bench, &case, initial_view, None, &[]);
        let memory = Memory::of(&case);
        let view = CycleView {
            profile: &profile,
            bench,
            case: &case,
            evidence: &evidence,
            registry: &self.registry,
            memory: &memory,
            state: &profile.start,
            scope: &scope,
            deadline: self.deadline,
        };
        let system =
            system_prompt(&self.library, &profile, &self.registry, bench.language).map_err(AgentError::Prompt)?;
        let user = turn_prompt(&self.library, &view, Room::Usual).map_err(AgentError::Prompt)?;
        let request = model_settings.query(system, user, 0);
        // Every cycle may ask once beside: for variants of its candidate, or for the body of a method.
        let queries = u64::from(profile.budget.cycles) * u64::from(self.plan.attempts.min(MOST_ATTEMPTS)) * 2;
        let prices = self.caps.prices.as_deref();
        let growth = if self.plan.paper { GROWTH_OF_PAPERS } else { GROWTH };
        let most = WorstCase::of_many(&request, growth, queries, prices);
        Ok(Preview { level, agent: agent.clone(), request, queries, most })
    }
}
