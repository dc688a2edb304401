//! The source of suspicious files, kept beside a run's journal: a report shows the ranking on it when the checkout is gone.

use super::error::Failure;
use super::event_sinks::EventSinks;
use crate::llm::Redactor;
use crate::report::walk::SOURCES;
use crate::tools::Workbench;
use serde_json::{Map, Value};

/// Most files that are kept, the most suspicious first, and most bytes of one.
const FILES: usize = 3;
const BYTES: usize = 200_000;

/// Writes the most suspicious files, as they were before any patch, into the run directory.
///
/// # Errors
/// They cannot be written.
pub(super) fn keep(bench: &Workbench, redactor: &Redactor, event_sinks: &EventSinks) -> Result<(), Failure> {
    let files = bench.ranking.files().into_iter().filter_map(|path| bench.index.file(path));
    let small = files.filter(|file| file.text.len() <= BYTES).take(FILES);
    let sources: Map<String, Value> =
        small.map(|file| (file.path.to_string(), Value::from(redactor.text(&file.text).into_owned()))).collect();
    if sources.is_empty() { Ok(()) } else { event_sinks.save(SOURCES, Value::Object(sources).to_string().as_bytes()) }
}
