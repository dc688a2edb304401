//! `unidebug replay`: executes a finished run again, offline, and holds it against its recording.

use super::args::ReplayArgs;
use super::bench::args::OfBatch;
use super::error::{DIVERGED, Failure};
use super::event_sinks::EventSinks;
use super::frozen::Frozen;
use super::models::Contact;
use super::runs;
use super::scratch::Scratch;
use super::session::Session;
use crate::batch;
use crate::domain::words::{counted, listed};
use crate::journal::{Comparison, Divergence, History, Past};
use crate::report;
use crate::report::study;
use camino::Utf8Path;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Files of a changed artifact that are named.
const NAMED: usize = 5;
/// A repetition ends where its recording does, not by the clock.
const TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Repeats a run, or every run below a folder.
/// The files of an unpacked artifact are held against their list first.
///
/// # Errors
/// There is no run, it is not over, or this machine cannot open its bug; an artifact that was changed. A difference is
/// exit code 1.
pub(super) async fn replay(args: ReplayArgs) -> Result<u8, Failure> {
    let folder = runs::find(&args.run)?;
    check_list(&folder)?;
    let dirs = study::run_dirs(&folder);
    if let [] | [_] = &dirs[..] {
        let folder = dirs.into_iter().next().unwrap_or(folder);
        let comparison = repeat(&folder, &args).await?;
        show(&comparison, args.json);
        return Ok(if comparison.divergence().is_some() { DIVERGED } else { 0 });
    }
    let mut objects = Vec::new();
    let mut code = 0;
    for dir in &dirs {
        let name = dir.strip_prefix(&folder).unwrap_or(dir);
        let comparison = repeat(dir, &args).await?;
        if comparison.divergence().is_some() {
            code = DIVERGED;
        }
        if args.json {
            let mut object = object(&comparison);
            object["run"] = json!(name);
            objects.push(object);
        } else {
            super::print(&format!("{name}: "));
            show(&comparison, false);
        }
    }
    if args.json {
        super::print(&format!("{}\n", json!({"schema": 1, "identical": code == 0, "runs": objects})));
    }
    Ok(code)
}

/// Refuses an artifact whose files are not those that were packed.
fn check_list(folder: &Utf8Path) -> Result<(), Failure> {
    match batch::unlike(folder)? {
        Some(differ) if !differ.is_empty() => {
            let what = format!("{folder} is not as it was packed: {}", listed(&differ, NAMED));
            Err(Failure::unusable(what, "unpack the artifact anew, or get it again"))
        }
        _ => Ok(()),
    }
}

async fn repeat(folder: &Utf8Path, args: &ReplayArgs) -> Result<Arc<Comparison>, Failure> {
    let mut frozen = Frozen::read(folder)?;
    if args.root.is_some() {
        frozen.settings.root.clone_from(&args.root);
    }
    let history = History::read(folder)?;
    let Some(recorded) = history.finished() else {
        let hint = format!("end it first: `unidebug resume {folder}`");
        return Err(Failure::unusable(format!("the run `{folder}` is not over: there is no whole recording"), hint));
    };
    let schema = recorded["schema"].as_u64().and_then(|schema| u32::try_from(schema).ok()).unwrap_or(report::SCHEMA);
    let scratch = Scratch::of("replay")?;
    let session = Session::open(&frozen.bug, frozen.settings, Contact::None, OfBatch::default()).await?;
    let session = session.on(frozen.issue);
    let past = Arc::new(Past::to_repeat(history, args.rerun));
    let comparison = Arc::new(Comparison::with(past.clone()));
    let event_sinks = EventSinks::to(comparison.clone(), past, args.quiet);
    let worked = session.work(scratch.path(), &event_sinks, TIME).await;
    event_sinks.quiet();
    match (comparison.divergence(), worked) {
        // What a difference led to says less than the difference.
        (Some(_), _) => {}
        (None, Ok(outcome)) => {
            let report = serde_json::to_value(&outcome.report);
            let report = report.map_err(|e| Failure::io("the report cannot be made", &e.into()))?;
            comparison.conclude(&report::in_schema(schema, report));
        }
        (None, Err(failure)) => return Err(failure),
    }
    Ok(comparison)
}

fn object(comparison: &Comparison) -> Value {
    let [requests, observations, outcomes] = ["request", "observation", "outcome"].map(|kind| comparison.same(kind));
    let divergence = comparison.divergence().map(|Divergence { what, diff }| json!({"what": what, "diff": diff}));
    json!({
        "schema": 1, "identical": divergence.is_none(), "requests": requests, "observations": observations,
        "outcomes": outcomes, "divergence": divergence,
    })
}

fn show(comparison: &Comparison, as_json: bool) {
    let divergence = comparison.divergence();
    let [requests, observations, outcomes] = ["request", "observation", "outcome"].map(|kind| comparison.same(kind));
    if as_json {
        return super::print(&format!("{}\n", object(comparison)));
    }
    let same = [(requests, "request"), (observations, "observation"), (outcomes, "outcome")]
        .map(|(n, what)| counted(n, what))
        .join(", ");
    super::print(&match divergence {
        None => format!("identical: {same}, verdict and patch\n"),
        Some(Divergence { what, diff }) => {
            format!("{what}\n(- recorded, + now)\n{diff}\nthe same before it: {same}\n")
        }
    });
}
