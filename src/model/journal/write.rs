//! Appending: one record, one write; what was paid for is flushed before the call returns.

use super::known::Known;
use super::run_dir::sync_folder;
use super::{History, JournalError, RunDir, SCHEMA, failpoint, read};
use crate::domain::{Event, EventSink};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Replaces secrets in a text.
pub type Scrub = Arc<dyn Fn(&str) -> Cow<'_, str> + Send + Sync>;

/// The journal of a run that this process owns; safe to share.
pub struct Journal {
    path: Utf8PathBuf,
    file: Mutex<Open>,
    scrub: Option<Scrub>,
    /// Keeps the lock as long as the journal can be written.
    run: RunDir,
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
    /// What earlier sessions wrote: emitted again, it is not written again.
    known: Known,
    /// Seconds that earlier sessions worked.
    worked: f64,
    /// When this session emitted something new for the first time: until then it only repeats.
    since: Option<Instant>,
}

impl Open {
    fn of(file: File) -> Self {
        Self { file, begun: false, broken: false, known: Known::default(), worked: 0.0, since: None }
    }

    /// Seconds of work until now.
    fn clock(&mut self) -> f64 {
        const PER_SECOND: f64 = 1e3;
        let since = *self.since.get_or_insert_with(Instant::now);
        ((self.worked + since.elapsed().as_secs_f64()) * PER_SECOND).round() / PER_SECOND
    }
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
        Ok(Self::of(run, path, Open::of(file)))
    }

    /// The journal of an earlier run, to be continued after its last whole record, and what it holds. A run that wrote
    /// nothing yet begins.
    ///
    /// # Errors
    /// As [`Journal::read`]; or it cannot be written.
    pub fn reopen(run: RunDir) -> Result<(Self, History), JournalError> {
        let path = run.journal();
        if !path.exists() {
            return Ok((Self::begin(run)?, History::default()));
        }
        let scanned = read::scan(&path)?;
        let mut open = Open::of(Self::append(&path)?);
        if scanned.torn {
            tracing::warn!(%path, "the last record was incomplete and is cut");
            let cut = open.file.set_len(scanned.length).and_then(|()| open.file.sync_all());
            cut.map_err(JournalError::io("repair", &path))?;
        }
        let history = History::scanned(scanned);
        open.begun = !history.events().is_empty();
        open.known = Known::of(history.lasting());
        open.worked = history.worked();
        Ok((Self::of(run, path, open), history))
    }

    fn append(path: &Utf8Path) -> Result<File, JournalError> {
        OpenOptions::new().create(true).append(true).open(path).map_err(JournalError::io("open", path))
    }

    fn of(run: RunDir, path: Utf8PathBuf, open: Open) -> Self {
        Self { path, file: Mutex::new(open), scrub: None, run }
    }

    /// Replaces secrets in every text before it is written.
    #[must_use]
    pub fn scrubbed(mut self, scrub: Scrub) -> Self {
        self.scrub = Some(scrub);
        self
    }

    /// The run directory.
    pub fn run_dir(&self) -> &RunDir {
        &self.run
    }

    /// All events of a journal, oldest first. An incomplete last record, which a killed process leaves, is passed over.
    ///
    /// # Errors
    /// The file cannot be read, is damaged before its end, or was written by a newer program.
    pub fn read(path: &Utf8Path) -> Result<Vec<Event>, JournalError> {
        let path = if path.is_dir() { RunDir::journal_in(path) } else { path.to_owned() };
        Ok(read::scan(&path)?.events)
    }

    /// The same, each with the seconds of work after which it was written.
    ///
    /// # Errors
    /// As [`Journal::read`].
    pub fn read_timed(path: &Utf8Path) -> Result<Vec<(f64, Event)>, JournalError> {
        let path = if path.is_dir() { RunDir::journal_in(path) } else { path.to_owned() };
        let read::Scanned { events, times, .. } = read::scan(&path)?;
        Ok(times.into_iter().zip(events).collect())
    }

    /// The event as it is written: without secrets.
    fn value(&self, event: &Event) -> io::Result<Value> {
        let mut value = serde_json::to_value(event)?;
        if let Some(scrub) = &self.scrub {
            scrub_texts(&mut value, scrub);
        }
        Ok(value)
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

/// Events before which an owner that was taken for dead must stop: a request would be paid for twice, and the journal is
/// another's. Only an answer that is paid for is still worth its line there.
fn must_be_owned(event: &Event) -> bool {
    !matches!(event, Event::Received { .. })
}

impl EventSink for Journal {
    fn emit(&self, event: &Event) -> io::Result<()> {
        let mut value = self.value(event)?;
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if open.broken {
            return Err(io::Error::other("an earlier record could not be written; the run stops here"));
        }
        if open.known.take(&value) {
            return Ok(());
        }
        let begins = matches!(event, Event::RunStarted { schema, .. } if *schema == SCHEMA);
        if !open.begun && !begins {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the first record must tell the schema"));
        }
        if must_be_owned(event) {
            self.run.check()?;
        }
        value["at"] = open.clock().into();
        let written = append(&mut open.file, &record(&value.to_string()), must_last(event));
        open.broken = written.is_err();
        open.begun = true;
        written
    }
}

/// One record, one write.
fn append(file: &mut File, line: &str, flush: bool) -> io::Result<()> {
    failpoint::reach("append.before");
    failpoint::tear("append.torn", file, line);
    file.write_all(line.as_bytes())?;
    failpoint::reach("append.after");
    if flush {
        file.sync_data()?;
        failpoint::reach("fsync.after");
    }
    Ok(())
}
