//! What happens during a run, told once; reports and progress are readers of these.

use super::{
    AgentName, BugId, Diagnostic, Failure, Level, LineSpan, Mark, Outcome, Problem, Ranking, Reached, RepoPath, TestId,
    ToolName, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Who decides for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// A language model behind an endpoint.
    Llm,
    /// The built-in engine.
    Builtin,
    /// The recording of an earlier run.
    Replay,
}

impl Policy {
    /// As reports name it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Llm => "model",
            Self::Builtin => "built-in engine",
            Self::Replay => "recording",
        }
    }
}

/// Where in a run something happened: the key under which observations and outcomes are journaled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// Attempt, counted from 1.
    pub attempt: u32,
    /// Level of the escalation.
    pub level: Level,
    /// The agent at work.
    pub agent: AgentName,
    /// Its cycle, counted from 1; 0 outside any cycle.
    pub cycle: u32,
    /// The one file it works on, when it runs once for each of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<RepoPath>,
    /// For the how-manieth time it works on this level of this attempt, counted from 1: refinement asks agents again.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub visit: u32,
}

fn first() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_first(visit: &u32) -> bool {
    *visit <= 1
}

impl Scope {
    /// The whole agent run: the same place without its cycle.
    #[must_use]
    pub fn run(&self) -> Self {
        Self { cycle: 0, ..self.clone() }
    }

    /// Whether the same agent worked on the bug in an earlier attempt, or on this level before.
    pub fn is_again(&self) -> bool {
        self.attempt > 1 || self.visit > 1
    }

    /// Which sample of the same question its requests are, from 0.
    pub fn sample(&self) -> u32 {
        const VISITS: u32 = 1000;
        self.attempt.saturating_sub(1) + VISITS * self.visit.saturating_sub(1)
    }
}

/// What a tool call changed, as far as nothing else in the journal tells it: candidates stand in the `Validated`
/// events of the same scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", content = "value", rename_all = "snake_case")]
pub enum Change {
    /// Nothing: it only told something.
    Told,
    /// So many candidates were judged.
    Tried(usize),
    /// A proposal did not become a patch.
    NotApplied,
    /// A hypothesis was expressed.
    Hypothesis(String),
    /// The current hypothesis was discarded, with the reason.
    Discarded(String),
    /// The agent handed its answer over.
    Accomplished(Value),
}

/// Why a request has no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unanswered {
    /// A cap could have been exceeded: it was not sent.
    Cap,
    /// It was refused, or never reached the endpoint: it is not billed.
    Refused,
    /// It failed after all retries; the endpoint may bill it all the same.
    Lost,
}

/// Who judged a candidate again, and surer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurerJudge {
    /// Fresh processes, where no earlier candidate left anything.
    Cold,
    /// The project's own test command.
    Own,
    /// The benchmark's own judge.
    Official,
}

impl SurerJudge {
    /// As reports name it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cold => "a fresh process",
            Self::Own => "the project's own test command",
            Self::Official => "the benchmark's own judge",
        }
    }
}

/// Two judges said something else of one candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// The surer one, which counts.
    pub judge: SurerJudge,
    /// What the one before it said.
    pub first: Outcome,
    /// What the surer one says.
    pub then: Outcome,
    /// What stands behind its word.
    pub detail: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a candidate was {} at first, and {} says {}: {}",
            self.first,
            self.judge.title(),
            self.then,
            self.detail
        )
    }
}

