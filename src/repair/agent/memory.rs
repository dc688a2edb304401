//! What an agent run remembers: its cycles, hypotheses, tried patches, and which code it has seen.

use crate::domain::{CaseFile, Hypothesis, LineSpan, PatchAttempt, RepoPath, ToolName};
use crate::prompt::count_tokens;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Tokens of gathered information in one prompt where nothing else is said; beyond it the newer readings stay.
pub(crate) const GATHERED_TOKENS: usize = 10_000;

/// Tools whose effect stands in other sections: hypotheses, state.
const CONTROL: [&str; 3] = ["express_hypothesis", "discard_hypothesis", "collect_more_information"];

/// One cycle that is over.
#[derive(Debug, Clone)]
pub(crate) struct CycleRecord {
    /// Its number, from 1.
    pub cycle: u32,
    /// The tool as it was understood; empty when nothing could be understood.
    pub tool: ToolName,
    /// Its arguments as they were understood.
    pub args: Value,
    /// What came back, or why nothing was run.
    pub observation: String,
    /// Whether the tool ran.
    pub ran: bool,
    /// Whether its patch was proposed before, so that it need not be shown again.
    pub again: bool,
}

impl CycleRecord {
    /// Name and arguments, without a patch that stands elsewhere already.
    fn call(&self) -> String {
        match self.again {
            true => format!("{} (a patch that was tried before)", self.tool),
            false => format!("{} {}", self.tool, self.args),
        }
    }
}

/// The memory of one agent run.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Cycles so far.
    pub cycles: Vec<CycleRecord>,
    /// Hypotheses, those of the case file first.
    pub hypotheses: Vec<Hypothesis>,
    /// Patches tried in this run.
    pub attempts: Vec<PatchAttempt>,
    /// Unusable answers so far.
    pub refused_answers: u32,
    /// Whether nothing is remembered but the last cycle (RepairAgent, Table VI).
    pub short: bool,
    /// Tokens of gathered information in one prompt at most; no limit when absent.
    pub window: Option<usize>,
    idle: u32,
    shown: BTreeMap<RepoPath, BTreeSet<u32>>,
}

/// Observations of one tool, as the prompt groups them.
#[derive(Debug, Serialize)]
pub(crate) struct Group {
    /// The tool that was called.
    pub tool: String,
    /// Its observations, oldest first.
    pub items: Vec<String>,
}

/// The last command and its result, as the prompt shows them.
#[derive(Debug, Serialize)]
pub(crate) struct Last {
    /// Name and arguments.
    pub command: String,
    /// What came back.
    pub result: String,
}

impl Memory {
    /// A memory that starts with what the case file holds.
    pub(crate) fn of(case: &CaseFile) -> Self {
        Self { hypotheses: case.hypotheses.clone(), ..Self::default() }
    }

    /// The first plausible patch of this run.
    pub(crate) fn plausible(&self) -> Option<&PatchAttempt> {
        self.attempts.iter().find(|attempt| attempt.validation.is_plausible())
    }

    /// Adds a cycle that is over; `new` says that it taught something.
    pub(crate) fn push(&mut self, record: CycleRecord, new: bool) {
        self.idle = if new { 0 } else { self.idle + 1 };
        self.cycles.push(record);
    }

    /// Cycles in a row, up to now, that taught nothing.
    pub(crate) fn idle(&self) -> u32 {
        self.idle
    }

    /// Whether no earlier cycle had the same observation.
    pub(crate) fn is_news(&self, observation: &str) -> bool {
        !observation.trim().is_empty() && self.cycles.iter().all(|cycle| cycle.observation != observation)
    }

    /// Notes lines as shown in full.
    pub(crate) fn show(&mut self, file: &RepoPath, span: LineSpan) {
        self.shown.entry(file.clone()).or_default().extend(span.first..=span.last);
    }

    /// Whether every line of the span was shown.
    pub(crate) fn has_seen(&self, file: &RepoPath, span: LineSpan) -> bool {
        let Some(lines) = self.shown.get(file) else { return false };
        (span.first..=span.last).all(|line| lines.contains(&line))
    }

    /// Files of which anything was shown.
    pub(crate) fn seen_files(&self) -> impl Iterator<Item = &RepoPath> {
        self.shown.keys()
    }

    /// Adds a hypothesis.
    pub(crate) fn hypothesize(&mut self, text: String) {
        self.hypotheses.push(Hypothesis { text, refuted: None });
    }

    /// Marks the newest standing hypothesis as refuted.
    pub(crate) fn refute(&mut self, reason: String) {
        if let Some(standing) = self.hypotheses.iter_mut().rev().find(|h| h.refuted.is_none()) {
            standing.refuted = Some(reason);
        }
    }

    /// The last cycle for the prompt.
    pub(crate) fn last(&self) -> Option<Last> {
        let record = self.cycles.last()?;
        let command = match record.tool.as_str() {
            "" => "(none could be read)".to_owned(),
            _ => record.call(),
        };
        Some(Last { command, result: record.observation.trim_end().to_owned() })
    }

