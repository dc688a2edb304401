//! Looking things up in the events of a run: what was paid, seen and judged already.

use crate::domain::{Event, Scope, Usage};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// A response that was paid for.
#[derive(Debug, Clone, PartialEq)]
pub struct Paid {
    /// The raw response.
    pub response: Value,
    /// What it cost.
    pub usage: Usage,
}

/// An index over the events of a run.
#[derive(Debug, Default)]
pub struct History {
    events: Vec<Event>,
    received: HashMap<String, Paid>,
    observed: HashMap<Scope, Vec<usize>>,
    validated: HashMap<Scope, Vec<usize>>,
    unanswered: HashSet<String>,
}

impl History {
    /// Indexes events, oldest first.
    pub fn of(events: Vec<Event>) -> Self {
        let mut history = Self::default();
        for (at, event) in events.iter().enumerate() {
            match event {
                Event::Sent { key, .. } if !history.received.contains_key(key) => {
                    history.unanswered.insert(key.clone());
                }
                Event::Received { key, response, usage, .. } => {
                    history.unanswered.remove(key);
                    let paid = Paid { response: response.clone(), usage: *usage };
                    history.received.entry(key.clone()).or_insert(paid);
                }
                Event::Observed { scope, .. } => history.observed.entry(scope.clone()).or_default().push(at),
                Event::Validated { scope, .. } => history.validated.entry(scope.clone()).or_default().push(at),
                _ => {}
            }
        }
        history.events = events;
        history
    }

    /// All events, oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The response to a request, when it was bought already.
    pub fn received(&self, key: &str) -> Option<&Paid> {
        self.received.get(key)
    }

    /// `Observed` events of a cycle, in order.
    pub fn observed(&self, scope: &Scope) -> impl Iterator<Item = &Event> {
        self.observed.get(scope).into_iter().flatten().map(|&at| &self.events[at])
    }

    /// `Validated` events of a cycle, in order.
    pub fn validated(&self, scope: &Scope) -> impl Iterator<Item = &Event> {
        self.validated.get(scope).into_iter().flatten().map(|&at| &self.events[at])
    }

    /// How many requests were sent and have no response here: possibly billed.
    pub fn possibly_billed(&self) -> usize {
        self.unanswered.len()
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
        self.events.iter().rev().find_map(|event| match event {
            Event::Finished { report } => Some(report),
            _ => None,
        })
    }
}
