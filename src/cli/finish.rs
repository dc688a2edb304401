//! The end of a run: its report, its patch as a file, and, where that was asked for, in the project.

use super::apply;
use super::error::{CAP, Failure, INTERRUPTED, LATER};
use super::event_sinks::EventSinks;
use super::findings::{self, End, Form};
use super::next;
use super::run_report::developers;
use super::session::{Outcome, clear};
use crate::domain::{Event, Patch};
use crate::escalate::RunVerdict;
use crate::journal::{RunDir, failpoint};
use crate::patch;
use crate::report::{self, RunReport, Sums, Tally, VerdictWord};
use camino::Utf8Path;
use serde_json::Value;

/// Where a run directory keeps its report.
const REPORT: &str = "report.json";
/// Where a run directory keeps why there is no report.
pub(super) const FAILURE: &str = "failure.json";

/// What of a run's end is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    /// The object for programs instead of the text for people, in this schema.
    pub json: Option<u32>,
    /// A form for code hosts instead of both.
    pub format: Option<Form>,
    /// Whether no progress is told.
    pub quiet: bool,
    /// The patch in the project's own folder.
    pub apply: bool,
    /// Whether the test that was written for an issue stays out of it.
    pub leave_test: bool,
}

/// Keeps the patch and the report, prints them, applies the patch where that was asked for.
///
/// # Errors
/// A file cannot be written; the project changed under `--apply`.
pub(super) fn finish(
    folder: &Utf8Path,
    event_sinks: &EventSinks,
    outcome: &Outcome,
    shown: Shown,
) -> Result<u8, Failure> {
    let object = keep(folder, event_sinks, outcome)?;
    show(&outcome.report, object, &event_sinks.tally.sums(), shown)?;
    Ok(exit_code(outcome.report.verdict))
}

/// The same without printing; the report as programs read it.
///
/// # Errors
/// As [`finish`].
pub(super) fn keep(folder: &Utf8Path, event_sinks: &EventSinks, outcome: &Outcome) -> Result<Value, Failure> {
    let Outcome { bench, verdict, test, report, left_by_batch, .. } = outcome;
    if let Some(test) = test {
        let test = Patch { files: vec![test.change()] };
        event_sinks.save("test.diff", &patch::render_bytes(&test))?;
        apply::keep(event_sinks, &test)?;
    }
    if let RunVerdict::Plausible(repair) = verdict {
        event_sinks.save("patch.diff", &patch::render_bytes(&repair.attempt.patch))?;
        for (nth, other) in repair.others.iter().enumerate() {
            event_sinks.save(&format!("plausible-{}.diff", nth + 2), &patch::render_bytes(&other.patch))?;
        }
        apply::keep(event_sinks, &repair.attempt.patch)?;
    }
    // For reports. No agent of this run asks any more, so none can see it.
    if let Some(developers) = developers(bench).filter(|_| !left_by_batch) {
        event_sinks.save(report::DEVELOPER, &patch::render_bytes(&developers))?;
    }
    let object = serde_json::to_value(report).map_err(|e| Failure::io("the report cannot be made", &e.into()))?;
    failpoint::reach("finish.before");
    event_sinks.emit(&Event::Finished { report: object.clone() })?;
    failpoint::reach("finish.after");
    // A batch takes a run with this file for one that is over, so the journal tells it first.
    if !left_by_batch {
        event_sinks.save(REPORT, &report_text(&object))?;
    }
    clear(folder);
    event_sinks.quiet();
    Ok(object)
}

/// Keeps why a run came to no verdict, for those who list it later. Ctrl-C is no reason, and neither is an
/// answer that is still to come: it goes on where it was.
pub(super) fn keep_failure(event_sinks: &EventSinks, failure: Failure) -> Failure {
    if ![INTERRUPTED, LATER].contains(&failure.exit) {
        // The failure itself is what the user must see.
        if let Err(error) = event_sinks.save(FAILURE, format!("{:#}\n", failure.object()).as_bytes()) {
            tracing::warn!("{}", error.message);
        }
    }
    failure
}

fn report_text(object: &Value) -> Vec<u8> {
    format!("{object:#}\n").into_bytes()
}

/// Keeps the report of a run that was killed when only its journal held it.
///
/// # Errors
/// The file cannot be written.
pub(super) fn keep_report(dir: &RunDir, object: &Value) -> Result<(), Failure> {
    if dir.path().join(REPORT).exists() {
        return Ok(());
    }
    dir.save(REPORT, &report_text(object))?;
    Ok(())
}

/// Prints the end of a run that is over.
///
/// # Errors
/// Its report is of another schema.
pub(super) fn show_again(report: &Value, events: &[Event], shown: Shown) -> Result<u8, Failure> {
    let typed = typed(report)?;
    let object = serde_json::to_value(&typed).map_err(|e| Failure::io("the report cannot be made", &e.into()))?;
    show(&typed, object, &Tally::over(events), shown)?;
    Ok(exit_code(typed.verdict))
}

/// The report that a run directory keeps.
///
/// # Errors
/// There is none, or it is of another schema.
pub(super) fn read_report(folder: &Utf8Path) -> Result<RunReport, Failure> {
    let file = folder.join(REPORT);
    let text = std::fs::read_to_string(&file).map_err(|_| {
        let hint = format!("end it first: `unidebug resume {folder}`");
        Failure::unusable(format!("the run `{folder}` is not over: it has no report"), hint)
    })?;
    typed(&serde_json::from_str(&text).unwrap_or_default())
}

fn typed(report: &Value) -> Result<RunReport, Failure> {
    let typed: RunReport = serde_json::from_value(report.clone()).map_err(|e| {
        Failure::unusable(format!("the report of the run cannot be read: {e}"), "read `report.json` of the run")
    })?;
    Ok(RunReport { schema: report::SCHEMA, ..typed })
}

/// Prints a report, and applies its patch where that was asked for: who reads that files changed has seen how.
fn show(report: &RunReport, mut object: Value, sums: &Sums, shown: Shown) -> Result<(), Failure> {
    let apply = shown.apply && report.patch.is_some();
    if let Some(form) = shown.format {
        let end = End::of(Utf8Path::new(&report.run_dir), report.clone(), sums.clone());
        super::print(&findings::text(form, vec![end]));
    } else if shown.json.is_none() {
        super::print(&report::human(report, sums, &next::lines(report, &sums.known.failing, apply)));
    }
    let folder = Utf8Path::new(&report.run_dir);
    let applied = if apply { apply::put(folder, report, shown.leave_test)? } else { Vec::new() };
    if let Some(schema) = shown.json {
        object = report::in_schema(schema, object);
        if apply {
            object["applied"] = serde_json::json!(applied);
        }
        super::print(&format!("{object}\n"));
    } else if apply && shown.format.is_none() {
        super::print(&apply::notice(&applied, false, folder));
    }
    Ok(())
}

/// The exit code of a run's end.
pub(super) fn exit_code(verdict: VerdictWord) -> u8 {
    match verdict {
        VerdictWord::Plausible => 0,
        VerdictWord::NoRepair | VerdictWord::NotReproduced => 1,
        VerdictWord::StoppedAtCap => CAP,
    }
}
