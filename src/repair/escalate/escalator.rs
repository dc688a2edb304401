//! Works one bug, cheapest level first, and stops at the first plausible patch (FixAgent, Algorithm 1).

use super::caps::{Left, PartCaps, Spent};
use super::choose::choose;
use super::filing::{self, FollowUp};
use super::level::Stage;
use super::needless::Cascades;
use super::outcome::{Repair, RunVerdict};
use super::smaller::{Smaller, smaller};
use super::strategy::Plan;
use super::work::Work;
use crate::agent::ablation::Part;
use crate::agent::cycle::Withheld;
use crate::agent::evidence::{Evidence, Recipe};
use crate::agent::memory::GATHERED_TOKENS;
use crate::agent::middleware::Middleware;
use crate::agent::policy::{Builtin, EngineBudget, LlmPolicy, ModelSettings, Policy, shared_engine};
use crate::agent::profile::{ContractKind, Profile};
use crate::agent::{AgentError, AgentOutcome, AgentRun};
use crate::domain::{AgentName, Artifact, CaseFile, Event, EventSink, Level, PolicyKind, Scope};
use crate::journal::Past;
use crate::prompt::Library;
use crate::tools::{Registry, Workbench};
use futures::future::{BoxFuture, FutureExt, join_all};
use futures::{StreamExt, stream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tracing::Instrument;

/// Who decides for an agent on a level.
#[derive(Clone)]
pub enum Decider {
    /// The built-in engine.
    Builtin,
    /// A model.
    Model {
        /// How it is asked.
        model_settings: Box<ModelSettings>,
        /// Whether it is a recording.
        kind: PolicyKind,
    },
}

/// Who decides, by level and agent.
pub(crate) type Deciders = Box<dyn Fn(Level, &AgentName) -> Decider + Send + Sync>;

/// Why a run was broken off.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// An agent's.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// No profile of that name.
    #[error("no agent profile `{name}`; there are: {}", known.join(", "))]
    NoProfile {
        /// The name.
        name: String,
        /// Known ones.
        known: Vec<String>,
    },
}

/// The agent whose work on a file is not paid for twice.
const SUMMARIZER: &str = "summarizer";
/// Files that one agent works on at the same time.
const FILES_AT_ONCE: usize = 4;
/// The tool by which Helper searches.
const SEARCH: &str = "search_solutions";

/// An agent that ended, with who decided for it.
pub(super) type Done = (AgentName, PolicyKind, AgentOutcome);

/// Everything that stays the same while one bug is worked on.
pub struct Escalator {
    /// Agents.
    pub profiles: Vec<Profile>,
    /// Tools.
    pub registry: Registry,
    /// Prompts.
    pub library: Arc<Library>,
    /// Takes what happens.
    pub sink: Arc<dyn EventSink>,
    /// What earlier sessions of the run did.
    pub past: Arc<Past>,
    /// Who works on which level, how often, and with what in view.
    pub plan: Plan,
    /// Who decides, by level and agent.
    pub decider: Deciders,
    /// What the engine may use on a level.
    pub engine: Box<dyn Fn(Level) -> EngineBudget + Send + Sync>,
    /// Caps inside those of the bug.
    pub caps: PartCaps,
    /// When the bug's time is up.
    pub deadline: Instant,
}

impl Escalator {
    /// Tries the levels in order until a patch is plausible.
    ///
    /// # Errors
    /// Faults of the environment, the model and the journal; a bug that stays without a repair is no error.
    pub async fn repair(&self, bench: &Workbench) -> Result<RunVerdict, RepairError> {
        let engine = shared_engine(bench, (self.engine)(Level::L1));
        let mut work = Work { bench, engine, spent: Spent::nothing(&self.caps), judged: 0, visits: Mutex::default() };
        let mut case = CaseFile::default();
        for number in 1..=self.plan.attempts {
            if self.plan.fresh {
                case = CaseFile::default();
                bench.validator.forget();
            }
            let mut worked = false;
            for (level, stages) in self.plan.levels_of(number) {
                if level == Level::First && !work.engine.lock().await.knows_the_language() {
                    let language = bench.language.title();
                    self.tell(format!("{level} is left: the built-in engine has no fix templates for {language}"))?;
                    continue;
                }
                work.judged += std::mem::replace(&mut work.spent, Spent::nothing(&self.caps)).validations();
                let mut cascades = Cascades::default();
                for stage in &stages {
                    let Some(stage) = self.needed((level, stage), &mut cascades, bench, &case)? else { continue };
                    match self.caps.check(&work.spent, work.judged) {
                        Left::Something => {}
                        Left::OfBug(cap) => return Ok(RunVerdict::StoppedAtCap { cap }),
                        Left::OfLevel(why) => {
                            self.tell(format!("{level} is left: {why}"))?;
                            break;
                        }
                    }
                    let span = tracing::info_span!("level", %level, attempt = number);
                    let outcomes = match self.stage(number, level, &stage, &work, &case).instrument(span).await {
                        Err(RepairError::Agent(AgentError::StoppedAtCap(cap))) => {
                            return Ok(RunVerdict::StoppedAtCap { cap });
                        }
                        other => other?,
                    };
                    for (agent, policy, outcome) in outcomes {
                        work.spent.count(outcome.attempts.len());
                        worked |= outcome.worked(policy);
                        if let Artifact::Patch(attempt) = outcome.artifact {
                            let others = filing::others(outcome.attempts, &attempt);
                            let (choice, analysis, is_of_part) = Default::default();
                            let repair =
                                Repair { attempt, others, level, agent, policy, number, is_of_part, choice, analysis };
                            let mut repair = self.reviewed(self.minimised(repair, &work).await?, &work, &case).await?;
                            self.further(&mut repair, &work, &case).await?;
                            choose(&mut repair, bench, self.plan.choose).await;
                            return Ok(RunVerdict::Plausible(Box::new(repair)));
                        }
                        let families = work.engine.lock().await.families_tried();
                        filing::file(&mut case, level, agent, policy, outcome, &families);
                    }
                }
            }
            // Another attempt would be as empty.
            if !worked {
                break;
            }
        }
        // An agent that its cap ended last is no proof that everything was tried.
        if let Left::OfBug(cap) = self.caps.check(&work.spent, work.judged) {
            return Ok(RunVerdict::StoppedAtCap { cap });
        }
        Ok(RunVerdict::NoRepair { analysis: case.analysis().map(str::to_owned) })
    }

