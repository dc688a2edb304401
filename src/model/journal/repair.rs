//! A damaged journal without its damaged records. What they recorded is lost, and is asked for or done again.

use super::read::{self, Line};
use super::write::record;
use super::{JournalError, RunDir};
use crate::domain::Event;
use camino::Utf8PathBuf;

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Records that were good.
    pub kept: usize,
    /// Records that were not, among them an incomplete last one.
    pub lost: usize,
    /// Where the journal lies as it was.
    pub copy: Utf8PathBuf,
}

/// Takes the damaged records out of a run's journal, and keeps it as it was beside. `first` stands in for the first
/// record when that is among them.
///
/// # Errors
/// There is nothing to repair, a newer program wrote it, or the system refused.
pub fn repair(run: &RunDir, first: &Event) -> Result<Option<Repaired>, JournalError> {
    let path = run.journal();
    let bytes = std::fs::read(&path).map_err(JournalError::io("read", &path))?;
    let mut good = Vec::new();
    let (mut kept, mut lost) = (0, 0);
    for (at, line) in read::lines(&path, &bytes).enumerate() {
        match line? {
            Line::Whole { bytes, event, .. } => {
                if at == lost && lost > 0 && !matches!(*event, Event::RunStarted { .. }) {
                    let json = serde_json::to_string(first).map_err(std::io::Error::from);
                    good.extend(record(&json.map_err(JournalError::io("repair", &path))?).into_bytes());
                }
                good.extend_from_slice(bytes);
                kept += 1;
            }
            Line::Damaged(_) | Line::Torn => lost += 1,
        }
    }
    if lost == 0 {
        return Ok(None);
    }
    let copy = free_name(run);
    std::fs::copy(&path, run.path().join(&copy)).map_err(JournalError::io("write", run.path().join(&copy)))?;
    run.save_journal(&good)?;
    Ok(Some(Repaired { kept, lost, copy: run.path().join(copy) }))
}

/// A name that no earlier repair took.
fn free_name(run: &RunDir) -> String {
    let name = |nth: usize| format!("run.journal.damaged-{nth}");
    let nth = (1..).find(|&nth| !run.path().join(name(nth)).exists()).unwrap_or(1);
    name(nth)
}
