//! What an agent run may use.

use std::time::{Duration, Instant};

/// What one agent run may use beside its cycles; nothing is capped by default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// When the time of the agent or of its level is up.
    pub until: Option<Instant>,
    /// Candidates it may have judged.
    pub validations: Option<u64>,
    /// Wall time of the bug, for messages.
    pub bug: Option<Duration>,
    /// Cycles in a row without anything new.
    pub idle: Option<u32>,
}
