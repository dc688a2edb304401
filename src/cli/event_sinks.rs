//! Where a run's events go.

use super::error::Failure;
use super::part::Nearest;
use super::progress::Progress;
use crate::domain::{Event, EventSink, Watcher};
use crate::journal::{Journal, Past, Tee};
use crate::llm::Redactor;
use crate::report::{Manifest, Tally};
use std::sync::Arc;

/// The file that says what was sent where.
const MANIFEST: &str = "data_manifest.json";

/// Where the run's events go: journal, sums, progress.
pub(super) struct EventSinks {
    /// All of them.
    pub sink: Arc<dyn EventSink>,
    /// Sums over the run.
    pub tally: Arc<Tally>,
    /// Candidates that repair a part of the failing tests.
    pub nearest: Arc<Nearest>,
    /// Notices of earlier sessions of the run.
    pub past: Arc<Past>,
    /// What was sent where.
    pub manifest: Arc<Manifest>,
    progress: Option<Arc<Progress>>,
    journal: Option<Arc<Journal>>,
    /// Who hears of phases where no progress is printed.
    listener: Watcher,
}

impl EventSinks {
    /// To the journal of a run, to the sums, and to people unless they want quiet.
    pub(super) fn journaled(journal: Journal, past: Past, quiet: bool, redactor: &Arc<Redactor>) -> Self {
        let redactor = redactor.clone();
        let journal = Arc::new(journal.scrubbed(Arc::new(move |text| redactor.text(text))));
        let mut event_sinks = Self::to(journal.clone(), Arc::new(past), quiet);
        event_sinks.journal = Some(journal);
        event_sinks
    }

    /// To this sink first: what it refuses, nobody else hears.
    pub(super) fn to(first: Arc<dyn EventSink>, past: Arc<Past>, quiet: bool) -> Self {
        let tally = Arc::new(Tally::default());
        let (manifest, nearest) = (Arc::new(Manifest::default()), Arc::new(Nearest::default()));
        let progress = (!quiet).then(|| Arc::new(Progress::new()));
        let mut sinks: Vec<Arc<dyn EventSink>> = vec![first, tally.clone(), nearest.clone(), manifest.clone()];
        if let Some(progress) = &progress {
            sinks.push(progress.clone());
        }
        let (journal, listener) = (None, Watcher::default());
        Self { sink: Arc::new(Tee::new(sinks)), tally, nearest, past, manifest, progress, journal, listener }
    }

    /// The same, with somebody who hears events, and phases where no progress is printed.
    pub(super) fn heard_by(mut self, listener: Arc<dyn EventSink>, watcher: Watcher) -> Self {
        self.sink = Arc::new(Tee::new(vec![self.sink.clone(), listener]));
        self.listener = watcher;
        self
    }

    /// Writes a file of the run directory, whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn save(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        if let Some(journal) = &self.journal {
            journal.run_dir().save(name, bytes)?;
        }
        Ok(())
    }

    /// Whether a run directory keeps what happens: nothing is asked of people where a run is only repeated.
    pub(super) fn is_kept(&self) -> bool {
        self.journal.is_some()
    }

    /// Tells one event to all.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn emit(&self, event: &Event) -> Result<(), Failure> {
        self.sink.emit(event).map_err(|e| Failure::io("the journal cannot be written", &e))
    }

    /// Tells a sentence for people.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn notice(&self, text: &str) -> Result<(), Failure> {
        self.emit(&Event::Notice { text: text.to_owned() })
    }

    /// Hears what is being done, for whoever waits.
    pub(super) fn watcher(&self) -> Watcher {
        self.progress.as_ref().map_or_else(|| self.listener.clone(), |progress| progress.watcher())
    }

    /// Removes the moving line.
    pub(super) fn quiet(&self) {
        if let Some(progress) = &self.progress {
            progress.finish();
        }
    }
}

impl Drop for EventSinks {
    fn drop(&mut self) {
        // However a run ends, it says what it sent. It cannot say so on a disk that is full.
        if let Some(manifest) = self.manifest.object() {
            let _ = self.save(MANIFEST, format!("{manifest:#}\n").as_bytes());
        }
        self.quiet();
    }
}
