//! One run, reduced to what reports count: small enough that a thousand of them fit into memory.

mod facet;
mod location_type;
mod setting;
mod size;
mod trail;
mod work;

#[cfg(test)]
pub(crate) use facet::EXEMPT;
pub(crate) use facet::Facet;
pub(crate) use location_type::LocationType;
pub(crate) use setting::Setting;
pub(crate) use size::PatchSize;
pub(crate) use trail::Step;
pub(crate) use work::{AgentFacts, Place, ToolFacts};

use crate::domain::{BugId, Event, HeldOut, Level, Outcome, Scope, ToolName, Usage};
use crate::journal::{Journal, JournalError};
use crate::report::diff::without_canary;
use crate::report::review::{self, Review};
use crate::report::study::published::Quality;
use crate::report::summary::{Candidates, DEVELOPER, Equality, RunReport, Seconds, VerdictWord};
use crate::report::tally::Tally;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// File of the frozen configuration in a run directory.
const CONFIG: &str = "config.json";
/// Tools by which an agent hands over what it was asked for.
const ANSWERS: [&str; 3] = ["goal_accomplished", "write_fix", "write_test"];

/// What is known of a plausible patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Correctness {
    /// Its syntax tree equals that of the developer's patch in normal form.
    SameTree,
    /// It compiles to the developer's bytecode.
    SameBytecode,
    /// A person found it correct.
    ReviewedCorrect,
    /// A person found it wrong.
    ReviewedWrong,
    /// Nobody knows.
    Waiting,
}

