//! Many runs: a frozen plan, units that are run directories, workers that take them. Nothing else is kept: how far a
//! batch is, and what it came to, is read from its folder.

mod cap;
mod cluster;
mod kubernetes;
mod merge;
mod pack;
mod plan;
mod post;
mod unit;
mod watch;
mod work;

pub(crate) use cap::{limit, standing, standing_text};
pub(crate) use cluster::{Spread, commands, submit};
pub(crate) use kubernetes::{Pod, Volume, job};
pub(crate) use merge::{Merged, merge};
pub(crate) use pack::{pack, unlike};
pub(crate) use plan::{Configuration, Plan, PlanFile, Unit};
pub(crate) use post::Posts;
pub(crate) use unit::{State, Trouble};
pub(crate) use watch::{Progress, Running, progress};
pub(crate) use work::{Shard, Worker, forgive, left};

use crate::journal::JournalError;
use crate::llm::PostError;
use crate::sandbox::SandboxError;
use camino::Utf8PathBuf;

/// Why a batch cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BatchError {
    /// The plan is wrong.
    #[error("the plan is wrong: {what}")]
    Plan {
        /// What is wrong.
        what: String,
    },
    /// The folder belongs to a batch with another plan.
    #[error("{folder} holds a batch with another plan")]
    Other {
        /// The folder that holds it.
        folder: Utf8PathBuf,
    },
    /// The folder holds no batch.
    #[error("{folder} holds no batch")]
    None {
        /// The folder that was named.
        folder: Utf8PathBuf,
    },
    /// The arguments of a configuration are wrong.
    #[error("{unit} cannot be run: {message}")]
    Usage {
        /// The unit that showed it.
        unit: String,
        /// What the program said.
        message: String,
    },
    /// Two batches that do not belong together.
    #[error("{what}")]
    Merge {
        /// What does not fit.
        what: String,
    },
    /// What all units together may use is used up.
    #[error("{what}")]
    Cap {
        /// The cap that is reached, with its value.
        what: String,
    },
    /// Answers of a vendor's batch cannot be had.
    #[error(transparent)]
    Post(#[from] PostError),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// Pods would not see the batch.
    #[error("{what}")]
    Volume {
        /// What is not seen.
        what: String,
    },
    /// The scheduler said no.
    #[error("{what}")]
    Scheduler {
        /// What it said.
        what: String,
    },
    /// Reading or writing failed.
    #[error("{what} ({path}): {source}")]
    Io {
        /// What was done.
        what: &'static str,
        /// The file or folder it was done on.
        path: Utf8PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A run directory cannot be taken into possession.
    #[error(transparent)]
    Run(#[from] JournalError),
    /// A process could not be started.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl BatchError {
    /// What to do.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Plan { .. } => "see `unidebug bench run --help` for the form of a plan",
            Self::Other { .. } => "go on with it by the same plan, or choose another folder with --out",
            Self::None { .. } => "begin one with `unidebug bench run SET --out DIR`",
            Self::Usage { .. } => "what stands behind `--`, or in `args`, is typed behind `unidebug run BUG`",
            Self::Merge { .. } => "merge parts of one plan",
            Self::Cap { .. } => {
                "everything is kept; the same command goes on, with a higher --total-cost, --total-tokens or --total-time"
            }
            Self::Post(_) => "everything is kept; the same command goes on, and collects what was sent",
            Self::Interrupted => "everything is kept; the same command goes on where this one stopped",
            Self::Volume { .. } => "mount what holds it, at the path that it has here: `--volume CLAIM:/FOLDER`",
            Self::Scheduler { .. } => "try the printed command by hand",
            Self::Io { .. } | Self::Run(_) => "check free space and permissions, then run it again",
            Self::Sandbox(_) => "check that the program can start processes here",
        }
    }
}
