//! Agents that are not asked because nothing is left for them to find. The papers ask them all the same.

use super::escalator::{Decider, Escalator, RepairError};
use super::filing;
use super::level::Stage;
use crate::agent::ablation::Part;
use crate::agent::evidence::{Evidence, Recipe};
use crate::agent::profile::ContractKind;
use crate::domain::{AgentName, CaseFile, Level, Outcome, RepoPath, Scope};
use crate::tools::Workbench;

/// The cascades of refinement: each begins with an agent that is asked again, and all behind it answer again too. Without
/// its first agent a cascade would repeat the one before it.
#[derive(Default)]
pub(super) struct Cascades {
    skipped: bool,
    within: bool,
}

impl Escalator {
    /// What is left of a stage: its agents but those that have nothing to find. The user gets a notice of each.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn needed(
        &self,
        (level, stage): (Level, &Stage),
        cascades: &mut Cascades,
        bench: &Workbench,
        case: &CaseFile,
    ) -> Result<Option<Stage>, RepairError> {
        let begins = !std::mem::replace(&mut cascades.within, true);
        let ends = level == Level::Refine && self.ends_a_cascade(stage);
        let mut left = None;
        if begins || !cascades.skipped {
            let reasons: Vec<(AgentName, String)> = stage
                .agents()
                .iter()
                .filter_map(|agent| Some((agent.clone(), self.needless_stage(level, stage, agent, bench, case)?)))
                .collect();
            for (agent, why) in &reasons {
                self.tell(format!("{agent} is not asked on {level}: {why}"))?;
            }
            left = stage.without(|agent| reasons.iter().any(|(other, _)| other == agent));
            cascades.skipped = begins && level == Level::Refine && left.is_none();
        }
        if ends {
            *cascades = Cascades::default();
        }
        Ok(left)
    }

    /// Refinement begins with the agent that is the last of each of its cascades.
    fn ends_a_cascade(&self, stage: &Stage) -> bool {
        self.plan.crews.get(&Level::Refine).and_then(|stages| stages.first()) == Some(stage)
    }

    /// Why an agent of a stage is not asked; for one that works on several files, why on none of them.
    fn needless_stage(
        &self,
        level: Level,
        stage: &Stage,
        agent: &AgentName,
        bench: &Workbench,
        case: &CaseFile,
    ) -> Option<String> {
        match stage {
            Stage::Together(_) => self.needless(level, agent, bench.bug.located.as_ref(), bench, case),
            Stage::PerFile { again, .. } => {
                let files = filing::files(bench, case, *again);
                let reasons = files.iter().map(|file| self.needless(level, agent, Some(file), bench, case));
                reasons.collect::<Option<Vec<String>>>()?.pop()
            }
        }
    }

    /// Why an agent is not asked, about a file where it works on one; `None` where it is.
    pub(super) fn needless(
        &self,
        level: Level,
        agent: &AgentName,
        file: Option<&RepoPath>,
        bench: &Workbench,
        case: &CaseFile,
    ) -> Option<String> {
        let asks_all = self.plan.recipe != Recipe::Chosen || self.plan.without.has(Part::Skipping);
        if asks_all || !matches!((self.decider)(level, agent), Decider::Model { .. }) {
            return None;
        }
        let scope = Scope { attempt: 1, level, agent: agent.clone(), cycle: 0, focus: None, visit: 1 };
        let again = level == Level::Refine;
        match self.profile(&scope).ok()?.contract {
            ContractKind::Summary => {
                let file = file.filter(|file| self.plan.levels.contains(&Level::L1) && is_shown_whole(bench, file))?;
                Some(format!("level 1 shows {file} in full"))
            }
            ContractKind::Files if products(bench) < 2 => Some("the product has one file".into()),
            ContractKind::Files | ContractKind::Slice if again && place_is_known(case) => {
                Some("with one of the patches the triggering tests pass, so the place is known".into())
            }
            ContractKind::Reference if again => {
                let unfit = case.reference().is_some_and(|reference| reference.sources.is_empty());
                unfit.then(|| "nothing that can be found fits".into())
            }
            _ => None,
        }
    }
}

fn products(bench: &Workbench) -> usize {
    bench.index.files().iter().filter(|file| !file.test).count()
}

/// Whether the first prompt of level 1 holds the whole file.
fn is_shown_whole(bench: &Workbench, file: &RepoPath) -> bool {
    let Some(source) = bench.index.file(file) else { return false };
    let evidence = Evidence::to_locate(bench, &CaseFile::default());
    evidence.shown.iter().any(|(path, span)| path == file && span.first == 1 && span.last == source.line_count())
}

/// Whether a patch repaired what fails, and broke something else: it lies where the cause is.
fn place_is_known(case: &CaseFile) -> bool {
    case.attempts.iter().any(|attempt| attempt.validation.outcome == Outcome::Regression)
}
