//! Progress of a request: what is being done becomes messages for the client that waits.

use crate::domain::{Event, EventSink, Progress, Watcher};
use crate::report::Live;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// Who hears what is done for a request. What is kept warm outlives its request, so the receiver can be replaced.
#[derive(Clone, Default)]
pub(super) struct Listener(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    live: Live,
    last: String,
    to: Option<UnboundedSender<String>>,
}

impl Listener {
    /// Sends messages here from now on.
    pub(super) fn send_to(&self, to: Option<UnboundedSender<String>>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).to = to;
    }

    /// Sends messages to where this one sends them.
    pub(super) fn follow(&self, other: &Self) {
        let to = other.0.lock().unwrap_or_else(PoisonError::into_inner).to.clone();
        self.send_to(to);
    }

    /// Hears of phases.
    pub(super) fn watcher(&self) -> Watcher {
        let own = self.clone();
        Watcher::new(move |progress: &Progress| {
            own.tell(match progress.of {
                Some(of) => format!("{}: {} of {of}", progress.phase, progress.done),
                None => progress.phase.clone(),
            });
        })
    }

    /// A message; the same is not sent twice in a row.
    fn tell(&self, message: String) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.last != message {
            if let Some(to) = &state.to {
                // Whoever asked may be gone.
                let _ = to.send(message.clone());
            }
            state.last = message;
        }
    }
}

impl EventSink for Listener {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner).live.line(event);
        if let Some(first) = line.as_deref().and_then(|line| line.lines().next()) {
            self.tell(first.to_owned());
        }
        Ok(())
    }
}
