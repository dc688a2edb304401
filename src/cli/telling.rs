//! Where a run's events go, and the configuration it keeps.

use super::config::{Config, Layers, Place};
use super::error::Failure;
use super::progress::Progress;
use crate::domain::{Event, EventSink};
use crate::escalate::Plan;
use crate::journal::{Journal, Past, RunDir, Tee};
use crate::llm::Redactor;
use crate::report::Tally;
use camino::Utf8Path;
use serde_json::json;
use std::sync::Arc;

/// Where the run's events go: journal, sums, progress.
pub struct Telling {
    /// All of them.
    pub sink: Arc<dyn EventSink>,
    /// Sums over the run.
    pub tally: Arc<Tally>,
    /// What earlier sessions of the run told.
    pub past: Arc<Past>,
    progress: Option<Arc<Progress>>,
}

impl Telling {
    /// Makes the run directory with its frozen configuration, then the journal.
    ///
    /// # Errors
    /// The folder cannot be made, holds another run, or cannot be written.
    pub fn start(
        folder: &Utf8Path,
        frozen: &serde_json::Value,
        quiet: bool,
        redactor: &Arc<Redactor>,
    ) -> Result<Self, Failure> {
        let dir = RunDir::create(folder)?;
        dir.freeze(format!("{frozen:#}\n").as_bytes())?;
        let redactor = redactor.clone();
        let journal = Journal::begin(dir)?.scrubbed(Arc::new(move |text| redactor.text(text)));
        let tally = Arc::new(Tally::default());
        let progress = (!quiet).then(|| Arc::new(Progress::new()));
        let mut sinks: Vec<Arc<dyn EventSink>> = vec![Arc::new(journal), tally.clone()];
        if let Some(progress) = &progress {
            sinks.push(progress.clone());
        }
        Ok(Self { sink: Arc::new(Tee::new(sinks)), tally, past: Arc::default(), progress })
    }

    /// Tells one event to all.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn emit(&self, event: &Event) -> Result<(), Failure> {
        self.sink.emit(event).map_err(|e| Failure::io("the journal cannot be written", &e))
    }

    /// Tells a sentence for people.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn notice(&self, text: &str) -> Result<(), Failure> {
        self.emit(&Event::Notice { text: text.to_owned() })
    }

    /// Removes the moving line.
    pub fn quiet(&self) {
        if let Some(progress) = &self.progress {
            progress.finish();
        }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.quiet();
    }
}

/// The settings that decide what a run does, each with its origin, as they were; no key is among them.
pub fn frozen(bug: &str, layers: &Layers, config: &Config, plan: &Plan) -> serde_json::Value {
    let origins: serde_json::Map<_, _> = layers
        .settings()
        .filter(|(_, setting)| setting.origin != Place::Default)
        .map(|(name, setting)| (name, setting.origin.to_string().into()))
        .collect();
    json!({
        "schema": 1, "version": env!("CARGO_PKG_VERSION"), "bug": bug, "settings": config, "origins": origins,
        "plan": {
            "levels": plan.levels, "attempts": plan.attempts, "variants": plan.variants, "without": plan.without,
            "review": plan.reviewer.is_some(), "localization": plan.localization.word(),
        },
    })
}

/// Writes a file of the run directory or of the project.
///
/// # Errors
/// It cannot be written.
pub fn write(path: &Utf8Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|e| Failure::io(&format!("cannot write {path}"), &e))
}
