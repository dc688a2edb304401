//! Looks at the folder of a batch again and again; what is over is read once.

use crate::batch::{self, Plan, State, Trouble, Unit};
use crate::domain::words::counted;
use crate::domain::{Event, Level, Outcome};
use crate::journal::{self, Journal, RunDir};
use crate::report::watch::{BugRow, Finish, LevelRow, Snapshot};
use crate::report::{RunReport, VerdictWord};
use camino::Utf8PathBuf;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

const WAITING: &str = "waiting";
const WORKING: &str = "at work";
const TROUBLE: &str = "failed by the environment";
const PLAUSIBLE: &str = "plausible";
const NO_REPAIR: &str = "no repair";
const STOPPED: &str = "stopped at a cap";
/// The states in the order in which they are shown.
const STATES: [&str; 6] = [PLAUSIBLE, NO_REPAIR, STOPPED, TROUBLE, WORKING, WAITING];
/// The levels in the order in which they are entered.
const LEVELS: [Level; 5] = [Level::First, Level::L1, Level::L2, Level::L3, Level::Refine];
/// Of what is over, the last that tell the pace.
const PACE: usize = 50;

/// What a bug came to.
struct Came {
    row: BugRow,
    levels: BTreeSet<Level>,
    repaired: Option<Level>,
    candidates: BTreeMap<&'static str, usize>,
    tokens: u64,
    /// When it was over, in seconds since 1970.
    at: f64,
}

/// Looks at one batch.
pub(super) struct Look {
    folder: Utf8PathBuf,
    names: Vec<String>,
    units: Vec<(Unit, Option<Came>)>,
}

impl Look {
    /// At the batch of this folder.
    pub(super) fn at(folder: Utf8PathBuf, plan: &Plan) -> Self {
        let several = plan.configurations.len() > 1;
        let names = plan.configurations.iter().map(|one| if several { one.name.clone() } else { String::new() });
        let units = plan.units().into_iter().map(|unit| (unit, None)).collect();
        Self { folder, names: names.collect(), units }
    }

    /// How far the batch is now.
    pub(super) fn now(&mut self) -> Snapshot {
        let mut sums = Sums::default();
        let mut bugs = Vec::with_capacity(self.units.len());
        for (unit, came) in &mut self.units {
            let mut row = BugRow {
                unit: unit.folder.to_string(),
                bug: unit.bug.to_string(),
                configuration: repeated(&self.names[unit.configuration], unit.repetition),
                state: WAITING,
                ..BugRow::default()
            };
            if came.is_none() {
                match unit.state(&self.folder) {
                    State::Over(report) => *came = Some(over(unit, &self.folder, row.clone(), &report)),
                    State::Trouble(trouble) => sums.trouble(&mut row, &trouble),
                    State::Begun => sums.begun(&mut row, unit, &self.folder),
                    State::Waiting => {}
                }
            }
            if let Some(came) = came {
                row = came.row.clone();
                sums.over(came);
            }
            *sums.states.entry(row.state).or_default() += 1;
            bugs.push(row);
        }
        sums.snapshot(
            bugs,
            batch::standing(&self.folder).ok().flatten().map(|standing| batch::standing_text(&standing)),
        )
    }
}

fn repeated(name: &str, repetition: u32) -> String {
    match (name, repetition) {
        (name, 1) => name.to_owned(),
        ("", nth) => format!("run {nth}"),
        (name, nth) => format!("{name}, run {nth}"),
    }
}

/// Sums over all bugs.
#[derive(Default)]
struct Sums {
    states: BTreeMap<&'static str, usize>,
    entered: BTreeMap<Level, usize>,
    repaired: BTreeMap<Level, usize>,
    now: BTreeMap<Level, usize>,
    candidates: BTreeMap<&'static str, usize>,
    failures: BTreeMap<String, usize>,
    usd: f64,
    unpriced: bool,
    tokens: u64,
    ends: Vec<f64>,
}

impl Sums {
    fn trouble(&mut self, row: &mut BugRow, trouble: &Trouble) {
        row.state = TROUBLE;
        row.step = trouble.message.lines().next().unwrap_or("").to_owned();
        row.place = match trouble.again_in() {
            Some(wait) => format!("tried again in {} s", wait.as_secs()),
            None => "given up".to_owned(),
        };
        *self.failures.entry(format!("environment: {}", row.step)).or_default() += 1;
    }

    fn begun(&mut self, row: &mut BugRow, unit: &Unit, folder: &Utf8PathBuf) {
        row.state = WORKING;
        let dir = unit.dir(folder);
        let grown = std::fs::metadata(RunDir::journal_in(&dir)).and_then(|data| data.modified());
        row.heard_ms = grown.ok().map_or(0, |at| u64::try_from(since_1970(at).as_millis()).unwrap_or(0));
        let Some(event) = journal::last_event(&dir) else { return };
        row.step = step(&event);
        if let Some(scope) = event.scope() {
            row.place = format!("{} {}, cycle {}", scope.level, scope.agent, scope.cycle);
            *self.now.entry(scope.level).or_default() += 1;
            // Whether the engine tried first is not known before the run is over.
            let until = |level: &Level| *level == scope.level || (*level != Level::First && *level < scope.level);
            for level in LEVELS.into_iter().filter(until) {
                *self.entered.entry(level).or_default() += 1;
            }
        }
    }

