//! `unidebug replay`: executes a finished run again, offline, and holds it against its recording.

use super::args::ReplayArgs;
use super::error::{DIVERGED, Failure};
use super::frozen::Frozen;
use super::models::Contact;
use super::runs;
use super::scratch::Scratch;
use super::session::Session;
use super::telling::Telling;
use crate::domain::words::counted;
use crate::journal::{Comparison, Divergence, History, Past};
use crate::report;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A repetition ends where its recording does, not by the clock.
const TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Repeats a run.
///
/// # Errors
/// There is no run, it is not over, or this machine cannot open its bug; a difference is exit code 1.
pub async fn replay(args: ReplayArgs) -> Result<u8, Failure> {
    let folder = runs::find(&args.run)?;
    let frozen = Frozen::read(&folder)?;
    let history = History::read(&folder)?;
    let Some(recorded) = history.finished() else {
        let hint = format!("end it first: `unidebug resume {folder}`");
        return Err(Failure::unusable(format!("the run `{folder}` is not over: there is no whole recording"), hint));
    };
    let schema = recorded["schema"].as_u64().and_then(|schema| u32::try_from(schema).ok()).unwrap_or(report::SCHEMA);
    let scratch = Scratch::of("replay")?;
    let session = Session::open(&frozen.bug, frozen.settings, Contact::None, None).await?.on(frozen.issue);
    let past = Arc::new(Past::to_repeat(history, args.rerun));
    let comparison = Arc::new(Comparison::with(past.clone()));
    let telling = Telling::to(comparison.clone(), past, args.quiet);
    let worked = session.work(scratch.path(), &telling, TIME).await;
    telling.quiet();
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
    show(&comparison, args.json);
    Ok(if comparison.divergence().is_some() { DIVERGED } else { 0 })
}

fn show(comparison: &Comparison, as_json: bool) {
    let divergence = comparison.divergence();
    let [requests, observations, outcomes] = ["request", "observation", "outcome"].map(|kind| comparison.same(kind));
    if as_json {
        let divergence = divergence.map(|Divergence { what, diff }| json!({"what": what, "diff": diff}));
        let object = json!({
            "schema": 1, "identical": divergence.is_none(), "requests": requests, "observations": observations,
            "outcomes": outcomes, "divergence": divergence,
        });
        return super::print(&format!("{object}\n"));
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
