//! Escalation: FixAgent's Algorithm 1. Start reading at [`escalator`], whose loop fits one screen.

pub mod escalator;
mod filing;
pub mod level;
pub mod prepare;

pub use escalator::{Escalator, Mind, Repair, RepairError, Verdict};