    fn over(&mut self, came: &Came) {
        for level in &came.levels {
            *self.entered.entry(*level).or_default() += 1;
        }
        if let Some(level) = came.repaired {
            *self.repaired.entry(level).or_default() += 1;
        }
        for (outcome, count) in &came.candidates {
            *self.candidates.entry(outcome).or_default() += count;
        }
        if came.row.state != PLAUSIBLE {
            *self.failures.entry(came.row.state.to_owned()).or_default() += 1;
        }
        self.tokens += came.tokens;
        self.usd += came.row.cost_usd.unwrap_or(0.0);
        self.unpriced |= came.row.cost_usd.is_none();
        self.ends.push(came.at);
    }

    fn snapshot(mut self, bugs: Vec<BugRow>, left: Option<String>) -> Snapshot {
        let count = |counts: &BTreeMap<Level, usize>, level| counts.get(&level).copied().unwrap_or(0);
        let levels = LEVELS.into_iter().filter(|level| count(&self.entered, *level) > 0).map(|level| LevelRow {
            level: if level == Level::First { "engine first".to_owned() } else { level.label().to_owned() },
            entered: count(&self.entered, level),
            plausible: count(&self.repaired, level),
            now: count(&self.now, level),
        });
        let levels = levels.collect();
        let money = format!("{}${:.4}", if self.unpriced { "at least " } else { "" }, self.usd);
        let over = self.ends.len();
        self.ends.sort_by(f64::total_cmp);
        Snapshot {
            units: bugs.len(),
            states: STATES.map(|state| (state, self.states.get(state).copied().unwrap_or(0))).into(),
            spent: format!("{money}, {}", counted(usize::try_from(self.tokens).unwrap_or(usize::MAX), "token")),
            left: left.unwrap_or_default(),
            levels,
            candidates: self.candidates,
            failures: self.failures,
            finish: finish(&self.ends, bugs.len() - over),
            bugs,
        }
    }
}

/// How long the rest takes at the pace of what was over last, up to now.
fn finish(ends: &[f64], rest: usize) -> Option<Finish> {
    let recent = &ends[ends.len().saturating_sub(PACE)..];
    let seconds = since_1970(SystemTime::now()).as_secs_f64() - recent.first()?;
    Finish::of(recent.len() - 1, seconds, rest)
}

fn over(unit: &Unit, folder: &Utf8PathBuf, mut row: BugRow, report: &serde_json::Value) -> Came {
    let dir = unit.dir(folder);
    let typed = RunReport::deserialize(report).ok();
    let (mut levels, mut candidates) = (BTreeSet::new(), BTreeMap::new());
    for (_, event) in Journal::read_timed(&dir).unwrap_or_default() {
        match event {
            Event::AgentStarted { scope, .. } => drop(levels.insert(scope.level)),
            Event::Validated { outcome, .. } if outcome != Outcome::PassedWarm => {
                *candidates.entry(outcome.title()).or_default() += 1;
            }
            _ => {}
        }
    }
    let at = std::fs::metadata(dir.join("report.json")).and_then(|data| data.modified());
    let at = at.map_or(0.0, |at| since_1970(at).as_secs_f64());
    row.state = match typed.as_ref().map(|report| report.verdict) {
        Some(VerdictWord::Plausible) => PLAUSIBLE,
        Some(VerdictWord::StoppedAtCap) => STOPPED,
        _ => NO_REPAIR,
    };
    let level = typed.as_ref().and_then(|report| report.level);
    row.place = level.map_or_else(String::new, |level| level.label().to_owned());
    if let Some(report) = &typed {
        row.cost_usd = report.usage.cost_usd.0;
        row.seconds = Some(report.seconds.wall);
        row.step = counted(usize::try_from(report.candidates.proposed).unwrap_or(usize::MAX), "candidate");
    }
    let tokens = typed.map_or(0, |report| report.usage.prompt_tokens + report.usage.completion_tokens);
    Came { row, levels, repaired: level, candidates, tokens, at }
}

fn since_1970(at: SystemTime) -> std::time::Duration {
    at.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// What happened last, in a few words.
fn step(event: &Event) -> String {
    match event {
        Event::AgentStarted { .. } => "begins".to_owned(),
        Event::Sent { .. } => "asks the model".to_owned(),
        Event::Received { .. } => "has an answer".to_owned(),
        Event::Failed { .. } => "has no answer".to_owned(),
        Event::Observed { tool, ok, .. } => format!("{}{tool}", if *ok { "" } else { "refused: " }),
        Event::Validated { outcome, .. } => format!("candidate: {}", outcome.title()),
        Event::AgentEnded { how, .. } => format!("ended: {how}"),
        _ => String::new(),
    }
}
