//! An escalator from parts, of which every one has a default: the library's front door.

use super::caps::PartCaps;
use super::escalator::{Decider, Deciders, Escalator};
use super::level::Stage;
use super::reproduce::REPRODUCER;
use super::strategy::{DEFAULT, Plan, Strategy, StrategyError};
use crate::agent::policy::{EngineBudget, ModelSettings};
use crate::agent::profile::{self, Profile, ProfileError};
use crate::domain::{AgentName, EventSink, Level, PolicyKind};
use crate::journal::{Past, Tee};
use crate::llm::{ChatModel, Family, PricedBudget};
use crate::prompt::{Library, PromptError};
use crate::tools::{Registry, Tool};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the built-in engine tries before the first paid call.
const FIRST_TIME: Duration = Duration::from_secs(8);
/// Wall time of a bug when none is given.
const TIME: Duration = Duration::from_secs(60);
/// What the engine may try by default.
const CANDIDATES: usize = 20_000;

/// Why no escalator can be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The strategy's.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// A profile's.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A prompt's.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

/// Parts of an escalator; see [`Escalator::builder`].
pub struct Builder {
    strategy: String,
    paper: bool,
    plan: Option<Plan>,
    levels: Option<Vec<Level>>,
    crews: Vec<(Level, Vec<Stage>)>,
    registry: Registry,
    profiles: Option<Vec<Profile>>,
    agents: Vec<String>,
    library: Option<Arc<Library>>,
    prompts: Vec<(String, String)>,
    model: Option<(Arc<dyn ChatModel>, String)>,
    decider: Option<Deciders>,
    sink: Arc<dyn EventSink>,
    past: Arc<Past>,
    engine: EngineBudget,
    caps: PartCaps,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            strategy: DEFAULT.into(),
            paper: false,
            plan: None,
            levels: None,
            crews: Vec::new(),
            registry: Registry::builtin(),
            profiles: None,
            agents: Vec::new(),
            library: None,
            prompts: Vec::new(),
            model: None,
            decider: None,
            sink: Arc::new(Tee::new(Vec::new())),
            past: Arc::default(),
            engine: EngineBudget { time: TIME, candidates: CANDIDATES, seed: 1, whole: false },
            caps: PartCaps::default(),
        }
    }
}

impl Escalator {
    /// Begins an escalator: the unified strategy on all levels, decided by the built-in engine, unless it is told
    /// otherwise.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// Another strategy than the unified one; `paper` for the numbers and the view of the paper behind it.
    #[must_use]
    pub fn strategy(mut self, name: &str, paper: bool) -> Self {
        (self.strategy, self.paper) = (name.to_owned(), paper);
        self
    }

