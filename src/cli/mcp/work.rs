//! What each tool does, by the code of the subcommands.

use super::args::{McpSettings, RequestSettings};
use super::bench::{Benches, Held, Purpose, Warm};
use super::listen::Listener;
use super::tools::{JudgePatch, Name, OnBug, Repair, RunTests, SearchCode};
use crate::benchmark;
use crate::cli::bench::args::OfBatch;
use crate::cli::config::{Config, Dollars, Layers, Place, Time};
use crate::cli::error::Failure;
use crate::cli::finish::keep;
use crate::cli::judge::{self, Given, Judged};
use crate::cli::models::Contact;
use crate::cli::open::settings_for;
use crate::cli::run::{begun, run_folder, worked};
use crate::cli::run_report::confidence;
use crate::cli::session::Session;
use crate::cli::{effect, runs, triage};
use crate::domain::{AgentName, BugId, Level, Scope};
use crate::report::{self, Tally};
use crate::tools::{Registry, ToolContext, Workbench, search_text};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Suspicious lines that are told where nothing is said.
const TOP: usize = 10;

/// What all requests share.
pub(super) struct Shared {
    /// The server's settings.
    pub settings: McpSettings,
    /// Bugs that stay ready.
    pub benches: Benches,
}

/// One request: what it may work on, and who hears of it.
pub(super) struct Request<'s> {
    /// What all requests share.
    pub shared: &'s Shared,
    /// Finds the bug that a text names, inside of what is granted.
    pub bug: &'s (dyn Fn(&str) -> Result<BugId, Failure> + Sync),
    /// Who hears what is done.
    pub listener: Listener,
}

impl Request<'_> {
    /// Does what a tool does.
    ///
    /// # Errors
    /// Wrong arguments, and everything that can be wrong with a bug.
    pub(super) async fn call(&self, tool: Name, args: Value) -> Result<Value, Failure> {
        match tool {
            Name::JudgePatch => self.judge(read(args)?).await,
            Name::Localize => self.localize(read(args)?).await,
            Name::Triage => self.triage(read(args)?).await,
            Name::RunTests => self.run_tests(read(args)?).await,
            Name::SearchCode => self.search(read(args)?).await,
            Name::Repair => self.repair(read(args)?).await,
        }
    }

    fn settings(&self, bug: &str, failing: Vec<String>) -> Result<(BugId, Layers, Config), Failure> {
        let bug = (self.bug)(bug)?;
        let settings = RequestSettings { server: self.shared.settings.clone(), failing };
        let (layers, config) = settings_for(&benchmark::typed(&bug), &settings)?;
        Ok((bug, layers, config))
    }

    async fn ready(&self, bug: &str, failing: Vec<String>, purpose: Purpose) -> Result<Warm, Failure> {
        let (bug, _, config) = self.settings(bug, failing)?;
        let warm = self.shared.benches.take(&bug, &config, purpose, &self.listener).await?;
        warm.listener.follow(&self.listener);
        Ok(warm)
    }

    async fn judge(&self, args: JudgePatch) -> Result<Value, Failure> {
        let warm = self.ready(&args.bug, args.failing, Purpose::Judge).await?;
        let Held::Bench(bench) = &warm.held else { return Err(unready()) };
        let given = Given { name: "patch".to_owned(), diff: args.patch };
        // What was judged before is judged again: the word is about this request.
        bench.validator.forget();
        self.listener.watcher().phase("judging the patch");
        let attempt = judge::judge_given(&given, bench, &Tally::default()).await?;
        let confidence = match attempt.validation.is_plausible() {
            true => confidence(bench, &attempt).await,
            false => None,
        };
        let object = judge::object(bench, &[Judged::of(given, attempt, confidence, bench)]);
        self.shared.benches.put(warm);
        Ok(object)
    }

    async fn localize(&self, args: OnBug) -> Result<Value, Failure> {
        let warm = self.ready(&args.bug, args.failing, Purpose::Explore).await?;
        let Held::Bench(bench) = &warm.held else { return Err(unready()) };
        let code = |file: &_, line| bench.index.file(file).and_then(|file| file.line(line)).unwrap_or("").to_owned();
        let lines = report::triage::lines(&bench.ranking, &[], args.top.unwrap_or(TOP), &code);
        let failing: Vec<String> = bench.bug.failing.iter().map(|test| test.id.to_string()).collect();
        let object = json!({"schema": 1, "bug": bench.bug.id, "failing": failing, "lines": lines});
        self.shared.benches.put(warm);
        Ok(object)
    }

    async fn run_tests(&self, args: RunTests) -> Result<Value, Failure> {
        let warm = match self.ready(&args.bug, args.failing, Purpose::Explore).await {
            Err(failure) if failure.code == "nothing_fails" => {
                return Ok(json!({"schema": 1, "result": failure.message}));
            }
            other => other?,
        };
        let Held::Bench(bench) = &warm.held else { return Err(unready()) };
        let wanted = if args.tests.is_empty() { json!({}) } else { json!({"tests": args.tests}) };
        let text = by_tool(bench, "run_tests", wanted).await?;
        self.shared.benches.put(warm);
        Ok(json!({"schema": 1, "result": text}))
    }

    async fn search(&self, args: SearchCode) -> Result<Value, Failure> {
        let warm = self.ready(&args.bug, Vec::new(), Purpose::Read).await?;
        let Held::Code(index) = &warm.held else { return Err(unready()) };
        let text = search_text(index, &args.key_words)?;
        self.shared.benches.put(warm);
        Ok(json!({"schema": 1, "result": text}))
    }

    async fn triage(&self, args: OnBug) -> Result<Value, Failure> {
        let (bug, layers, config) = self.settings(&args.bug, args.failing)?;
        if effect::asks_a_model(&config)? {
            check_caps(&layers, &config)?;
        }
        let listener: (Arc<Listener>, _) = (Arc::new(self.listener.clone()), self.listener.watcher());
        let how = triage::How { top: args.top.unwrap_or(TOP), quiet: true, listener: Some((listener.0, listener.1)) };
        let (triaged, others) = triage::with(&bug, config, &[], &how).await?;
        let mut object = triaged.json();
        object["schema"] = 1.into();
        object["other_bugs"] = json!(others);
        Ok(object)
    }

    async fn repair(&self, args: Repair) -> Result<Value, Failure> {
        let (bug, layers, mut config) = self.settings(&args.bug, args.failing.clone())?;
        check_caps(&layers, &config)?;
        effect::check(&layers, &config)?;
        lower(&mut config, &args)?;
        let name = benchmark::typed(&bug);
        let session = Session::open(&name, config, Contact::First, OfBatch::default()).await?;
        let folder = run_folder(None, session.opened(), None)?;
        let event_sinks = begun(&name, &layers, &session, (&folder, None), true).await?;
        let event_sinks = event_sinks.heard_by(Arc::new(self.listener.clone()), self.listener.watcher());
        let done = worked(&session, folder, event_sinks).await?;
        let mut object = keep(&done.folder, &done.event_sinks, &done.outcome)?;
        object["run"] = runs::name(&done.folder).into();
        Ok(object)
    }
}