impl Correctness {
    /// The words in tables.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::SameTree => "yes, same tree",
            Self::SameBytecode => "yes, same bytecode",
            Self::ReviewedCorrect => "yes, reviewed",
            Self::ReviewedWrong => "no, reviewed",
            Self::Waiting => "needs review",
        }
    }

    /// Whether the patch is known to be correct.
    pub(crate) fn is_correct(self) -> bool {
        matches!(self, Self::SameTree | Self::SameBytecode | Self::ReviewedCorrect)
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunFacts {
    /// The run directory.
    pub dir: Utf8PathBuf,
    /// Which bug.
    pub bug: BugId,
    /// How it was run.
    pub setting: Setting,
    /// The report of a run that is over. A run without one stopped early: nothing is known about its bug.
    pub report: Option<RunReport>,
    /// What a person said of the patch.
    pub review: Option<Review>,
    /// The developer's repair as a unified diff, where the benchmark has it.
    pub developer: Option<String>,
    /// How far that repair is spread.
    pub location_type: Option<LocationType>,
    /// How large that repair is.
    pub developer_size: Option<PatchSize>,
    /// How large the plausible patch is.
    pub size: Option<PatchSize>,
    /// Attempts that were begun.
    pub attempts: u32,
    /// Levels on which an agent started.
    pub entered: BTreeSet<Level>,
    /// By level: requests, tokens and money.
    pub spent: BTreeMap<Level, Usage>,
    /// By agent on its level.
    pub agents: BTreeMap<Place, AgentFacts>,
    /// By tool.
    pub tools: BTreeMap<ToolName, ToolFacts>,
    /// Candidates by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Sums over the run, also of one that is not over.
    pub candidates: Candidates,
    /// Tokens and money.
    pub usage: Usage,
    /// Time; the wall is only known of a run that is over.
    pub seconds: Seconds,
    /// Isolation that was in force.
    pub sandbox: String,
    /// Version of the program.
    pub version: String,
    /// How often warm and cold judged one candidate differently.
    pub disagreements: u64,
    /// What the run told its reader.
    pub notices: Vec<String>,
    /// What happened, step by step.
    pub steps: Vec<Step>,
    /// Whether a plausible candidate came since the last tool call ended.
    #[serde(skip)]
    passed: bool,
}

impl RunFacts {
    /// Reads a run directory.
    ///
    /// # Errors
    /// It holds no journal, or a damaged or newer one.
    pub(crate) fn read(dir: &Utf8Path) -> Result<Self, JournalError> {
        let events = Journal::read(dir)?;
        let config = std::fs::read(dir.join(CONFIG)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut facts = Self::of(dir, &config.unwrap_or(Value::Null), &events);
        let developer = std::fs::read(dir.join(DEVELOPER)).ok();
        facts.developer = developer.map(|bytes| without_canary(&crate::language::decode(&bytes).0));
        facts.location_type = facts.developer.as_deref().and_then(LocationType::of);
        facts.developer_size = facts.developer.as_deref().map(PatchSize::of);
        facts.review = facts.patch().and_then(|patch| review::of(dir, patch));
        Ok(facts)
    }

    /// Counts the events of a run.
    pub(crate) fn of(dir: &Utf8Path, config: &Value, events: &[Event]) -> Self {
        let sums = Tally::over(events);
        let mut facts = Self {
            dir: dir.to_owned(),
            bug: bug_of(config, events),
            setting: Setting::of(config),
            report: None,
            review: None,
            developer: None,
            location_type: None,
            developer_size: None,
            size: None,
            attempts: 0,
            entered: BTreeSet::new(),
            spent: BTreeMap::new(),
            agents: BTreeMap::new(),
            tools: BTreeMap::new(),
            outcomes: sums.outcomes,
            candidates: sums.candidates,
            usage: sums.usage,
            seconds: sums.seconds,
            sandbox: String::new(),
            version: String::new(),
            disagreements: events.iter().filter(|event| matches!(event, Event::Disagreed(_))).count() as u64,
            notices: Vec::new(),
            steps: Vec::new(),
            passed: false,
        };
        events.iter().for_each(|event| facts.add(event));
        facts.size = facts.patch().map(PatchSize::of);
        if let Some(report) = &facts.report {
            facts.seconds = report.seconds;
            let credited = report.verdict == VerdictWord::Plausible;
            if let Some((level, by)) = report.level.zip(report.by.as_ref()).filter(|_| credited) {
                facts.agents.entry(Place { level, agent: by.agent.clone() }).or_default().repairs += 1;
            }
        }
        facts
    }

    /// Everything that can change its result: what was frozen, and what was found out about the machine.
    pub(crate) fn facets(&self) -> impl Iterator<Item = Facet> + '_ {
        let jdk = self.report.as_ref().and_then(|report| report.jdk.as_deref()).unwrap_or_default();
        let found = [Facet::new("JDK", jdk, true), Facet::new("sandbox in force", &self.sandbox, true)];
        self.setting.facets.iter().cloned().chain(found)
    }

    /// The verdict; `None` for a run that is not over.
    pub(crate) fn verdict(&self) -> Option<VerdictWord> {
        self.report.as_ref().map(|report| report.verdict)
    }

    /// The verdict in words; `unfinished` for a run that is not over.
    pub(crate) fn verdict_title(&self) -> &'static str {
        self.verdict().map_or("unfinished", VerdictWord::title)
    }

    /// Whether a plausible patch came out.
    pub(crate) fn plausible(&self) -> bool {
        self.verdict() == Some(VerdictWord::Plausible)
    }

    /// The plausible patch.
    pub(crate) fn patch(&self) -> Option<&str> {
        self.report.as_ref().filter(|_| self.plausible()).and_then(|report| report.patch.as_deref())
    }

    /// What is known of the plausible patch's correctness; `None` without such a patch.
    pub(crate) fn correctness(&self) -> Option<Correctness> {
        let report = self.report.as_ref().filter(|_| self.plausible())?;
        Some(match (report.correct, report.equal_by, &self.review) {
            (Some(true), Some(Equality::Bytecode), _) => Correctness::SameBytecode,
            (Some(true), _, _) => Correctness::SameTree,
            (_, _, Some(review)) if review.correct => Correctness::ReviewedCorrect,
            (_, _, Some(_)) => Correctness::ReviewedWrong,
            _ => Correctness::Waiting,
        })
    }

    /// How the plausible patch does on tests that are held out; `None` where there are none.
    pub(crate) fn held_out(&self) -> Option<HeldOut> {
        self.report.as_ref().filter(|_| self.plausible()).and_then(|report| report.held_out)
    }

    /// What tables say of the plausible patch's correctness; empty without such a patch.
    pub(crate) fn correctness_words(&self) -> String {
        let words = self.correctness().map_or("", Correctness::words);
        match self.held_out() {
            Some(held_out) if held_out.all_pass() => format!("{words}; correct on held-out tests"),
            Some(_) => format!("{words}; wrong on held-out tests"),
            None => words.to_owned(),
        }
    }

    /// Whether the plausible patch is correct: equal to the developer's, or in the words of a person.
    pub(crate) fn correct(&self) -> bool {
        self.correctness().is_some_and(Correctness::is_correct)
    }

    /// Whether it repaired its bug in that quality.
    pub(crate) fn repaired(&self, quality: Quality) -> bool {
        match quality {
            Quality::Plausible => self.plausible(),
            Quality::Correct => self.correct(),
        }
    }

    /// On which level it came.
    pub(crate) fn level(&self) -> Option<Level> {
        self.report.as_ref().and_then(|report| report.level)
    }

    /// Project of the bug: the benchmark's name, and for ids such as `Lang-1` the project's.
    pub(crate) fn project(&self) -> String {
        let BugId { benchmark, name } = &self.bug;
        match name.rsplit_once('-') {
            Some((project, number)) if !project.is_empty() && number.parse::<u64>().is_ok() => project.to_owned(),
            _ => benchmark.clone(),
        }
    }

    /// Tool calls of all agents.
    pub(crate) fn tool_calls(&self) -> u64 {
        self.tools.values().map(|used| used.calls).sum()
    }

    /// Seconds in tools.
    pub(crate) fn tool_seconds(&self) -> f64 {
        self.tools.values().map(|used| used.seconds).sum()
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::RunStarted { version, sandbox, .. } => {
                self.version.clone_from(version);
                self.sandbox.clone_from(sandbox);
            }
            Event::AgentStarted { scope, .. } => {
                self.attempts = self.attempts.max(scope.attempt);
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
                let plausible = std::mem::take(&mut self.passed);
                self.observed(
                    scope,
                    tool,
                    ToolFacts { calls: 1, ok: u64::from(*ok), plausible: u64::from(plausible), seconds: *seconds },
                );
                let what = if tool.as_str().is_empty() { "unreadable answer" } else { tool.as_str() };
                trail::push(&mut self.steps, scope, what, observation);
            }
            // What waits for its confirmation is recorded with it.
            Event::Validated { outcome: Outcome::PassedWarm, .. } => {}
            Event::Validated { scope, outcome, detail, .. } => {
                self.passed |= *outcome == Outcome::Plausible;
                trail::push_candidate(&mut self.steps, scope, *outcome, detail);
            }
            Event::AgentEnded { scope, how, .. } => trail::push(&mut self.steps, scope, "ended", how),
            Event::Notice { text } => self.notices.push(text.clone()),
            Event::Finished { report } => self.report = serde_json::from_value(report.clone()).ok(),
            _ => {}
        }
    }

    fn observed(&mut self, scope: &Scope, tool: &ToolName, used: ToolFacts) {
        let agent = self.agent(scope);
        let refused = used.calls - used.ok;
        agent.cycles += 1;
        agent.invalid += refused;
        agent.resampled += if ANSWERS.contains(&tool.as_str()) { refused } else { 0 };
        agent.tool_seconds += used.seconds;
        if !tool.as_str().is_empty() {
            *self.tools.entry(tool.clone()).or_default() += used;
        }
    }

    fn agent(&mut self, scope: &Scope) -> &mut AgentFacts {
        self.agents.entry(Place { level: scope.level, agent: scope.agent.clone() }).or_default()
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
