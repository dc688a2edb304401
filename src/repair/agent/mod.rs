//! Agents: each is a RepairAgent, a cycle of query → middleware → tool → memory under an enforced state machine.
//!
//! Start reading at [`cycle`], whose loop fits one screen. [`fsm`] is a pure function over a [`profile`]'s table;
//! [`middleware`] mends or refuses what a model asks for; [`policy`] decides the next command, with a model or
//! without one; [`contract`] says when an answer is usable. What an agent is shown first is made by [`evidence`].

pub mod ablation;
pub mod answer;
pub(crate) mod contract;
pub(crate) mod cycle;
mod early;
mod error;
pub mod evidence;
pub(crate) mod fsm;
pub(crate) mod limits;
pub(crate) mod marks;
pub(crate) mod memory;
pub mod mend;
pub(crate) mod middleware;
pub mod policy;
pub mod profile;
mod recall;

pub use cycle::{AgentOutcome, AgentRun};
pub use error::AgentError;
