//! The agent cycle: query → middleware → tool → memory, until the answer is there or the budget is not.
//!
//! RepairAgent's Definition 1. One cycle is one query and at most one tool call; what is refused, unreadable or
//! repeated costs its cycle too.

use super::contract::{self, ContractCheck};
use super::error::AgentError;
use super::fsm::{self, Effect as Move};
use super::limits::Limits;
use super::memory::{CycleRecord, GATHERED_TOKENS, Memory};
use super::middleware::{Admission, Middleware};
use super::policy::{CycleView, Policy};
use super::profile::{ContractKind, Profile, StateName};
use crate::agent::evidence::Evidence;
use crate::domain::{
    Artifact, CaseFile, Event, EventSink, Hypothesis, LineSpan, Outcome, PatchAttempt, PolicyKind, RepoPath, Scope,
    ToolName,
};
use crate::journal::Past;
use crate::tools::{Effect, Observation, Registry, ToolContext, ToolError, WRITE_FIX, Workbench};
use std::time::Instant;
use tracing::Instrument;

/// Everything one agent run works with.
pub struct AgentRun<'a> {
    /// The agent: its tools, states, contract and prompt.
    pub profile: &'a Profile,
    /// The bug on the bench.
    pub bench: &'a Workbench,
    /// What is known so far.
    pub case: &'a CaseFile,
    /// What it is shown first.
    pub evidence: Evidence,
    /// The tools it may call, those that its state forbids too.
    pub registry: &'a Registry,
    /// Mends and refuses.
    pub(crate) middleware: Middleware<'a>,
    /// Takes what happens.
    pub sink: &'a dyn EventSink,
    /// Holds what earlier sessions of the run did.
    pub past: &'a Past,
    /// Attempt, level and agent; the cycle is counted here.
    pub scope: Scope,
    /// What is withheld from the agent.
    pub(crate) withheld: Withheld,
    /// What it may use beside its cycles.
    pub limits: Limits,
    /// When the bug's time is up.
    pub deadline: Instant,
}

/// What is withheld from an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Withheld {
    /// Cycles before the last one.
    pub earlier_cycles: bool,
    /// Gathered information beyond so many tokens; nothing when absent.
    pub beyond: Option<usize>,
    /// What tests say of its patches, but for whether they pass.
    pub results: bool,
}

impl Default for Withheld {
    fn default() -> Self {
        Self { earlier_cycles: false, beyond: Some(GATHERED_TOKENS), results: false }
    }
}

/// How an agent run ended whose next request a cap does not allow.
const CAP_REACHED: &str = "a cap was reached";

/// How an agent run ended.
#[derive(Debug)]
pub struct AgentOutcome {
    /// What it made.
    pub artifact: Artifact,
    /// Hypotheses at its end, refuted ones too.
    pub hypotheses: Vec<Hypothesis>,
    /// Patches it tried, in order, each with the verdict.
    pub attempts: Vec<PatchAttempt>,
    /// How it ended, in one phrase for people.
    pub how: String,
    /// Requests it was given, refused answers too.
    pub cycles: u32,
}

impl AgentOutcome {
    /// Whether a model was asked or a candidate judged: whether another run of the agent could come to something else.
    pub(crate) fn worked(&self, policy: PolicyKind) -> bool {
        let refused = self.how == CAP_REACHED && self.cycles <= 1;
        !self.attempts.is_empty() || policy != PolicyKind::Builtin && !refused
    }
}

/// What one cycle did.
pub(super) struct Step {
    pub tool: ToolName,
    pub args: serde_json::Value,
    pub observation: Observation,
    pub ran: bool,
    pub seconds: f64,
}

impl Step {
    fn refused(tool: ToolName, args: serde_json::Value, observation: Observation) -> Self {
        Self { tool, args, observation, ran: false, seconds: 0.0 }
    }

    /// Whether it brought anything that the agent did not know.
    fn teaches(&self, memory: &Memory) -> bool {
        let changes =
            matches!(self.observation.effect, Effect::Hypothesis(_) | Effect::Discarded(_) | Effect::Tried(_));
        let shows = self.observation.shown.iter().any(|(file, span)| !memory.has_seen(file, *span));
        self.ran && (changes || shows || memory.is_news(&self.observation.text))
    }

    /// Whether it proposes a patch that this agent proposed before.
    fn is_known(&self, memory: &Memory) -> bool {
        let repeats = |attempt: &PatchAttempt| {
            let known = memory.attempts.iter().any(|other| other.patch == attempt.patch);
            attempt.validation.outcome == Outcome::Duplicate && !attempt.patch.is_empty() && known
        };
        match &self.observation.effect {
            Effect::Tried(attempts) => attempts.first().is_some_and(repeats),
            _ => !self.ran && self.tool.as_str() == WRITE_FIX && memory.earlier(&self.tool, &self.args).is_some(),
        }
    }

