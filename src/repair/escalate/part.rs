//! Where no candidate repairs all failing tests: candidates that repair a part of them, judged as if that part were all.

use super::choose::choose;
use super::escalator::{Decider, Escalator, RepairError};
use super::outcome::Repair;
use crate::agent::AgentError;
use crate::domain::{PatchAttempt, PolicyKind, Scope};
use crate::templates::MOST_CONFIRMED;
use crate::tools::{ToolError, Workbench, attempt_of, judge_again};

impl Escalator {
    /// Judges candidates again that an earlier bench refused, on one whose failing tests are those that they repair, and
    /// chooses one of the plausible ones.
    ///
    /// # Errors
    /// Faults of the environment and of the journal.
    pub async fn repair_of_part(
        &self,
        tried: &[(Scope, PatchAttempt)],
        bench: &Workbench,
    ) -> Result<Option<Repair>, RepairError> {
        let mut found: Option<Repair> = None;
        for (scope, earlier) in tried {
            let attempt = self.judged_as_part(earlier, scope, bench).await?;
            if !attempt.validation.is_plausible() {
                continue;
            }
            match &mut found {
                Some(repair) => repair.others.push(attempt),
                None => found = Some(self.made_by(scope, attempt)),
            }
            if found.as_ref().is_some_and(|repair| repair.others.len() + 1 >= MOST_CONFIRMED as usize) {
                break;
            }
        }
        if let Some(repair) = &mut found {
            choose(repair, bench, self.plan.choose).await;
        }
        Ok(found)
    }

    /// The candidate with the word on it here, which an earlier session may know.
    async fn judged_as_part(
        &self,
        earlier: &PatchAttempt,
        scope: &Scope,
        bench: &Workbench,
    ) -> Result<PatchAttempt, RepairError> {
        let scope = Scope { cycle: 0, ..scope.clone() };
        let known = self.past.history().validated(&scope);
        let mut known = known.filter_map(|event| Some((event, attempt_of(event, bench)?)));
        if let Some((event, attempt)) = known.find(|(_, attempt)| attempt.patch == earlier.patch) {
            self.sink.emit(event).map_err(AgentError::Journal)?;
            return Ok(attempt);
        }
        let judged = judge_again(earlier.clone(), &scope, bench, &*self.sink).await;
        judged.map_err(|error: ToolError| AgentError::Tool(error).into())
    }

    fn made_by(&self, scope: &Scope, attempt: PatchAttempt) -> Repair {
        let policy = match (self.decider)(scope.level, &scope.agent) {
            Decider::Builtin => PolicyKind::Builtin,
            Decider::Model { kind, .. } => kind,
        };
        let (level, agent, number) = (scope.level, scope.agent.clone(), scope.attempt);
        let analysis = Some(attempt.explanation.clone()).filter(|text| !text.is_empty());
        let (others, choice) = Default::default();
        Repair { attempt, others, level, agent, policy, number, is_of_part: true, choice, analysis }
    }
}
