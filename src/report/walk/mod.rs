//! A run as it was worked on: agent by agent, cycle by cycle, with what each was asked, answered, did and saw.
//!
//! Everything is read off the journal. What a run came to in figures is [`study`](super::study)'s; here is how it came
//! there, as text, as a page, and in the forms that readers of other tools take ([`export`]).

mod axis;
pub(crate) mod export;
mod gather;
mod heat;
mod page;
mod sides;
mod text;
mod words;

pub(crate) use axis::Moment;
pub(crate) use page::html;
pub(crate) use text::text;

use super::study::RunFacts;
use crate::domain::{Mark, Outcome, PolicyKind, Ranking, RepoPath, Scope, TestId, ToolName, Usage};
use serde::Serialize;
use serde_json::Value;

/// The file of a run directory that holds the source of suspicious files, by path.
pub(crate) const SOURCES: &str = "sources.json";

/// Schema of [`Walk`] as JSON.
pub(crate) const SCHEMA: u32 = 2;

/// One run, from its baseline to its end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Walk {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What it came to.
    #[serde(flatten)]
    pub facts: RunFacts,
    /// What the tests said before anything was changed.
    pub baseline: Option<Baseline>,
    /// Where to look, as the agents were told.
    pub ranking: Option<Ranking>,
    /// The agents, in the order in which they began.
    pub runs: Vec<AgentRun>,
    /// What took time, in the order in which it ended.
    #[serde(skip)]
    pub moments: Vec<Moment>,
    /// The source of the most suspicious files, where it was kept.
    #[serde(skip)]
    pub sources: Vec<(RepoPath, String)>,
}

/// The tests before anything was changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Baseline {
    /// Tests that passed.
    pub passing: usize,
    /// Tests that fail and must pass.
    pub triggering: Vec<TestId>,
    /// Tests set aside, each with the reason.
    pub set_aside: Vec<(TestId, String)>,
    /// The bug-located file.
    pub located: Option<RepoPath>,
    /// Seconds it took.
    pub seconds: f64,
}

/// One agent at work, from its first prompt to its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AgentRun {
    /// Who and where; the cycle in it is 0.
    pub scope: Scope,
    /// Who decided for it; `None` when the journal does not tell.
    pub policy: Option<PolicyKind>,
    /// Its cycles, in order.
    pub cycles: Vec<Cycle>,
    /// Lines it marked.
    pub marks: Vec<Mark>,
    /// What the built-in engine searched for it: candidates and seconds.
    pub searched: Option<(usize, f64)>,
    /// How it ended, in one phrase; `None` when the run stopped before.
    pub ended: Option<String>,
}

impl AgentRun {
    /// What it cost.
    pub(crate) fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        self.cycles.iter().for_each(|cycle| sum += cycle.usage());
        sum
    }

    /// Where it stands and who it is: `L2 fixer`, `attempt 2 L1 locator`.
    pub(crate) fn place(&self) -> String {
        place(&self.scope)
    }

    /// Who decided, in words.
    pub(crate) fn decided_by(&self) -> &'static str {
        self.policy.map_or("", PolicyKind::title)
    }
}

fn place(scope: &Scope) -> String {
    let Scope { attempt, level, agent, focus, .. } = scope;
    let attempt = if *attempt > 1 { format!("attempt {attempt} ") } else { String::new() };
    let focus = focus.as_ref().map_or_else(String::new, |file| format!(" on {file}"));
    format!("{attempt}{level} {agent}{focus}")
}

/// One turn of an agent's loop: question, answer, tool, observation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Cycle {
    /// Its number, from 1; 0 for what happened outside any.
    pub number: u32,
    /// What a model was asked: first the agent's own question, then what its tool asked besides.
    pub queries: Vec<Query>,
    /// The tools that were called.
    pub calls: Vec<Call>,
    /// The candidates that were judged.
    pub candidates: Vec<Candidate>,
}

impl Cycle {
    /// What it cost.
    pub(crate) fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        self.queries.iter().filter_map(|query| query.answer.as_ref()).for_each(|answer| sum += answer.usage);
        sum
    }

    /// The answer to the agent's own question.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.queries.first()?.answer.as_ref()
    }
}

/// A question to a model and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Query {
    /// The request as it was sent.
    pub request: Value,
    /// The answer, when one came.
    pub answer: Option<Answer>,
    /// Why none came.
    pub failed: Option<String>,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Answer {
    /// Its text.
    pub text: String,
    /// What it told of its thinking besides, where the endpoint passes that on.
    pub reasoning: String,
    /// Tools it called in the endpoint's own form, as they came.
    pub native: Vec<Value>,
    /// What it cost.
    pub usage: Usage,
    /// Seconds waited for it.
    pub seconds: f64,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Call {
    /// State of the machine before it.
    pub state: String,
    /// The tool; empty when the answer could not be read.
    pub tool: ToolName,
    /// Its arguments, as they were understood.
    pub args: Value,
    /// Whether it ran and did its work.
    pub ok: bool,
    /// What the agent saw next.
    pub observation: String,
    /// Seconds it took.
    pub seconds: f64,
}

/// A patch that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Candidate {
    /// The judge's word.
    pub outcome: Outcome,
    /// The patch; empty when it did not apply.
    pub diff: String,
    /// What stands behind the word.
    pub detail: String,
    /// Template or explanation.
    pub origin: String,
    /// Seconds it took.
    pub seconds: f64,
}
