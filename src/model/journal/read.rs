//! Reading: every record is checked; only the last one may be incomplete.

use super::{JournalError, SCHEMA};
use crate::domain::{Disagreement, Event, Outcome, SurerJudge};
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
    for (index, line) in lines(path, bytes).enumerate() {
        match line? {
            Line::Whole { bytes, event, time } => {
                scanned.events.push(*event);
                scanned.times.push(time);
                scanned.length += bytes.len() as u64;
            }
            Line::Torn => scanned.torn = true,
            Line::Damaged(what) => return Err(damaged(path, index, what)),
        }
    }
    Ok(scanned)
}

/// A line of a journal.
pub(super) enum Line<'b> {
    /// As it was written.
    Whole {
        /// The line with its end.
        bytes: &'b [u8],
        /// What it tells.
        event: Box<Event>,
        /// Seconds of work after which it was written.
        time: f64,
    },
    /// The last one, of a write that was cut short. A line with an end was whole once: it was damaged later, and so
    /// may others be.
    Torn,
    /// Not as it was written, and why.
    Damaged(String),
}

/// All lines of a journal.
///
/// # Errors
/// The first record is of a newer schema: then what looks like damage is none.
pub(super) fn lines<'b>(path: &Utf8Path, bytes: &'b [u8]) -> impl Iterator<Item = Result<Line<'b>, JournalError>> {
    bytes.split_inclusive(|&byte| byte == b'\n').enumerate().map(move |(index, line)| {
        let json = match checked(line) {
            Ok(json) => json,
            Err(_) if !line.ends_with(b"\n") => return Ok(Line::Torn),
            Err(what) => return Ok(Line::Damaged(what.to_owned())),
        };
        if index == 0
            && let Some(what) = wrong_first(path, json)?
        {
            return Ok(Line::Damaged(what));
        }
        Ok(match parsed(json) {
            Ok((event, time)) => Line::Whole { bytes: line, event: Box::new(event), time },
            Err(error) => Line::Damaged(error.to_string()),
        })
    })
}

/// When a record was written, beside its event.
#[derive(serde::Deserialize)]
struct Time {
    #[serde(default)]
    at: f64,
}

fn parsed(json: &str) -> Result<(Event, f64), serde_json::Error> {
    let Time { at } = serde_json::from_str(json)?;
    Ok((renewed(serde_json::from_str(json)?), at))
}

/// The event of a record.
pub(super) fn event(json: &str) -> Option<Event> {
    parsed(json).ok().map(|(event, _)| event)
}

/// How a disagreement began in journals of schema 2, which recorded it as a notice.
const DISAGREED: &str = "a candidate passed the fast run, and not the confirmation in a fresh process: ";

/// An event of an older schema as one of this schema.
fn renewed(event: Event) -> Event {
    let Event::Notice { text } = &event else { return event };
    let Some((then, detail)) = text.strip_prefix(DISAGREED).and_then(|rest| rest.split_once(" (")) else {
        return event;
    };
    let Ok(then) = serde_json::from_value::<Outcome>(Value::from(then)) else { return event };
    let detail = detail.strip_suffix(')').unwrap_or(detail).to_owned();
    Event::Disagreed(Disagreement { judge: SurerJudge::Cold, first: Outcome::PassedWarm, then, detail })
}

fn damaged(path: &Utf8Path, index: usize, what: String) -> JournalError {
    JournalError::Damaged { path: path.to_owned(), line: index + 1, what, good: index }
}

/// The JSON of a line whose checksum is right.
pub(super) fn checked(line: &[u8]) -> Result<&str, &'static str> {
    const SUM: usize = 8;
    let line = line.strip_suffix(b"\n").ok_or("it does not end")?;
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8")?;
    let (sum, json) = text.split_once(' ').filter(|(sum, _)| sum.len() == SUM).ok_or("it has no checksum")?;
    if format!("{:08x}", crc32fast::hash(json.as_bytes())) == sum { Ok(json) } else { Err("its checksum does not fit") }
}

/// The first record tells who wrote the rest, in a form that no schema changes. Says what is wrong with it, if
/// anything.
fn wrong_first(path: &Utf8Path, json: &str) -> Result<Option<String>, JournalError> {
    let first: Value = match serde_json::from_str(json) {
        Ok(first) => first,
        Err(error) => return Ok(Some(error.to_string())),
    };
    match first.get("schema").and_then(Value::as_u64) {
        Some(schema) if schema > u64::from(SCHEMA) => Err(JournalError::Newer {
            path: path.to_owned(),
            schema,
            version: first.get("version").and_then(Value::as_str).unwrap_or("of a later day").to_owned(),
        }),
        Some(_) => Ok(None),
        None => Ok(Some("the first record tells no schema".to_owned())),
    }
}
