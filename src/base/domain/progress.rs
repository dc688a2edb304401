//! How far a long phase is, for whoever waits for it.

use std::fmt;
use std::sync::Arc;

/// A phase of the work and how far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, as a phrase: `running tests`.
    pub phase: String,
    /// Steps that are done.
    pub done: usize,
    /// Steps in all, where that is known.
    pub of: Option<usize>,
}

/// Takes progress; cheap to clone. By default nobody listens.
#[derive(Clone, Default)]
pub struct Watcher(Option<Arc<Listener>>);

type Listener = dyn Fn(&Progress) + Send + Sync;

impl Watcher {
    /// One that calls a function.
    pub fn new(listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// A phase begins that has no steps.
    pub fn phase(&self, phase: impl Into<String>) {
        self.steps(phase, 0, None);
    }

    /// A phase is so far.
    pub fn steps(&self, phase: impl Into<String>, done: usize, of: Option<usize>) {
        if let Some(listener) = &self.0 {
            listener(&Progress { phase: phase.into(), done, of });
        }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watcher(..)" } else { "Watcher(nobody)" })
    }
}
