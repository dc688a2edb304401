//! A gate that can be closed: requests on their way are waited for, because they are paid for; no new one leaves.

use super::{Answer, ChatModel, ModelError, Query};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Open until it is closed, for all models behind it.
#[derive(Debug, Default)]
pub struct Gate {
    closed: AtomicBool,
    closing: Notify,
    on_their_way: AtomicUsize,
    back: Notify,
}

impl Gate {
    /// Lets no further request pass.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.closing.notify_waiters();
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Waits until it is closed.
    pub async fn closed(&self) {
        let closing = self.closing.notified();
        if !self.is_closed() {
            closing.await;
        }
    }

    /// Counts something as on its way until the result is dropped: a request, or a process that makes some.
    pub fn enter(&self) -> Away<'_> {
        self.on_their_way.fetch_add(1, Ordering::SeqCst);
        Away(self)
    }

    /// Waits until nothing is on its way.
    pub async fn empty(&self) {
        loop {
            let back = self.back.notified();
            if self.on_their_way.load(Ordering::SeqCst) == 0 {
                return;
            }
            back.await;
        }
    }

    /// How much is on its way.
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

/// Something on its way; it is back when this is dropped.
#[derive(Debug)]
pub struct Away<'g>(&'g Gate);

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
        if self.gate.is_closed() {
            // Whoever closed the gate ends the run: this is never answered.
            std::future::pending::<()>().await;
        }
        let _away = self.gate.enter();
        self.inner.ask(query).await
    }
}