fn read<T: DeserializeOwned>(args: Value) -> Result<T, Failure> {
    serde_json::from_value(args)
        .map_err(|error| Failure::usage(format!("arguments: {error}"), "`tools/list` has the schema of each tool"))
}

fn unready() -> Failure {
    Failure::fault("a bug was kept for another purpose", "ask again")
}

/// Runs one of the agents' tools.
async fn by_tool(bench: &Workbench, name: &str, args: Value) -> Result<String, Failure> {
    let registry = Registry::builtin();
    let tool = registry.get(name).ok_or_else(unready)?;
    let scope = Scope { attempt: 1, level: Level::L1, agent: AgentName::from("hand"), cycle: 1, focus: None, visit: 1 };
    let sink = Tally::default();
    let cx = ToolContext { bench, scope: &scope, sink: &sink, side: None, variants: None, shown: None };
    Ok(tool.call(args, &cx).await?.text)
}

/// Refuses a run for which the host set no cap. A project's own file cannot stand in for it.
fn check_caps(layers: &Layers, config: &Config) -> Result<(), Failure> {
    let refuse = |what: &str, hint: &str| Failure { code: "no_cap", ..Failure::usage(what, hint) };
    let is_host = |place: &Place| !matches!(place, Place::Default | Place::Repository { .. });
    let set = |wanted: &str| layers.settings().any(|(name, setting)| name == wanted && is_host(&setting.origin));
    if config.max_time.is_none() || !set("max_time") {
        let hint = "start the server with `--max-time 5m`, or set `max_time` in your settings";
        return Err(refuse("the host set no cap on time", hint));
    }
    let capped = (config.max_cost.is_some() && set("max_cost")) || (config.max_tokens.is_some() && set("max_tokens"));
    if effect::asks_a_model(config)? && !capped {
        let hint = "start the server with `--max-cost 0.50` or `--max-tokens N`, or set them in your settings";
        return Err(refuse("a model would be asked, and the host set no cap on cost or tokens", hint));
    }
    Ok(())
}

/// What a request asks for below the host's caps.
fn lower(config: &mut Config, args: &Repair) -> Result<(), Failure> {
    if let Some(seconds) = args.max_seconds {
        let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
        let limit = limit.ok_or_else(|| Failure::usage("`max_seconds` is no time above zero", "give seconds"))?;
        config.max_time = config.max_time.map(|Time(most)| Time(most.min(limit)));
    }
    if let Some(usd) = args.max_cost {
        if !(usd.is_finite() && usd > 0.0) {
            return Err(Failure::usage("`max_cost` is no sum above zero", "give US dollars"));
        }
        config.max_cost = Some(Dollars(config.max_cost.map_or(usd, |Dollars(most)| most.min(usd))));
    }
    Ok(())
}
