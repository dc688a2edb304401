//! How many runs came to what, and on which level.

use super::{Correctness, RunFacts, Share, Tries};
use crate::domain::{Level, Usage};
use crate::report::VerdictWord;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts of one group of runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Counts {
    /// Runs.
    pub runs: u64,
    /// Bugs.
    pub bugs: u64,
    /// Runs that ended with a plausible patch.
    pub plausible: u64,
    /// Of these, known to be correct: the sum of the three ways to know it.
    pub correct: u64,
    /// Equal to the developer's patch in the normal form of the syntax tree.
    pub same_tree: u64,
    /// Equal to it in bytecode.
    pub same_bytecode: u64,
    /// Found correct by a person.
    pub reviewed_correct: u64,
    /// Found wrong by a person.
    pub reviewed_wrong: u64,
    /// To be looked at by a person.
    pub needs_review: u64,
    /// Runs that ended without a repair.
    pub no_repair: u64,
    /// Runs that a cap ended.
    pub stopped_at_cap: u64,
    /// Runs that are not over: they say nothing about their bug and count in no share.
    pub unfinished: u64,
    /// Attempts that were begun.
    pub attempts: u64,
    /// Candidates that were judged.
    pub candidates: u64,
    /// Tokens and money.
    pub usage: Usage,
    /// Wall time of runs that are over, in seconds.
    pub seconds: f64,
    /// By bug: what its runs came to.
    #[serde(skip)]
    pub tries: BTreeMap<String, Tries>,
    /// The share of plausible runs, mean over bugs.
    pub plausible_share: Option<Share>,
    /// The share of runs known to be correct, mean over bugs.
    pub correct_share: Option<Share>,
}

impl Counts {
    /// Runs that are over.
    pub(crate) fn finished(&self) -> u64 {
        self.runs - self.unfinished
    }

    /// Counts a group.
    pub(crate) fn of<'r>(runs: impl IntoIterator<Item = &'r RunFacts>) -> Self {
        let mut counts = Self::default();
        for run in runs {
            counts.add(run);
        }
        counts.bugs = counts.tries.len() as u64;
        counts.plausible_share = counts.share(|tries| tries.plausible);
        counts.correct_share = counts.share(|tries| tries.correct);
        counts
    }

    /// The share of runs that `hits` counts, mean over bugs.
    fn share(&self, hits: fn(&Tries) -> u64) -> Option<Share> {
        Share::per_bug(self.tries.values().map(|tries| (hits(tries), tries.finished)))
    }

    fn add(&mut self, run: &RunFacts) {
        self.runs += 1;
        self.usage += run.usage;
        self.attempts += u64::from(run.attempts);
        self.candidates += run.candidates.proposed;
        match run.verdict() {
            Some(VerdictWord::Plausible) => self.plausible += 1,
            Some(VerdictWord::NoRepair | VerdictWord::NotReproduced) => self.no_repair += 1,
            Some(VerdictWord::StoppedAtCap) => self.stopped_at_cap += 1,
            None => self.unfinished += 1,
        }
        let tries = self.tries.entry(run.bug.to_string()).or_default();
        tries.finished += u64::from(run.report.is_some());
        tries.plausible += u64::from(run.plausible());
        tries.correct += u64::from(run.correct());
        if run.report.is_some() {
            self.seconds += run.seconds.wall;
        }
        let Some(correctness) = run.correctness() else { return };
        self.correct += u64::from(correctness.is_correct());
        *match correctness {
            Correctness::SameTree => &mut self.same_tree,
            Correctness::SameBytecode => &mut self.same_bytecode,
            Correctness::ReviewedCorrect => &mut self.reviewed_correct,
            Correctness::ReviewedWrong => &mut self.reviewed_wrong,
            Correctness::Waiting => &mut self.needs_review,
        } += 1;
    }
}

/// One level of the escalation, over all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LevelCounts {
    /// The level.
    pub level: Level,
    /// Runs that entered it.
    pub entered: u64,
    /// Runs that it repaired.
    pub repaired: u64,
    /// Of these, known to be correct.
    pub correct: u64,
    /// Runs that went on to a higher level.
    pub escalated: u64,
    /// Runs that ended on it without a repair.
    pub failed: u64,
    /// What it cost in all runs that entered it.
    pub usage: Usage,
    /// Seconds in models and tools, in all runs that entered it.
    pub seconds: f64,
}

/// The levels from level 0 to refine; those that no run came to are left out.
pub(super) fn escalation(runs: &[RunFacts]) -> Vec<LevelCounts> {
    let levels = [Level::First, Level::L1, Level::L2, Level::L3, Level::Refine];
    levels.into_iter().map(|level| counts_of(level, runs)).filter(|counts| counts.entered > 0).collect()
}

fn counts_of(level: Level, runs: &[RunFacts]) -> LevelCounts {
    let (usage, seconds) = (Usage::default(), 0.0);
    let mut counts =
        LevelCounts { level, entered: 0, repaired: 0, correct: 0, escalated: 0, failed: 0, usage, seconds };
    for run in runs {
        let here = run.plausible() && run.level() == Some(level);
        let entered = here || run.entered.contains(&level);
        let higher = run.entered.iter().any(|other| *other > level);
        counts.entered += u64::from(entered);
        counts.repaired += u64::from(here);
        counts.correct += u64::from(here && run.correct());
        counts.escalated += u64::from(entered && !here && higher);
        counts.failed += u64::from(entered && !higher && !run.plausible() && run.report.is_some());
        if let Some(usage) = run.spent.get(&level) {
            counts.usage += *usage;
        }
        let here = run.agents.iter().filter(|(place, _)| place.level == level);
        counts.seconds += here.map(|(_, facts)| facts.model_seconds + facts.tool_seconds).sum::<f64>();
    }
    counts
}