    /// A plan that was made already, in place of a strategy's.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Self {
        self.plan = Some(plan);
        self
    }

    /// The levels that may be entered; all that the strategy has when none are named.
    #[must_use]
    pub fn levels(mut self, levels: impl IntoIterator<Item = Level>) -> Self {
        self.levels = Some(levels.into_iter().collect());
        self
    }

    /// Who works on a level, stage by stage, in place of the strategy's crew.
    #[must_use]
    pub fn crew(mut self, level: Level, stages: Vec<Stage>) -> Self {
        self.crews.push((level, stages));
        self
    }

    /// Adds a tool; one of the same name is replaced. Agents use it once a profile names it.
    #[must_use]
    pub fn tool(mut self, tool: Box<dyn Tool>) -> Self {
        self.registry.add(tool);
        self
    }

    /// Adds an agent by its profile, in TOML as in `agents/`; one of the same name is replaced.
    #[must_use]
    pub fn agent(mut self, profile: &str) -> Self {
        self.agents.push(profile.to_owned());
        self
    }

    /// Adds a prompt, a template as in `prompts/`; one of the same name is replaced.
    #[must_use]
    pub fn prompt(mut self, name: &str, text: &str) -> Self {
        self.prompts.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Profiles that were loaded already, in place of the strategy's.
    #[must_use]
    pub fn profiles(mut self, profiles: Vec<Profile>) -> Self {
        self.profiles = Some(profiles);
        self
    }

    /// Prompts that were loaded already.
    #[must_use]
    pub fn library(mut self, library: Arc<Library>) -> Self {
        self.library = Some(library);
        self
    }

    /// A model that decides for all agents, with its name at the endpoint; the built-in engine does when there is none.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ChatModel>, name: &str) -> Self {
        self.model = Some((model, name.to_owned()));
        self
    }

    /// Who decides, by level and agent, in place of one model for all.
    #[must_use]
    pub fn decider(mut self, decider: Deciders) -> Self {
        self.decider = Some(decider);
        self
    }

    /// Takes what happens.
    #[must_use]
    pub fn sink(mut self, sink: Arc<dyn EventSink>) -> Self {
        self.sink = sink;
        self
    }

    /// What earlier sessions of the run did.
    #[must_use]
    pub fn past(mut self, past: Arc<Past>) -> Self {
        self.past = past;
        self
    }

    /// What the engine may use; its time is the wall time of the whole bug, a minute when nothing is said.
    #[must_use]
    pub fn engine(mut self, budget: EngineBudget) -> Self {
        self.engine = budget;
        self
    }

    /// Caps inside those of the bug; none when nothing is said.
    #[must_use]
    pub fn caps(mut self, caps: PartCaps) -> Self {
        self.caps = caps;
        self
    }

    /// Builds it. The bug's time begins now.
    ///
    /// # Errors
    /// An unknown strategy, an unusable profile or prompt.
    pub fn build(self) -> Result<Escalator, BuildError> {
        let strategy = Strategy::named(&self.strategy)?;
        let mut plan = self.plan.unwrap_or_else(|| strategy.plan(self.paper));
        plan.crews.extend(self.crews);
        plan.levels = self.levels.unwrap_or(plan.levels);
        if self.model.is_none() && self.decider.is_none() {
            plan.crews.remove(&Level::First);
        }
        let names = self.registry.names();
        let own: Vec<&str> = strategy.profiles.as_deref().into_iter().collect();
        let mut profiles = match self.profiles {
            Some(profiles) => profiles,
            None => profile::load(&own, None, &names)?,
        };
        for text in &self.agents {
            let added = profile::parse("of the caller", text, &names)?;
            profiles.retain(|known| known.name != added.name);
            profiles.push(added);
        }
        let library = match self.library {
            Some(library) => library,
            None => Arc::new(Library::with(&self.prompts)?),
        };
        let decider = match (self.decider, self.model) {
            (Some(decider), _) => decider,
            (None, Some((model, name))) => {
                let temperature = Some(plan.temperature.first);
                let again = Some(plan.temperature.again);
                let answer_tokens = Family::of(&name).answer_tokens;
                let (library, sink, past) = (library.clone(), self.sink.clone(), self.past.clone());
                one_for_all(ModelSettings {
                    model,
                    name,
                    temperature,
                    again,
                    answer_tokens,
                    coder: None,
                    form: None,
                    effort: None,
                    priced_budget: PricedBudget::default(),
                    library,
                    sink,
                    past,
                })
            }
            (None, None) => Box::new(|_: Level, _: &AgentName| Decider::Builtin),
        };
        let deadline = Instant::now() + self.engine.time;
        let (full, alone) = (self.engine, plan.levels.len() == 1);
        Ok(Escalator {
            profiles,
            registry: self.registry,
            library,
            sink: self.sink,
            past: self.past,
            plan,
            decider,
            engine: Box::new(move |level| {
                let left = deadline.saturating_duration_since(Instant::now());
                EngineBudget { time: engine_time(level, left, alone), whole: alone && level != Level::First, ..full }
            }),
            caps: self.caps,
            deadline,
        })
    }
}

/// One model for all agents, but for level 0, which is the engine's once a test fails.
fn one_for_all(model_settings: ModelSettings) -> Deciders {
    Box::new(move |level: Level, agent: &AgentName| match level {
        Level::First if agent.as_str() != REPRODUCER => Decider::Builtin,
        _ => Decider::Model { model_settings: Box::new(model_settings.clone()), kind: PolicyKind::Llm },
    })
}

/// How long the engine may search in one agent run, of the time that is left. It goes on where it stopped, so the
/// shares only decide who gets to say so; something is left for everybody.
fn engine_time(level: Level, left: Duration, alone: bool) -> Duration {
    match level {
        Level::First => FIRST_TIME.min(left),
        _ if alone => left,
        Level::L1 => left.mul_f64(0.4),
        Level::L2 | Level::L3 => left.mul_f64(0.25),
        Level::Refine => left.mul_f64(0.15),
    }
}
