//! What one pass of the levels works with.

use super::caps::Spent;
use crate::agent::policy::SharedEngine;
use crate::domain::Scope;
use crate::tools::Workbench;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The bug and the engine that goes on where the agent before stopped.
pub(super) struct Work<'b> {
    pub(super) bench: &'b Workbench,
    pub(super) engine: SharedEngine<'b>,
    /// What the present pass of a level has used.
    pub(super) spent: Spent,
    /// Candidates that were judged before it.
    pub(super) judged: u64,
    /// How often each agent worked in each place.
    pub(super) visits: Mutex<HashMap<Scope, u32>>,
}

impl Work<'_> {
    /// The place with the number of this visit to it.
    pub(super) fn visited(&self, scope: Scope) -> Scope {
        let mut visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner);
        let visit = visits.entry(scope.clone()).or_insert(0);
        *visit += 1;
        Scope { visit: *visit, ..scope }
    }
}
