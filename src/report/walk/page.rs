//! A walk as one page that needs nothing else: no network, no other file. Without scripts it is read all the same.

use super::axis::{Axis, axis};
use super::heat::{Heat, heat};
use super::sides::{Row, rows};
use super::words::{STOPPED, cost, is_applied, marked, meant, messages, outcomes, searched, spent};
use super::{AgentRun, Call, Candidate, Cycle, Query, RunFacts, Walk};
use crate::domain::{Outcome, PolicyKind};
use crate::report::diff::{Line, lines as diff};
use crate::report::page::{CHOOSE, render, style};
use crate::report::study::FIGURE;
use serde::Serialize;
use std::collections::BTreeSet;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Suspicious lines that are shown.
const SUSPECTS: usize = 20;
/// Candidates of one cycle that are shown in it; of more, only those that passed. The list of candidates has them all.
const CANDIDATES: usize = 20;

/// What the template sees.
#[derive(Serialize)]
struct Page<'a> {
    title: String,
    style: String,
    script: String,
    walks: Vec<Shown<'a>>,
}

/// One run.
#[derive(Serialize)]
struct Shown<'a> {
    walk: &'a Walk,
    verdict: &'a str,
    meant: &'a str,
    spent: String,
    suspects: Vec<Suspect<'a>>,
    suspects_left: usize,
    heat: Vec<Heat<'a>>,
    axis: Axis,
    /// All candidates, counted by what became of them, one by one, and their verdicts.
    counted: String,
    tried: Vec<One<'a>>,
    verdicts: BTreeSet<&'static str>,
    agents: Vec<Agent<'a>>,
    test: Vec<Line<'a>>,
    confidence: String,
    choice: String,
    patch: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Suspect<'a> {
    score: String,
    place: String,
    method: &'a str,
    reasons: String,
}

#[derive(Serialize)]
struct Agent<'a> {
    place: String,
    decided_by: &'a str,
    spent: String,
    ended: &'a str,
    passed: bool,
    marks: Vec<String>,
    searched: String,
    cycles: Vec<Turn<'a>>,
}

#[derive(Serialize)]
struct Turn<'a> {
    number: u32,
    state: &'a str,
    tools: String,
    refused: bool,
    spent: String,
    queries: Vec<QueryView<'a>>,
    calls: Vec<Did<'a>>,
    candidates: Vec<Tried<'a>>,
    counted: String,
}

#[derive(Serialize)]
struct QueryView<'a> {
    aside: bool,
    thoughts: String,
    reasoning: &'a str,
    failed: &'a str,
    messages: Vec<(&'a str, &'a str)>,
}

#[derive(Serialize)]
struct Did<'a> {
    ok: bool,
    arguments: Vec<(String, String)>,
    /// A patch as it was written; how it was applied is shown beside.
    written: Vec<(String, String)>,
    observation: &'a str,
}

#[derive(Serialize)]
struct Tried<'a> {
    outcome: &'static str,
    passed: bool,
    detail: &'a str,
    origin: &'a str,
    seconds: String,
    sides: Vec<Row<'a>>,
}

/// One of all candidates. Its diff is coloured when it is looked at: there may be thousands.
#[derive(Serialize)]
struct One<'a> {
    place: String,
    outcome: &'static str,
    passed: bool,
    detail: &'a str,
    origin: &'a str,
    seconds: String,
    diff: &'a str,
}

/// Renders the page of one or more runs.
///
/// # Errors
/// The template is wrong, which its test would have found.
pub(crate) fn html(walks: &[Walk]) -> Result<String, minijinja::Error> {
    let title = match walks {
        [walk] => format!("unidebug on {}", walk.facts.bug),
        _ => format!("unidebug: {} runs", walks.len()),
    };
    let (style, script) = (style(&format!("{FIGURE}{STYLE}")), format!("\"use strict\";\n{SCRIPT}{CHOOSE}"));
    let page = Page { title, style, script, walks: walks.iter().map(shown).collect() };
    render(TEMPLATE, &page)
}

fn shown(walk: &Walk) -> Shown<'_> {
    let facts = &walk.facts;
    let lines = walk.ranking.as_ref().map_or(&[][..], |ranking| &ranking.lines);
    let suspects = lines.iter().take(SUSPECTS).map(|line| Suspect {
        score: format!("{:.3}", line.score),
        place: line.location.to_string(),
        method: line.method.as_deref().unwrap_or(""),
        reasons: line.reasons.join(", "),
    });
    let tried = all(walk);
    Shown {
        walk,
        heat: heat(walk.ranking.as_ref(), &walk.sources),
        axis: axis(walk),
        counted: outcomes(candidates(walk)),
        verdicts: tried.iter().map(|one| one.outcome).collect(),
        tried,
        verdict: facts.verdict_title(),
        meant: meant(facts),
        spent: spent(&facts.usage),
        suspects: suspects.collect(),
        suspects_left: lines.len().saturating_sub(SUSPECTS),
        agents: walk.runs.iter().map(agent).collect(),
        test: diff(test_of(facts)),
        confidence: confidence(facts),
        choice: choice(facts),
        patch: diff(facts.report.as_ref().and_then(|report| report.patch.as_deref()).unwrap_or("")),
    }
}

