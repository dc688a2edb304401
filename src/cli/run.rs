//! `unidebug run`: one bug, from its id to a validated patch.

use super::args::RunArgs;
use super::config::Config;
use super::error::Failure;
use super::finish::{finish, report};
use super::models::Models;
use super::open::{Opened, settings_for, state_folder};
use super::telling::{Telling, frozen};
use super::way::{self, Chosen, part_caps};
use crate::agent::policy::EngineBudget;
use crate::agent::profile;
use crate::domain::{AgentName, Event};
use crate::escalate::{Escalator, Plan};
use crate::journal::SCHEMA as JOURNAL_SCHEMA;
use crate::prompt::Library;
use crate::tools::Registry;
use camino::Utf8PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Runs one bug.
///
/// # Errors
/// Everything that keeps the bug from being tried; a bug that stays unrepaired is exit code 1.
pub async fn run(args: Box<RunArgs>) -> Result<u8, Failure> {
    let started = Instant::now();
    let registry = Registry::builtin();
    let (layers, config) = settings_for(&args.bug, &args.settings)?;
    let library = Arc::new(Library::load(config.prompts.as_deref())?);
    let chosen = Chosen::of(&config)?;
    let profiles = chosen.profiles(config.agents.as_deref(), &registry.names())?;
    let names: Vec<AgentName> = profiles.iter().map(|p| p.name.clone()).collect();
    let opened = Opened::check(&args.bug, &config).await?;
    let models = Arc::new(Models::open(&config, &names).await?);
    let plan = chosen.settled(&models, &config);
    let folder = run_folder(&args, &opened)?;
    let telling = Telling::start(&folder, &frozen(&args.bug, &layers, &config, &plan), args.quiet, &models.redactor)?;
    telling.emit(&started_event(&opened))?;
    if models.for_lack_of_a_key {
        telling.notice(
            "no key is configured, so the built-in engine works alone (OPENAI_API_KEY and --model change that)",
        )?;
    }
    if let Some(note) = models.note {
        telling.notice(&format!("about this endpoint: {note}"))?;
    }
    let wanted = way::wanted(&plan, &config);
    let bench = opened.bench(&folder, wanted, &*telling.sink).await?;
    let escalator = escalator(&config, plan, profiles, registry, library, &models, &telling)?;
    let verdict = escalator.repair(&bench).await?;
    let report = report(escalator.plan.localization, &models, &bench, &folder, &telling, &verdict, started);
    finish(&args, &bench, &folder, &telling, &report, &verdict)
}

fn run_folder(args: &RunArgs, opened: &Opened) -> Result<Utf8PathBuf, Failure> {
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => {
            let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3f");
            let short = opened.bug.name.rsplit('/').next().unwrap_or("bug");
            state_folder().join("runs").join(format!("{stamp}-{}-{short}", opened.bug.benchmark))
        }
    };
    std::path::absolute(&folder)
        .ok()
        .and_then(|path| Utf8PathBuf::from_path_buf(path).ok())
        .ok_or_else(|| Failure::usage(format!("--out: {folder} is no usable path"), "give a folder"))
}

fn escalator(
    config: &Config,
    plan: Plan,
    profiles: Vec<profile::Profile>,
    registry: Registry,
    library: Arc<Library>,
    models: &Arc<Models>,
    telling: &Telling,
) -> Result<Escalator, Failure> {
    let (models, prompts, sink) = (models.clone(), library.clone(), telling.sink.clone());
    let past = telling.past.clone();
    let temperature = plan.temperature;
    let budget = EngineBudget { time: config.max_time.0, candidates: config.max_candidates, seed: config.seed };
    // A paper's own numbers know no end before their budget's.
    let idle = (!plan.paper).then_some(config.idle_cycles);
    let escalator = Escalator::builder()
        .plan(plan)
        .registry(registry)
        .profiles(profiles)
        .library(library)
        .sink(telling.sink.clone())
        .past(telling.past.clone())
        .engine(budget)
        .caps(part_caps(config, idle)?)
        .mind(Box::new(move |level, agent| models.mind(level, agent, temperature, &prompts, &sink, &past)));
    Ok(escalator.build()?)
}

fn started_event(opened: &Opened) -> Event {
    Event::RunStarted {
        schema: JOURNAL_SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        bug: opened.bug.clone(),
        sandbox: opened.sandbox.name().to_owned(),
    }
}
