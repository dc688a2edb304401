//! Works one bug, cheapest level first, and stops at the first plausible patch (FixAgent, Algorithm 1).

use super::level::{self, Stage};
use crate::agent::evidence::{Evidence, Without};
use crate::agent::mend::Threshold;
use crate::agent::middleware::Middleware;
use crate::agent::policy::{Builtin, EngineBudget, LlmPolicy, Policy, Voice};
use crate::agent::profile::{ContractKind, Profile};
use crate::agent::{AgentError, AgentRun, Ended};
use crate::domain::{AgentName, Artifact, CaseFile, EventSink, Level, PatchAttempt, PolicyKind, Scope};
use crate::prompt::Library;
use crate::tools::{Registry, Workbench};
use futures::future::try_join_all;
use std::sync::Arc;
use std::time::Instant;

/// Who decides for an agent on a level.
#[derive(Clone)]
pub enum Mind {
    /// The built-in engine.
    Builtin,
    /// A model.
    Model {
        /// How it is asked.
        voice: Voice,
        /// Whether it is a recording.
        kind: PolicyKind,
    },
}

/// Who decides, by level and agent.
pub type WhoDecides = Box<dyn Fn(Level, &AgentName) -> Mind + Send + Sync>;

/// How a bug's run ended.
#[derive(Debug)]
pub enum Verdict {
    /// A patch passed everything.
    Plausible(Box<Repair>),
    /// All that was asked for was tried.
    Unrepaired {
        /// What the agents said last.
        analysis: Option<String>,
    },
    /// A cap was reached first.
    Exhausted {
        /// Which.
        cap: String,
    },
}

/// A plausible patch and who made it.
#[derive(Debug)]
pub struct Repair {
    /// The patch with the judge's answer.
    pub attempt: PatchAttempt,
    /// Further plausible patches of the same agent run, best first.
    pub others: Vec<PatchAttempt>,
    /// On which rung.
    pub level: Level,
    /// By which agent.
    pub agent: AgentName,
    /// Decided by whom.
    pub policy: PolicyKind,
    /// In which attempt, from 1.
    pub number: u32,
}

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
    /// Rungs to climb, lowest first.
    pub levels: Vec<Level>,
    /// *k* of Algorithm 1: how often the whole ladder is climbed.
    pub attempts: u32,
    /// Who decides, by level and agent.
    pub mind: WhoDecides,
    /// What the engine may use on a level.
    pub engine: Box<dyn Fn(Level) -> EngineBudget + Send + Sync>,
    /// Variants asked of a model for each failed candidate.
    pub variants: u32,
    /// What evidence leaves out.
    pub without: Without,
    /// When the bug's time is up.
    pub deadline: Instant,
}

impl Escalator {
    /// Climbs the levels until a patch is plausible.
    ///
    /// # Errors
    /// Faults of the environment, the model and the journal; a bug that stays unrepaired is no error.
    pub async fn repair(&self, bench: &Workbench) -> Result<Verdict, RepairError> {
        let mut case = CaseFile::default();
        let mut analysis = None;
        for number in 1..=self.attempts {
            for &level in &self.levels {
                for stage in level::crew(level) {
                    let ended = match self.stage(number, level, stage, bench, &case).await {
                        Err(RepairError::Agent(AgentError::Exhausted(cap))) => return Ok(Verdict::Exhausted { cap }),
                        other => other?,
                    };
                    for (agent, policy, ended) in ended {
                        if let Artifact::Patch(attempt) = ended.artifact {
                            let others = others(ended.attempts, &attempt);
                            let repair = Repair { attempt, others, level, agent, policy, number };
                            return Ok(Verdict::Plausible(Box::new(repair)));
                        }
                        analysis = file(&mut case, level, agent, ended).or(analysis);
                    }
                }
            }
        }
        Ok(Verdict::Unrepaired { analysis })
    }

    /// Runs the agents of one stage at the same time, each with the case file as it stood before.
    async fn stage(
        &self,
        number: u32,
        level: Level,
        stage: Stage,
        bench: &Workbench,
        case: &CaseFile,
    ) -> Result<Vec<(AgentName, PolicyKind, Ended)>, RepairError> {
        try_join_all(stage.iter().map(|agent| self.agent(number, level, agent, bench, case))).await
    }

    async fn agent(
        &self,
        attempt: u32,
        level: Level,
        name: &str,
        bench: &Workbench,
        case: &CaseFile,
    ) -> Result<(AgentName, PolicyKind, Ended), RepairError> {
        let profile = self.profiles.iter().find(|p| p.name.as_str() == name).ok_or_else(|| RepairError::NoProfile {
            name: name.to_owned(),
            known: self.profiles.iter().map(|p| p.name.to_string()).collect(),
        })?;
        let scope = Scope { attempt, level, agent: profile.name.clone(), cycle: 0 };
        let evidence = match profile.contract {
            ContractKind::Marks => Evidence::to_locate(bench, case, self.without),
            ContractKind::Patch => Evidence::to_repair(bench, case, self.without),
        };
        let mut policy = self.policy(level, &scope, bench);
        let middleware =
            Middleware { profile, registry: &self.registry, library: &self.library, bench, near: Threshold::USUAL };
        let run = AgentRun {
            profile,
            bench,
            case,
            evidence,
            registry: &self.registry,
            middleware,
            sink: &*self.sink,
            scope,
            deadline: self.deadline,
        };
        let kind = policy.kind();
        Ok((profile.name.clone(), kind, run.run(&mut *policy).await?))
    }

    fn policy<'b>(&self, level: Level, scope: &Scope, bench: &'b Workbench) -> Box<dyn Policy + 'b> {
        match (self.mind)(level, &scope.agent) {
            Mind::Builtin => Box::new(Builtin::new(bench, (self.engine)(level))),
            Mind::Model { voice, kind } => {
                Box::new(LlmPolicy::new(voice, kind, scope.clone(), bench.language, self.variants))
            }
        }
    }
}

/// The plausible attempts but the chosen one.
fn others(attempts: Vec<PatchAttempt>, chosen: &PatchAttempt) -> Vec<PatchAttempt> {
    attempts.into_iter().filter(|a| a.validation.is_plausible() && a.patch != chosen.patch).collect()
}

/// Puts what an agent made into the case file; returns what it said when it made nothing.
fn file(case: &mut CaseFile, level: Level, agent: AgentName, ended: Ended) -> Option<String> {
    // The engine's first try is evidence, not an agent's finding: thousands of candidates and guessed marks would drown
    // a model, so it gets their sum.
    if level == Level::First {
        case.engine_notes.extend(engine_note(&ended.attempts));
        return None;
    }
    case.hypotheses = ended.hypotheses;
    case.attempts.extend(ended.attempts);
    match ended.artifact {
        Artifact::Nothing { explanation } => (!explanation.is_empty()).then_some(explanation),
        artifact => {
            case.artifacts.push((agent, artifact));
            None
        }
    }
}

/// What the engine's failed candidates teach: how many, and the one that came nearest.
fn engine_note(attempts: &[PatchAttempt]) -> Option<String> {
    let judged = attempts.iter().filter(|a| a.validation.outcome.compiled()).count();
    let best = attempts.iter().filter(|a| a.validation.fixed > 0).max_by_key(|a| a.validation.fixed);
    let nearest =
        best.map(|a| format!("; the nearest made {} triggering tests pass: {}", a.validation.fixed, a.explanation));
    (judged > 0).then(|| format!("{judged} simple template edits were tried{}", nearest.unwrap_or_default()))
}
