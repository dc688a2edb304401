//! The only place that starts a process.
//!
//! Every compile, test, build-tool and analysis command goes through [`Sandbox::run`]: environment allow-list, limits,
//! deadline, whole-tree kill, and bubblewrap without network where it works. Nothing a model or a repository says
//! becomes a shell command: a [`Job`] is a program and its arguments.

use camino::Utf8PathBuf;
use std::time::Duration;

/// What a job may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Wall time; at its end the whole process tree is killed.
    pub wall: Duration,
    /// Memory of the job in MiB, as far as the back-end can hold it.
    pub memory_mib: u64,
    /// Bytes of stdout and of stderr that are kept, half from the head and half from the tail.
    pub output_bytes: usize,
}

/// A program to run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program, absolute or found on the allow-listed PATH.
    pub program: String,
    /// Its arguments, as they are: no shell reads them.
    pub args: Vec<String>,
    /// Working directory.
    pub cwd: Utf8PathBuf,
    /// Variables added to the allow-list.
    pub env: Vec<(String, String)>,
    /// Folders it may write (its working directory is not among them unless named).
    pub writable: Vec<Utf8PathBuf>,
    /// Files and folders that must stay readable although they lie below a hidden folder.
    pub readable: Vec<Utf8PathBuf>,
    /// Whether the network may be reached: only for set-up of dependencies, never for a candidate.
    pub network: bool,
    /// Limits.
    pub limits: Limits,
    /// Whether a private pipe for results is passed as descriptor 3.
    pub results: bool,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Its exit code.
    Code(i32),
    /// The signal that ended it.
    Signal(i32),
    /// It was killed at its deadline.
    TimedOut,
}

/// What is left of a job.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// Kept part of its standard output.
    pub stdout: Vec<u8>,
    /// Kept part of its standard error.
    pub stderr: Vec<u8>,
    /// All bytes of descriptor 3, when it was asked for (bounded).
    pub results: Vec<u8>,
    /// Wall time.
    pub wall: Duration,
}

/// Which isolation is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The strongest that works here.
    #[default]
    Auto,
    /// Bubblewrap or nothing.
    Bubblewrap,
    /// None; only when typed.
    None,
}
