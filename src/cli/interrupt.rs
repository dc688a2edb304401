//! Ctrl-C: once saves and stops, twice stops at once. Signals belong to the process, and so does what is kept here.

use super::error::Failure;
use super::tell;
use crate::llm::Gate;
use camino::Utf8Path;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

static GATE: LazyLock<Arc<Gate>> = LazyLock::new(Arc::default);
static WAY_BACK: OnceLock<String> = OnceLock::new();

/// How long answers on their way are waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// The gate that all requests of this process pass.
pub fn gate() -> Arc<Gate> {
    GATE.clone()
}

/// Notes the run directory, to name it when the run is interrupted.
pub fn note_folder(folder: &Utf8Path) {
    // A process runs one bug; were it more, the first is as good as any to be named.
    let _ = WAY_BACK.set(format!("everything that was paid for is kept; go on with `unidebug resume {folder}`"));
}

/// Notes that a batch has begun.
pub fn note_batch() {
    let _ = WAY_BACK.set("everything is kept; the same command goes on where this one stopped".to_owned());
}

/// How to go on after an interruption.
pub fn way_back() -> &'static str {
    WAY_BACK.get().map_or("nothing was begun that could be gone on with", String::as_str)
}

/// Does the work until it is done or interrupted. At the first signal answers that are paid for are still taken; the
/// sandbox's processes end with the work, and the journal keeps what was written.
///
/// # Errors
/// The work's own; an interruption.
pub async fn interruptible(work: impl Future<Output = Result<u8, Failure>>) -> Result<u8, Failure> {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        outcome = &mut work => return outcome,
        () = asked_to_stop() => {}
    }
    GATE.close();
    let away = GATE.on_their_way();
    if away > 0 {
        tell(&format!("stopping: waiting for {away} answers that are paid for; Ctrl-C again stops at once"));
    }
    tokio::select! {
        biased;
        // The work is looked at first, so that an answer that is back is in the journal before anything ends.
        outcome = &mut work => return outcome,
        () = GATE.empty() => {}
        () = tokio::time::sleep(PATIENCE) => {}
        () = asked_to_stop() => {}
    }
    Err(Failure::interrupted(way_back()))
}

async fn asked_to_stop() {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let waiting = kinds.into_iter().filter_map(|kind| signal(kind).ok()).map(|mut signal| {
        Box::pin(async move {
            signal.recv().await;
        })
    });
    let waiting: Vec<_> = waiting.collect();
    if waiting.is_empty() {
        return std::future::pending().await;
    }
    futures::future::select_all(waiting).await;
}
