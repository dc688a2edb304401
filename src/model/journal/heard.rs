//! Who was last heard of in a journal, read from its end alone: cheap enough to be asked every second.

use super::{RunDir, read};
use crate::domain::{Event, Scope};
use camino::Utf8Path;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// How much of the end is read, in bytes: longer than nearly every record.
const TAIL: u64 = 256 * 1024;

/// A record's place, beside whatever else it tells.
#[derive(Deserialize)]
struct Placed {
    scope: Option<Scope>,
}

/// The agent that the journal of a run directory named last; `None` before the first one, and where nothing can be read.
pub fn last_heard(dir: &Utf8Path) -> Option<Scope> {
    let tail = tail(&RunDir::journal_in(dir)).ok()?;
    tail.split_inclusive(|&byte| byte == b'\n').rev().find_map(|line| {
        let json = read::checked(line).ok()?;
        serde_json::from_str::<Placed>(json).ok()?.scope
    })
}

/// The last event of a run directory's journal that an agent had part in; `None` before the first one, and where nothing
/// can be read.
pub fn last_event(dir: &Utf8Path) -> Option<Event> {
    let tail = tail(&RunDir::journal_in(dir)).ok()?;
    tail.split_inclusive(|&byte| byte == b'\n').rev().find_map(|line| {
        let json = read::checked(line).ok()?;
        serde_json::from_str::<Placed>(json).ok()?.scope?;
        read::event(json)
    })
}

fn tail(path: &Utf8Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}
