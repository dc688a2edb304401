//! `unidebug run`: one bug, from its id to a validated patch.

use super::apply;
use super::args::RunArgs;
use super::conditions;
use super::config::{Config, Layers};
use super::dry_run::dry_run;
use super::effect;
use super::error::Failure;
use super::event_sinks::EventSinks;
use super::finish::{Shown, finish, keep_failure};
use super::frozen::Frozen;
use super::interrupt::note_folder;
use super::issue::{self, Issue};
use super::models::Contact;
use super::open::{Opened, full_name, settings_for};
use super::run_all::run_all;
use super::runs;
use super::session::{Outcome, Session};
use crate::benchmark;
use crate::journal::{Journal, Past, RunDir, failpoint};
use camino::{Utf8Path, Utf8PathBuf};

/// Runs one bug.
///
/// # Errors
/// Everything that keeps the bug from being tried; a bug that stays without a repair is exit code 1.
pub(super) async fn run(args: Box<RunArgs>) -> Result<u8, Failure> {
    let (layers, config) = settings_for(&args.bug, &args.settings)?;
    let bug = full_name(&args.bug);
    effect::check(&layers, &config)?;
    if args.apply {
        apply::refuse_foreign(&benchmark::parse_bug(&bug)?)?;
    }
    if args.issue.is_some() {
        issue::refuse_foreign(&benchmark::parse_bug(&bug)?)?;
        effect::check_model(&config)?;
    }
    if args.dry_run {
        return dry_run(&bug, config, args.object.wanted().is_some(), args.quiet, args.show_prompts).await;
    }
    if args.all {
        return run_all(&args, &bug, &layers, config).await;
    }
    let done = one(&args, &bug, &layers, config, None).await?;
    finish(&done.folder, &done.event_sinks, &done.outcome, shown(&args))
}

/// A run that came to its end, before its report is kept.
pub(super) struct Done {
    pub(super) folder: Utf8PathBuf,
    pub(super) event_sinks: EventSinks,
    pub(super) outcome: Outcome,
}

/// Runs one bug, the `nth` of its project where all are worked on.
pub(super) async fn one(
    args: &RunArgs,
    bug: &str,
    layers: &Layers,
    config: Config,
    nth: Option<usize>,
) -> Result<Done, Failure> {
    let of_batch = args.of_batch.open(config.allow_unpriced);
    let issue = args.issue.as_ref().map(|file| Issue::read(file, args.show_test)).transpose()?;
    let session = Session::open(bug, config, Contact::First, of_batch).await?.on(issue);
    let session = session.with_known_verdicts(args.known_verdicts);
    let folder = run_folder(args.out.as_deref(), session.opened(), nth)?;
    let event_sinks = begun(bug, layers, &session, (&folder, args.name.clone()), args.quiet).await?;
    worked(&session, folder, event_sinks).await
}

/// Makes the run directory of a session, with its frozen settings and the beginning of its journal.
pub(super) async fn begun(
    bug: &str,
    layers: &Layers,
    session: &Session,
    (folder, name): (&Utf8Path, Option<String>),
    quiet: bool,
) -> Result<EventSinks, Failure> {
    let conditions = conditions::now(session.opened(), session.config(), &session.models().redactor).await;
    let frozen = Frozen::new(bug, layers, session.config(), session).under(name, conditions);
    let dir = RunDir::create(folder)?;
    failpoint::reach("frozen.before");
    frozen.save(&dir)?;
    note_folder(folder);
    failpoint::reach("frozen.after");
    Ok(EventSinks::journaled(Journal::begin(dir)?, Past::default(), quiet, &session.models().redactor))
}

/// Works on the bug of a session in its run directory.
pub(super) async fn worked(session: &Session, folder: Utf8PathBuf, event_sinks: EventSinks) -> Result<Done, Failure> {
    let outcome = session.work(&folder, &event_sinks, session.time()).await;
    let outcome = outcome.map_err(|failure| keep_failure(&event_sinks, failure))?;
    Ok(Done { folder, event_sinks, outcome })
}

/// What of a run's end is wanted.
pub(super) fn shown(args: &RunArgs) -> Shown {
    let (json, format) = (args.object.wanted(), args.format);
    Shown { json, format, quiet: args.quiet, apply: args.apply, leave_test: args.leave_test }
}

/// The folder that was named, or a new one below the state folder.
pub(super) fn run_folder(out: Option<&Utf8Path>, opened: &Opened, nth: Option<usize>) -> Result<Utf8PathBuf, Failure> {
    let folder = match out {
        Some(folder) => nth.map_or_else(|| folder.to_owned(), |nth| folder.join(nth.to_string())),
        None => {
            let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3f");
            let short = opened.bug.name.rsplit('/').next().unwrap_or("bug");
            runs::folder().join(format!("{stamp}-{}-{short}", opened.bug.benchmark))
        }
    };
    std::path::absolute(&folder)
        .ok()
        .and_then(|path| Utf8PathBuf::from_path_buf(path).ok())
        .ok_or_else(|| Failure::usage(format!("--out: {folder} is no usable path"), "give a folder"))
}