/// One entry of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The run directory exists; the frozen configuration lies beside the journal.
    RunStarted {
        /// Schema of the journal.
        schema: u32,
        /// The program's version.
        version: String,
        /// The bug that is worked on.
        bug: BugId,
        /// Name of the sandbox in force.
        sandbox: String,
    },
    /// The baseline is known.
    Baseline {
        /// Tests that passed.
        passing: usize,
        /// Tests that fail and must pass.
        triggering: Vec<TestId>,
        /// Tests set aside, each with the reason.
        set_aside: Vec<(TestId, String)>,
        /// The bug-located file.
        located: Option<RepoPath>,
        /// Seconds it took.
        seconds: f64,
    },
    /// A ranking of suspicious lines was made.
    Localized {
        /// The ranking, capped.
        ranking: Ranking,
    },
    /// An agent starts.
    AgentStarted {
        /// Who and where.
        scope: Scope,
        /// Who decides for it.
        policy: Policy,
        /// Lines of the original that it is shown first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shown: Vec<(RepoPath, LineSpan)>,
    },
    /// A request leaves.
    Sent {
        /// The agent that asks, and its level.
        scope: Scope,
        /// Content key of the request.
        key: String,
        /// The request as it is sent.
        request: Value,
    },
    /// A response is on disk.
    Received {
        /// The agent that asked, and its level.
        scope: Scope,
        /// Content key of the request.
        key: String,
        /// The raw response.
        response: Value,
        /// What it cost.
        usage: Usage,
        /// Seconds from the request to the response.
        seconds: f64,
    },
    /// A request has no response, and it is known why: it was not sent, was refused, or failed for good.
    Failed {
        /// The agent that asked, and its level.
        scope: Scope,
        /// Content key of the request.
        key: String,
        /// In which way.
        how: Unanswered,
        /// The reason that it has no response.
        #[serde(flatten)]
        why: Problem,
        /// The cap, where one was the reason; absent in journals of older programs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cap: Option<Reached>,
    },
    /// A tool was called, or the call was refused.
    Observed {
        /// The agent that called it, and its level.
        scope: Scope,
        /// State of the machine before the call.
        state: String,
        /// The tool, as it was understood.
        tool: ToolName,
        /// Its arguments, as they were understood.
        args: Value,
        /// Whether the tool ran and did its work.
        ok: bool,
        /// What the agent sees next.
        observation: String,
        /// What the call changed; absent when nothing ran, and in journals of schema 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<Change>,
        /// Lines of the original code that the observation shows in full.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shown: Vec<(RepoPath, LineSpan)>,
        /// Seconds the tool took.
        seconds: f64,
    },
    /// A candidate was judged.
    Validated {
        /// Who proposed it.
        scope: Scope,
        /// The judge's word.
        outcome: Outcome,
        /// The candidate as a unified diff; empty when it did not apply.
        diff: String,
        /// What stands behind the word.
        detail: String,
        /// Template or explanation.
        origin: String,
        /// Compiler complaints, when it did not compile.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<Diagnostic>,
        /// Tests that failed under it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        failing: Vec<(TestId, Failure)>,
        /// Triggering tests that pass under it.
        #[serde(default)]
        fixed: usize,
        /// Tests that fail under a plausible candidate and failed before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        still_failing: Vec<TestId>,
        /// Seconds it took.
        seconds: f64,
    },
    /// The built-in engine searched.
    Searched {
        /// The agent that it searched for.
        scope: Scope,
        /// Candidates it made that were judged.
        candidates: usize,
        /// Seconds spent on making them.
        making: f64,
        /// Seconds of the whole search, judging included.
        seconds: f64,
    },
    /// Locator's marks were accepted.
    Marked {
        /// The agent that marked.
        scope: Scope,
        /// The places that it marked.
        marks: Vec<Mark>,
    },
    /// A patch is plausible; what comes behind it is a review.
    Repaired {
        /// Who made it.
        scope: Scope,
    },
    /// An agent ended.
    AgentEnded {
        /// The agent that ended.
        scope: Scope,
        /// How, in one phrase.
        how: String,
        /// Cycles it used.
        cycles: u32,
    },
    /// The web was searched for Helper.
    Retrieved {
        /// What was looked for.
        query: String,
        /// What left of it.
        sent: String,
        /// What came back; `null` when it failed.
        found: Value,
        /// Why it failed.
        error: Option<String>,
    },
    /// Two judges said something else of one candidate; the surer one counts.
    Disagreed(Disagreement),
    /// Something a reader should know that changed nothing.
    Notice {
        /// A sentence for people.
        text: String,
    },
    /// The run is over; the report holds the same.
    Finished {
        /// The `--json` object of the run.
        report: Value,
    },
}

/// Takes events as they happen: the journal, live progress, or both.
pub trait EventSink: Send + Sync {
    /// Takes one event. Returns an error when it could not be kept, which stops the run.
    ///
    /// # Errors
    /// The journal could not be written.
    fn emit(&self, event: &Event) -> std::io::Result<()>;
}

/// The scope of an event, borrowed as the event is.
macro_rules! scope_of {
    ($event:expr) => {
        match $event {
            Event::AgentStarted { scope, .. }
            | Event::Sent { scope, .. }
            | Event::Received { scope, .. }
            | Event::Failed { scope, .. }
            | Event::Observed { scope, .. }
            | Event::Validated { scope, .. }
            | Event::Searched { scope, .. }
            | Event::Marked { scope, .. }
            | Event::Repaired { scope }
            | Event::AgentEnded { scope, .. } => Some(scope),
            _ => None,
        }
    };
}

impl Event {
    /// Where it happened, of what happened in an agent run.
    pub fn scope(&self) -> Option<&Scope> {
        scope_of!(self)
    }

    /// The same, to be changed.
    pub fn scope_mut(&mut self) -> Option<&mut Scope> {
        scope_of!(self)
    }
}
