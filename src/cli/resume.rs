//! `unidebug resume`: goes on with a run that was killed, stopped at a cap, or could not go on where it was.
//!
//! The run is executed again with its frozen settings; its journal answers what it holds.

use super::apply;
use super::args::ResumeArgs;
use super::error::Failure;
use super::event_sinks::EventSinks;
use super::finish::{Shown, finish, keep_failure, keep_report, show_again};
use super::frozen::Frozen;
use super::interrupt::note_folder;
use super::models::Contact;
use super::runs;
use super::session::Session;
use super::tell;
use crate::benchmark;
use crate::domain::Event;
use crate::journal::{Journal, Past, RunDir, SCHEMA, repair};
use crate::report::VerdictWord;
use serde::Deserialize;
use std::time::Duration;

/// Goes on with a run.
///
/// # Errors
/// There is no run, another process owns it, its journal is damaged; and everything that ends a run.
pub(super) async fn resume(args: ResumeArgs) -> Result<u8, Failure> {
    let folder = runs::find(&args.run)?;
    let mut frozen = Frozen::read(&folder)?;
    if args.apply {
        apply::refuse_foreign(&benchmark::parse_bug(&frozen.bug)?)?;
    }
    let dir = RunDir::open(&folder)?;
    if args.repair {
        mend(&dir, &frozen)?;
    }
    let raised = frozen.raise(args.raised);
    if raised {
        frozen.save(&dir)?;
    }
    note_folder(&folder);
    let (journal, history) = Journal::reopen(dir)?;
    let (json, quiet, apply, leave_test) = (args.object.wanted(), args.quiet, args.apply, args.leave_test);
    let shown = Shown { json, format: None, quiet, apply, leave_test };
    let of_batch = args.of_batch.open(frozen.settings.allow_unpriced);
    if let Some(report) = history.finished() {
        let stopped = VerdictWord::deserialize(&report["verdict"]).is_ok_and(|word| word == VerdictWord::StoppedAtCap);
        // Who works for a batch goes on when it has more to spend.
        if !(stopped && (raised || of_batch.account.is_some())) {
            // Without this file a batch goes on with a run that its cap stopped.
            if !stopped {
                keep_report(journal.run_dir(), report)?;
            }
            return show_again(report, history.events(), shown);
        }
    }
    let usual = frozen.has_usual_cost();
    let session = Session::open(&frozen.bug, frozen.settings, Contact::Again(&history), of_batch).await?;
    let session = session.under_the_usual_cost(usual).on(frozen.issue);
    let left = session.time().saturating_sub(Duration::from_secs_f64(history.worked_on_the_bug()));
    let event_sinks = EventSinks::journaled(journal, Past::of(history), shown.quiet, &session.models().redactor);
    let outcome = session.work(&folder, &event_sinks, left).await;
    let outcome = outcome.map_err(|failure| keep_failure(&event_sinks, failure))?;
    finish(&folder, &event_sinks, &outcome, shown)
}

/// Takes damaged records out of the journal, and says so.
fn mend(dir: &RunDir, frozen: &Frozen) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let sandbox = "unknown".to_owned();
    let first = Event::RunStarted { schema: SCHEMA, version, bug: benchmark::parse_bug(&frozen.bug)?, sandbox };
    match repair(dir, &first)? {
        Some(done) => {
            let (kept, lost, copy) = (done.kept, done.lost, done.copy);
            tell(&format!("{kept} good records kept, {lost} damaged taken out; as it was: {copy}"));
        }
        None => tell("the journal is not damaged"),
    }
    Ok(())
}
