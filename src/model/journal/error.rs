//! What can be wrong with a run directory or its journal.

use camino::Utf8PathBuf;

/// Why a journal cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused.
    #[error("cannot {doing} `{path}`: {cause}")]
    Io {
        /// What was tried: `write`, `create`.
        doing: &'static str,
        /// File or folder.
        path: Utf8PathBuf,
        /// The error of the system.
        cause: std::io::Error,
    },
    /// Another process works on this run.
    #[error("the run `{path}` is owned by {owner}")]
    Owned {
        /// The run directory.
        path: Utf8PathBuf,
        /// Process and host, as the owner wrote them.
        owner: String,
    },
    /// The directory holds a run already.
    #[error("`{path}` holds a run already")]
    Used {
        /// The run directory.
        path: Utf8PathBuf,
    },
    /// The directory holds no journal.
    #[error("`{path}` is no run directory: it holds no run")]
    NoRun {
        /// What was given.
        path: Utf8PathBuf,
    },
    /// A record is damaged that was whole once: what follows cannot be trusted.
    #[error("`{path}`:{line}: damaged record ({what}); {good} records before it are good")]
    Damaged {
        /// The journal.
        path: Utf8PathBuf,
        /// Line counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
        /// Records before it.
        good: usize,
    },
    /// A newer program wrote it.
    #[error(
        "`{path}` was written by unidebug {version} with schema {schema}, and this is {} with schema {}",
        env!("CARGO_PKG_VERSION"), super::SCHEMA
    )]
    Newer {
        /// The journal.
        path: Utf8PathBuf,
        /// Its schema.
        schema: u64,
        /// The version that wrote it.
        version: String,
    },
}

impl JournalError {
    /// What to do about it, in one sentence without a full stop.
    pub fn hint(&self) -> String {
        match self {
            Self::Io { .. } => "check that the folder exists, is writable and has space".into(),
            Self::Owned { .. } => "wait for it, or end that process".into(),
            Self::Used { path } => format!("go on with `unidebug resume {path}`, or choose another folder"),
            Self::NoRun { .. } => "give the folder that `unidebug run` named".into(),
            Self::Damaged { path, .. } => {
                let folder = path.parent().unwrap_or(path);
                format!(
                    "restore the file, or go on without its damaged records with `unidebug resume {folder} --repair`"
                )
            }
            Self::Newer { version, .. } => format!("use unidebug {version} or newer"),
        }
    }

    pub(super) fn io(doing: &'static str, path: impl Into<Utf8PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Io { doing, path, cause }
    }
}
