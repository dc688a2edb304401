//! Chooses from several plausible patches by what they do with drawn inputs.
//!
//! Every patch here is plausible already, and stays so: what is drawn decides which one comes first, and what a person is
//! asked where they disagree. What the built-in engine has at hand is compared in any case.

use super::escalator::{Escalator, RepairError};
use super::outcome::Repair;
use super::work::Work;
use crate::agent::AgentError;
use crate::domain::{CaseFile, Choice, Group, Patch, PatchAttempt, PolicyKind, Scope};
use crate::patch;
use crate::templates::MOST_CONFIRMED;
use crate::tools::Workbench;
use crate::validate::{BySource, drawn};
use std::mem::take;

impl Escalator {
    /// Lets the author of a plausible patch work again until there are as many as the plan wants to choose from, or it
    /// finds no more. Nothing that goes wrong here can lose the patch.
    pub(super) async fn further(
        &self,
        repair: &mut Repair,
        work: &Work<'_>,
        case: &CaseFile,
    ) -> Result<(), RepairError> {
        for _ in 1..self.plan.choose {
            if repair.others.len() + 1 >= self.plan.choose as usize {
                break;
            }
            let Repair { level, number, .. } = *repair;
            let agent = repair.agent.clone();
            let scope = work.visited(Scope { attempt: number, level, agent, cycle: 0, focus: None, visit: 1 });
            match self.agent(scope, work, case).await {
                Ok((_, policy, outcome)) => {
                    let worked = outcome.worked(policy);
                    let is_new = |attempt: &PatchAttempt, repair: &Repair| {
                        let known = std::iter::once(&repair.attempt).chain(&repair.others);
                        attempt.validation.is_plausible() && known.into_iter().all(|one| one.patch != attempt.patch)
                    };
                    for attempt in outcome.attempts {
                        if is_new(&attempt, repair) {
                            repair.others.push(attempt);
                        }
                    }
                    if !worked {
                        break;
                    }
                }
                Err(RepairError::Agent(error @ (AgentError::StoppedAtCap(_) | AgentError::Model(_)))) => {
                    self.tell(format!("no further patch was looked for: {error}"))?;
                    break;
                }
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }
}

/// Puts that patch first, of the first `wanted`, which the drawn inputs speak for. Where nothing can be compared the order
/// stays, and the report says so if somebody asked. A patch with which more tests still fail never comes before another.
pub(super) async fn choose(repair: &mut Repair, bench: &Workbench, wanted: u32) {
    let most = wanted.max(at_hand(repair, bench)) as usize;
    let still_failing = |attempt: &PatchAttempt| attempt.validation.still_failing.len();
    let least = still_failing(&repair.attempt);
    let (equal, mut rest): (Vec<_>, Vec<_>) =
        take(&mut repair.others).into_iter().partition(|other| still_failing(other) <= least);
    let mut all: Vec<PatchAttempt> = std::iter::once(repair.attempt.clone()).chain(equal).collect();
    rest.splice(..0, all.split_off(all.len().min(most)));
    let mut choice = if all.len() > 1 { compared(&all, bench).await } else { Choice::default() };
    if choice.compared > 0 {
        all = in_order(all, &mut choice.groups);
    }
    choice.patches = all.iter().map(|attempt| patch::render(&attempt.patch)).collect();
    let mut all = all.into_iter();
    if let Some(first) = all.next().filter(|first| first.patch != repair.attempt.patch) {
        repair.analysis = repair.analysis.take().map(|earlier| explanation(earlier, &first, &choice));
        repair.attempt = first;
    }
    repair.others = all.chain(rest).collect();
    let is_told = choice.compared > 0 || wanted > 1;
    repair.choice = (choice.patches.len() > 1 && is_told).then_some(choice);
}

/// How many patches are compared without being asked for: as many as the built-in engine confirms anyway. A patch that takes
/// back what broke the tests has the better word for it.
fn at_hand(repair: &Repair, bench: &Workbench) -> u32 {
    let is_taken_back = bench.validator.baseline().taken_back(&repair.attempt.patch).is_some();
    if repair.policy == PolicyKind::Builtin && !is_taken_back { MOST_CONFIRMED } else { 1 }
}

/// Why a patch comes first that did not before; what a model says of its own stays.
fn explanation(earlier: String, first: &PatchAttempt, choice: &Choice) -> String {
    if first.explanation.is_empty() {
        return earlier;
    }
    let changed = choice.groups.first().map_or(0, |group| group.changed);
    let (plausible, compared) = (choice.patches.len(), choice.compared);
    format!(
        "chosen as the one of {plausible} plausible patches that drawn inputs speak for ({changed} of {compared} results change): {}",
        first.explanation
    )
}

/// What drawn inputs say of plausible patches, in the order of `attempts`; nothing where they cannot be compared.
pub async fn compared(attempts: &[PatchAttempt], bench: &Workbench) -> Choice {
    let patches: Vec<&Patch> = attempts.iter().map(|attempt| &attempt.patch).collect();
    let found = bench.validator.drawn(&patches, bench.language).await.unwrap_or_else(|error| {
        tracing::warn!("plausible patches cannot be compared: {error}");
        None
    });
    let tests = bench.test_texts();
    let triggering = &bench.validator.baseline().triggering;
    let Some((before, versions)) = found.as_deref().and_then(<[_]>::split_first) else { return Choice::default() };
    let sources: Vec<BySource> = patches.iter().map(|patch| BySource::of(patch, &tests, bench.language)).collect();
    let choice = drawn::ranked(before, versions, triggering, &sources);
    if choice.compared == 0 { Choice::default() } else { choice }
}

/// The attempts as their groups come; the groups name the new places.
fn in_order(attempts: Vec<PatchAttempt>, groups: &mut [Group]) -> Vec<PatchAttempt> {
    let mut attempts: Vec<Option<PatchAttempt>> = attempts.into_iter().map(Some).collect();
    let mut ordered = Vec::new();
    for place in groups.iter_mut().flat_map(|group| &mut group.patches) {
        if let Some(attempt) = attempts.get_mut(*place).and_then(Option::take) {
            *place = ordered.len();
            ordered.push(attempt);
        }
    }
    ordered
}
