//! Live progress: what happens, a line an event.

use super::ending::tests;
use super::terminal::visible;
use super::walk::Answer;
use crate::domain::words::{clipped, counted, on_one_line};
use crate::domain::{Event, Level, Usage};

/// Most characters of a thought: a line is enough.
const THOUGHT: usize = 160;

/// Live progress of one run: what happens, by whom, what was thought and what it has cost.
#[derive(Debug, Default)]
pub(crate) struct Live {
    model: String,
    thought: String,
    spent: Usage,
}

impl Live {
    /// The lines of an event; `None` for those that are no news to a person.
    pub(crate) fn line(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Sent { request, .. } => self.model = request["model"].as_str().unwrap_or_default().to_owned(),
            Event::Received { response, usage, .. } => {
                self.spent += *usage;
                self.thought = Answer::read(response).thoughts();
            }
            _ => {}
        }
        let line = progress_line(event)?;
        let by_model = matches!(event, Event::Observed { .. }) && !self.model.is_empty();
        Some(if by_model { format!("{line}{}", visible(&self.aside())) } else { line })
    }

    /// Behind a step of a model: ` (gpt-4o-mini, $0.0012 so far)`, and the thought on a line of its own.
    fn aside(&mut self) -> String {
        let cost = self.spent.cost_usd.0.map_or_else(
            || format!("{} tokens", self.spent.prompt_tokens + self.spent.completion_tokens),
            |usd| format!("${usd:.4}"),
        );
        let thought = std::mem::take(&mut self.thought);
        let thought = clipped(&on_one_line(&thought), THOUGHT);
        let thought = if thought.is_empty() { thought } else { format!("\n  {thought}") };
        format!(" ({}, {cost} so far){thought}", std::mem::take(&mut self.model))
    }
}

/// One line of live progress; `None` for events that are no news to a person.
fn progress_line(event: &Event) -> Option<String> {
    let line = match event {
        Event::RunStarted { bug, sandbox, .. } => format!("{bug}: baseline (sandbox: {sandbox})"),
        Event::Baseline { passing, triggering, set_aside, located, seconds } => {
            let file = located.as_ref().map(|file| format!("; most suspicious file {file}")).unwrap_or_default();
            let verb = if triggering.len() == 1 { "fails" } else { "fail" };
            let fail = format!("{} {verb}", counted(triggering.len(), "test"));
            let counts = format!("{fail}, {passing} pass ({seconds:.1} s){file}");
            std::iter::once(counts).chain(tests(triggering, set_aside)).collect::<Vec<_>>().join("\n")
        }
        Event::AgentStarted { scope, policy, .. } => {
            format!("{} {}: {}", level(scope.level), scope.agent, policy.title())
        }
        Event::Observed { scope, tool, ok, .. } if !tool.as_str().is_empty() => {
            format!(
                "{} {} cycle {}: {tool}{}",
                level(scope.level),
                scope.agent,
                scope.cycle,
                if *ok { "" } else { " refused" }
            )
        }
        Event::Observed { scope, .. } => {
            format!("{} {} cycle {}: unreadable answer", level(scope.level), scope.agent, scope.cycle)
        }
        Event::AgentEnded { scope, how, cycles } => {
            format!("{} {}: {how} after {}", level(scope.level), scope.agent, counted(*cycles, "cycle"))
        }
        Event::Retrieved { sent, error: None, .. } => format!("the web was searched for \"{sent}\""),
        Event::Disagreed(disagreement) => disagreement.to_string(),
        Event::Notice { text } => text.clone(),
        _ => return None,
    };
    Some(visible(&line))
}

fn level(level: Level) -> &'static str {
    level.label()
}
