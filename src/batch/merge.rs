//! Parts of a batch that were worked on apart, brought together.

use super::{BatchError, Plan, State, Unit};
use crate::benchmark::copy_files;
use crate::journal::{JournalError, LOCK, RunDir};
use camino::{Utf8Path, Utf8PathBuf};

/// What came of a merge.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// Runs that are over and came.
    pub over: usize,
    /// Runs that have begun and came: what they have paid for is not paid for again.
    pub begun: usize,
    /// Units that somebody works on at this moment, each with the folder where: they stay there.
    pub at_work: Vec<(Unit, Utf8PathBuf)>,
}

/// Brings units from other folders of the same plan into this one: those that are over, and of those that are over
/// nowhere the run that has come furthest, to be gone on with here. A unit that is over here stays as it is, and so does
/// one that has begun here until it is over elsewhere: no unit counts twice.
///
/// # Errors
/// A folder holds another plan; something cannot be copied.
pub(crate) fn merge(into: &Utf8Path, parts: &[Utf8PathBuf]) -> Result<Merged, BatchError> {
    let plans: Vec<Plan> = parts.iter().map(|part| Plan::read(part)).collect::<Result<_, _>>()?;
    let mut merged = Merged::default();
    let Some(plan) = plans.first() else { return Ok(merged) };
    if let Some(at) = plans.iter().position(|other| other != plan) {
        return Err(BatchError::Merge { what: format!("{} holds another plan than {}", parts[at], parts[0]) });
    }
    plan.freeze(into)?;
    for unit in plan.units() {
        let is_over = |folder: &Utf8Path| matches!(unit.state(folder), State::Over(_));
        if is_over(into) {
            continue;
        }
        let done = parts.iter().find(|part| is_over(part));
        let begun = || parts.iter().filter(|part| unit.has_begun(part)).max_by_key(|part| journal_bytes(&unit, part));
        let brought = match done.or_else(|| begun().filter(|_| !unit.has_begun(into))) {
            Some(part) => bring(&unit, part, done.is_none(), into)?,
            None => continue,
        };
        match brought {
            Brought::AtWork(folder) => merged.at_work.push((unit, folder)),
            Brought::Here if done.is_some() => merged.over += 1,
            Brought::Here => merged.begun += 1,
        }
    }
    // It stays where another merge is at work.
    let _ = std::fs::remove_dir(into.join(RunDir::STAGE));
    Ok(merged)
}

/// How far a run has come.
fn journal_bytes(unit: &Unit, batch: &Utf8Path) -> u64 {
    std::fs::metadata(RunDir::journal_in(&unit.dir(batch))).map_or(0, |file| file.len())
}

enum Brought {
    Here,
    /// A process owns the run directory of the unit in this folder.
    AtWork(Utf8PathBuf),
}

/// Puts a copy of a unit's run directory in its place, whole or not at all.
fn bring(unit: &Unit, part: &Utf8Path, begun: bool, into: &Utf8Path) -> Result<Brought, BatchError> {
    let (source, target) = (unit.dir(part), unit.dir(into));
    // A run that goes on while it is copied would come torn.
    let _source = match begun.then(|| RunDir::open(&source)).transpose() {
        Err(JournalError::Owned { .. }) => return Ok(Brought::AtWork(part.to_owned())),
        owned => owned?,
    };
    let stage = into.join(RunDir::STAGE);
    std::fs::create_dir_all(&stage).map_err(io(&stage))?;
    let stage = tempfile::tempdir_in(&stage).map_err(io(&stage))?;
    let stage = Utf8Path::from_path(stage.path()).unwrap_or(into);
    let new = stage.join("new");
    copy(&source, &new)?;
    let parent = target.parent().unwrap_or(into);
    std::fs::create_dir_all(parent).map_err(io(parent))?;
    // What has begun here makes way, unless somebody works on it.
    let _target = match target.exists().then(|| RunDir::take(&target)).transpose() {
        Err(JournalError::Owned { .. }) => return Ok(Brought::AtWork(into.to_owned())),
        owned => owned?,
    };
    if target.exists() {
        std::fs::rename(&target, stage.join("old")).map_err(io(&target))?;
    }
    std::fs::rename(&new, &target).map_err(io(&target))?;
    Ok(Brought::Here)
}

/// Copies a run directory, but for who owns it.
fn copy(from: &Utf8Path, to: &Utf8Path) -> Result<(), BatchError> {
    let but_lock = |file: &Utf8Path, target: &Utf8Path| match file.file_name() {
        Some(LOCK) => Ok(()),
        _ => std::fs::copy(file, target).map(drop),
    };
    copy_files(from, to, but_lock).map_err(io(from))
}

fn io(path: &Utf8Path) -> impl FnOnce(std::io::Error) -> BatchError {
    let path = path.to_owned();
    move |source| BatchError::Io { what: "copying a run", path, source }
}
