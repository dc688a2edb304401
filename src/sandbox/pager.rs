//! The user's pager. It is the user's own program on the user's own terminal, and is shown text; nothing is isolated.

use super::SandboxError;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Shown without a pager of the user's choice.
const DEFAULT: &str = "less";
/// As git sets it: end at once when all fits on the screen, pass colours on, leave the text there.
const LESS: &str = "FRX";

/// Shows a text in `$PAGER`, or in `less`, and waits until its reader has read enough. Says whether there was one: an
/// empty `$PAGER` or `cat` is the wish for none, and without `less` there is none.
///
/// # Errors
/// The pager that was chosen cannot be started.
pub async fn show(text: &str) -> Result<bool, SandboxError> {
    let chosen = std::env::var("PAGER").ok();
    let line = chosen.as_deref().unwrap_or(DEFAULT);
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((program, args)) = words.split_first().filter(|(program, _)| **program != "cat") else { return Ok(false) };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && chosen.is_none() => return Ok(false),
        Err(source) => return Err(SandboxError::Spawn { program: (*program).to_owned(), source }),
    };
    if let Some(mut pipe) = child.stdin.take() {
        // A reader who has read enough closes the pipe.
        let _ = pipe.write_all(text.as_bytes()).await;
    }
    child.wait().await.map_err(|source| SandboxError::Io { what: "waiting for the pager", source })?;
    Ok(true)
}
