//! One run, reduced to what reports count: small enough that a thousand of them fit into memory.

use crate::domain::{AgentName, BugId, Event, Level, Outcome, Scope, ToolName, Usage};
use crate::journal::{Journal, JournalError};
use crate::report::summary::{RunReport, Seconds, Validations, VerdictWord};
use crate::report::tally::Tally;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// File of the frozen configuration in a run directory.
const CONFIG: &str = "config.json";
/// Longest text of a step that is kept, in characters.
const STEP_CHARS: usize = 600;

/// What one agent did in one run, or in many.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AgentFacts {
    /// How often it started.
    pub started: u64,
    /// Cycles of its loop.
    pub cycles: u64,
    /// Answers that could not be read or were refused, each of which cost a cycle.
    pub invalid: u64,
    /// Requests, tokens and money.
    pub usage: Usage,
    /// Seconds waited for a model.
    pub model_seconds: f64,
    /// Seconds in tools.
    pub tool_seconds: f64,
}

/// Calls of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ToolFacts {
    /// Calls.
    pub calls: u64,
    /// Calls that did their work.
    pub ok: u64,
    /// Seconds.
    pub seconds: f64,
}

/// One line of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// `L1 fixer cycle 2`.
    pub place: String,
    /// What happened, in a word: a tool, an outcome, `ended`.
    pub what: String,
    /// Its text, cut.
    pub text: String,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunFacts {
    /// The run directory.
    pub dir: Utf8PathBuf,
    /// Which bug.
    pub bug: BugId,
    /// Strategy, models, levels and what was off, as one line: runs with the same line are repetitions.
    pub configuration: String,
    /// The report of a run that is over. A run without one stopped early: nothing is said about its bug.
    pub report: Option<RunReport>,
    /// Rungs on which an agent started.
    pub entered: BTreeSet<Level>,
    /// By rung: requests, tokens and money.
    pub spent: BTreeMap<Level, Usage>,
    /// By agent.
    pub agents: BTreeMap<AgentName, AgentFacts>,
    /// By tool.
    pub tools: BTreeMap<ToolName, ToolFacts>,
    /// Candidates by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Sums over the run, also of one that is not over.
    pub validations: Validations,
    /// Tokens and money.
    pub usage: Usage,
    /// Time; the wall is only known of a run that is over.
    pub seconds: Seconds,
    /// Isolation that was in force.
    pub sandbox: String,
    /// Version of the program.
    pub version: String,
    /// Seed of the run.
    pub seed: Option<u64>,
    /// How often warm and cold judged one candidate differently.
    pub disagreements: u64,
    /// What the run told its reader.
    pub notices: Vec<String>,
    /// What happened, step by step.
    pub steps: Vec<Step>,
}

impl RunFacts {
    /// Reads a run directory.
    ///
    /// # Errors
    /// It holds no journal, or a damaged or newer one.
    pub fn read(dir: &Utf8Path) -> Result<Self, JournalError> {
        let events = Journal::read(dir)?;
        let config = std::fs::read(dir.join(CONFIG)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(Self::of(dir, &config.unwrap_or(Value::Null), &events))
    }

    /// Counts the events of a run.
    pub fn of(dir: &Utf8Path, config: &Value, events: &[Event]) -> Self {
        let sums = Tally::over(events);
        let mut facts = Self {
            dir: dir.to_owned(),
            bug: bug_of(config, events),
            configuration: configuration(config),
            report: None,
            entered: BTreeSet::new(),
            spent: BTreeMap::new(),
            agents: BTreeMap::new(),
            tools: BTreeMap::new(),
            outcomes: sums.outcomes,
            validations: sums.validations,
            usage: sums.usage,
            seconds: sums.seconds,
            sandbox: String::new(),
            version: String::new(),
            seed: config["seed"].as_u64(),
            disagreements: events.iter().filter(|event| event.is_disagreement()).count() as u64,
            notices: Vec::new(),
            steps: Vec::new(),
        };
        events.iter().for_each(|event| facts.add(event));
        if let Some(report) = &facts.report {
            facts.seconds = report.seconds;
        }
        facts
    }

    /// The verdict's word; `unfinished` for a run that is not over.
    pub fn verdict(&self) -> &'static str {
        match self.report.as_ref().map(|report| report.verdict) {
            Some(VerdictWord::Plausible) => "plausible",
            Some(VerdictWord::Unrepaired) => "unrepaired",
            Some(VerdictWord::Exhausted) => "exhausted",
            None => "unfinished",
        }
    }

