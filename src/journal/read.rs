//! Reading: every record is checked; only the last one may be incomplete.

use super::{JournalError, SCHEMA};
use crate::domain::Event;
use camino::Utf8Path;
use serde_json::Value;

/// What a journal holds.
#[derive(Debug)]
pub(super) struct Scanned {
    pub events: Vec<Event>,
    /// Seconds of work after which each was written; 0 in journals of schema 1.
    pub times: Vec<f64>,
    /// Bytes up to the end of the last whole record.
    pub length: u64,
    /// Whether something incomplete stands behind it.
    pub torn: bool,
}

/// Reads a journal.
pub(super) fn scan(path: &Utf8Path) -> Result<Scanned, JournalError> {
    let bytes = std::fs::read(path).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::NotFound => JournalError::NoRun { path: path.parent().unwrap_or(path).to_owned() },
        _ => JournalError::Io { doing: "read", path: path.to_owned(), cause },
    })?;
    scan_bytes(path, &bytes)
}

pub(super) fn scan_bytes(path: &Utf8Path, bytes: &[u8]) -> Result<Scanned, JournalError> {
    let mut scanned = Scanned { events: Vec::new(), times: Vec::new(), length: 0, torn: false };
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let json = match checked(line) {
            Ok(json) => json,
            // A write that was cut short leaves a line without its end. A line with an end was whole once: it was
            // damaged later, and so may others be.
            Err(_) if lines.peek().is_none() && !line.ends_with(b"\n") => {
                scanned.torn = true;
                break;
            }
            Err(what) => return Err(damaged(path, index, what.to_owned())),
        };
        if index == 0 {
            check_schema(path, json)?;
        }
        let (event, time) = parsed(json).map_err(|error| damaged(path, index, error.to_string()))?;
        scanned.events.push(event);
        scanned.times.push(time);
        scanned.length += line.len() as u64;
    }
    Ok(scanned)
}

/// When a record was written, beside its event.
#[derive(serde::Deserialize)]
struct Time {
    #[serde(default)]
    at: f64,
}

fn parsed(json: &str) -> Result<(Event, f64), serde_json::Error> {
    let Time { at } = serde_json::from_str(json)?;
    Ok((serde_json::from_str(json)?, at))
}

fn damaged(path: &Utf8Path, index: usize, what: String) -> JournalError {
    JournalError::Damaged { path: path.to_owned(), line: index + 1, what, good: index }
}

/// The JSON of a line whose checksum is right.
fn checked(line: &[u8]) -> Result<&str, &'static str> {
    const SUM: usize = 8;
    let line = line.strip_suffix(b"\n").ok_or("it does not end")?;
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8")?;
    let (sum, json) = text.split_once(' ').filter(|(sum, _)| sum.len() == SUM).ok_or("it has no checksum")?;
    if format!("{:08x}", crc32fast::hash(json.as_bytes())) == sum { Ok(json) } else { Err("its checksum does not fit") }
}

/// The first record tells who wrote the rest, in a form that no schema changes.
fn check_schema(path: &Utf8Path, json: &str) -> Result<(), JournalError> {
    let first: Value = serde_json::from_str(json).map_err(|error| damaged(path, 0, error.to_string()))?;
    match first.get("schema").and_then(Value::as_u64) {
        Some(schema) if schema > u64::from(SCHEMA) => Err(JournalError::Newer {
            path: path.to_owned(),
            schema,
            version: first.get("version").and_then(Value::as_str).unwrap_or("of a later day").to_owned(),
        }),
        Some(_) => Ok(()),
        None => Err(damaged(path, 0, "the first record tells no schema".to_owned())),
    }
}
