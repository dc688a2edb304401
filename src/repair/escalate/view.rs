//! What an agent is shown beside its case: what is looked up before it is asked.

use super::escalator::{Decider, Escalator, RepairError};
use crate::agent::ablation::Part;
use crate::agent::evidence::{InitialView, Recipe, search_query};
use crate::agent::profile::{ContractKind, Profile};
use crate::domain::{Level, Scope};
use crate::retrieve::Solution;
use crate::tools::Workbench;

/// Repairs of similar bugs that Helper is shown first.
const FOUND: usize = 3;

impl Escalator {
    /// Looks up what an agent that finds or repairs the bug is shown of runs and of history. The papers show neither, and
    /// the built-in engine reads neither.
    pub(super) async fn look(&self, scope: &Scope, profile: &Profile, bench: &Workbench) {
        let is_asked = matches!((self.decider)(scope.level, &scope.agent), Decider::Model { .. });
        let wants = matches!(profile.contract, ContractKind::Marks | ContractKind::Patch);
        if !is_asked || !wants || self.plan.recipe != Recipe::Chosen {
            return;
        }
        if !self.plan.without.has(Part::Observation) {
            bench.see_values().await;
        }
        if !self.plan.without.has(Part::History) {
            bench.see_changes().await;
        }
    }

    /// What an agent sees. By FixAgent's paper only refinement is shown earlier answers; each level answers anew.
    pub(super) fn initial_view(&self, scope: &Scope) -> InitialView {
        InitialView {
            recipe: self.plan.recipe,
            no_results: self.plan.hides_results(scope.level, &scope.agent),
            earlier_answer: scope.level == Level::Refine || self.plan.recipe == Recipe::Chosen,
        }
    }

    /// Whether the agent's model would answer the same question in the same way.
    pub(super) fn needs_another_view(&self, scope: &Scope) -> bool {
        matches!((self.decider)(scope.level, &scope.agent), Decider::Model { model_settings, .. } if !model_settings.is_sampled())
    }

    /// What a first search finds, which Helper is shown; by the papers it searches by itself. A source that fails costs
    /// its results and no more.
    pub(super) async fn found(&self, bench: &Workbench) -> Result<Vec<Solution>, RepairError> {
        match bench.solutions.search(&search_query(bench), FOUND).await {
            Ok(found) => Ok(found),
            Err(error) => {
                self.tell(format!("nothing was found for Helper: {error}"))?;
                Ok(Vec::new())
            }
        }
    }
}
