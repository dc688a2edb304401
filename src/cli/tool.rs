//! `unidebug tool`: every tool by hand on one bug, with the same mending of near misses that agents get.

use super::args::ToolArgs;
use super::bench::args::OfBatch;
use super::error::Failure;
use super::external;
use super::models::{Contact, Models};
use super::open::{Opened, settings_for};
use super::scratch::Scratch;
use super::strategy;
use crate::agent::mend::{self, Match, Threshold};
use crate::agent::policy::{LlmPolicy, Policy};
use crate::domain::{AgentName, EventSink, Level, Scope};
use crate::escalate::{Decider, Temperatures};
use crate::prompt::Library;
use crate::report::Tally;
use crate::tools::{Effect, GenerateMethodBody, Registry, Tool, ToolContext, TypedTool, call_form};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Lists the tools, or uses one.
///
/// # Errors
/// Unknown tool, wrong arguments, everything that can be wrong with a bug.
pub(super) async fn tool(args: Box<ToolArgs>) -> Result<u8, Failure> {
    let registry = Registry::builtin();
    let Some(name) = &args.name else {
        super::print(&list(&registry, args.json));
        return Ok(0);
    };
    let tool = named(&registry, name)?;
    let given: Value = serde_json::from_str(&args.args)
        .map_err(|e| Failure::usage(format!("--args: {e}"), format!("give JSON for {}", call_form(tool))))?;
    let (given, notes) = mend::mend_args(&given, &tool.schema(), Threshold::USUAL)
        .map_err(|why| Failure::usage(format!("--args: {why}"), format!("it takes {}", call_form(tool))))?;
    for note in notes {
        super::tell(&format!("note: {note}"));
    }
    let Some(bug) = &args.bug else {
        return Err(Failure::usage(format!("`{}` works on a bug", tool.name()), "name one with --bug"));
    };
    let (_, config) = settings_for(bug, &args.settings)?;
    let opened = Opened::check(bug, &config).await?;
    let library = Arc::new(Library::load(config.prompts.as_deref())?);
    // Nobody is asked for a tool that asks nobody.
    let contact = if tool.name() == GenerateMethodBody::NAME { Contact::First } else { Contact::None };
    let models = Models::open(&config, &[], contact, OfBatch::default()).await?;
    let scratch = Scratch::of("tool")?;
    let sink: Arc<dyn EventSink> = Arc::new(Tally::default());
    let mut bench = opened.bench(scratch.path(), strategy::plain(&config), &*sink).await?;
    external::add_to(&mut bench, &config, &*sink)?;
    let scope = Scope { attempt: 1, level: Level::L1, agent: AgentName::from("hand"), cycle: 1, focus: None, visit: 1 };
    let model =
        match models.decider(Level::L1, &scope.agent, Temperatures::fixed(0.0), &library, &sink, &Arc::default()) {
            Decider::Model { model_settings, kind } => {
                Some(LlmPolicy::new(*model_settings, kind, scope.clone(), bench.language, 0))
            }
            Decider::Builtin => None,
        };
    let side = model.as_ref().and_then(|model| model.side_model());
    let cx = ToolContext { bench: &bench, scope: &scope, sink: &*sink, side, variants: None, shown: None };
    let observation = tool.call(given, &cx).await?;
    let outcome = match &observation.effect {
        Effect::Tried(attempts) => attempts.first().map(|attempt| attempt.validation.outcome),
        Effect::NotApplied(attempt) => Some(attempt.validation.outcome),
        _ => None,
    };
    let object = args.json.then(|| {
        let mut object = json!({"schema": 1, "tool": tool.name(), "ok": true, "observation": observation.text});
        if let Some(outcome) = outcome {
            object["outcome"] = json!(outcome);
        }
        object
    });
    super::print_either(object, &format!("{}\n", observation.text.trim_end()));
    Ok(0)
}

fn named<'r>(registry: &'r Registry, given: &str) -> Result<&'r dyn Tool, Failure> {
    let names = registry.names();
    let unknown = |nearest: &[String]| {
        Failure::usage(format!("no tool `{given}`; nearest: {}", nearest.join(", ")), "`unidebug tool` lists them")
    };
    let name = match mend::match_name(given, &names, Threshold::USUAL) {
        Match::Exact => given.to_owned(),
        Match::Mended(name) => {
            super::tell(&format!("note: `{given}` was taken for `{name}`"));
            name
        }
        Match::Ambiguous(several) | Match::Unknown(several) => return Err(unknown(&several)),
    };
    registry.get(&name).ok_or_else(|| unknown(&[]))
}

fn list(registry: &Registry, json: bool) -> String {
    let tools: Vec<&dyn Tool> = registry.names().into_iter().filter_map(|name| registry.get(name)).collect();
    if json {
        let tools: Vec<Value> = tools
            .iter()
            .map(|tool| json!({"name": tool.name(), "about": tool.about(), "args": tool.schema()}))
            .collect();
        return format!("{}\n", json!({"schema": 1, "tools": tools}));
    }
    let mut text = String::new();
    for tool in tools {
        let _ = writeln!(text, "{:<70} {}", call_form(tool), tool.about());
    }
    text
}
