//! What agents and tools did.

use super::groups::for_each_configuration;
use crate::domain::{AgentName, ToolName};
use crate::report::study::{AgentFacts, Cell, RunFacts, Study, Table, ToolFacts};
use std::collections::{BTreeMap, BTreeSet};

/// The tool that hands candidates to the judge.
const WRITE_FIX: &str = "write_fix";

pub(super) fn agents(study: &Study) -> Table {
    let columns = [
        "agent",
        "started",
        "requests",
        "cycles",
        "re-sampled",
        "invalid answers",
        "tokens in",
        "% cached",
        "tokens out",
        "USD",
        "model s",
        "tool s",
    ];
    let note = "Invalid: could not be read, or was refused. Re-sampled: the invalid answers that did not hold what was \
                asked for.";
    let table = Table::new("agents", "By agent", &columns).note(note);
    for_each_configuration(study, table, |runs| {
        let mut sums: BTreeMap<&AgentName, AgentFacts> = BTreeMap::new();
        for (place, facts) in runs.iter().flat_map(|run| &run.agents) {
            *sums.entry(&place.agent).or_default() += facts;
        }
        sums.into_iter().map(|(name, facts)| agent(name, &facts)).collect()
    })
}

fn agent(name: &AgentName, facts: &AgentFacts) -> Vec<Cell> {
    let AgentFacts { started, cycles, invalid, resampled, usage, model_seconds, tool_seconds, .. } = facts;
    vec![
        name.as_str().into(),
        (*started).into(),
        usage.requests.into(),
        (*cycles).into(),
        (*resampled).into(),
        (*invalid).into(),
        usage.prompt_tokens.into(),
        Cell::percent(usage.cached_tokens, usage.prompt_tokens),
        usage.completion_tokens.into(),
        Cell::money(usage),
        Cell::Number(*model_seconds, 1),
        Cell::Number(*tool_seconds, 1),
    ]
}

pub(super) fn tools(study: &Study) -> Table {
    let columns =
        ["tool", "calls, correct runs", "per run", "calls, other runs", "per other run", "% that worked", "s per call"];
    let note = "Runs that repaired correctly against all others.";
    let table = Table::new("tools", "By tool", &columns).note(note);
    for_each_configuration(study, table, |runs| {
        let (correct, others): (Vec<&RunFacts>, Vec<&RunFacts>) = runs.iter().partition(|run| run.correct());
        let (of_correct, of_others) = (sums(&correct), sums(&others));
        let names: BTreeSet<&ToolName> = of_correct.keys().chain(of_others.keys()).copied().collect();
        let row = |name: &ToolName| {
            let of = |group: &BTreeMap<&ToolName, ToolFacts>| group.get(name).copied().unwrap_or_default();
            let (a, b) = (of(&of_correct), of(&of_others));
            let calls = a.calls + b.calls;
            vec![
                name.as_str().into(),
                a.calls.into(),
                Cell::mean(a.calls as f64, correct.len() as u64, 2),
                b.calls.into(),
                Cell::mean(b.calls as f64, others.len() as u64, 2),
                Cell::percent(a.ok + b.ok, calls),
                Cell::mean(a.seconds + b.seconds, calls, 2),
            ]
        };
        names.into_iter().map(row).collect()
    })
}

/// What each tool did in these runs.
fn sums<'r>(runs: &[&'r RunFacts]) -> BTreeMap<&'r ToolName, ToolFacts> {
    let mut sums: BTreeMap<&ToolName, ToolFacts> = BTreeMap::new();
    for (name, used) in runs.iter().flat_map(|run| &run.tools) {
        *sums.entry(name).or_default() += *used;
    }
    sums
}

/// Groups of runs whose use of tools is compared.
type Group = (&'static str, fn(&RunFacts) -> bool);

const GROUPS: [Group; 4] = [
    ("all runs", |_| true),
    ("correct", |run| run.correct()),
    ("plausible only", |run| run.plausible() && !run.correct()),
    ("no plausible patch", |run| !run.plausible()),
];

pub(super) fn tool_use(study: &Study) -> Table {
    let columns = [
        "runs",
        "n",
        "tool calls per run",
        "patches validated per run",
        "write_fix calls",
        "% of write_fix plausible",
        "% of time in tools",
    ];
    let note = "Of finished runs. The time is wall time; agents of one stage work side by side, so their tools can \
                add up to more than it.";
    let table = Table::new("tool-use", "Use of tools", &columns).note(note);
    for_each_configuration(study, table, |all| GROUPS.iter().filter_map(|group| used(all, group)).collect())
}

/// What the runs of one group did with tools; `None` where there are none.
fn used(all: &[&RunFacts], (name, belongs): &Group) -> Option<Vec<Cell>> {
    let runs: Vec<&RunFacts> = all.iter().filter(|run| run.report.is_some() && belongs(run)).copied().collect();
    let n = runs.len() as u64;
    let sum = |value: &dyn Fn(&RunFacts) -> f64| runs.iter().map(|run| value(run)).sum::<f64>();
    let fixes = runs.iter().filter_map(|run| run.tools.get(&ToolName::from(WRITE_FIX)));
    let (calls, plausible) = fixes.fold((0, 0), |(a, b), fix| (a + fix.calls, b + fix.plausible));
    let wall = sum(&|run| run.seconds.wall);
    let in_tools = if wall > 0.0 { Cell::Number(100.0 * sum(&RunFacts::tool_seconds) / wall, 1) } else { "".into() };
    (n > 0).then(|| {
        vec![
            (*name).into(),
            n.into(),
            Cell::mean(sum(&|run| run.tool_calls() as f64), n, 1),
            Cell::mean(sum(&|run| run.candidates.proposed as f64), n, 1),
            calls.into(),
            Cell::percent(plausible, calls),
            in_tools,
        ]
    })
}

pub(super) fn outcomes(study: &Study) -> Table {
    let all: u64 = study.outcomes.values().sum();
    let table = Table::new("outcomes", "Candidates by outcome", &["outcome", "candidates", "%"]);
    let rows = study.outcomes.iter();
    table.rows(rows.map(|(outcome, n)| vec![outcome.label().into(), (*n).into(), Cell::percent(*n, all)]))
}
