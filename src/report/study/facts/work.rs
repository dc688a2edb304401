//! What agents and tools did, as sums.

use crate::domain::{AgentName, Level, Usage};
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::AddAssign;

/// An agent on a level; as text and as a key of JSON `L1 fixer`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The level.
    pub level: Level,
    /// The agent.
    pub agent: AgentName,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.level, self.agent)
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What one agent did in one run, or in many.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct AgentFacts {
    /// How often it started.
    pub started: u64,
    /// Cycles of its loop.
    pub cycles: u64,
    /// Answers that could not be read or were refused, each of which cost a cycle.
    pub invalid: u64,
    /// Of these, answers in the right form that did not hold what was asked for, so that it was asked again.
    pub resampled: u64,
    /// Requests, tokens and money.
    pub usage: Usage,
    /// Seconds waited for a model.
    pub model_seconds: f64,
    /// Seconds in tools.
    pub tool_seconds: f64,
    /// Runs whose plausible patch it made.
    pub repairs: u64,
}

impl AddAssign<&Self> for AgentFacts {
    fn add_assign(&mut self, more: &Self) {
        self.started += more.started;
        self.cycles += more.cycles;
        self.invalid += more.invalid;
        self.resampled += more.resampled;
        self.usage += more.usage;
        self.model_seconds += more.model_seconds;
        self.tool_seconds += more.tool_seconds;
        self.repairs += more.repairs;
    }
}

/// Calls of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct ToolFacts {
    /// Calls.
    pub calls: u64,
    /// Calls that did their work.
    pub ok: u64,
    /// Calls that brought a plausible patch.
    pub plausible: u64,
    /// Seconds.
    pub seconds: f64,
}

impl AddAssign for ToolFacts {
    fn add_assign(&mut self, more: Self) {
        self.calls += more.calls;
        self.ok += more.ok;
        self.plausible += more.plausible;
        self.seconds += more.seconds;
    }
}
