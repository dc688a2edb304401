//! What earlier sessions of a run left: the run is executed again, and the journal answers what it holds.
//!
//! A run asks for nothing by number or time: requests have their content as key, observations their place (attempt,
//! level, agent, cycle). So the same program on the same bug asks the same questions in the same places, and gets the
//! same answers; where the journal ends, the work begins.

use super::{History, Paid};
use crate::domain::{Change, Event, LineSpan, RepoPath, Scope, ToolName, Unanswered};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether the past is all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Behind its end, the run goes on.
    #[default]
    Resume,
    /// Behind its end there is nothing: what failed or ended by the clock does so again.
    Replay,
    /// The same, and tools work again; what the built-in engine found within its time is taken as it was.
    Rerun,
}

/// A tool call that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct PastCall {
    /// What the agent saw.
    pub observation: String,
    /// What the call changed.
    pub change: Change,
    /// Lines that the observation shows in full.
    pub shown: Vec<(RepoPath, LineSpan)>,
    /// Seconds it took.
    pub seconds: f64,
    /// What happened during the call, in order: candidates, and side queries with their responses.
    pub during: Vec<Event>,
}

/// What is known from before. Empty for a new run.
#[derive(Debug, Default)]
pub struct Past {
    history: History,
    mode: Mode,
    /// Responses that were given out, by their place in the history.
    given: Mutex<HashSet<usize>>,
}

impl Past {
    /// The past of a run that goes on.
    pub fn of(history: History) -> Self {
        Self { history, ..Self::default() }
    }

    /// The past of a run that is only repeated; with `rerun` its tools work again.
    pub fn to_repeat(history: History, rerun: bool) -> Self {
        Self { history, mode: if rerun { Mode::Rerun } else { Mode::Replay }, ..Self::default() }
    }

    /// All that happened.
    pub fn history(&self) -> &History {
        &self.history
    }

    fn given(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The response to a request of this scope, when it was paid already. Responses to equal requests are given in
    /// their order.
    pub fn response(&self, scope: &Scope, key: &str) -> Option<Paid> {
        let mut given = self.given();
        let at = *self.history.answers(scope, key).iter().find(|at| !given.contains(at))?;
        given.insert(at);
        match &self.history.events()[at] {
            Event::Received { response, usage, seconds, .. } => {
                Some(Paid { response: response.clone(), usage: *usage, seconds: *seconds })
            }
            _ => None,
        }
    }

    /// How a request of this scope failed, when that is to be repeated: in a run that goes on it is sent again.
    pub fn failure(&self, scope: &Scope, key: &str) -> Option<Event> {
        if self.mode == Mode::Resume {
            return None;
        }
        let known = self.history.failed(scope, key).cloned();
        known.or_else(|| self.history.was_sent(scope, key).then(|| abandoned(scope, key)))
    }

    /// What a search of the web came to, when it was made before: what an agent was shown must be the same again.
    pub fn retrieved(&self, query: &str) -> Option<&Event> {
        self.history.retrieved(query)
    }

    /// Whether the cycle is over: its time was measured then, not now.
    pub fn holds(&self, scope: &Scope) -> bool {
        self.history.observed(scope).next().is_some()
    }

    /// Whether nothing of the cycle is there in a run that is only repeated: the clock ended it before.
    pub fn ended_before(&self, scope: &Scope) -> bool {
        let here = |event: &Event| matches!(event, Event::Sent { scope: other, .. } if other == scope);
        self.mode != Mode::Resume && !self.holds(scope) && !self.history.events().iter().any(here)
    }

    /// What came of a tool call of this cycle, when it did its work. What did not run is decided again: that costs
    /// nothing. `by_clock` says that the tool's result depends on how long it could work.
    pub fn find(&self, scope: &Scope, tool: &ToolName, args: &Value, by_clock: bool) -> Option<PastCall> {
        if self.mode == Mode::Rerun && !by_clock {
            return None;
        }
        self.history.observed(scope).rev().find_map(|event| match event {
            Event::Observed { tool: name, args: given, ok: true, observation, change, shown, seconds, .. }
                if name == tool && given == args =>
            {
                let (observation, shown, change) = (observation.clone(), shown.clone(), change.clone()?);
                Some(PastCall { during: self.during(scope, &change), observation, change, shown, seconds: *seconds })
            }
            _ => None,
        })
    }

    /// Notes that a tool call is not made again: its side queries are answered.
    pub fn pass_over(&self, call: &PastCall, scope: &Scope) {
        for event in &call.during {
            if let Event::Received { key, .. } = event {
                let _ = self.response(scope, key);
            }
        }
    }

    /// What happened during a call: its candidates, and the side queries whose responses nobody asked for by now.
    fn during(&self, scope: &Scope, change: &Change) -> Vec<Event> {
        let tried = match change {
            Change::Tried(count) => *count,
            Change::NotApplied => 1,
            _ => 0,
        };
        // What an interrupted session judged stands before it.
        let mut skip = self.history.validated(scope).count().saturating_sub(tried) + 1;
        let given = self.given();
        let aside = |key: &str| self.history.answers(scope, key).iter().any(|at| !given.contains(at));
        let mut belongs = |event: &Event| match event {
            Event::Sent { scope: other, key, .. } | Event::Received { scope: other, key, .. } => {
                other == scope && aside(key)
            }
            Event::Validated { scope: other, .. } if other == scope => {
                skip = skip.saturating_sub(1);
                skip == 0
            }
            _ => false,
        };
        self.history.lasting().into_iter().filter(|event| belongs(event)).cloned().collect()
    }
}

/// A request whose response nobody waited for: the run had ended meanwhile.
fn abandoned(scope: &Scope, key: &str) -> Event {
    let why = "the recorded run ended before this response came".into();
    Event::Failed { scope: scope.clone(), key: key.to_owned(), how: Unanswered::Cap, why, cap: None }
}
