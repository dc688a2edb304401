//! The levels as data: which agents work on which rung, in which order; agents of one stage work at the same time.

use crate::domain::Level;

/// Agents that work at the same time.
pub type Stage = &'static [&'static str];

/// The crew of a level, stage by stage.
pub fn crew(level: Level) -> &'static [Stage] {
    match level {
        Level::First | Level::L1 => &[&["locator"], &["fixer"]],
        // Their agents come with their own issue; until then these rungs are empty and are not offered.
        Level::L2 | Level::L3 | Level::Refine => &[],
    }
}

/// Levels that can be asked for.
pub const OFFERED: &[Level] = &[Level::L1];