    /// Runs the agents of one stage at the same time, each with the case file as it stood before. When one of them
    /// cannot go on, say at a cap, the others end by themselves: what they wait for is paid for.
    async fn stage(
        &self,
        attempt: u32,
        level: Level,
        stage: &Stage,
        work: &Work<'_>,
        case: &CaseFile,
    ) -> Result<Vec<Done>, RepairError> {
        let scope = |agent: &AgentName, focus| {
            work.visited(Scope { attempt, level, agent: agent.clone(), cycle: 0, focus, visit: 1 })
        };
        match stage {
            Stage::Together(names) => {
                // The code does not change between levels: a summary of it is not paid for twice.
                let located = work.bench.bug.located.as_ref();
                let known = located.is_some_and(|file| case.summary(file).is_some());
                let wanted = names.iter().filter(|name| name.as_str() != SUMMARIZER || !known);
                join_all(wanted.map(|name| self.agent(scope(name, None), work, case))).await.into_iter().collect()
            }
            Stage::PerFile { each_file: name, again } => {
                let mut files = filing::files(work.bench, case, *again);
                files.retain(|file| self.needless(level, name, Some(file), work.bench, case).is_none());
                let failed = AtomicBool::new(false);
                let runs = files.into_iter().map(|file| async {
                    if failed.load(Ordering::Relaxed) {
                        return None;
                    }
                    let done = self.agent(scope(name, Some(file)), work, case).await;
                    failed.fetch_or(done.is_err(), Ordering::Relaxed);
                    Some(done)
                });
                // Boxed, so that a whole run can be moved between threads.
                let runs: Vec<BoxFuture<'_, _>> = runs.map(FutureExt::boxed).collect();
                let done: Vec<_> = stream::iter(runs).buffered(FILES_AT_ONCE).collect().await;
                done.into_iter().flatten().collect()
            }
        }
    }

    pub(super) async fn agent(&self, scope: Scope, work: &Work<'_>, case: &CaseFile) -> Result<Done, RepairError> {
        let profile = self.profile(&scope)?;
        let bench = work.bench;
        let found = match profile.contract {
            ContractKind::Reference if self.plan.recipe == Recipe::Chosen && profile.offers(SEARCH) => {
                self.found(bench).await?
            }
            _ => Vec::new(),
        };
        self.look(&scope, &profile, bench).await;
        let initial_view = self.initial_view(&scope);
        let mut evidence = Evidence::of(&profile, bench, case, initial_view, scope.focus.as_ref(), &found);
        if scope.is_again() && self.needs_another_view(&scope) {
            evidence.turn(scope.sample());
        }
        let mut policy = self.policy(&scope, work, self.plan.variants);
        self.run(&profile, scope, evidence, work, case, &mut *policy).await
    }

    pub(super) async fn run(
        &self,
        profile: &Profile,
        scope: Scope,
        evidence: Evidence,
        work: &Work<'_>,
        case: &CaseFile,
        policy: &mut dyn Policy,
    ) -> Result<Done, RepairError> {
        let bench = work.bench;
        let middleware =
            Middleware { profile, registry: &self.registry, library: &self.library, bench, near: self.plan.near };
        let withheld = Withheld {
            earlier_cycles: self.plan.without.has(Part::Memory),
            beyond: Some(GATHERED_TOKENS).filter(|_| !self.plan.paper),
            results: self.plan.hides_results(scope.level, &scope.agent),
        };
        let run = AgentRun {
            profile,
            bench,
            case,
            evidence,
            registry: &self.registry,
            middleware,
            sink: &*self.sink,
            past: &self.past,
            scope,
            withheld,
            limits: work.spent.limits(&self.caps, work.judged),
            deadline: self.deadline,
        };
        let kind = policy.kind();
        Ok((profile.name.clone(), kind, run.run(policy).await?))
    }