    /// What the state machine must know of it.
    fn moves(&self) -> Move {
        match (&self.observation.effect, self.ran) {
            (Effect::NotApplied(_), _) | (_, false) => Move::Nothing,
            _ => Move::Done,
        }
    }
}

impl AgentRun<'_> {
    /// Runs the agent to its end.
    ///
    /// # Errors
    /// See [`AgentError`]; an agent that finds nothing is no error.
    pub(crate) async fn run(mut self, policy: &mut dyn Policy) -> Result<AgentOutcome, AgentError> {
        let shown = self.evidence.shown.clone();
        self.sink.emit(&Event::AgentStarted { scope: self.scope.clone(), policy: policy.kind(), shown })?;
        let mut memory = self.first_memory();
        let span = tracing::info_span!("agent", agent = %self.scope.agent, by = ?policy.kind());
        let outcome = self.cycles(policy, &mut memory).instrument(span).await;
        match (outcome, memory.plausible().cloned()) {
            (Ok((Artifact::Nothing { .. }, how)), Some(found)) => self.end(Artifact::Patch(found), how, memory),
            (Ok((artifact, how)), _) => self.end(artifact, how, memory),
            // What was found is not lost because no more can be asked for.
            (Err(error @ (AgentError::StoppedAtCap(_) | AgentError::Model(_))), Some(found)) => {
                self.end(Artifact::Patch(found), error.to_string(), memory)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The loop itself: what the agent made, and how it ended.
    async fn cycles(&mut self, policy: &mut dyn Policy, memory: &mut Memory) -> Result<(Artifact, String), AgentError> {
        let mut state = self.first_state();
        for cycle in 1..=self.profile.budget.cycles {
            self.scope.cycle = cycle;
            if let Some(outcome) = self.stopped(memory)? {
                return Ok(outcome);
            }
            let span = tracing::debug_span!("cycle", cycle, state = %state);
            let decision = match self.decided(policy, &self.view(memory, &state)).instrument(span).await {
                Err(AgentError::Spent(problem)) => {
                    let explanation = problem.to_string();
                    return Ok((Artifact::Nothing { explanation }, CAP_REACHED.into()));
                }
                Err(AgentError::Nothing(explanation)) => {
                    return Ok((Artifact::Nothing { explanation }, "nothing to go by".into()));
                }
                other => other?,
            };
            let mut step = match self.middleware.admit(&decision, &state, memory, policy.kind())? {
                Admission::Run { tool, args, notes } => self.call(policy, memory, (tool, args), &notes).await?,
                Admission::Refused { tool, args, reply } => Step::refused(tool, args, reply),
            };
            let verdict = contract::judge(self.context(memory), &step.observation);
            if let ContractCheck::Refused(reason) = &verdict {
                memory.refused_answers += 1;
                step = self.refuse_answer(step, reason, memory.refused_answers)?;
            }
            let next = fsm::next(self.profile, &state, &step.tool, step.moves());
            self.remember(memory, &state, step)?;
            state = next;
            match verdict {
                ContractCheck::Ended(artifact, how) => return Ok((artifact, how)),
                ContractCheck::Refused(reason) if memory.refused_answers >= self.profile.budget.answers => {
                    return Ok((Artifact::Nothing { explanation: reason }, "no usable answer".into()));
                }
                _ => {}
            }
        }
        let explained = memory
            .attempts
            .last()
            .map(|attempt| attempt.explanation.as_str())
            .filter(|explained| !explained.is_empty());
        let explained =
            explained.map(|explained| format!("; of the last patch it said: {explained}")).unwrap_or_default();
        let explanation = format!("all {} cycles were used{explained}", self.profile.budget.cycles);
        Ok((Artifact::Nothing { explanation }, "out of cycles".into()))
    }

    fn first_memory(&self) -> Memory {
        let mut memory = Memory::of(self.case);
        memory.short = self.withheld.earlier_cycles;
        memory.window = self.withheld.beyond;
        for (file, span) in &self.evidence.shown {
            memory.show(file, *span);
        }
        memory
    }

    fn first_state(&self) -> StateName {
        match &self.profile.start_with_hypothesis {
            Some(state) if self.case.hypothesis().is_some() => state.clone(),
            _ => self.profile.start.clone(),
        }
    }

    fn view<'v>(&'v self, memory: &'v Memory, state: &'v StateName) -> CycleView<'v> {
        CycleView {
            profile: self.profile,
            bench: self.bench,
            case: self.case,
            evidence: &self.evidence,
            registry: self.registry,
            memory,
            state,
            scope: &self.scope,
            deadline: self.deadline,
        }
    }

    fn context<'v>(&'v self, memory: &'v Memory) -> contract::Context<'v> {
        contract::Context { profile: self.profile, bench: self.bench, memory, focus: self.scope.focus.as_ref() }
    }

    async fn call(
        &self,
        policy: &mut dyn Policy,
        memory: &Memory,
        (name, args): (ToolName, serde_json::Value),
        notes: &[String],
    ) -> Result<Step, AgentError> {
        if let Some(step) = self.recalled(policy, &name, &args).await? {
            return Ok(step);
        }
        let is_shown = |file: &RepoPath, span: LineSpan| memory.has_seen(file, span);
        let cx = ToolContext {
            bench: self.bench,
            scope: &self.scope,
            sink: self.sink,
            side: policy.side_model(),
            variants: policy.variants(),
            shown: Some(&is_shown),
        };
        let started = Instant::now();
        let result = match self.registry.get(name.as_str()) {
            Some(tool) => tool.call(args.clone(), &cx).instrument(tracing::info_span!("tool", %name)).await,
            None => Err(ToolError::Correctable(format!("there is no tool `{name}`"))),
        };
        let step = match result {
            Ok(mut observation) => {
                if self.withheld.results {
                    observation = without_results(observation);
                }
                for note in notes {
                    observation.text.push_str(&format!("(note: {note})\n"));
                }
                let seconds = started.elapsed().as_secs_f64();
                Step { tool: name, args, observation, ran: true, seconds }
            }
            Err(ToolError::Correctable(reason)) => {
                let reply = self.middleware.bad_arguments(&name, &reason)?;
                Step::refused(name, args, Observation::plain(reply))
            }
            Err(broken) => return Err(AgentError::Tool(broken)),
        };
        tracing::debug!(tool = %step.tool, ran = step.ran, seconds = step.seconds, "tool called");
        Ok(step)
    }

    /// An answer that breaks its contract is an observation like any other: the agent may answer again.
    fn refuse_answer(&self, step: Step, reason: &str, refused: u32) -> Result<Step, AgentError> {
        let left = self.profile.budget.answers.saturating_sub(refused);
        let reply = self.middleware.answer_refused(reason, left)?;
        if self.profile.contract == ContractKind::Test && step.ran {
            // The test ran: a run that goes on takes what came of it from the journal.
            return Ok(Step { observation: Observation { text: reply, ..step.observation }, ..step });
        }
        Ok(Step::refused(step.tool, step.args, Observation::plain(reply)))
    }

    fn remember(&self, memory: &mut Memory, state: &StateName, step: Step) -> Result<(), AgentError> {
        self.sink.emit(&Event::Observed {
            scope: self.scope.clone(),
            state: state.0.clone(),
            tool: step.tool.clone(),
            args: step.args.clone(),
            ok: step.ran,
            observation: step.observation.text.clone(),
            change: step.ran.then(|| step.observation.effect.change()),
            shown: step.observation.shown.clone(),
            seconds: step.seconds,
        })?;
        let new = step.teaches(memory);
        let again = step.is_known(memory);
        for (file, span) in &step.observation.shown {
            memory.show(file, *span);
        }
        match step.observation.effect {
            Effect::Hypothesis(text) => memory.hypothesize(text),
            Effect::Discarded(reason) => memory.refute(reason),
            Effect::Tried(attempts) => memory.attempts.extend(attempts),
            Effect::NotApplied(attempt) => memory.attempts.push(attempt),
            Effect::Nothing | Effect::Accomplished(_) => {}
        }
        let record = CycleRecord {
            cycle: self.scope.cycle,
            tool: step.tool,
            args: step.args,
            observation: step.observation.text,
            ran: step.ran,
            again,
        };
        memory.push(record, new);
        Ok(())
    }

    fn end(&self, artifact: Artifact, how: String, memory: Memory) -> Result<AgentOutcome, AgentError> {
        let cycles = self.scope.cycle;
        self.sink.emit(&Event::AgentEnded { scope: self.scope.clone(), how: how.clone(), cycles })?;
        if let Artifact::Marks { marks, .. } = &artifact {
            self.sink.emit(&Event::Marked { scope: self.scope.clone(), marks: marks.clone() })?;
        }
        let Memory { hypotheses, attempts, .. } = memory;
        Ok(AgentOutcome { artifact, hypotheses, attempts, how, cycles })
    }
}

/// A judged patch without what the tests said of it.
fn without_results(observation: Observation) -> Observation {
    match &observation.effect {
        Effect::Tried(attempts) => {
            let passed = attempts.iter().any(|attempt| attempt.validation.is_plausible());
            let text = if passed { "the patch passes all tests\n" } else { "the patch did not pass; it was undone\n" };
            Observation { text: text.to_owned(), ..observation }
        }
        _ => observation,
    }
}
