//! What agents made, put into the case file; and what of it need not be made again.

use super::outcome::Repair;
use crate::agent::AgentOutcome;
use crate::domain::words::counted;
use crate::domain::{AgentName, Artifact, CaseFile, Hypothesis, Level, PatchAttempt, PolicyKind, RepoPath};
use crate::tools::Workbench;
use std::collections::HashSet;
use std::fmt::Write;

/// Agents whose last words say why the repair failed.
const REPAIRERS: [&str; 2] = ["fixer", "fixer_pro"];

/// Families and near misses of the engine that a model is shown.
const FAMILIES: usize = 5;
const NEAR_MISSES: usize = 3;

/// Puts what an agent made into the case file; `families` says what the engine has tried until now.
pub(super) fn file(
    case: &mut CaseFile,
    level: Level,
    agent: AgentName,
    policy: PolicyKind,
    outcome: AgentOutcome,
    families: &[(&'static str, usize)],
) {
    // Thousands of template candidates would drown a model, so it gets their sum.
    if policy == PolicyKind::Builtin {
        case.engine_notes.extend(engine_note(&outcome.attempts, families));
    } else {
        case.authors.extend(outcome.attempts.iter().map(|_| agent.clone()));
        case.attempts.extend(outcome.attempts);
    }
    // The engine's first try is evidence, not an agent's finding.
    if level == Level::First {
        return;
    }
    merge(&mut case.hypotheses, outcome.hypotheses);
    match outcome.artifact {
        Artifact::Nothing { explanation } if explanation.is_empty() => {}
        // Why a mark or a list was not usable teaches nothing about the bug.
        Artifact::Nothing { explanation } if REPAIRERS.contains(&agent.as_str()) => {
            case.analyses.push((agent, explanation));
        }
        Artifact::Nothing { .. } => {}
        artifact => case.artifacts.push((agent, artifact)),
    }
}

/// Agents of one stage start from the same hypotheses: what each added or refuted is kept.
fn merge(known: &mut Vec<Hypothesis>, found: Vec<Hypothesis>) {
    for hypothesis in found {
        match known.iter_mut().find(|other| other.text == hypothesis.text) {
            Some(same) => same.refuted = same.refuted.take().or(hypothesis.refuted),
            None => known.push(hypothesis),
        }
    }
}

/// What the engine's failed candidates teach a model: how many of which kind, where, and which came near.
fn engine_note(attempts: &[PatchAttempt], families: &[(&'static str, usize)]) -> Option<String> {
    let judged = attempts.iter().filter(|a| a.validation.outcome.compiled()).count();
    if judged == 0 {
        return None;
    }
    let mut note = format!("{judged} simple template edits were tried");
    let most: Vec<String> = families.iter().take(FAMILIES).map(|(name, count)| format!("{count} {name}")).collect();
    if !most.is_empty() {
        let _ = write!(note, " ({})", most.join(", "));
    }
    let mut near: Vec<&PatchAttempt> = attempts.iter().filter(|a| a.validation.fixed > 0).collect();
    near.sort_by_key(|a| (std::cmp::Reverse(a.validation.fixed), a.validation.failing.len()));
    for (nth, a) in near.into_iter().take(NEAR_MISSES).enumerate() {
        let what = if nth == 0 { "; the nearest" } else { "; another" };
        let _ = write!(note, "{what} made {} triggering tests pass: {}", a.validation.fixed, a.explanation);
    }
    Some(note)
}

/// Bug-related files, each content once; the bug-located one alone while there is no list. Those that have a summary
/// only when they are to be summarised again.
pub(super) fn files(bench: &Workbench, case: &CaseFile, again: bool) -> Vec<RepoPath> {
    let text = |path: &RepoPath| bench.index.file(path).map(|file| file.text.clone());
    let summarised = case.summaries().into_iter().filter(|_| !again);
    let mut known: HashSet<_> = summarised.filter_map(|summary| text(&summary.file)).collect();
    let listed = if case.files().is_empty() { bench.bug.located.as_slice() } else { case.files() };
    listed.iter().filter(|path| text(path).is_some_and(|text| known.insert(text))).cloned().collect()
}

/// The plausible attempts but the chosen one.
pub(super) fn others(attempts: Vec<PatchAttempt>, chosen: &PatchAttempt) -> Vec<PatchAttempt> {
    attempts.into_iter().filter(|a| a.validation.is_plausible() && a.patch != chosen.patch).collect()
}

/// What a reviewer is asked for, once a patch passed all tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FollowUp {
    /// Whether it is right.
    Review,
    /// Other patches that pass too, in so many cycles.
    Alternatives(u32),
}

impl FollowUp {
    /// What a plan wants that asks for alternatives in so many cycles.
    pub(super) fn of(alternatives: u32) -> Self {
        if alternatives == 0 { Self::Review } else { Self::Alternatives(alternatives) }
    }

    /// Cycles that the reviewer gets.
    pub(super) fn cycles(self) -> u32 {
        match self {
            Self::Review => 1,
            Self::Alternatives(cycles) => cycles,
        }
    }

    /// The first line of what the reviewer reads.
    pub(super) fn request(self) -> &'static str {
        match self {
            Self::Review => "This patch passes all tests: review it",
            Self::Alternatives(_) => "This patch passes all tests: give another one that does",
        }
    }

    /// Takes over what the reviewer answered; gives the notice for the user.
    pub(super) fn take(self, repair: &mut Repair, outcome: AgentOutcome, reviewer: &AgentName) -> Option<String> {
        match self {
            Self::Review => {
                take_review(repair, outcome);
                None
            }
            Self::Alternatives(_) => {
                let more = others(outcome.attempts, &repair.attempt);
                let count = more.len();
                repair.others.extend(more);
                Some(format!("{} of {reviewer} passed all tests too", counted(count, "other patch")))
            }
        }
    }
}

/// What a review makes of a repair.
fn take_review(repair: &mut Repair, outcome: AgentOutcome) {
    let text = match outcome.artifact {
        Artifact::Patch(better) => {
            let text = better.explanation.clone();
            repair.others.push(std::mem::replace(&mut repair.attempt, better));
            text
        }
        artifact => {
            let tried = outcome.attempts.last().map(|attempt| attempt.explanation.clone());
            let ending = if let Artifact::Nothing { explanation } = artifact { explanation } else { String::new() };
            tried.unwrap_or(ending)
        }
    };
    if !text.is_empty() {
        repair.analysis = Some(text);
    }
}
