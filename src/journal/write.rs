//! Appending: one record, one write; what was paid for is flushed before the call returns.

use super::run_dir::sync_folder;
use super::{JournalError, RunDir, SCHEMA, read};
use crate::domain::{Event, EventSink};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Replaces secrets in a text.
pub type Scrub = Arc<dyn Fn(&str) -> Cow<'_, str> + Send + Sync>;

/// The journal of a run that this process owns; safe to share.
pub struct Journal {
    path: Utf8PathBuf,
    file: Mutex<Open>,
    scrub: Option<Scrub>,
    /// Keeps the lock as long as the journal can be written.
    _run: RunDir,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("path", &self.path).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Whether any record was written: the first one must tell the schema.
    begun: bool,
    /// After one failed write nothing more is written: the file may end in half a record, and a flush that failed
    /// once can claim success later although the data is lost.
    broken: bool,
}

impl Journal {
    /// The journal of a new run.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn begin(run: RunDir) -> Result<Self, JournalError> {
        let path = run.journal();
        let file = Self::append(&path)?;
        sync_folder(run.path())?;
        Ok(Self::of(run, path, file, false))
    }

    /// The journal of an earlier run, to be continued after its last whole record, and what it holds.
    ///
    /// # Errors
    /// As [`Journal::read`]; or it cannot be written.
    pub fn reopen(run: RunDir) -> Result<(Self, Vec<Event>), JournalError> {
        let path = run.journal();
        let scanned = read::scan(&path)?;
        let file = Self::append(&path)?;
        if scanned.torn {
            tracing::warn!(%path, "the last record was incomplete and is cut");
            file.set_len(scanned.length).and_then(|()| file.sync_all()).map_err(JournalError::io("repair", &path))?;
        }
        let begun = !scanned.events.is_empty();
        Ok((Self::of(run, path, file, begun), scanned.events))
    }

    fn append(path: &Utf8Path) -> Result<File, JournalError> {
        OpenOptions::new().create(true).append(true).open(path).map_err(JournalError::io("open", path))
    }

    fn of(run: RunDir, path: Utf8PathBuf, file: File, begun: bool) -> Self {
        Self { path, file: Mutex::new(Open { file, begun, broken: false }), scrub: None, _run: run }
    }

    /// Replaces secrets in every text before it is written.
    #[must_use]
    pub fn scrubbed(mut self, scrub: Scrub) -> Self {
        self.scrub = Some(scrub);
        self
    }

    /// The run directory.
    pub fn run_dir(&self) -> &RunDir {
        &self._run
    }

    /// All events of a journal, oldest first. An incomplete last record, which a killed process leaves, is passed over.
    ///
    /// # Errors
    /// The file cannot be read, is damaged before its end, or was written by a newer program.
    pub fn read(path: &Utf8Path) -> Result<Vec<Event>, JournalError> {
        let path = if path.is_dir() { RunDir::journal_in(path) } else { path.to_owned() };
        Ok(read::scan(&path)?.events)
    }

    fn line(&self, event: &Event) -> io::Result<String> {
        let json = match &self.scrub {
            None => serde_json::to_string(event)?,
            Some(scrub) => {
                let mut value = serde_json::to_value(event)?;
                scrub_texts(&mut value, scrub);
                value.to_string()
            }
        };
        Ok(record(&json))
    }
}

/// A record as it stands in the file.
pub(super) fn record(json: &str) -> String {
    format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
}

fn scrub_texts(value: &mut Value, scrub: &Scrub) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = scrub(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| scrub_texts(item, scrub)),
        Value::Object(members) => members.values_mut().for_each(|member| scrub_texts(member, scrub)),
        _ => {}
    }
}

/// Records that are flushed to the disk before the call returns: those that cost money, and both ends of a run.
fn must_last(event: &Event) -> bool {
    matches!(event, Event::Received { .. } | Event::RunStarted { .. } | Event::Finished { .. })
}

impl EventSink for Journal {
    fn emit(&self, event: &Event) -> io::Result<()> {
        let line = self.line(event)?;
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if open.broken {
            return Err(io::Error::other("an earlier record could not be written; the run stops here"));
        }
        let begins = matches!(event, Event::RunStarted { schema, .. } if *schema == SCHEMA);
        if !open.begun && !begins {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the first record must tell the schema"));
        }
        let written = open.file.write_all(line.as_bytes());
        let written = written.and_then(|()| if must_last(event) { open.file.sync_data() } else { Ok(()) });
        open.broken = written.is_err();
        open.begun = true;
        written
    }
}
