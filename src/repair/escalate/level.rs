//! The levels as data: a strategy names which agents work on which level, in which order. The loop over them is in
//! [`super::escalator`].

use crate::domain::{AgentName, InvalidValue, Level};
use serde::Deserialize;

/// A step of a level.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Stage {
    /// Agents that work at the same time, each with the case file as it stood before.
    Together(Vec<AgentName>),
    /// One agent once for each bug-related file, several at the same time.
    PerFile {
        /// Which agent.
        each_file: AgentName,
        /// Whether it also works on files that it worked on before.
        #[serde(default)]
        again: bool,
    },
}

impl Stage {
    /// A stage of agents that work at the same time.
    pub fn together(agents: &[&str]) -> Self {
        Self::Together(agents.iter().map(|agent| AgentName::from(*agent)).collect())
    }

    /// The agents of the stage.
    pub(crate) fn agents(&self) -> &[AgentName] {
        match self {
            Self::Together(agents) => agents,
            Self::PerFile { each_file, .. } => std::slice::from_ref(each_file),
        }
    }

    /// The stage without the agents that are left out; nothing when none is left.
    pub fn without(&self, gone: impl Fn(&AgentName) -> bool) -> Option<Self> {
        let stage = match self {
            Self::Together(agents) => Self::Together(agents.iter().filter(|agent| !gone(agent)).cloned().collect()),
            per_file => per_file.clone(),
        };
        let empty = stage.agents().iter().all(gone);
        (!empty).then_some(stage)
    }
}

/// Levels that can be asked for.
pub const OFFERED: &[Level] = &[Level::L1, Level::L2, Level::L3];

/// The level that a strategy's file names: `First`, `L1`, `L2`, `L3`, `refine`.
///
/// # Errors
/// A sentence that names the known ones.
pub(crate) fn named(text: &str) -> Result<Level, InvalidValue> {
    match text {
        "First" => Ok(Level::First),
        "refine" => Ok(Level::Refine),
        _ => OFFERED
            .iter()
            .copied()
            .find(|level| level.label() == text)
            .ok_or_else(|| format!("`{text}` is no level; there are First, L1, L2, L3, refine").into()),
    }
}