    /// Observations of all cycles but the last, grouped by tool; the oldest are left out, and said to be, when there
    /// is no room. What was refused taught nothing about the bug and is not repeated.
    pub(crate) fn gathered(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (tool, item) in self.steps() {
            match groups.iter_mut().find(|group| group.tool == tool.as_str()) {
                Some(group) => group.items.push(item),
                None => groups.push(Group { tool: tool.to_string(), items: vec![item] }),
            }
        }
        groups
    }

    /// The same in the order of the cycles, each with its tool: a prompt that shows them so begins as the one before it
    /// did, and endpoints need not read that again.
    pub(crate) fn steps(&self) -> Vec<(ToolName, String)> {
        self.render(&self.cycles[..self.cycles.len().saturating_sub(1)])
    }

    /// The steps with the last cycle at their end, when it brought something: where it stands now it will stand in the
    /// next prompt.
    pub(crate) fn log(&self) -> Option<Vec<(ToolName, String)>> {
        let last = self.cycles.last().filter(|last| !self.short && is_kept(last))?;
        let fits = self.window.is_none_or(|room| count_tokens(&last.observation) <= room);
        fits.then(|| self.render(&self.cycles))
    }

    fn render(&self, cycles: &[CycleRecord]) -> Vec<(ToolName, String)> {
        if self.short {
            return Vec::new();
        }
        let mut room = self.window.unwrap_or(usize::MAX);
        let mut chosen: Vec<(&CycleRecord, Option<&str>)> = Vec::new();
        for record in cycles.iter().rev().filter(|record| is_kept(record)) {
            let tokens = count_tokens(&record.observation);
            let fits = tokens <= room;
            room = room.saturating_sub(tokens);
            chosen.push((record, fits.then_some(record.observation.as_str())));
        }
        let render = |(record, text): (&CycleRecord, Option<&str>)| {
            let call = record.call();
            let text = text.map_or("(left out for room; ask again if needed)", str::trim_end);
            (record.tool.clone(), format!("cycle {}: {call}\n{text}", record.cycle))
        };
        chosen.into_iter().rev().map(render).collect()
    }

    /// The cycle of this run in which exactly this command was run and whose result is still shown.
    pub(crate) fn earlier(&self, tool: &ToolName, args: &Value) -> Option<u32> {
        let known = if self.short { self.cycles.len().saturating_sub(1) } else { 0 };
        self.cycles[known..].iter().find(|r| r.ran && r.tool == *tool && r.args == *args).map(|r| r.cycle)
    }
}

/// Whether a cycle is shown again later: what was refused taught nothing about the bug.
fn is_kept(record: &CycleRecord) -> bool {
    record.ran && !CONTROL.contains(&record.tool.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(cycle: u32, tool: &str, observation: &str) -> CycleRecord {
        CycleRecord {
            cycle,
            tool: tool.into(),
            args: json!({}),
            observation: observation.into(),
            ran: true,
            again: false,
        }
    }

    #[test]
    fn gathered_information_is_grouped_and_the_last_result_stands_apart() {
        let mut memory = Memory::default();
        memory.cycles.push(record(1, "read_range", "one"));
        memory.cycles.push(record(2, "run_tests", "two"));
        memory.cycles.push(record(3, "read_range", "three"));
        memory.cycles.push(record(4, "read_range", "four"));
        let groups = memory.gathered();
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].items.len(), 2, "both earlier readings stand together");
        assert_eq!(memory.last().unwrap().result, "four");
    }

    #[test]
    fn the_oldest_observations_make_room() {
        let mut memory = Memory { window: Some(GATHERED_TOKENS), ..Memory::default() };
        let big = "x".repeat(GATHERED_TOKENS * 3);
        for cycle in 1..=3 {
            memory.cycles.push(record(cycle, "read_range", &big));
        }
        let items = &memory.gathered()[0].items;
        assert!(items[0].contains("left out for room"));
        assert!(items[1].contains("xxx"));
        memory.window = None;
        assert!(memory.gathered()[0].items[0].contains("xxx"), "without a window nothing is left out");
    }

    #[test]
    fn only_lines_that_were_shown_count_as_seen() {
        let mut memory = Memory::default();
        let file = RepoPath::new("A.java").unwrap();
        memory.show(&file, LineSpan { first: 3, last: 5 });
        assert!(memory.has_seen(&file, LineSpan { first: 3, last: 5 }));
        assert!(!memory.has_seen(&file, LineSpan { first: 3, last: 6 }));
    }

    #[test]
    fn a_discarded_hypothesis_stays_and_is_marked() {
        let mut memory = Memory::default();
        memory.hypothesize("a".into());
        memory.hypothesize("b".into());
        memory.refute("no".into());
        assert_eq!(memory.hypotheses[1].refuted.as_deref(), Some("no"));
        assert_eq!(memory.hypotheses[0].refuted, None);
    }
}
