//! The model decides: from prompts to an answer, from an answer to a command.

use super::model_settings::ModelSettings;
use super::variants::ModelVariants;
use super::{CycleView, Decision, Policy};
use crate::agent::answer;
use crate::agent::contract;
use crate::agent::error::AgentError;
use crate::agent::profile::{ContractKind, Ending, Profile};
use crate::domain::{PolicyKind, Problem, Refusal, Scope, ToolName};
use crate::language::Language;
use crate::llm::{Answer, Form, ModelError, ToolSpec};
use crate::prompt::{Library, PromptError};
use crate::tools::{ANSWERS, GOAL_ACCOMPLISHED, Registry, SideModel, Tool, Variants, WRITE_FIX, call_form};
use async_trait::async_trait;
use serde_json::{Value, json};

/// The line that ends copied text in a prompt (`prompts/turn.md`).
const FENCE_END: &str = ">>>";

/// How many times as long an answer may be that is asked for again because it was cut.
const MORE_ROOM: u32 = 4;

/// A model that decides for one agent.
pub struct LlmPolicy {
    model_settings: ModelSettings,
    kind: PolicyKind,
    side: Side,
    variants: Option<ModelVariants>,
    system: Option<String>,
}

impl LlmPolicy {
    /// A policy of this model; `variants` is how many variants of a failed candidate are asked for (0 for none).
    pub fn new(
        model_settings: ModelSettings,
        kind: PolicyKind,
        scope: Scope,
        language: &'static dyn Language,
        variants: u32,
    ) -> Self {
        let model_settings = model_settings.at(&scope);
        let side = Side { model_settings: model_settings.for_code(), scope, language };
        let variants =
            (variants > 0).then(|| ModelVariants { model_settings: model_settings.clone(), count: variants });
        Self { model_settings, kind, side, variants, system: None }
    }
}

#[async_trait]
impl Policy for LlmPolicy {
    fn kind(&self) -> PolicyKind {
        self.kind
    }

    async fn decide(&mut self, view: &CycleView<'_>) -> Result<Decision, AgentError> {
        let system = match &self.system {
            Some(system) => system.clone(),
            None => {
                let made =
                    system_prompt(&self.model_settings.library, view.profile, view.registry, view.bench.language)?;
                self.system.insert(made).clone()
            }
        };
        let answer = self.whole(&system, view, Room::Usual).await?;
        if answer.overflowed().is_none() {
            return Ok(read(&answer));
        }
        // Cut once. What is still too large then will not become smaller.
        let shorter = self.whole(&system, view, Room::Little).await?;
        match shorter.overflowed() {
            None => Ok(read(&shorter)),
            Some(what) => Err(AgentError::Model(too_large(what))),
        }
    }

    fn side_model(&self) -> Option<&dyn SideModel> {
        Some(&self.side)
    }

    fn variants(&self) -> Option<&dyn Variants> {
        self.variants.as_ref().map(|variants| variants as &dyn Variants)
    }
}

impl LlmPolicy {
    /// The answer; one that was cut before it said anything is asked for again with more room, once. Where the endpoint
    /// or a cap does not allow that, the cut one is all there is.
    async fn whole(&self, system: &str, view: &CycleView<'_>, room: Room) -> Result<Answer, AgentError> {
        let cut = self.ask_model(system, view, room, self.model_settings.answer_tokens).await?;
        if !is_cut(&cut) {
            return Ok(cut);
        }
        match self.ask_model(system, view, room, self.model_settings.answer_tokens.saturating_mul(MORE_ROOM)).await {
            Ok(longer) if longer.overflowed().is_none() => Ok(longer),
            Ok(_)
            | Err(AgentError::Spent(_) | AgentError::StoppedAtCap(_) | AgentError::Model(ModelError::BadRequest(_))) => {
                Ok(cut)
            }
            Err(error) => Err(error),
        }
    }

    async fn ask_model(
        &self,
        system: &str,
        view: &CycleView<'_>,
        room: Room,
        answer_tokens: u32,
    ) -> Result<Answer, AgentError> {
        let user = turn_prompt(&self.model_settings.library, view, room)?;
        // The same question asked again is another sample.
        let mut query = self.model_settings.query(system.to_owned(), user, view.scope.sample());
        query.max_tokens = Some(answer_tokens);
        if self.model_settings.form.is_some_and(|form| form != Form::Text) {
            query.form = self.model_settings.form;
            let tools = view.available().iter().filter_map(|name| view.registry.get(name.as_str()));
            query.tools = tools.map(|tool| spec(tool, view.profile.contract)).collect();
        }
        self.model_settings.exchange(view.scope, query).await
    }
}

/// Whether the limit of tokens cut the answer before anything usable was said, as with models that think long.
fn is_cut(answer: &Answer) -> bool {
    answer.finish.as_deref() == Some("length") && matches!(read(answer), Decision::Unreadable(_))
}

/// The error for a prompt that does not fit although all was left out that can be.
fn too_large(what: &str) -> ModelError {
    ModelError::ContextLength(Problem::with_hint(
        format!("{what}; the prompt was cut to what cannot be left out and is still too large"),
        "use a model with a larger context",
    ))
}

/// A tool as endpoints are offered it; the one that ends an agent takes what its contract asks for.
fn spec(tool: &dyn Tool, contract: ContractKind) -> ToolSpec {
    let parameters = match tool.name() {
        GOAL_ACCOMPLISHED => contract::answer_schema(contract),
        _ => tool.schema(),
    };
    ToolSpec { name: tool.name().to_owned(), description: tool.about().to_owned(), parameters }
}

