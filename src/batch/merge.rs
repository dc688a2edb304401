//! Parts of a batch that were worked on apart, brought together.

use super::{BatchError, Plan, State};
use camino::{Utf8Path, Utf8PathBuf};

/// Brings units that are over from other folders of the same plan into this one. A unit that is over here stays as it
/// is: no unit counts twice. Gives how many came.
///
/// # Errors
/// A folder holds another plan; something cannot be copied.
pub fn merge(into: &Utf8Path, parts: &[Utf8PathBuf]) -> Result<usize, BatchError> {
    let plans: Vec<Plan> = parts.iter().map(|part| Plan::read(part)).collect::<Result<_, _>>()?;
    let Some(plan) = plans.first() else { return Ok(0) };
    if let Some(at) = plans.iter().position(|other| other != plan) {
        return Err(BatchError::Merge { what: format!("{} holds another plan than {}", parts[at], parts[0]) });
    }
    plan.freeze(into)?;
    let mut came = 0;
    for unit in plan.units() {
        if matches!(unit.state(into), State::Over(_)) {
            continue;
        }
        let Some(part) = parts.iter().find(|part| matches!(unit.state(part), State::Over(_))) else { continue };
        copy(&unit.dir(part), &unit.dir(into))?;
        came += 1;
    }
    Ok(came)
}

/// Who has a run directory, which a copy does not inherit.
const CLAIM: &str = "lock";

/// Copies a run directory; its report, which says that it is over, comes last.
fn copy(from: &Utf8Path, to: &Utf8Path) -> Result<(), BatchError> {
    let io = |path: &Utf8Path| {
        let path = path.to_owned();
        move |source| BatchError::Io { what: "copying a run", path, source }
    };
    std::fs::create_dir_all(to).map_err(io(to))?;
    let mut entries: Vec<_> = from.read_dir_utf8().map_err(io(from))?.flatten().collect();
    entries.sort_by_key(|entry| entry.file_name() == "report.json");
    for entry in entries.iter().filter(|entry| entry.file_name() != CLAIM) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target).map_err(io(entry.path()))?;
        }
    }
    Ok(())
}
