//! How the work on one bug ends.

use crate::domain::{AgentName, Choice, Level, PatchAttempt, PolicyKind, Reached};

/// How a bug's run ended.
#[derive(Debug)]
pub enum RunVerdict {
    /// A patch passed everything.
    Plausible(Box<Repair>),
    /// No test was found that shows what an issue reports.
    NotReproduced {
        /// What was said last of it.
        why: String,
    },
    /// All that was asked for was tried.
    NoRepair {
        /// What the agents said last.
        analysis: Option<String>,
    },
    /// A cap was reached first.
    StoppedAtCap {
        /// Which.
        cap: Reached,
    },
}

/// A plausible patch and who made it.
#[derive(Debug)]
pub struct Repair {
    /// The patch with the judge's answer.
    pub attempt: PatchAttempt,
    /// Further plausible patches of the same agent run, best first.
    pub others: Vec<PatchAttempt>,
    /// On which level.
    pub level: Level,
    /// By which agent.
    pub agent: AgentName,
    /// Decided by whom.
    pub policy: PolicyKind,
    /// In which attempt, from 1.
    pub number: u32,
    /// Whether it repairs a part of the failing tests alone, which is taken for one bug since no candidate repairs all.
    pub is_of_part: bool,
    /// How drawn inputs tell it and the others apart, where that was asked for and there are others.
    pub choice: Option<Choice>,
    /// What FixerPro says of it, as its author or its reviewer.
    pub analysis: Option<String>,
}
