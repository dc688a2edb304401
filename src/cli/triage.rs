//! `unidebug triage`: level 1 alone over many bugs, and what it says of each.

use super::args::{TriageArgs, TriageFormat};
use super::bench::args::OfBatch;
use super::config::{Config, Levels};
use super::effect;
use super::error::Failure;
use super::event_sinks::EventSinks;
use super::findings;
use super::models::Contact;
use super::open::{full_name, settings_for};
use super::scratch::Scratch;
use super::session::{Outcome, Session};
use crate::benchmark::{self, Settings};
use crate::domain::{BugId, Event, EventSink, Level, Mark, PolicyKind, TestId, Watcher};
use crate::escalate::RunVerdict;
use crate::journal::Past;
use crate::patch;
use crate::report::triage::{self, Fix, Triaged};
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Triages every bug. One that cannot be opened is reported among the others; alone it ends the command.
///
/// # Errors
/// An unknown set, nothing to say of any bug.
pub(super) async fn triage(args: Box<TriageArgs>) -> Result<u8, Failure> {
    let mut bugs: Vec<BugId> = Vec::new();
    for set in &args.bugs {
        let settings = Settings { root: args.settings.source.root.clone(), ..Settings::default() };
        bugs.extend(benchmark::select(set, &settings)?);
    }
    let alone = bugs.len() == 1;
    let mut all = Vec::new();
    for bug in bugs {
        match each(&bug, &args).await {
            Ok(triaged) => all.extend(triaged),
            Err(failure) if alone => return Err(failure),
            Err(failure) => all.push(Triaged::failed(bug, failure.message)),
        }
    }
    let format = if args.json { TriageFormat::Json } else { args.format };
    super::print(&match format {
        TriageFormat::Text => triage::text(&all),
        TriageFormat::Md => triage::markdown(&all),
        TriageFormat::Github => triage::github(&findings::placed(all)),
        TriageFormat::Sarif => format!("{:#}\n", triage::sarif(&findings::placed(all))),
        TriageFormat::Json => {
            let bugs: Vec<_> = all.iter().map(Triaged::json).collect();
            format!("{}\n", serde_json::json!({"schema": 1, "bugs": bugs}))
        }
    });
    Ok(0)
}

/// Triages a bug, and further ones of the same project: failures without a common cause share no ranking.
async fn each(bug: &BugId, args: &TriageArgs) -> Result<Vec<Triaged>, Failure> {
    let how = How { top: args.top, quiet: args.quiet, listener: None };
    let (first, others) = one(bug, &args.settings, &[], &how).await?;
    let mut all = vec![first];
    for tests in others {
        all.push(one(bug, &args.settings, &tests, &how).await?.0);
    }
    Ok(all)
}

/// How a bug is triaged.
pub(super) struct How {
    /// Suspicious lines that are told.
    pub(super) top: usize,
    /// Whether no progress is shown.
    pub(super) quiet: bool,
    /// Who hears what is being done.
    pub(super) listener: Option<(Arc<dyn EventSink>, Watcher)>,
}

/// Triages the failing tests of a bug, or these; and gives the groups of tests that fail for other reasons.
async fn one(
    bug: &BugId,
    settings: &impl Serialize,
    tests: &[TestId],
    how: &How,
) -> Result<(Triaged, Vec<Vec<TestId>>), Failure> {
    let (layers, config) = settings_for(&benchmark::typed(bug), settings)?;
    effect::check(&layers, &config)?;
    with(bug, config, tests, how).await
}

/// The same with settings that are decided.
pub(super) async fn with(
    bug: &BugId,
    config: Config,
    tests: &[TestId],
    how: &How,
) -> Result<(Triaged, Vec<Vec<TestId>>), Failure> {
    let name = benchmark::typed(bug);
    let mut config = Config { levels: Some(Levels(vec![Level::L1])), ..config };
    if !tests.is_empty() {
        config.failing = tests.iter().map(TestId::to_string).collect();
    }
    let session = Session::open(&full_name(&name), config, Contact::First, OfBatch::default()).await?.on_all_tests();
    let scratch = Scratch::of("triage")?;
    let marks = Arc::new(Marks::default());
    let event_sinks = EventSinks::to(marks.clone(), Arc::new(Past::default()), how.quiet);
    let event_sinks = match &how.listener {
        Some((listener, watcher)) => event_sinks.heard_by(listener.clone(), watcher.clone()),
        None => event_sinks,
    };
    let outcome = session.work(scratch.path(), &event_sinks, session.time()).await?;
    event_sinks.quiet();
    let others = outcome.bench.validator.baseline().others.clone();
    Ok((triaged(bug, outcome, &marks.taken(), how.top), if tests.is_empty() { others } else { Vec::new() }))
}

fn triaged(bug: &BugId, outcome: Outcome, marks: &[Mark], top: usize) -> Triaged {
    let Outcome { bench, verdict, report, .. } = outcome;
    let aside = &bench.validator.baseline().set_aside;
    let aside = aside.iter().map(|(test, why)| (test.clone(), why.clone())).collect();
    let code = |file: &_, line| bench.index.file(file).and_then(|file| file.line(line)).unwrap_or("").to_owned();
    let fix = match verdict {
        RunVerdict::Plausible(repair) => {
            let patch = repair.attempt.patch;
            Some(Fix { diff: patch::render(&patch), patch })
        }
        _ => None,
    };
    Triaged {
        bug: bug.clone(),
        failing: bench.bug.failing.iter().map(|test| test.id.clone()).collect(),
        set_aside: aside,
        syntax: bench.bug.failing.iter().filter_map(|test| test.failure.syntax_error()).collect(),
        lines: triage::lines(&bench.ranking, marks, top, &code),
        fix,
        usage: report.usage,
        seconds: report.seconds.wall,
        error: None,
    }
}

/// Keeps Locator's newest marks.
#[derive(Default)]
struct Marks(Mutex<Taken>);

#[derive(Default)]
struct Taken {
    /// Whether a model decides for the agent at work; the engine's marks are the ranking's first lines again.
    by_model: bool,
    marks: Vec<Mark>,
}

impl Marks {
    fn locked(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn taken(&self) -> Vec<Mark> {
        self.locked().marks.clone()
    }
}

impl EventSink for Marks {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        let mut taken = self.locked();
        match event {
            Event::AgentStarted { policy, .. } => taken.by_model = *policy != PolicyKind::Builtin,
            Event::Marked { marks, .. } if taken.by_model => taken.marks.clone_from(marks),
            _ => {}
        }
        Ok(())
    }
}
