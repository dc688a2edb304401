//! Calls made of steps.

use crate::domain::RepoPath;
use crate::domain::words::clipped;
use crate::validate::observe::{Trace, Values, What};

/// Characters of an argument and of a result.
const VALUE: usize = 80;

/// One call of a watched method.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// Watched calls that were open, this one counted.
    pub depth: u32,
    pub file: RepoPath,
    pub method: String,
    /// Arguments; none where the begin is no longer recorded.
    pub args: Option<Values>,
    /// Lines in the order they ran, each with what it changed.
    pub visits: Vec<Visit>,
    /// Its result, where it returned one.
    pub result: Option<String>,
    /// The exception that left it.
    pub raised: Option<(String, String)>,
    /// Exceptions that it caught, each with the line.
    pub caught: Vec<(u32, String)>,
}

/// A line that ran.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Visit {
    pub line: u32,
    /// What changed until the line began.
    pub before: Values,
    /// What it changed.
    pub after: Values,
}

impl Call {
    /// `method(name=value)`, and what became of it.
    pub(super) fn text(&self) -> String {
        let is_own = |name: &str| matches!(name, "self" | "cls" | "this");
        let args = match &self.args {
            Some(args) => {
                let others = args.iter().filter(|(name, _)| !is_own(name));
                others.map(|(name, value)| format!("{name}={}", clipped(value, VALUE))).collect::<Vec<_>>().join(", ")
            }
            None => "…".to_owned(),
        };
        let end = match (&self.raised, self.result.as_deref()) {
            (Some((kind, message)), _) => format!(" throws {kind}: {message}"),
            (None, Some("void") | None) => String::new(),
            (None, Some("None")) if self.method == "__init__" => String::new(),
            (None, Some(value)) => format!(" => {}", clipped(value, VALUE)),
        };
        format!("{}({args}){end}", self.method)
    }

    /// All values as they were at its end.
    pub(super) fn state(&self) -> Values {
        let mut state = Values::new();
        let changes = self.visits.iter().flat_map(|visit| visit.before.iter().chain(&visit.after));
        for (name, value) in self.args.iter().flatten().chain(changes) {
            match state.iter_mut().find(|(known, _)| known == name) {
                Some(known) => known.1.clone_from(value),
                None => state.push((name.clone(), value.clone())),
            }
        }
        state
    }

    /// The lines that ran, without repetition of neighbours.
    pub(super) fn lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self.visits.iter().map(|visit| visit.line).collect();
        lines.dedup();
        lines
    }
}

/// The calls of a trace, in the order they began.
pub(super) fn calls(trace: &Trace) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for step in &trace.steps {
        let begins = matches!(step.what, What::Called(_));
        let deepest = step.depth.saturating_sub(u32::from(begins));
        while open.last().is_some_and(|&at| calls[at].depth > deepest) {
            // A call that another one replaces without a result was left by an exception.
            open.pop();
        }
        let method = plain(&step.method);
        let is_it = |call: &Call| call.depth == step.depth && call.method == method && call.file == step.file;
        let known = open.last().copied().filter(|&at| is_it(&calls[at]) && !begins);
        let at = known.unwrap_or_else(|| {
            calls.push(Call {
                depth: step.depth,
                file: step.file.clone(),
                method,
                args: None,
                visits: Vec::new(),
                result: None,
                raised: None,
                caught: Vec::new(),
            });
            open.push(calls.len() - 1);
            calls.len() - 1
        });
        let call = &mut calls[at];
        match &step.what {
            What::Called(args) => call.args = Some(args.clone()),
            What::Reached(changed) => {
                settle(call, changed);
                // Back on its line is what left it last: an exception was caught.
                if let Some((kind, message)) = call.raised.take() {
                    call.caught.push((step.line, format!("{kind}: {message}")));
                }
                let before = if call.visits.is_empty() { changed.clone() } else { Values::new() };
                call.visits.push(Visit { line: step.line, before, after: Values::new() });
            }
            What::Returned(changed, value) => {
                settle(call, changed);
                if call.raised.is_none() {
                    call.result = Some(value.clone());
                }
                open.pop();
            }
            What::Raised(kind, message) => call.raised = Some((kind.clone(), message.clone())),
            What::Caught(kind, message) => {
                call.raised = None;
                call.caught.push((step.line, format!("{kind}: {message}")));
            }
        }
    }
    calls
}

/// What changed belongs to the line before.
fn settle(call: &mut Call, changed: &Values) {
    if let Some(last) = call.visits.last_mut() {
        last.after.extend(changed.iter().cloned());
    }
}

/// The method's name as the source has it: the body of a lambda is its method's.
fn plain(name: &str) -> String {
    match name.strip_prefix("lambda$").and_then(|rest| rest.split('$').next()) {
        Some(method) => format!("lambda in {method}"),
        None => name.to_owned(),
    }
}
