//! Escalation: FixAgent's Algorithm 1. Start reading at [`escalator`], whose loop fits one screen.

pub mod escalator;
mod filing;
pub mod level;
mod outcome;
pub mod prepare;
pub mod strategy;

pub use escalator::{Escalator, Mind, RepairError};
pub use outcome::{Repair, Verdict};
pub use strategy::{Plan, Strategy, StrategyError};
