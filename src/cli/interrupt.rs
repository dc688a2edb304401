//! Ctrl-C: once saves and stops, twice stops at once. Signals belong to the process, and so does what is kept here.

use super::error::Failure;
use super::tell;
use crate::domain::words::counted;
use crate::llm::Gate;
use camino::Utf8Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

static GATE: LazyLock<Arc<Gate>> = LazyLock::new(Arc::default);
static WAY_BACK: OnceLock<String> = OnceLock::new();
static IS_BATCH: AtomicBool = AtomicBool::new(false);

/// How long answers on their way are waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// How much longer a batch waits for its runs, each of which has that patience.
const LONGER: Duration = Duration::from_secs(15);
/// Signals within this time are one.
/// A terminal and a scheduler signal every process of a batch, and the batch asks its runs besides.
const AT_ONCE: Duration = Duration::from_millis(500);

/// The gate that all requests of this process pass.
pub(super) fn gate() -> Arc<Gate> {
    GATE.clone()
}

/// Notes the run directory, to name it when the run is interrupted.
pub(super) fn note_folder(folder: &Utf8Path) {
    // A process runs one bug; were it more, the first is as good as any to be named.
    let _ = WAY_BACK.set(format!("everything that was paid for is kept; go on with `unidebug resume {folder}`"));
}

/// Notes the message for an interruption.
pub(super) fn note_way_back(hint: &str) {
    let _ = WAY_BACK.set(hint.to_owned());
}

/// Notes that a batch has begun.
pub(super) fn note_batch() {
    IS_BATCH.store(true, Ordering::Relaxed);
    note_way_back("everything is kept; the same command goes on where this one stopped");
}

/// How to go on after an interruption.
pub(super) fn way_back() -> &'static str {
    WAY_BACK.get().map_or("nothing was begun that could be gone on with", String::as_str)
}

/// Does the work until it is done or interrupted. At the first signal answers that are paid for are still taken; the
/// sandbox's processes end with the work, and the journal keeps what was written.
///
/// # Errors
/// The work's own; an interruption.
pub(super) async fn interruptible(work: impl Future<Output = Result<u8, Failure>>) -> Result<u8, Failure> {
    // Before the work is looked at for the first time: it may be long until it waits.
    let signals = Signals::listen();
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        outcome = &mut work => return outcome,
        () = signals.any() => {}
    }
    GATE.close();
    let (is_batch, away) = (IS_BATCH.load(Ordering::Relaxed), GATE.on_their_way());
    if away > 0 {
        let what = if is_batch {
            format!("{} to save what is paid for", counted(away, "bug"))
        } else {
            format!("{} that {} paid for", counted(away, "answer"), if away == 1 { "is" } else { "are" })
        };
        tell(&format!("stopping: waiting for {what}; Ctrl-C again stops at once"));
    }
    let patience = if is_batch { PATIENCE + LONGER } else { PATIENCE };
    tokio::select! {
        biased;
        // The work is looked at first, so that an answer that is back is in the journal before anything ends.
        outcome = &mut work => return outcome,
        () = GATE.empty() => {}
        () = tokio::time::sleep(patience) => {}
        () = asked_again() => {}
    }
    Err(Failure::interrupted(way_back()))
}

async fn asked_again() {
    tokio::time::sleep(AT_ONCE).await;
    Signals::listen().any().await;
}

/// Signals that ask the process to stop. From the moment one listens they no longer end it.
struct Signals(Vec<Signal>);

impl Signals {
    fn listen() -> Self {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        Self(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
    }

    async fn any(mut self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let waiting = self.0.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures::future::select_all(waiting).await;
    }
}