    /// The agent's profile as it works on the level.
    pub(super) fn profile(&self, scope: &Scope) -> Result<Profile, RepairError> {
        let profile = self.profiles.iter().find(|profile| profile.name == scope.agent);
        let capped = |profile: &Profile| {
            let mut profile = self.plan.without.limited(profile.on(scope.level));
            profile.budget.cycles = profile.budget.cycles.min(self.caps.agent.cycles.unwrap_or(u32::MAX));
            profile
        };
        profile.map(capped).ok_or_else(|| RepairError::NoProfile {
            name: scope.agent.to_string(),
            known: self.profiles.iter().map(|p| p.name.to_string()).collect(),
        })
    }

    pub(super) fn policy<'b>(&self, scope: &Scope, work: &Work<'b>, variants: u32) -> Box<dyn Policy + 'b> {
        match (self.decider)(scope.level, &scope.agent) {
            Decider::Builtin => {
                let limits = work.spent.limits(&self.caps, work.judged);
                Box::new(Builtin::new(work.engine.clone(), (self.engine)(scope.level).within(&limits)))
            }
            Decider::Model { model_settings, kind } => {
                let model_settings =
                    ModelSettings { priced_budget: work.spent.priced_budget(&self.caps), ..*model_settings };
                Box::new(LlmPolicy::new(model_settings, kind, scope.clone(), work.bench.language, variants))
            }
        }
    }

    /// The repair without the parts its patch does not need. The patch it came from stays among the others.
    async fn minimised(&self, mut repair: Repair, work: &Work<'_>) -> Result<Repair, RepairError> {
        let by_engine = repair.policy == PolicyKind::Builtin;
        if !by_engine && self.plan.reviewer_on(repair.level).is_none() {
            return Ok(repair);
        }
        let found =
            smaller(&repair, work.bench, self.deadline).await.map_err(|error| AgentError::Tool(error.into()))?;
        let note = match found {
            Smaller::None => return Ok(repair),
            Smaller::Refuted(disagreements) => disagreements.into_iter().map(Event::Disagreed).collect(),
            Smaller::Found(attempt, text) => {
                repair.others.insert(0, std::mem::replace(&mut repair.attempt, attempt));
                vec![Event::Notice { text }]
            }
        };
        note.iter().try_for_each(|event| self.sink.emit(event)).map_err(AgentError::Journal)?;
        Ok(repair)
    }

    /// The repair after one look of a reviewer: a better patch takes its place only if it is plausible too. The credit
    /// stays with the author, and nothing that goes wrong here can lose the patch.
    async fn reviewed(&self, mut repair: Repair, work: &Work<'_>, case: &CaseFile) -> Result<Repair, RepairError> {
        let Repair { level, number, .. } = repair;
        let author = Scope { attempt: number, level, agent: repair.agent.clone(), cycle: 0, focus: None, visit: 1 };
        self.sink.emit(&Event::Repaired { scope: author.clone() }).map_err(AgentError::Journal)?;
        repair.analysis = Some(repair.attempt.explanation.clone()).filter(|text| !text.is_empty());
        let Some(reviewer) = self.plan.reviewer_on(level) else { return Ok(repair) };
        let scope = work.visited(Scope { agent: reviewer.clone(), ..author });
        // The engine knows no more than the tests that it was judged by.
        let by_model = matches!((self.decider)(level, reviewer), Decider::Model { .. });
        if repair.agent == *reviewer || !by_model {
            return Ok(repair);
        }
        let mut profile = self.profile(&scope)?;
        let follow_up = FollowUp::of(self.plan.alternatives);
        profile.budget.cycles = follow_up.cycles();
        profile.only_answers();
        let evidence = Evidence::of_follow_up(work.bench, case, &repair.attempt, follow_up.request());
        let mut policy = self.policy(&scope, work, 0);
        match self.run(&profile, scope, evidence, work, case, &mut *policy).await {
            Ok((_, _, outcome)) => {
                if let Some(text) = follow_up.take(&mut repair, outcome, reviewer) {
                    self.tell(text)?;
                }
            }
            Err(RepairError::Agent(AgentError::StoppedAtCap(cap))) => self.unreviewed(&cap.what)?,
            Err(RepairError::Agent(AgentError::Model(error))) => self.unreviewed(&error.to_string())?,
            Err(other) => return Err(other),
        }
        Ok(repair)
    }

    fn unreviewed(&self, why: &str) -> Result<(), RepairError> {
        self.tell(format!("the plausible patch was not reviewed: {why}"))
    }

    pub(super) fn tell(&self, text: String) -> Result<(), RepairError> {
        self.sink.emit(&Event::Notice { text }).map_err(AgentError::Journal)?;
        Ok(())
    }
}
