//! Why a bug cannot be had.

use crate::domain::BugId;
use camino::Utf8PathBuf;

/// Why a bug cannot be had; each maps to an exit code and a hint in `cli`.
#[derive(Debug, thiserror::Error)]
pub enum BenchmarkError {
    /// No such benchmark.
    #[error("no benchmark `{name}`; known: {}", known.join(", "))]
    UnknownBenchmark {
        /// What was typed.
        name: String,
        /// What exists, nearest first.
        known: Vec<String>,
    },
    /// No such bug.
    #[error("no bug `{id}`; {}", suggestions(nearest))]
    UnknownBug {
        /// What was typed.
        id: BugId,
        /// Nearest ids.
        nearest: Vec<String>,
    },
    /// The text is neither an id nor a folder.
    #[error("`{text}` is neither a bug id (`benchmark:id`) nor a directory; {}", suggestions(nearest))]
    NotABug {
        /// What was typed.
        text: String,
        /// Ids that look alike, nearest first.
        nearest: Vec<String>,
    },
    /// The benchmark has no such bug, or has it no longer, and knows more to say than its neighbours.
    #[error("{what}")]
    Absent {
        /// What there is instead.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The benchmark's folder is missing, empty or not that benchmark.
    #[error("{what} ({path})")]
    Root {
        /// What is wrong.
        what: String,
        /// Where.
        path: Utf8PathBuf,
        /// What to do.
        hint: String,
    },
    /// A program or library that is needed is not here.
    #[error("{what}")]
    Missing {
        /// What is missing.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The project's own build or set-up failed.
    #[error("{what}")]
    Setup {
        /// What failed, with the first lines of its complaint.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Reading or writing failed.
    #[error("{what}: {source} ({path})")]
    Io {
        /// What was being done.
        what: String,
        /// On which file.
        path: Utf8PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

impl BenchmarkError {
    /// What to do about it, in one sentence without a full stop.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownBenchmark { .. } => "`unidebug bugs` lists what can be run here".into(),
            Self::UnknownBug { id, .. } => format!("`unidebug bugs {}` lists them all", id.benchmark),
            Self::NotABug { .. } => "`unidebug bugs` lists ids; a project is named by its folder".into(),
            Self::Absent { hint, .. }
            | Self::Root { hint, .. }
            | Self::Missing { hint, .. }
            | Self::Setup { hint, .. } => hint.clone(),
            Self::Io { .. } => "check that the file exists and that you may read it".into(),
        }
    }
}

unidebug_base::reasons! {
    /// Why a line or a file that anybody may have written describes no bug.
    pub struct Malformed;

    /// Why a program or a library cannot be used, or be brought here.
    pub(super) struct Unusable;

    /// Why no bugs can be chosen as was asked.
    pub struct NoChoice;
}

/// The tail of a message that proposes other names.
fn suggestions(nearest: &[String]) -> String {
    if nearest.is_empty() { "nothing looks like it".into() } else { format!("nearest: {}", nearest.join(", ")) }
}