fn confidence(facts: &RunFacts) -> String {
    facts.report.as_ref().and_then(|report| report.confidence.as_ref()).map(ToString::to_string).unwrap_or_default()
}

fn choice(facts: &RunFacts) -> String {
    facts.report.as_ref().and_then(|report| report.choice.as_ref()).map(ToString::to_string).unwrap_or_default()
}

/// The test that was written for an issue, as a diff; empty where there is none.
fn test_of(facts: &RunFacts) -> &str {
    facts.report.as_ref().and_then(|report| report.test.as_ref()).map_or("", |test| &test.diff)
}

fn candidates(walk: &Walk) -> impl Iterator<Item = &Candidate> {
    walk.runs.iter().flat_map(|run| &run.cycles).flat_map(|cycle| &cycle.candidates)
}

/// Every candidate in the order of the agents.
fn all(walk: &Walk) -> Vec<One<'_>> {
    let mut all = Vec::new();
    for run in &walk.runs {
        for cycle in &run.cycles {
            all.extend(cycle.candidates.iter().map(|candidate| One {
                place: format!("{}, cycle {}", run.place(), cycle.number),
                outcome: candidate.outcome.title(),
                passed: candidate.outcome == Outcome::Plausible,
                detail: &candidate.detail,
                origin: if run.policy == Some(PolicyKind::Builtin) { &candidate.origin } else { "" },
                seconds: format!("{:.1} s", candidate.seconds),
                diff: &candidate.diff,
            }));
        }
    }
    all
}

fn agent(run: &AgentRun) -> Agent<'_> {
    let candidates = || run.cycles.iter().flat_map(|cycle| &cycle.candidates);
    Agent {
        place: run.place(),
        decided_by: run.decided_by(),
        spent: cost(&run.usage()),
        ended: run.ended.as_deref().unwrap_or(STOPPED),
        passed: candidates().any(|candidate| candidate.outcome == Outcome::Plausible),
        marks: run.marks.iter().map(marked).collect(),
        searched: run.searched.map(searched).unwrap_or_default(),
        cycles: run.cycles.iter().map(|cycle| turn(cycle, run.policy == Some(PolicyKind::Builtin))).collect(),
    }
}

fn turn(cycle: &Cycle, engine: bool) -> Turn<'_> {
    let counted = cycle.candidates.len() > CANDIDATES;
    let shown = |candidate: &&Candidate| !counted || candidate.passed();
    let tools: Vec<&str> = cycle.calls.iter().map(Call::name).collect();
    Turn {
        number: cycle.number,
        state: cycle.calls.first().map_or("", |call| call.state.as_str()),
        tools: tools.join(", "),
        refused: cycle.calls.iter().any(|call| !call.ok),
        spent: cost(&cycle.usage()),
        queries: cycle.queries.iter().enumerate().map(|(nth, query)| query_view(query, nth > 0)).collect(),
        calls: cycle.calls.iter().map(|call| did(call, cycle)).collect(),
        candidates: cycle.candidates.iter().filter(shown).map(|candidate| tried(candidate, engine)).collect(),
        counted: if counted { outcomes(cycle.candidates.iter()) } else { String::new() },
    }
}

fn query_view(query: &Query, aside: bool) -> QueryView<'_> {
    let answer = query.answer.as_ref();
    QueryView {
        aside,
        thoughts: answer.map_or_else(String::new, |answer| if aside { answer.text.clone() } else { answer.thoughts() }),
        reasoning: answer.map_or("", |answer| &answer.reasoning),
        failed: query.failed.as_deref().unwrap_or(""),
        messages: messages(&query.request),
    }
}

fn did<'a>(call: &'a Call, cycle: &Cycle) -> Did<'a> {
    let (written, arguments) = call.arguments().into_iter().partition(|(name, _)| is_applied(name, cycle));
    Did { ok: call.ok, arguments, written, observation: call.observation.trim_end() }
}

fn tried(candidate: &Candidate, engine: bool) -> Tried<'_> {
    Tried {
        outcome: candidate.outcome.title(),
        passed: candidate.outcome == Outcome::Plausible,
        detail: &candidate.detail,
        // A model's explanation stands among its arguments already.
        origin: if engine { &candidate.origin } else { "" },
        seconds: format!("{:.1} s", candidate.seconds),
        sides: rows(&candidate.diff),
    }
}
