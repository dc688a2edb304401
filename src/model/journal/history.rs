//! Looking things up in the events of a run: what was paid, seen and judged already.

use super::{JournalError, RunDir, read};
use crate::domain::{Event, Scope, Unanswered, Usage};
use camino::Utf8Path;
use serde_json::Value;
use std::collections::HashMap;

/// A response that was paid for.
#[derive(Debug, Clone, PartialEq)]
pub struct Paid {
    /// The raw response.
    pub response: Value,
    /// What it cost.
    pub usage: Usage,
    /// Seconds it was waited for.
    pub seconds: f64,
}

/// A request and what became of it: who asked, and its content key.
type QueryKey = (Scope, String);

/// Numbers the visits of agents in journals that were written before they were told apart: each start of an agent where
/// it worked before is its next visit.
fn number_visits(events: &mut [Event]) {
    let mut visits: HashMap<Scope, u32> = HashMap::new();
    for event in events {
        let begins = matches!(event, Event::AgentStarted { .. });
        let Some(scope) = event.scope_mut().filter(|scope| scope.visit <= 1) else { continue };
        let visit = visits.entry(scope.run()).or_insert(0);
        *visit += u32::from(begins);
        scope.visit = (*visit).max(1);
    }
}

/// An index over the events of a run.
#[derive(Debug, Default)]
pub struct History {
    events: Vec<Event>,
    /// Seconds of work after which each event was written.
    times: Vec<f64>,
    answers: HashMap<QueryKey, Vec<usize>>,
    observed: HashMap<Scope, Vec<usize>>,
    validated: HashMap<Scope, Vec<usize>>,
    unanswered: HashMap<QueryKey, Vec<usize>>,
    failed: HashMap<QueryKey, usize>,
    retrieved: HashMap<String, usize>,
}

impl History {
    /// Indexes events, oldest first.
    pub fn of(mut events: Vec<Event>) -> Self {
        number_visits(&mut events);
        let mut history = Self::default();
        for (at, event) in events.iter().enumerate() {
            history.index(at, event);
        }
        history.events = events;
        history
    }

    /// The history that a run directory, or a journal, holds.
    ///
    /// # Errors
    /// As [`Journal::read`](super::Journal::read).
    pub fn read(path: &Utf8Path) -> Result<Self, JournalError> {
        let path = if path.is_dir() { RunDir::journal_in(path) } else { path.to_owned() };
        Ok(Self::scanned(read::scan(&path)?))
    }

    /// The history that the bytes of a journal hold; messages name it so.
    ///
    /// # Errors
    /// As [`Journal::read`](super::Journal::read).
    pub fn of_bytes(name: &Utf8Path, bytes: &[u8]) -> Result<Self, JournalError> {
        Ok(Self::scanned(read::scan_bytes(name, bytes)?))
    }

    pub(super) fn scanned(scanned: read::Scanned) -> Self {
        Self { times: scanned.times, ..Self::of(scanned.events) }
    }

    fn index(&mut self, at: usize, event: &Event) {
        let key_of = |scope: &Scope, key: &str| (scope.clone(), key.to_owned());
        match event {
            Event::Sent { scope, key, .. } => self.unanswered.entry(key_of(scope, key)).or_default().push(at),
            Event::Received { scope, key, .. } => {
                self.close(&key_of(scope, key));
                self.answers.entry(key_of(scope, key)).or_default().push(at);
            }
            Event::Failed { scope, key, how, .. } => {
                if *how != Unanswered::Lost {
                    self.close(&key_of(scope, key));
                }
                self.failed.insert(key_of(scope, key), at);
            }
            Event::Observed { scope, .. } => self.observed.entry(scope.clone()).or_default().push(at),
            Event::Validated { scope, .. } => self.validated.entry(scope.clone()).or_default().push(at),
            Event::Retrieved { query, .. } => drop(self.retrieved.insert(query.clone(), at)),
            _ => {}
        }
    }

