//! Many runs side by side: the figures of an evaluation, from the journals alone.

mod facts;
mod forms;
mod interval;
mod page;
mod tables;

pub use facts::{AgentFacts, RunFacts, Step, ToolFacts};
pub use forms::{csv, markdown, text};
pub use interval::{mcnemar, wilson};
pub use page::html;
pub use tables::{Cell, Table};

use crate::domain::{AgentName, BugId, Level, Outcome, ToolName, Usage};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Schema of [`Study`] as JSON.
pub const SCHEMA: u32 = 1;
/// How deep below a named folder run directories are looked for.
const DEPTH: usize = 6;

/// Counts of one group of runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Runs.
    pub runs: u64,
    /// Bugs.
    pub bugs: u64,
    /// Runs that ended with a plausible patch.
    pub plausible: u64,
    /// Of these, equal to the developer's patch.
    pub correct: u64,
    /// Of these, to be looked at by a person.
    pub needs_review: u64,
    /// Runs that ended without a repair.
    pub unrepaired: u64,
    /// Runs that a cap ended.
    pub exhausted: u64,
    /// Runs that are not over: they say nothing about their bug and count in no share.
    pub unfinished: u64,
    /// Tokens and money.
    pub usage: Usage,
}

impl Counts {
    /// Runs that are over.
    pub fn finished(&self) -> u64 {
        self.runs - self.unfinished
    }

    fn of<'r>(runs: impl IntoIterator<Item = &'r RunFacts>) -> Self {
        let mut counts = Self::default();
        let mut bugs = BTreeSet::new();
        for run in runs {
            counts.runs += 1;
            bugs.insert(run.bug.to_string());
            counts.usage += run.usage;
            match run.verdict() {
                "plausible" => counts.plausible += 1,
                "unrepaired" => counts.unrepaired += 1,
                "exhausted" => counts.exhausted += 1,
                _ => counts.unfinished += 1,
            }
            counts.correct += u64::from(run.correct());
        }
        counts.bugs = bugs.len() as u64;
        counts.needs_review = counts.plausible - counts.correct;
        counts
    }
}

/// One rung of the escalation, over all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rung {
    /// The rung.
    pub level: Level,
    /// Runs that came to it.
    pub entered: u64,
    /// Runs that it repaired.
    pub repaired: u64,
    /// Of these, equal to the developer's patch.
    pub correct: u64,
    /// What it cost in all runs that came to it.
    pub usage: Usage,
}

/// Two configurations on the bugs that both finished.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The first.
    pub a: String,
    /// The second.
    pub b: String,
    /// Bugs that both finished.
    pub bugs: u64,
    /// Repaired by both.
    pub both: u64,
    /// By the first alone.
    pub only_a: u64,
    /// By the second alone.
    pub only_b: u64,
    /// McNemar's exact probability.
    pub p: f64,
}

/// Everything that is reported.
#[derive(Debug, Clone, Serialize)]
pub struct Study {
    /// [`SCHEMA`].
    pub schema: u32,
    /// All runs together.
    pub all: Counts,
    /// By configuration.
    pub configurations: BTreeMap<String, Counts>,
    /// By project.
    pub projects: BTreeMap<String, Counts>,
    /// From level 0 to refine; rungs that no run came to are left out.
    pub escalation: Vec<Rung>,
    /// By agent.
    pub agents: BTreeMap<AgentName, AgentFacts>,
    /// Repairs by rung and agent.
    pub credited: BTreeMap<String, u64>,
    /// Tools in runs that repaired correctly.
    pub tools_of_correct: BTreeMap<ToolName, ToolFacts>,
    /// Tools in all other runs.
    pub tools_of_others: BTreeMap<ToolName, ToolFacts>,
    /// Candidates by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Configurations against each other.
    pub pairs: Vec<Pair>,
    /// The runs, by bug.
    pub runs: Vec<RunFacts>,
}

