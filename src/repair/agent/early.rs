//! When an agent is ended before it ends itself: its time, its candidates, and cycles that taught it nothing.

use super::cycle::AgentRun;
use super::error::AgentError;
use super::memory::Memory;
use super::policy::{CycleView, Decision, Policy};
use crate::domain::words::span;
use crate::domain::{Artifact, Cap, Event, Reached};
use std::time::Instant;

/// How an agent run ends when its own time is up.
const OUT_OF_TIME: &str = "out of its time";

impl AgentRun<'_> {
    /// Whether the agent is ended before this cycle, and how.
    ///
    /// # Errors
    /// The time of the whole bug is up.
    pub(super) fn stopped(&self, memory: &Memory) -> Result<Option<(Artifact, String)>, AgentError> {
        if self.is_late() {
            return Err(self.late());
        }
        let tried = memory.attempts.len() as u64;
        let (why, how) = if self.is_out_of_its_time() {
            ("the time of this agent or of its level is up".to_owned(), OUT_OF_TIME.to_owned())
        } else if let Some(most) = self.limits.validations.filter(|most| tried >= *most) {
            (format!("its cap of {most} validations is reached"), "out of validations".to_owned())
        } else if let Some(most) = self.limits.idle.filter(|most| memory.idle() >= *most) {
            let how = format!("nothing new in {most} cycles");
            (format!("ended early: {how}"), how)
        } else {
            return Ok(None);
        };
        Ok(Some((Artifact::Nothing { explanation: why }, how)))
    }

    /// What the policy decides, if it does before the bug's time is up: an endpoint may be silent for long. A request
    /// that is given up so is possibly billed.
    ///
    /// # Errors
    /// The policy's; the time of the whole bug is up.
    pub(super) async fn decided(&self, policy: &mut dyn Policy, view: &CycleView<'_>) -> Result<Decision, AgentError> {
        if self.past.holds(&self.scope) {
            return policy.decide(view).await;
        }
        match tokio::time::timeout_at(self.deadline.into(), policy.decide(view)).await {
            Ok(decided) => decided,
            Err(_) => Err(self.late()),
        }
    }

    fn late(&self) -> AgentError {
        let cap = self.limits.bug.map_or_else(String::new, |time| format!(" of {}", span(time)));
        AgentError::StoppedAtCap(Reached::of(Cap::Time, format!("the time{cap} for this bug is up")))
    }

    /// Whether the bug's time was up before this cycle. A cycle that is over was in time.
    fn is_late(&self) -> bool {
        let ended = || self.past.ended_before(&self.scope) && !self.ended_for_its_time();
        !self.past.holds(&self.scope) && (Instant::now() >= self.deadline || ended())
    }

    fn is_out_of_its_time(&self) -> bool {
        let up = || self.limits.until.is_some_and(|until| Instant::now() >= until);
        !self.past.holds(&self.scope) && (up() || self.ended_for_its_time())
    }

    /// Whether an earlier session of a run that is repeated ended the agent here because its time was up.
    fn ended_for_its_time(&self) -> bool {
        let here = |event: &Event| matches!(event, Event::AgentEnded { scope, how, .. } if *scope == self.scope && how == OUT_OF_TIME);
        self.past.ended_before(&self.scope) && self.past.history().events().iter().any(here)
    }
}
