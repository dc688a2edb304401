//! A model that can be closed: requests on their way are waited for, because they are paid for; no new one leaves.

use super::{Answer, ChatModel, ModelError, Query};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Open until it is closed, for all models behind it.
#[derive(Debug, Default)]
pub struct Gate {
    closed: AtomicBool,
    on_their_way: AtomicUsize,
    back: Notify,
}

impl Gate {
    /// Lets no further request pass.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// Waits until no request is on its way.
    pub async fn empty(&self) {
        loop {
            let back = self.back.notified();
            if self.on_their_way.load(Ordering::SeqCst) == 0 {
                return;
            }
            back.await;
        }
    }

    /// How many requests are on their way.
    pub fn on_their_way(&self) -> usize {
        self.on_their_way.load(Ordering::SeqCst)
    }
}

/// A model behind a gate.
pub struct Gated {
    inner: Arc<dyn ChatModel>,
    gate: Arc<Gate>,
}

impl Gated {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn ChatModel>, gate: Arc<Gate>) -> Self {
        Self { inner, gate }
    }
}

/// A request on its way; it is back when this is dropped.
struct Away<'g>(&'g Gate);

impl Drop for Away<'_> {
    fn drop(&mut self) {
        self.0.on_their_way.fetch_sub(1, Ordering::SeqCst);
        self.0.back.notify_waiters();
    }
}

#[async_trait::async_trait]
impl ChatModel for Gated {
    fn endpoint(&self) -> String {
        self.inner.endpoint()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        if self.gate.closed.load(Ordering::SeqCst) {
            // Whoever closed the gate ends the run: this is never answered.
            std::future::pending::<()>().await;
        }
        self.gate.on_their_way.fetch_add(1, Ordering::SeqCst);
        let _away = Away(&self.gate);
        self.inner.ask(query).await
    }
}