fn read(answer: &Answer) -> Decision {
    match answer::read(answer) {
        Ok(reply) if reply.is_bare() => Decision::Bare(reply.command.args),
        Ok(reply) => {
            Decision::Call { name: reply.command.name, args: without_nulls(reply.command.args), not_run: reply.not_run }
        }
        Err(unreadable) => Decision::Unreadable(unreadable.reason),
    }
}

/// The same without members that are `null`: a strict schema asks for every one, and that means it is missing.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let given = members.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// What it means that a repairer ends by itself: its patches were judged when they were written.
const GIVE_UP: &str = "end without a repair: nothing that failed stays, the next agent gets your explanation";

/// What it means that who writes a test ends by itself: tests were run when they were written.
const NO_TEST: &str = "end without a test: say why the issue cannot be shown by one";

/// Tools as prompts list them, each with whether it is how the agent answers.
fn listed(tools: &[ToolName], profile: &Profile, registry: &Registry) -> Vec<Value> {
    tools
        .iter()
        .filter_map(|name| registry.get(name.as_str()))
        .map(|tool| {
            let call = match tool.name() {
                GOAL_ACCOMPLISHED => contract::answer_form(profile.contract).to_owned(),
                WRITE_FIX => "write_fix(…)".to_owned(),
                _ => call_form(tool),
            };
            let about = match (tool.name(), profile.contract) {
                (GOAL_ACCOMPLISHED, ContractKind::Patch) if profile.ends != Ending::Called => GIVE_UP,
                (GOAL_ACCOMPLISHED, ContractKind::Test) => NO_TEST,
                _ => tool.about(),
            };
            json!({"call": call, "about": about, "answers": ANSWERS.contains(&tool.name())})
        })
        .collect()
}

/// The static part of an agent's prompt: the same bytes in every cycle, so that endpoints can cache it.
///
/// # Errors
/// The template is broken or uses an unknown variable.
pub fn system_prompt(
    library: &Library,
    profile: &Profile,
    registry: &Registry,
    language: &dyn Language,
) -> Result<String, PromptError> {
    let tools = listed(&profile.tools(), profile, registry);
    let ctx = json!({
        "language": language.title(),
        "fence": language.fence(),
        "comment": language.line_comment(),
        "guided": profile.guided,
        "mark_buggy": language.mark(crate::domain::MarkKind::Buggy),
        "mark_missing": language.mark(crate::domain::MarkKind::Missing),
        "cycles": profile.budget.cycles,
        "tools": tools,
    });
    library.render(&profile.prompt, ctx)
}

/// How much a prompt may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// All that was gathered.
    Usual,
    /// What cannot be left out, because the model's context was too small for all.
    Little,
}

/// The dynamic part: evidence, state, tools available now, gathered information, last command and result.
///
/// # Errors
/// The template is broken.
pub(crate) fn turn_prompt(library: &Library, view: &CycleView<'_>, room: Room) -> Result<String, PromptError> {
    let memory = view.memory;
    let cycle = view.scope.cycle;
    let cycles = view.profile.budget.cycles;
    let guided = view.profile.guided;
    let state_text =
        if guided { library.render(&format!("states/{}.md", view.state), json!({}))? } else { String::new() };
    let little = room == Room::Little;
    let mut gathered = if little { Vec::new() } else { memory.gathered() };
    for item in gathered.iter_mut().flat_map(|group| &mut group.items) {
        *item = unfenced(item);
    }
    let steps = if little { Vec::new() } else { memory.steps() };
    let plain = |steps: Vec<(ToolName, String)>| -> Vec<String> {
        steps.into_iter().map(|(_, step)| unfenced(&step)).collect()
    };
    let log = memory.log().filter(|_| !little).map(plain);
    let steps = plain(steps);
    let mut last = memory.last();
    if let Some(last) = &mut last {
        last.result = unfenced(&last.result);
    }
    let ctx = json!({
        "evidence": unfenced(&if little { view.evidence.essence() } else { view.evidence.text() }),
        "guided": guided,
        "state": view.state.0,
        "state_text": state_text,
        "now": listed(view.available(), view.profile, view.registry),
        "available": view.available(),
        "hypotheses": memory.hypotheses,
        "gathered": gathered,
        "beside": last.as_ref().filter(|_| log.is_none()),
        "log": log.as_ref().unwrap_or(&steps),
        "steps": steps,
        "last": last,
        "cycle": cycle,
        "cycles": cycles,
        "left": cycles.saturating_sub(cycle),
    });
    library.render(&view.profile.turn, ctx)
}

/// Text that holds no line which would end the fence around it: such a line is indented.
fn unfenced(text: &str) -> String {
    if !text.lines().any(|line| line.trim_end() == FENCE_END) {
        return text.to_owned();
    }
    text.split_inclusive('\n')
        .map(|line| if line.trim_end() == FENCE_END { format!(" {line}") } else { line.to_owned() })
        .collect()
}

/// The model as tools may ask it.
struct Side {
    model_settings: ModelSettings,
    scope: Scope,
    language: &'static dyn Language,
}

#[async_trait]
impl SideModel for Side {
    async fn method_body(&self, before: &str, signature: &str) -> Result<String, Refusal> {
        let ctx = json!({
            "language": self.language.title(), "fence": self.language.fence(),
            "before": before, "signature": signature,
        });
        let system = self.model_settings.library.render("method_body.md", ctx).map_err(|e| e.to_string())?;
        let answer = self
            .model_settings
            .ask(&self.scope, system, signature.to_owned(), 0)
            .await
            .map_err(|e| format!("the model could not be asked: {e}"))?;
        let text = answer.text.trim();
        let body = text.split("```").nth(1).map(|block| block.split_once('\n').map_or(block, |(_, code)| code));
        match body.unwrap_or(text).trim_end() {
            "" => Err("the model gave no code".into()),
            code => Ok(code.to_owned()),
        }
    }
}