    /// Whether a plausible patch came out.
    pub fn plausible(&self) -> bool {
        self.verdict() == "plausible"
    }

    /// Whether that patch equals the developer's.
    pub fn correct(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.correct == Some(true))
    }

    /// On which rung it came.
    pub fn level(&self) -> Option<Level> {
        self.report.as_ref().and_then(|report| report.level)
    }

    /// Project of the bug: the benchmark's name, and for ids such as `Lang-1` the project's.
    pub fn project(&self) -> String {
        let BugId { benchmark, name } = &self.bug;
        match name.rsplit_once('-') {
            Some((project, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => project.to_owned(),
            _ => benchmark.clone(),
        }
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::RunStarted { version, sandbox, .. } => {
                self.version.clone_from(version);
                self.sandbox.clone_from(sandbox);
            }
            Event::AgentStarted { scope, .. } => {
                self.entered.insert(scope.level);
                self.agent(scope).started += 1;
            }
            Event::Received { scope, usage, seconds, .. } => {
                *self.spent.entry(scope.level).or_default() += *usage;
                let agent = self.agent(scope);
                agent.usage += *usage;
                agent.model_seconds += seconds;
            }
            Event::Observed { scope, tool, ok, observation, seconds, .. } => {
                let agent = self.agent(scope);
                agent.cycles += 1;
                agent.invalid += u64::from(!ok);
                agent.tool_seconds += seconds;
                let unreadable = tool.as_str().is_empty();
                if !unreadable {
                    let used = self.tools.entry(tool.clone()).or_default();
                    used.calls += 1;
                    used.ok += u64::from(*ok);
                    used.seconds += seconds;
                }
                let what = if unreadable { "unreadable answer" } else { tool.as_str() };
                self.step(scope, what, observation);
            }
            Event::Validated { scope, outcome, detail, .. } => self.step(scope, outcome.word(), detail),
            Event::AgentEnded { scope, how, .. } => self.step(scope, "ended", how),
            Event::Notice { text } => self.notices.push(text.clone()),
            Event::Finished { report } => self.report = serde_json::from_value(report.clone()).ok(),
            _ => {}
        }
    }

    fn agent(&mut self, scope: &Scope) -> &mut AgentFacts {
        self.agents.entry(scope.agent.clone()).or_default()
    }

    fn step(&mut self, scope: &Scope, what: &str, text: &str) {
        // Hundreds of the engine's candidates tell nothing one by one.
        if self.steps.last().is_some_and(|last| last.what == what && last.what == Outcome::Failed.word()) {
            return;
        }
        let attempt = if scope.attempt > 1 { format!("attempt {} ", scope.attempt) } else { String::new() };
        let place = format!("{attempt}{} {} cycle {}", scope.level, scope.agent, scope.cycle);
        let cut: String = text.chars().take(STEP_CHARS).collect();
        let text = if cut.len() < text.len() { format!("{cut} …") } else { cut };
        self.steps.push(Step { place, what: what.to_owned(), text });
    }
}

/// The bug's id: from the journal, else from the frozen configuration.
fn bug_of(config: &Value, events: &[Event]) -> BugId {
    let started = events.iter().find_map(|event| match event {
        Event::RunStarted { bug, .. } => Some(bug.clone()),
        _ => None,
    });
    let named = || config["bug"].as_str().and_then(|text| text.parse().ok());
    let unknown = || BugId { benchmark: "unknown".into(), name: "unknown".into() };
    started.or_else(named).unwrap_or_else(unknown)
}

/// What distinguishes one way of running from another.
fn configuration(config: &Value) -> String {
    let list = |key: &str| -> Vec<String> {
        let values = config[key].as_array().into_iter().flatten();
        values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
    };
    let models = list("model");
    let mut words = vec![if models.is_empty() { "builtin".to_owned() } else { models.join(" ") }];
    let levels = list("levels");
    if !levels.is_empty() {
        words.push(levels.iter().map(|level| format!("L{level}")).collect::<Vec<_>>().join("+"));
    }
    let strategy = config["strategy"].as_str().filter(|name| *name != "unified");
    words.extend(strategy.map(str::to_owned));
    words.extend(list("without").iter().map(|part| format!("without {part}")));
    for (key, word) in [("paper", "paper"), ("no_first", "no first rung"), ("no_review", "no review")] {
        words.extend((config[key] == Value::Bool(true)).then(|| word.to_owned()));
    }
    words.extend(config["attempts"].as_u64().filter(|&n| n > 1).map(|n| format!("{n} attempts")));
    words.join(", ")
}
