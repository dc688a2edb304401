//! What an agent believes about the cause.

use serde::{Deserialize, Serialize};

/// A stated cause, expressed and then kept or discarded (RepairAgent, section III-C4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// What is believed, in the agent's words.
    pub text: String,
    /// Why it was discarded; `None` while it stands.
    pub refuted: Option<String>,
}
