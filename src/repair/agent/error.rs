//! Why an agent run is broken off. What an agent does not find is no error.

use crate::domain::Problem;
use crate::domain::Reached;
use crate::llm::ModelError;
use crate::prompt::PromptError;
use crate::tools::ToolError;

/// Why an agent run was broken off.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A cap was reached; the run stopped, it did not fail.
    #[error("{0}")]
    StoppedAtCap(Reached),
    /// The request waits for the next batch of requests: the run stops, and goes on when the answer is there.
    #[error("{0}")]
    Deferred(String),
    /// A cap of a call, an agent or a level was reached: this agent is over, the run is not.
    #[error("{0}")]
    Spent(Problem),
    /// The built-in engine has nothing to go by, and why: this agent is over, the run is not.
    #[error("{0}")]
    Nothing(String),
    /// The model cannot be asked any more.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A tool found the environment broken.
    #[error(transparent)]
    Tool(ToolError),
    /// A prompt cannot be made.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The journal cannot be written.
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] std::io::Error),
}
