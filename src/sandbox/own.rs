//! This program, started again. It is no foreign code: it keeps its environment and needs no isolation; what it starts in
//! turn is isolated by itself.

use super::{SandboxError, spawner};
use camino::Utf8Path;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::process::Stdio;
use tokio::process::Command;

/// How the program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it printed on stdout.
    pub stdout: String,
}

/// Runs this program with these arguments; what it says on stderr is added to a file. When `stop` comes it is asked to
/// save and stop, and waited for. It is killed when the caller stops waiting; when the caller is killed it finishes its
/// own work, under its own locks.
///
/// # Errors
/// The program or the file cannot be opened.
pub async fn own(args: &[String], log: &Utf8Path, stop: impl Future<Output = ()>) -> Result<ProcessEnd, SandboxError> {
    let io = |what| move |source| SandboxError::Io { what, source };
    let program = std::env::current_exe().map_err(io("finding this program"))?;
    let log = File::options().create(true).append(true).open(log).map_err(io("opening a log"))?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
    let child = spawner::spawn(command).await.map_err(io("starting this program again"))?;
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    let mut done = std::pin::pin!(child.wait_with_output());
    let done = tokio::select! {
        // Looked at first: once it has ended its number may be another process's.
        biased;
        done = &mut done => done,
        () = stop => {
            if let Some(id) = id {
                // It can have ended in this moment; then there is nothing to stop.
                let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
            }
            done.await
        }
    };
    let done = done.map_err(io("waiting for this program"))?;
    Ok(ProcessEnd { code: done.status.code(), stdout: String::from_utf8_lossy(&done.stdout).into_owned() })
}

/// Whether [`trusted`] finds a program: a scheduler's often lies in a folder that only the caller's `PATH` names.
pub fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Runs a program of the machine's own, such as a scheduler's, with the caller's environment.
///
/// # Errors
/// It cannot be started.
pub async fn trusted(program: &str, args: &[String]) -> Result<ProcessEnd, SandboxError> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
    let spawned = spawner::spawn(command).await;
    let child = spawned.map_err(|source| SandboxError::Spawn { program: program.to_owned(), source })?;
    let waited = child.wait_with_output().await;
    let done = waited.map_err(|source| SandboxError::Io { what: "waiting for a program", source })?;
    Ok(ProcessEnd { code: done.status.code(), stdout: String::from_utf8_lossy(&done.stdout).into_owned() })
}
