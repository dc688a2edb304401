//! The levels as data: which agents work on which rung, in which order. The loop over them is in
//! [`super::escalator`].

use crate::domain::Level;

/// A step of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Agents that work at the same time, each with the case file as it stood before.
    Together(&'static [&'static str]),
    /// One agent once for each bug-related file, several at the same time.
    PerFile(&'static str),
}

use Stage::{PerFile, Together};

const LOCATOR: Stage = Together(&["locator"]);
const FIXER: Stage = Together(&["fixer"]);
const FIXER_PRO: Stage = Together(&["fixer_pro"]);
const SLICER: Stage = Together(&["slicer"]);

/// The agent that reviews a plausible patch.
pub const REVIEWER: &str = "fixer_pro";

/// The crew of a level, stage by stage (FixAgent, section 3.2 and Algorithm 1).
pub fn crew(level: Level) -> &'static [Stage] {
    match level {
        Level::First | Level::L1 => &[LOCATOR, FIXER],
        Level::L2 => &[Together(&["slicer", "summarizer"]), LOCATOR, FIXER, FIXER_PRO],
        Level::L3 => &[Together(&["helper", "repo_focus"]), PerFile("summarizer"), SLICER, LOCATOR, FIXER, FIXER_PRO],
        // Reversed order with cascades: whoever answers again, all behind it answer again too.
        Level::Refine => &[
            FIXER_PRO, //
            FIXER, FIXER_PRO, //
            LOCATOR, FIXER, FIXER_PRO, //
            SLICER, LOCATOR, FIXER, FIXER_PRO,
        ],
    }
}

/// Levels that can be asked for.
pub const OFFERED: &[Level] = &[Level::L1, Level::L2, Level::L3];

/// The rungs of one attempt: what was asked for, and refinement after level 3.
pub fn rungs(asked: &[Level]) -> Vec<Level> {
    let refine = asked.contains(&Level::L3).then_some(Level::Refine);
    asked.iter().copied().chain(refine).collect()
}

/// Whether a plausible patch of the level is reviewed.
pub fn is_reviewed(level: Level) -> bool {
    matches!(level, Level::L2 | Level::L3)
}
