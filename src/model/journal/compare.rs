//! A run that is repeated, held against its recording: requests, observations, outcomes and the patch must be the same.

use super::Past;
use super::known::Known;
use crate::domain::words::clipped;
use crate::domain::{Event, EventSink, Scope};
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Lines of difference that are shown.
const DIFF_LINES: usize = 24;
/// Characters of a line that are shown.
const LINE_LENGTH: usize = 160;

/// The first difference between a recording and its repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// What differs, and where.
    pub what: String,
    /// The difference line by line: `-` recorded, `+` now.
    pub diff: String,
}

/// Takes the events of a repetition and compares them with those of the recording.
pub struct Comparison {
    past: Arc<Past>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: Known,
    first: Option<Divergence>,
    counts: HashMap<&'static str, usize>,
}

impl Comparison {
    /// Compares with this past.
    pub fn with(past: Arc<Past>) -> Self {
        let known = Known::of(past.history().events().iter().filter(|event| kind(event).is_some()));
        Self { past, state: Mutex::new(State { known, ..State::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first difference, when there was one.
    pub fn divergence(&self) -> Option<Divergence> {
        self.state().first.clone()
    }

    /// How many requests, observations and outcomes were the same.
    pub fn same(&self, kind: &str) -> usize {
        self.state().counts.get(kind).copied().unwrap_or(0)
    }

    /// The report of the repetition: its verdict, patch, level and author must be the recorded ones, and nothing may
    /// have been left out on the way.
    pub fn conclude(&self, report: &Value) {
        let Some(recorded) = self.past.history().finished() else { return };
        let differs = ["verdict", "patch", "level", "files"].into_iter().find(|name| recorded[name] != report[name]);
        let mut state = self.state();
        if let (Some(name), None) = (differs, &state.first) {
            let (old, new) = (text_of(&recorded[name]), text_of(&report[name]));
            state.first = Some(Divergence { what: format!("the {name} differs"), diff: diff(&old, &new) });
        }
    }
}

impl EventSink for Comparison {
    fn emit(&self, event: &Event) -> io::Result<()> {
        let Some(kind) = kind(event) else { return Ok(()) };
        let mut state = self.state();
        if state.known.take(&serde_json::to_value(event)?) {
            *state.counts.entry(kind).or_default() += 1;
            return Ok(());
        }
        let found = self.explain(kind, event);
        state.first.get_or_insert(found);
        Err(io::Error::other("the repetition differs from its recording"))
    }
}

impl Comparison {
    /// The event beside the recorded one of the same kind and place.
    fn explain(&self, kind: &'static str, event: &Event) -> Divergence {
        let place = event.scope().map_or_else(String::new, place);
        let same_place = |other: &&Event| self::kind(other) == Some(kind) && other.scope() == event.scope();
        let recorded: Vec<&Event> = self.past.history().events().iter().filter(same_place).collect();
        let new = words(event);
        let shared = |other: &&&Event| {
            let old = words(other);
            new.lines().filter(|line| old.contains(line)).count()
        };
        match recorded.iter().max_by_key(shared) {
            Some(old) => Divergence { what: format!("the {kind} of {place} differs"), diff: diff(&words(old), &new) },
            None => Divergence { what: format!("the {kind} of {place} is not in the recording"), diff: diff("", &new) },
        }
    }
}

/// What is compared, in a word.
fn kind(event: &Event) -> Option<&'static str> {
    match event {
        Event::Sent { .. } => Some("request"),
        Event::Observed { .. } => Some("observation"),
        Event::Validated { .. } => Some("outcome"),
        Event::Marked { .. } => Some("marks"),
        _ => None,
    }
}

fn place(scope: &Scope) -> String {
    let file = scope.focus.as_ref().map(|file| format!(" ({file})")).unwrap_or_default();
    let visit = if scope.visit > 1 { format!(", visit {}", scope.visit) } else { String::new() };
    format!("{} {}{file}, cycle {}{visit}, attempt {}", scope.level, scope.agent, scope.cycle, scope.attempt)
}

/// An event as lines for people: a request message by message.
fn words(event: &Event) -> String {
    let Event::Sent { request, .. } = event else {
        let mut value = serde_json::to_value(event).unwrap_or_default();
        if let Some(members) = value.as_object_mut() {
            ["seconds", "scope", "kind", "change", "shown", "diagnostics", "failing", "fixed"]
                .iter()
                .for_each(|name| drop(members.shift_remove(*name)));
        }
        return value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}: {}\n", text_of(value)))
            .collect();
    };
    let mut text = String::new();
    for (name, value) in request.as_object().into_iter().flatten().filter(|(name, _)| *name != "messages") {
        text += &format!("{name}: {value}\n");
    }
    for message in request["messages"].as_array().into_iter().flatten() {
        text += &format!("[{}]\n{}\n", text_of(&message["role"]), text_of(&message["content"]));
    }
    text
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn diff(old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new).unified_diff().context_radius(0).to_string();
    let changed: Vec<&str> = diff.lines().filter(|line| line.starts_with(['+', '-'])).collect();
    let mut shown: Vec<String> = changed.iter().take(DIFF_LINES).map(|line| clipped(line, LINE_LENGTH)).collect();
    if changed.len() > DIFF_LINES {
        shown.push(format!("({} more lines differ)", changed.len() - DIFF_LINES));
    }
    shown.join("\n")
}
