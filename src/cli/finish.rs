//! The end of a run: its report, its patch as a file, and, where that was asked for, in the project.

use super::args::RunArgs;
use super::error::Failure;
use super::models::Models;
use super::telling::{Telling, write};
use crate::domain::{Event, Outcome, Patch, PolicyKind};
use crate::escalate::prepare::Localization;
use crate::escalate::{Repair, Verdict};
use crate::patch;
use crate::report::{self, By, Model, RunReport, VerdictWord};
use crate::tools::Workbench;
use camino::Utf8Path;
use std::time::Instant;

/// What the run came to.
pub fn report(
    localization: Localization,
    models: &Models,
    bench: &Workbench,
    folder: &Utf8Path,
    telling: &Telling,
    verdict: &Verdict,
    started: Instant,
) -> RunReport {
    let sums = telling.tally.sums();
    let (name, endpoint) = models.describe();
    let repair = match verdict {
        Verdict::Plausible(repair) => Some(&**repair),
        _ => None,
    };
    let (word, analysis) = match verdict {
        Verdict::Plausible(repair) => (VerdictWord::Plausible, repair.analysis.clone()),
        Verdict::Unrepaired { analysis } => (VerdictWord::Unrepaired, analysis.clone()),
        Verdict::Exhausted { cap } => (VerdictWord::Exhausted, Some(cap.clone())),
    };
    let mut seconds = sums.seconds;
    seconds.wall = started.elapsed().as_secs_f64();
    // One candidate is compiled while another is tested, so that their times overlap and can add up to more.
    seconds.tests = seconds.tests.min(seconds.wall - seconds.model);
    RunReport {
        schema: report::SCHEMA,
        bug: bench.bug.id.clone(),
        verdict: word,
        level: repair.map(|r| r.level),
        by: repair.map(|r| by(r, sums.at_repair.as_ref().unwrap_or(&sums.usage))),
        patch: repair.map(|r| patch::render(&r.attempt.patch)),
        files: repair.map(|r| r.attempt.patch.paths().cloned().collect()).unwrap_or_default(),
        correct: repair.and_then(|r| correct(bench, &r.attempt.patch)),
        localization: localization.word().to_owned(),
        model: Model { name, endpoint },
        validations: sums.validations,
        usage: sums.usage,
        seconds,
        analysis,
        run_dir: folder.to_string(),
    }
}

fn by(repair: &Repair, usage: &crate::domain::Usage) -> By {
    let asked = repair.policy != PolicyKind::Builtin;
    By {
        agent: repair.agent.clone(),
        policy: repair.policy,
        attempt: repair.number,
        request: if asked { usage.requests } else { 0 },
        cost_usd: usage.cost_usd.0,
    }
}

fn correct(bench: &Workbench, found: &Patch) -> Option<bool> {
    let oracle = bench.checkout.oracle.as_ref()?;
    patch::compare::correct(found, &oracle.files, &bench.originals, bench.language)
}

/// Keeps the patch and the report, prints them, applies the patch where that was asked for.
///
/// # Errors
/// A file cannot be written; the project changed under `--apply`.
pub fn finish(
    args: &RunArgs,
    bench: &Workbench,
    folder: &Utf8Path,
    telling: &Telling,
    report: &RunReport,
    verdict: &Verdict,
) -> Result<u8, Failure> {
    if let Verdict::Plausible(repair) = verdict {
        write(&folder.join("patch.diff"), &patch::render_bytes(&repair.attempt.patch))?;
        for (nth, other) in repair.others.iter().enumerate() {
            write(&folder.join(format!("plausible-{}.diff", nth + 2)), &patch::render_bytes(&other.patch))?;
        }
        if args.apply {
            apply(bench, &repair.attempt.patch)?;
        }
    }
    let object = serde_json::to_value(report).map_err(|e| Failure::io("the report cannot be made", &e.into()))?;
    write(&folder.join("report.json"), format!("{object:#}\n").as_bytes())?;
    telling.emit(&Event::Finished { report: object.clone() })?;
    // The private copy and the compiled classes can be made again; a run directory keeps what cannot.
    for scratch in ["checkout", "work"] {
        let _ = std::fs::remove_dir_all(folder.join(scratch));
    }
    telling.quiet();
    let mut outcomes = telling.tally.sums().outcomes;
    outcomes.remove(&Outcome::PassedWarm);
    if args.json {
        super::print(&format!("{object}\n"));
    } else {
        super::print(&report::human(report, &outcomes));
    }
    Ok(match report.verdict {
        VerdictWord::Plausible => 0,
        VerdictWord::Unrepaired => 1,
        VerdictWord::Exhausted => 5,
    })
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
        if now.as_deref() != file.before.as_deref() {
            return Err(Failure::unusable(
                format!("--apply: {} changed while the bug was worked on; nothing was written", file.path),
                "apply the patch of the run directory by hand",
            ));
        }
    }
    for file in &found.files {
        write(&file.path.under(root), &file.after)?;
    }
    Ok(())
}
