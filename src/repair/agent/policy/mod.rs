//! Who decides the next command: a model, a recording, or the built-in engine. All drive the same machine.

mod builtin;
mod llm;
mod model_settings;
mod reading;
mod variants;

pub(crate) use builtin::shared_engine;
pub use builtin::{Builtin, EngineBudget};
pub(crate) use llm::turn_prompt;
pub use llm::{LlmPolicy, Room, system_prompt};
pub use model_settings::ModelSettings;
pub(crate) use variants::SharedEngine;

use super::error::AgentError;
use super::evidence::Evidence;
use super::memory::Memory;
use super::profile::{Profile, StateName};
use crate::domain::{CaseFile, PatchAttempt, PolicyKind, Scope, ToolName};
use crate::tools::{Registry, SideModel, Variants, Workbench};
use async_trait::async_trait;
use serde_json::Value;
use std::time::Instant;

/// What a policy sees when it decides.
pub struct CycleView<'v> {
    /// Whose tools, states and limits hold.
    pub profile: &'v Profile,
    /// The bug on the bench.
    pub bench: &'v Workbench,
    /// What is known so far.
    pub case: &'v CaseFile,
    /// What the agent is shown first.
    pub evidence: &'v Evidence,
    /// The tools that exist, each with its schema.
    pub registry: &'v Registry,
    /// The run so far.
    pub(crate) memory: &'v Memory,
    /// State of the machine.
    pub state: &'v StateName,
    /// Attempt, level, agent, cycle.
    pub scope: &'v Scope,
    /// When the bug's time is up.
    pub deadline: Instant,
}

impl CycleView<'_> {
    /// Tools of the present state.
    pub(crate) fn available(&self) -> &[ToolName] {
        self.profile.states.get(self.state).map_or(&[], |state| &state.tools)
    }
}

/// What a policy decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Call a tool; name and arguments as they were given.
    Call {
        /// The tool's name.
        name: String,
        /// A JSON object, not checked against the schema of the tool.
        args: Value,
        /// Names of further commands in the same answer, which are not run.
        not_run: Vec<String>,
    },
    /// An answer without a command: perhaps a bare diff, or marked code.
    Bare(Value),
    /// Nothing could be read, and why.
    Unreadable(String),
}

/// Chooses the next step of an agent: the built-in engine, or a model that is asked.
#[async_trait]
pub trait Policy: Send + Sync {
    /// What it is, for journal and reports.
    fn kind(&self) -> PolicyKind;

    /// The next command.
    ///
    /// # Errors
    /// The model cannot be asked, a cap is reached, the journal cannot be written.
    async fn decide(&mut self, view: &CycleView<'_>) -> Result<Decision, AgentError>;

    /// Takes note of candidates that an earlier session tried with the last decision.
    async fn recall(&mut self, _attempts: &[PatchAttempt]) {}

    /// A model for side queries of tools, when there is one.
    fn side_model(&self) -> Option<&dyn SideModel> {
        None
    }

    /// Where variants of failed candidates come from, when they are wanted.
    fn variants(&self) -> Option<&dyn Variants> {
        None
    }
}
