//! From events to a walk.

use super::axis::{Moment, Work};
use super::{AgentRun, Answer, Baseline, Call, Candidate, Cycle, Query, SCHEMA, SOURCES, Walk};
use crate::domain::{Event, Outcome, PolicyKind, RepoPath, Scope, Usage};
use crate::journal::{Journal, JournalError};
use crate::report::study::RunFacts;
use camino::Utf8Path;
use serde_json::Value;

impl Walk {
    /// Reads a run directory.
    ///
    /// # Errors
    /// It holds no journal, or a damaged or newer one.
    pub(crate) fn read(dir: &Utf8Path) -> Result<Self, JournalError> {
        let walk = Self::of(RunFacts::read(dir)?, &Journal::read_timed(dir)?);
        Ok(Self { sources: sources(dir), ..walk })
    }

    /// Puts the events of a run in the order of its agents: some work beside each other, and their events mingle.
    pub(crate) fn of(facts: RunFacts, events: &[(f64, Event)]) -> Self {
        let (runs, moments, sources) = (Vec::new(), Vec::new(), Vec::new());
        let mut walk = Self { schema: SCHEMA, facts, baseline: None, ranking: None, runs, moments, sources };
        for (at, event) in events {
            walk.take(event);
            walk.moments.extend(moment(*at, event));
        }
        walk
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Baseline { passing, triggering, set_aside, located, seconds } => {
                self.baseline = Some(Baseline {
                    passing: *passing,
                    triggering: triggering.clone(),
                    set_aside: set_aside.clone(),
                    located: located.clone(),
                    seconds: *seconds,
                });
            }
            Event::Localized { ranking } => drop(self.ranking.get_or_insert_with(|| ranking.clone())),
            Event::AgentStarted { scope, policy, .. } => self.begin(scope, Some(*policy)),
            Event::AgentEnded { scope, how, .. } => self.run(scope).ended = Some(how.clone()),
            Event::Marked { scope, marks } => self.run(scope).marks.clone_from(marks),
            Event::Searched { scope, candidates, seconds, .. } => {
                let sum = self.run(scope).searched.get_or_insert_default();
                *sum = (sum.0 + candidates, sum.1 + seconds);
            }
            _ => self.take_of_cycle(event),
        }
    }

    fn take_of_cycle(&mut self, event: &Event) {
        match event {
            // A session that goes on sends again what it has no answer to: the same question.
            Event::Sent { scope, request, .. } => {
                let queries = &mut self.cycle(scope).queries;
                if queries.iter().all(|query| query.request != *request || query.answer.is_some()) {
                    queries.push(Query { request: request.clone(), answer: None, failed: None });
                }
            }
            Event::Received { scope, response, usage, seconds, .. } => {
                if let Some(query) = self.open_query(scope) {
                    query.answer = Some(Answer { usage: *usage, seconds: *seconds, ..Answer::read(response) });
                    query.failed = None;
                }
            }
            Event::Failed { scope, why, .. } => {
                if let Some(query) = self.open_query(scope) {
                    query.failed = Some(why.to_string());
                }
            }
            Event::Observed { scope, state, tool, args, ok, observation, seconds, .. } => {
                self.cycle(scope).calls.push(Call {
                    state: state.clone(),
                    tool: tool.clone(),
                    args: args.clone(),
                    ok: *ok,
                    observation: observation.clone(),
                    seconds: *seconds,
                });
            }
            // What passed the fast run is recorded again under its last verdict.
            Event::Validated { scope, outcome, diff, detail, origin, seconds, .. }
                if *outcome != Outcome::PassedWarm =>
            {
                self.cycle(scope).candidates.push(Candidate {
                    outcome: *outcome,
                    diff: diff.clone(),
                    detail: detail.clone(),
                    origin: origin.clone(),
                    seconds: *seconds,
                });
            }
            _ => {}
        }
    }

    fn begin(&mut self, scope: &Scope, policy: Option<PolicyKind>) {
        self.runs.push(AgentRun {
            scope: scope.run(),
            policy,
            cycles: Vec::new(),
            marks: Vec::new(),
            searched: None,
            ended: None,
        });
    }

    /// The latest run of the agent that this happened to.
    fn run(&mut self, scope: &Scope) -> &mut AgentRun {
        let whole = scope.run();
        let at = self.runs.iter().rposition(|run| run.scope == whole);
        let at = at.unwrap_or_else(|| {
            self.begin(scope, None);
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }

    fn cycle(&mut self, scope: &Scope) -> &mut Cycle {
        let cycles = &mut self.run(scope).cycles;
        let at = cycles.iter().rposition(|cycle| cycle.number == scope.cycle);
        let at = at.unwrap_or_else(|| {
            cycles.push(Cycle { number: scope.cycle, ..Cycle::default() });
            cycles.len() - 1
        });
        &mut cycles[at]
    }

    /// The first question of the cycle that has no answer yet.
    fn open_query(&mut self, scope: &Scope) -> Option<&mut Query> {
        self.cycle(scope).queries.iter_mut().find(|query| query.answer.is_none())
    }
}

/// The source of suspicious files; none where it was not kept, or cannot be read.
fn sources(dir: &Utf8Path) -> Vec<(RepoPath, String)> {
    let bytes = std::fs::read(dir.join(SOURCES)).unwrap_or_default();
    let texts: serde_json::Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    let file = |(path, text): (String, Value)| Some((path.parse().ok()?, text.as_str()?.to_owned()));
    texts.into_iter().filter_map(file).collect()
}

/// What took time until this was written.
fn moment(at: f64, event: &Event) -> Option<Moment> {
    let (scope, work, what, seconds) = match event {
        Event::Baseline { seconds, .. } => (None, Work::Tests, "the tests before any change".to_owned(), seconds),
        Event::Received { scope, seconds, .. } => (Some(scope), Work::Model, "an answer".to_owned(), seconds),
        Event::Observed { scope, tool, seconds, .. } => (Some(scope), Work::Tool, tool.to_string(), seconds),
        Event::Validated { scope, outcome, seconds, .. } => {
            (Some(scope), Work::Candidate, format!("a candidate {}", outcome.title()), seconds)
        }
        _ => return None,
    };
    let usage = if let Event::Received { usage, .. } = event { *usage } else { Usage::default() };
    // What passed the fast run is judged again, and counted once.
    let outcome = if let Event::Validated { outcome, .. } = event { Some(*outcome) } else { None };
    let outcome = outcome.filter(|outcome| *outcome != Outcome::PassedWarm);
    Some(Moment { scope: scope.cloned(), work, what, span: ((at - seconds).max(0.0), at), usage, outcome })
}

impl Answer {
    /// What a response holds; its cost is not in it.
    pub(in crate::report) fn read(response: &Value) -> Self {
        let message = &response["choices"][0]["message"];
        let text = |key: &str| words(&message[key]);
        let reasoning = ["reasoning_content", "reasoning"].map(text).into_iter().find(|text| !text.is_empty());
        Self {
            text: text("content"),
            reasoning: reasoning.unwrap_or_default(),
            native: message["tool_calls"].as_array().cloned().unwrap_or_default(),
            usage: crate::domain::Usage::default(),
            seconds: 0.0,
        }
    }
}

/// Text, also where it comes in parts.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
