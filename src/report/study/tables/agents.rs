//! What agents and tools did.

use crate::domain::ToolName;
use crate::report::study::{AgentFacts, Cell, RunFacts, Study, Table, ToolFacts};
use std::collections::{BTreeMap, BTreeSet};

/// The tool that hands candidates to the judge.
const WRITE_FIX: &str = "write_fix";

pub fn agents(study: &Study) -> Table {
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
    Table::new("agents", "By agent", &columns).note(note).rows(study.agents.iter().map(|(name, facts)| {
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
    }))
}

pub fn tools(study: &Study) -> Table {
    let columns =
        ["tool", "calls, correct runs", "per run", "calls, other runs", "per other run", "% that worked", "s per call"];
    let (correct, others) = (study.all.correct, study.all.runs - study.all.correct);
    let names: BTreeSet<&ToolName> = study.tools_of_correct.keys().chain(study.tools_of_others.keys()).collect();
    let of = |group: &BTreeMap<ToolName, ToolFacts>, name: &ToolName| group.get(name).copied().unwrap_or_default();
    let rows = names.into_iter().map(|name| {
        let (a, b) = (of(&study.tools_of_correct, name), of(&study.tools_of_others, name));
        let calls = a.calls + b.calls;
        vec![
            name.as_str().into(),
            a.calls.into(),
            Cell::mean(a.calls as f64, correct, 2),
            b.calls.into(),
            Cell::mean(b.calls as f64, others, 2),
            Cell::percent(a.ok + b.ok, calls),
            Cell::mean(a.seconds + b.seconds, calls, 2),
        ]
    });
    Table::new("tools", "By tool", &columns).note("Runs that repaired correctly against all others.").rows(rows)
}

/// Groups of runs whose use of tools is compared.
type Group = (&'static str, fn(&RunFacts) -> bool);

const GROUPS: [Group; 4] = [
    ("all runs", |_| true),
    ("correct", |run| run.correct()),
    ("plausible only", |run| run.plausible() && !run.correct()),
    ("no plausible patch", |run| !run.plausible()),
];

pub fn tool_use(study: &Study) -> Table {
    let columns = [
        "runs",
        "n",
        "tool calls per run",
        "patches validated per run",
        "write_fix calls",
        "% of write_fix plausible",
        "% of time in tools",
    ];
    let rows = GROUPS.iter().filter_map(|(name, belongs)| {
        let runs: Vec<&RunFacts> = study.runs.iter().filter(|run| run.report.is_some() && belongs(run)).collect();
        let n = runs.len() as u64;
        let sum = |value: &dyn Fn(&RunFacts) -> f64| runs.iter().map(|run| value(run)).sum::<f64>();
        let fixes = runs.iter().filter_map(|run| run.tools.get(&ToolName::from(WRITE_FIX)));
        let (calls, plausible) = fixes.fold((0, 0), |(a, b), fix| (a + fix.calls, b + fix.plausible));
        let wall = sum(&|run| run.seconds.wall);
        let in_tools =
            if wall > 0.0 { Cell::Number(100.0 * sum(&RunFacts::tool_seconds) / wall, 1) } else { "".into() };
        (n > 0).then(|| {
            vec![
                (*name).into(),
                n.into(),
                Cell::mean(sum(&|run| run.tool_calls() as f64), n, 1),
                Cell::mean(sum(&|run| run.validations.candidates as f64), n, 1),
                calls.into(),
                Cell::percent(plausible, calls),
                in_tools,
            ]
        })
    });
    let note = "Of finished runs. The time is wall time; agents of one stage work side by side, so their tools can \
                add up to more than it.";
    Table::new("tool-use", "Use of tools", &columns).note(note).rows(rows)
}

pub fn outcomes(study: &Study) -> Table {
    let all: u64 = study.outcomes.values().sum();
    let table = Table::new("outcomes", "Candidates by outcome", &["outcome", "candidates", "%"]);
    let rows = study.outcomes.iter();
    table.rows(rows.map(|(outcome, n)| vec![outcome.word().into(), (*n).into(), Cell::percent(*n, all)]))
}
