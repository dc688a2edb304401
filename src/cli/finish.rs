//! The end of a run: its report, its patch as a file, and, where that was asked for, in the project.

use super::came_to::developers;
use super::error::{CAP, Failure};
use super::session::{Outcome, clear};
use super::telling::Telling;
use crate::domain::{Event, Outcome as Judged, Patch};
use crate::escalate::Verdict;
use crate::journal::failpoint;
use crate::patch;
use crate::report::{self, RunReport, Tally, VerdictWord};
use crate::tools::Workbench;
use camino::Utf8Path;
use serde_json::Value;
use std::collections::BTreeMap;

/// What of a run's end is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// The object for programs instead of the text for people.
    pub json: bool,
    /// No progress.
    pub quiet: bool,
    /// The patch in the project's own folder.
    pub apply: bool,
}

/// Keeps the patch and the report, prints them, applies the patch where that was asked for.
///
/// # Errors
/// A file cannot be written; the project changed under `--apply`.
pub fn finish(folder: &Utf8Path, telling: &Telling, outcome: &Outcome, shown: Shown) -> Result<u8, Failure> {
    let object = keep(folder, telling, outcome, shown)?;
    show(&outcome.report, &object, telling.tally.sums().outcomes, shown);
    Ok(exit_code(outcome.report.verdict))
}

/// The same without printing; the report as programs read it.
///
/// # Errors
/// As [`finish`].
pub fn keep(folder: &Utf8Path, telling: &Telling, outcome: &Outcome, shown: Shown) -> Result<Value, Failure> {
    let Outcome { bench, verdict, report, left_by_batch } = outcome;
    if let Verdict::Plausible(repair) = verdict {
        telling.save("patch.diff", &patch::render_bytes(&repair.attempt.patch))?;
        for (nth, other) in repair.others.iter().enumerate() {
            telling.save(&format!("plausible-{}.diff", nth + 2), &patch::render_bytes(&other.patch))?;
        }
        if shown.apply {
            apply(bench, &repair.attempt.patch)?;
        }
    }
    // For reports. No agent of this run asks any more, so none can see it.
    if let Some(developers) = developers(bench).filter(|_| !left_by_batch) {
        telling.save(report::DEVELOPER, &patch::render_bytes(&developers))?;
    }
    let object = serde_json::to_value(report).map_err(|e| Failure::io("the report cannot be made", &e.into()))?;
    // A batch takes a run with this file for one that is over.
    if !left_by_batch {
        telling.save("report.json", format!("{object:#}\n").as_bytes())?;
    }
    failpoint::reach("finish.before");
    telling.emit(&Event::Finished { report: object.clone() })?;
    failpoint::reach("finish.after");
    clear(folder);
    telling.quiet();
    Ok(object)
}

/// Prints the end of a run that is over.
///
/// # Errors
/// Its report is of another schema.
pub fn show_again(report: &Value, events: &[Event], shown: Shown) -> Result<u8, Failure> {
    let typed: RunReport = serde_json::from_value(report.clone()).map_err(|e| {
        Failure::unusable(format!("the report of the run cannot be read: {e}"), "read `report.json` of the run")
    })?;
    show(&typed, report, Tally::over(events).outcomes, shown);
    Ok(exit_code(typed.verdict))
}

fn show(report: &RunReport, object: &Value, mut outcomes: BTreeMap<Judged, u64>, shown: Shown) {
    outcomes.remove(&Judged::PassedWarm);
    if shown.json {
        super::print(&format!("{object}\n"));
    } else {
        super::print(&report::human(report, &outcomes));
    }
}

/// The exit code of a run's end.
pub fn exit_code(verdict: VerdictWord) -> u8 {
    match verdict {
        VerdictWord::Plausible => 0,
        VerdictWord::Unrepaired => 1,
        VerdictWord::Exhausted => CAP,
    }
}

/// Writes the patch into the project's own folder, if its files are still what they were.
fn apply(bench: &Workbench, found: &Patch) -> Result<(), Failure> {
    let id = &bench.bug.id;
    if id.benchmark != "local" {
        return Err(Failure::usage(
            format!("--apply: {id} is no project of yours"),
            "apply the patch of the run directory by hand",
        ));
    }
    let root = Utf8Path::new(&id.name);
    for file in &found.files {
        let now = std::fs::read(file.path.under(root)).ok();
        // A session that was killed after this has applied it.
        let applied = now.as_deref() == Some(&*file.after) || file.deletes() && now.is_none();
        if !applied && now.as_deref() != file.before.as_deref() {
            return Err(Failure::unusable(
                format!("--apply: {} changed while the bug was worked on; nothing was written", file.path),
                "apply the patch of the run directory by hand",
            ));
        }
    }
    for file in &found.files {
        let path = file.path.under(root);
        let failed = |e| Failure::io(&format!("cannot write {path}"), &e);
        if file.deletes() {
            if path.exists() {
                std::fs::remove_file(&path).map_err(failed)?;
            }
            continue;
        }
        std::fs::create_dir_all(path.parent().unwrap_or(root)).map_err(failed)?;
        std::fs::write(&path, &file.after).map_err(failed)?;
    }
    Ok(())
}