    /// One of the requests that were sent so is not open any more.
    fn close(&mut self, query: &QueryKey) {
        if let Some(open) = self.unanswered.get_mut(query) {
            open.pop();
        }
    }

    /// All events, oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Seconds that were worked so far, all sessions together, without the times between them.
    pub fn worked(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Of these, seconds after the baseline: what counts against a cap in time.
    pub fn worked_on_the_bug(&self) -> f64 {
        let baseline = self.events.iter().position(|event| matches!(event, Event::Baseline { .. }));
        baseline.and_then(|at| self.times.get(at)).map_or(0.0, |begin| (self.worked() - begin).max(0.0))
    }

    /// Where the responses to a request of this scope stand, in order.
    pub(super) fn answers(&self, scope: &Scope, key: &str) -> &[usize] {
        self.answers.get(&(scope.clone(), key.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// How a request of this scope failed, when it did.
    pub(crate) fn failed(&self, scope: &Scope, key: &str) -> Option<&Event> {
        self.failed.get(&(scope.clone(), key.to_owned())).map(|&at| &self.events[at])
    }

    /// Whether a request of this scope was sent.
    pub(super) fn was_sent(&self, scope: &Scope, key: &str) -> bool {
        self.unanswered.contains_key(&(scope.clone(), key.to_owned()))
    }

    /// The last search of the web for this.
    pub(super) fn retrieved(&self, query: &str) -> Option<&Event> {
        self.retrieved.get(query).map(|&at| &self.events[at])
    }

    /// `Observed` events of a cycle, in order.
    pub(crate) fn observed(&self, scope: &Scope) -> impl DoubleEndedIterator<Item = &Event> {
        self.observed.get(scope).into_iter().flatten().map(|&at| &self.events[at])
    }

    /// `Validated` events of a cycle, in order.
    pub fn validated(&self, scope: &Scope) -> impl Iterator<Item = &Event> {
        self.validated.get(scope).into_iter().flatten().map(|&at| &self.events[at])
    }

    /// How many requests were sent and have no response here: possibly billed.
    pub fn possibly_billed(&self) -> usize {
        self.unanswered.values().map(Vec::len).sum()
    }

    /// The requests that are possibly billed.
    pub fn in_flight(&self) -> impl Iterator<Item = &Value> {
        self.unanswered.values().flatten().filter_map(|&at| match &self.events[at] {
            Event::Sent { request, .. } => Some(request),
            _ => None,
        })
    }

    /// Every answer that was paid for, with its request.
    pub fn bought(&self) -> impl Iterator<Item = (&Value, Usage)> {
        let mut requests = HashMap::new();
        self.events.iter().filter_map(move |event| match event {
            Event::Sent { key, request, .. } => {
                requests.insert(key, request);
                None
            }
            Event::Received { key, usage, .. } => requests.get(key).map(|request| (*request, *usage)),
            _ => None,
        })
    }

    /// Everything that was paid for, summed.
    pub fn spent(&self) -> Usage {
        let mut sum = Usage::default();
        for event in &self.events {
            if let Event::Received { usage, .. } = event {
                sum += *usage;
            }
        }
        sum
    }

    /// The report of a run that is over.
    pub fn finished(&self) -> Option<&Value> {
        match self.events.last() {
            Some(Event::Finished { report }) => Some(report),
            _ => None,
        }
    }

    /// Events that a session which goes on with the run tells again: all but what held only for its session. Of the
    /// times a request was sent, as many as were answered.
    pub(super) fn lasting(&self) -> Vec<&Event> {
        let mut sent: HashMap<QueryKey, usize> = HashMap::new();
        let mut lasts = |event: &Event| match event {
            Event::Sent { scope, key, .. } => {
                let answers = self.answers(scope, key).len();
                let sent = sent.entry((scope.clone(), key.clone())).or_default();
                *sent += 1;
                *sent <= answers
            }
            Event::Failed { .. } | Event::Finished { .. } => false,
            _ => true,
        };
        self.events.iter().filter(|event| lasts(event)).collect()
    }
}
