//! The durable event log of a run: what everything else about the run is derived from.
//!
//! One record is one line, `crc32 in hex, space, JSON`; the first carries the schema. A response that was paid for is
//! on the disk before anybody acts on it, so that a killed run buys nothing twice. Reports, resume and replay are
//! readers of the same file.

mod claim;
mod compare;
mod error;
pub mod failpoint;
mod heard;
mod history;
mod known;
mod past;
mod read;
mod repair;
mod run_dir;
mod tee;
mod write;

pub use claim::LOCK;
pub use compare::{Comparison, Divergence};
pub use error::JournalError;
pub use heard::{last_event, last_heard};
pub use history::{History, Paid};
pub use past::{Past, PastCall};
pub use repair::{Repaired, repair};
pub use run_dir::RunDir;
pub use tee::Tee;
pub use write::{Journal, Scrub};

/// Schema of the records this program writes; older ones are read, newer ones refused.
pub const SCHEMA: u32 = 3;

#[cfg(test)]
mod tests;
