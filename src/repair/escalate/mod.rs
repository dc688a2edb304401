//! Escalation: FixAgent's Algorithm 1. Start reading at [`escalator`], whose loop fits one screen.

mod builder;
pub(crate) mod caps;
mod choose;
pub(crate) mod escalator;
mod filing;
pub mod level;
mod needless;
mod outcome;
mod part;
pub mod prepare;
pub mod preview;
mod reproduce;
mod smaller;
pub mod strategy;
mod view;
mod work;

pub use builder::{BuildError, Builder};
pub use caps::{PartCap, PartCaps};
pub use choose::compared;
pub use escalator::{Decider, Escalator, RepairError};
pub use outcome::{Repair, RunVerdict};
pub use reproduce::{REPRODUCER, Shown};
pub use strategy::{Plan, Strategy, StrategyError, Temperatures};
