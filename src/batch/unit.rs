//! How far a unit is: read from its folder alone, so that any worker on any machine sees the same.

use super::{BatchError, Unit};
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a finished run leaves, written whole or not at all.
const REPORT: &str = "report.json";
/// What a run leaves that has begun.
const FROZEN: &str = "config.json";
/// Failures of the environment.
const TROUBLE: &str = "trouble.json";

/// Why a unit could not be tried, so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// How often.
    pub tries: u32,
    /// Exit code of the last time; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it said.
    pub message: String,
}

/// How far a unit is.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// It has not begun.
    Waiting,
    /// It has begun and is not over: it runs, or whoever ran it is gone.
    Begun,
    /// The environment failed: it says nothing about the bug and is never counted as tried.
    Trouble(Trouble),
    /// It is over, with the object that `--json` prints.
    Over(Value),
}

impl Unit {
    /// The unit's run directory in a batch's folder.
    pub fn dir(&self, batch: &Utf8Path) -> Utf8PathBuf {
        batch.join(&self.folder)
    }

    /// How far the unit is.
    pub fn state(&self, batch: &Utf8Path) -> State {
        let dir = self.dir(batch);
        let read = |name: &str| std::fs::read(dir.join(name)).ok();
        if let Some(report) = read(REPORT).and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return State::Over(report);
        }
        match read(TROUBLE).and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            Some(trouble) => State::Trouble(trouble),
            None if dir.join(FROZEN).exists() => State::Begun,
            None => State::Waiting,
        }
    }

    /// Whether its run directory holds a run to go on with.
    pub(super) fn has_begun(&self, batch: &Utf8Path) -> bool {
        self.dir(batch).join(FROZEN).exists()
    }

    /// Notes that the unit is over. A run that was killed after its journal was complete left no report file; what it
    /// printed when it was gone on with is the same object.
    pub(super) fn over(&self, batch: &Utf8Path, stdout: &str) -> Result<(), BatchError> {
        if matches!(self.state(batch), State::Over(_)) {
            return Ok(());
        }
        let report: Value = serde_json::from_str(stdout.lines().last().unwrap_or("")).unwrap_or_default();
        if !report["verdict"].is_string() {
            return self.failed(batch, Some(0), "it ended without a report".into()).map(|_| ());
        }
        self.write(batch, REPORT, &report)
    }

    /// Forgets what kept the unit from being tried.
    pub(super) fn forgive(&self, batch: &Utf8Path) {
        let _ = std::fs::remove_file(self.dir(batch).join(TROUBLE));
    }

    fn write(&self, batch: &Utf8Path, name: &str, value: &impl Serialize) -> Result<(), BatchError> {
        let path = self.dir(batch).join(name);
        let io = |source| BatchError::Io { what: "writing the state of a unit", path: path.clone(), source };
        let mut file = tempfile::NamedTempFile::new_in(self.dir(batch)).map_err(io)?;
        serde_json::to_writer(&mut file, value).map_err(|error| io(error.into()))?;
        file.persist(&path).map_err(|error| io(error.error))?;
        Ok(())
    }

    /// Notes that the environment failed once more.
    pub(super) fn failed(&self, batch: &Utf8Path, code: Option<i32>, message: String) -> Result<Trouble, BatchError> {
        let tries = match self.state(batch) {
            State::Trouble(trouble) => trouble.tries,
            _ => 0,
        };
        let trouble = Trouble { tries: tries + 1, code, message };
        self.write(batch, TROUBLE, &trouble)?;
        Ok(trouble)
    }
}