impl Study {
    /// Counts runs; their order does not matter.
    pub fn of(mut runs: Vec<RunFacts>) -> Self {
        runs.sort_by(|a, b| {
            (natural(&a.bug), &a.configuration, &a.dir).cmp(&(natural(&b.bug), &b.configuration, &b.dir))
        });
        let group = |key: &dyn Fn(&RunFacts) -> String| {
            let mut groups: BTreeMap<String, Vec<&RunFacts>> = BTreeMap::new();
            runs.iter().for_each(|run| groups.entry(key(run)).or_default().push(run));
            groups.into_iter().map(|(name, group)| (name, Counts::of(group))).collect::<BTreeMap<_, _>>()
        };
        let configurations = group(&|run| run.configuration.clone());
        let projects = group(&RunFacts::project);
        let (correct, others): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.correct());
        let mut agents: BTreeMap<AgentName, AgentFacts> = BTreeMap::new();
        let mut outcomes: BTreeMap<Outcome, u64> = BTreeMap::new();
        let mut credited: BTreeMap<String, u64> = BTreeMap::new();
        for run in &runs {
            run.agents.iter().for_each(|(name, facts)| add(agents.entry(name.clone()).or_default(), facts));
            run.outcomes.iter().for_each(|(outcome, n)| *outcomes.entry(*outcome).or_default() += n);
            if let Some((level, by)) = run.report.as_ref().and_then(|report| report.level.zip(report.by.as_ref())) {
                *credited.entry(format!("{level} {}", by.agent)).or_default() += 1;
            }
        }
        Self {
            schema: SCHEMA,
            all: Counts::of(&runs),
            escalation: escalation(&runs),
            pairs: pairs(&configurations, &runs),
            configurations,
            projects,
            agents,
            credited,
            tools_of_correct: tools(&correct),
            tools_of_others: tools(&others),
            outcomes,
            runs,
        }
    }

    /// Cost against repairs, the cheapest repair first: dollars spent on repaired runs so far, and repairs so far. Empty
    /// when a price is unknown.
    pub fn repairs_by_cost(&self) -> Vec<(f64, u64)> {
        let costs: Option<Vec<f64>> =
            self.runs.iter().filter(|run| run.plausible()).map(|run| run.usage.cost_usd.0).collect();
        let mut costs = costs.unwrap_or_default();
        costs.sort_by(f64::total_cmp);
        let mut sum = 0.0;
        (1..)
            .zip(costs)
            .map(|(n, cost)| {
                sum += cost;
                (sum, n)
            })
            .collect()
    }
}

/// Run directories at or below a folder: those with a journal, in order.
pub fn run_dirs(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let has_journal = |dir: &Utf8Path| crate::journal::RunDir::journal_in(dir).is_file();
    if has_journal(folder) {
        return vec![folder.to_owned()];
    }
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((dir, depth)) = open.pop() {
        let Ok(entries) = dir.read_dir_utf8() else { continue };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let path = entry.into_path();
            if has_journal(&path) {
                found.push(path);
            } else if depth < DEPTH {
                open.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found
}

fn add(sum: &mut AgentFacts, more: &AgentFacts) {
    sum.started += more.started;
    sum.cycles += more.cycles;
    sum.invalid += more.invalid;
    sum.usage += more.usage;
    sum.model_seconds += more.model_seconds;
    sum.tool_seconds += more.tool_seconds;
}

fn tools(runs: &[&RunFacts]) -> BTreeMap<ToolName, ToolFacts> {
    let mut sums: BTreeMap<ToolName, ToolFacts> = BTreeMap::new();
    for (name, used) in runs.iter().flat_map(|run| &run.tools) {
        let sum = sums.entry(name.clone()).or_default();
        sum.calls += used.calls;
        sum.ok += used.ok;
        sum.seconds += used.seconds;
    }
    sums
}

fn escalation(runs: &[RunFacts]) -> Vec<Rung> {
    let rung = |level: Level| {
        let mut rung = Rung { level, entered: 0, repaired: 0, correct: 0, usage: Usage::default() };
        for run in runs {
            let here = run.level() == Some(level);
            rung.entered += u64::from(here || run.entered.contains(&level));
            rung.repaired += u64::from(here && run.plausible());
            rung.correct += u64::from(here && run.correct());
            if let Some(usage) = run.spent.get(&level) {
                rung.usage += *usage;
            }
        }
        rung
    };
    let levels = [Level::First, Level::L1, Level::L2, Level::L3, Level::Refine];
    levels.into_iter().map(rung).filter(|rung| rung.entered > 0).collect()
}

/// Every two configurations, on the bugs that both finished; a bug counts as repaired when any repetition repaired it.
fn pairs(configurations: &BTreeMap<String, Counts>, runs: &[RunFacts]) -> Vec<Pair> {
    let mut repaired: BTreeMap<&str, BTreeMap<String, bool>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.report.is_some()) {
        let of_bug = repaired.entry(&run.configuration).or_default().entry(run.bug.to_string()).or_default();
        *of_bug |= run.plausible();
    }
    let names: Vec<&str> =
        configurations.keys().map(String::as_str).filter(|name| repaired.contains_key(name)).collect();
    let mut pairs = Vec::new();
    for (at, a) in names.iter().enumerate() {
        for b in &names[at + 1..] {
            let both_finished = repaired[a].iter().filter_map(|(bug, x)| repaired[b].get(bug).map(|y| (*x, *y)));
            let outcomes: Vec<(bool, bool)> = both_finished.collect();
            let count = |want: (bool, bool)| outcomes.iter().filter(|&&got| got == want).count() as u64;
            let (only_a, only_b) = (count((true, false)), count((false, true)));
            if outcomes.is_empty() {
                continue;
            }
            pairs.push(Pair {
                a: (*a).to_owned(),
                b: (*b).to_owned(),
                bugs: outcomes.len() as u64,
                both: count((true, true)),
                only_a,
                only_b,
                p: mcnemar(only_a, only_b),
            });
        }
    }
    pairs
}

/// Sorts `Lang-9` before `Lang-10`.
fn natural(bug: &BugId) -> (String, String, u64) {
    let digits = bug.name.len() - bug.name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (word, number) = bug.name.split_at(bug.name.len() - digits);
    (bug.benchmark.clone(), word.to_owned(), number.parse().unwrap_or(0))
}
