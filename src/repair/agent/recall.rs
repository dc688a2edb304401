//! A tool call that an earlier session made is not made again: the journal tells what came of it.

use super::cycle::{AgentRun, Step};
use super::error::AgentError;
use super::policy::Policy;
use crate::domain::{Event, PatchAttempt, PolicyKind, ToolName};
use crate::tools::{Effect, Observation, attempt_of};
use serde_json::Value;

impl AgentRun<'_> {
    /// The step as it was, when the journal holds all of it. What happened meanwhile is emitted again, so that all who
    /// count have the same sums.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) async fn recalled(
        &self,
        policy: &mut dyn Policy,
        tool: &ToolName,
        args: &Value,
    ) -> Result<Option<Step>, AgentError> {
        // The engine tries what its time allows.
        let by_clock = policy.kind() == PolicyKind::Builtin;
        let Some(call) = self.past.find(&self.scope, tool, args, by_clock) else { return Ok(None) };
        let judged = |event: &&Event| matches!(event, Event::Validated { .. });
        let attempts: Option<Vec<PatchAttempt>> =
            call.during.iter().filter(judged).map(|event| attempt_of(event, self.bench)).collect();
        let Some(attempts) = attempts else { return Ok(None) };
        let Some(effect) = Effect::of(call.change.clone(), attempts.clone()) else { return Ok(None) };
        self.past.pass_over(&call, &self.scope);
        call.during.iter().try_for_each(|event| self.sink.emit(event))?;
        self.remember_candidates(&attempts, policy.kind());
        policy.recall(&attempts).await;
        let observation = Observation { text: call.observation, effect, shown: call.shown };
        Ok(Some(Step { tool: tool.clone(), args: args.clone(), observation, ran: true, seconds: call.seconds }))
    }

    /// What was judged once is not judged again; the engine keeps account of its own candidates.
    fn remember_candidates(&self, attempts: &[PatchAttempt], kind: PolicyKind) {
        let proposed = if kind == PolicyKind::Builtin { attempts.len().min(1) } else { attempts.len() };
        for attempt in attempts[..proposed].iter().filter(|attempt| !attempt.patch.is_empty()) {
            self.bench.validator.remember(&attempt.patch, &attempt.validation);
        }
    }
}
