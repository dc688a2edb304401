//! One stream of events, several readers.

use crate::domain::{Event, EventSink};
use std::sync::Arc;

/// Hands every event to several sinks, in their order. Put the journal first: what it refuses, nobody else sees.
#[derive(Clone)]
pub struct Tee {
    sinks: Vec<Arc<dyn EventSink>>,
}

impl Tee {
    /// A sink over sinks.
    pub fn new(sinks: Vec<Arc<dyn EventSink>>) -> Self {
        Self { sinks }
    }
}

impl EventSink for Tee {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        self.sinks.iter().try_for_each(|sink| sink.emit(event))
    }
}
