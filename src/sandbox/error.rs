//! Why nothing was started.

/// Why no process could be started, or none may be.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No isolation works here, and none was not asked for.
    #[error("no sandbox works on this machine: {what}")]
    Unavailable {
        /// What was tried, and its error.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The program is not on the allow-listed PATH or not executable.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// Which program.
        program: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A pipe or a wait failed.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// The cause.
        source: std::io::Error,
    },
}

impl SandboxError {
    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Unavailable { hint, .. } => hint.clone(),
            Self::Spawn { program, .. } => format!("install `{program}`, or put it on the PATH"),
            Self::Io { .. } => "check limits of processes and open files, then run it again".into(),
        }
    }
}

unidebug_base::reasons! {
    /// Why one kind of isolation does not work on this machine.
    pub(crate) struct NotHere;
}

impl From<std::io::Error> for NotHere {
    fn from(error: std::io::Error) -> Self {
        error.to_string().into()
    }
}
