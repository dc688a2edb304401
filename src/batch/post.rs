//! Requests of runs that are sent as batches of the vendor's: between two passes over the units, what they asked is sent
//! and its answers are collected.

use super::{BatchError, Unit};
use crate::llm::{Gate, Post, Waiting};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The senders of a batch, one for each configuration; none when requests are sent at once.
#[derive(Default)]
pub(crate) struct Posts {
    posts: Vec<Post>,
    batches: AtomicUsize,
    requests: AtomicUsize,
    done: AtomicU64,
}

impl Posts {
    /// One for each configuration of a plan, in their order.
    pub(crate) fn of(posts: Vec<Post>) -> Self {
        Self { posts, ..Self::default() }
    }

    /// What a unit knows of where its requests are left.
    pub(super) fn words(&self, unit: &Unit) -> Vec<String> {
        let post = self.posts.get(unit.configuration);
        post.map_or_else(Vec::new, |post| vec!["--requests".into(), format!("{}:{}", post.folder(), unit.folder)])
    }

    /// What is waited for.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        let (batches, requests) = (self.batches.load(Ordering::Relaxed), self.requests.load(Ordering::Relaxed));
        (batches > 0).then(|| Waiting { batches, requests, done: self.done.load(Ordering::Relaxed) })
    }

    /// Until every request that waits has come to something; gives whether there was one.
    ///
    /// # Errors
    /// The endpoint refuses to work, the folder cannot be used, or the work is to stop: what was sent stays sent.
    pub(super) async fn exchange(&self, gate: &Gate) -> Result<bool, BatchError> {
        let tell = |waiting: Waiting| {
            self.batches.store(waiting.batches, Ordering::Relaxed);
            self.requests.store(waiting.requests, Ordering::Relaxed);
            self.done.store(waiting.done, Ordering::Relaxed);
        };
        let mut any = false;
        for post in &self.posts {
            any |= tokio::select! {
                // Looked at first, so that the id of what was just sent is noted.
                biased;
                done = post.exchange(&tell) => done?,
                () = gate.closed() => return Err(BatchError::Interrupted),
            };
            tell(Waiting::default());
        }
        Ok(any)
    }
}
