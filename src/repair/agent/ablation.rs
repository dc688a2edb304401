//! What a run goes without: one part for every row of the papers' ablation tables (FixAgent, Tables 2 and 4;
//! RepairAgent, Table VI), and for evidence of our own. A part removes what agents see, never what the judge uses.

use super::profile::{Profile, State, StateName};
use crate::domain::{AgentName, InvalidValue, ToolName};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// A part that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The agent Helper.
    Helper,
    /// The agent RepoFocus.
    RepoFocus,
    /// The agent Summarizer.
    Summarizer,
    /// The agent Slicer.
    Slicer,
    /// The agent Locator.
    Locator,
    /// The agent FixerPro, and its review.
    FixerPro,
    /// Searching the code base.
    Search,
    /// The state machine: all tools at any time.
    Fsm,
    /// The section of the prompt that lists what earlier cycles gathered.
    Memory,
    /// Findings of static analysis, in prompts and as a tool.
    Static,
    /// What tests execute: the ranking by coverage and the tool that asks for it.
    Dynamic,
    /// Test results for FixerPro and in refinement.
    Testing,
    /// Helper's search, on the net and in local corpora.
    Web,
    /// Values of a run: as first evidence, and the tool that asks for them.
    Observation,
    /// The version history: as first evidence, and the tool that asks for it.
    History,
    /// Passing over agents that have nothing left to find: without it all of a level are asked.
    Skipping,
}

/// Parts with their words on the command line and, for parts that are agents or tools, which.
const TABLE: [(Part, &str, Takes); 16] = [
    (Part::Helper, "helper", Takes::Agent),
    (Part::RepoFocus, "repo_focus", Takes::Agent),
    (Part::Summarizer, "summarizer", Takes::Agent),
    (Part::Slicer, "slicer", Takes::Agent),
    (Part::Locator, "locator", Takes::Agent),
    (Part::FixerPro, "fixer_pro", Takes::Agent),
    (Part::Search, "search", Takes::Tools(&["search_code_base", "find_similar_api_calls"])),
    (Part::Fsm, "fsm", Takes::Tools(&[])),
    (Part::Memory, "memory", Takes::Tools(&[])),
    (Part::Static, "static", Takes::Tools(&["static_analysis", "syntax_tree"])),
    (Part::Dynamic, "dynamic", Takes::Tools(&["test_coverage"])),
    (Part::Testing, "testing", Takes::Tools(&[])),
    (Part::Web, "web", Takes::Tools(&["search_solutions"])),
    (Part::Observation, "observation", Takes::Tools(&["observe_run"])),
    (Part::History, "history", Takes::Tools(&["code_history"])),
    (Part::Skipping, "skipping", Takes::Tools(&[])),
];

/// What goes with a part.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// The agent of that name.
    Agent,
    /// These tools, in all states of all agents.
    Tools(&'static [&'static str]),
}

impl Part {
    /// Its word on the command line.
    pub fn label(self) -> &'static str {
        TABLE.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// All words, in the order of the tables.
    pub(crate) fn words() -> Vec<&'static str> {
        TABLE.iter().map(|row| row.1).collect()
    }
}

impl FromStr for Part {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let row = TABLE.iter().find(|row| row.1 == text);
        row.map(|row| row.0)
            .ok_or_else(|| format!("`{text}` is no part; there are {}", Part::words().join(", ")).into())
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.label())
    }
}

/// The parts that a run goes without; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Without(BTreeSet<Part>);

impl FromIterator<Part> for Without {
    fn from_iter<I: IntoIterator<Item = Part>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

impl Without {
    /// Whether that part is left out.
    pub fn has(&self, part: Part) -> bool {
        self.0.contains(&part)
    }

    /// Whether the agent is left out.
    pub(crate) fn has_agent(&self, agent: &AgentName) -> bool {
        TABLE.iter().any(|row| matches!(row.2, Takes::Agent) && row.1 == agent.as_str() && self.has(row.0))
    }

    /// The profile as it works without these parts.
    pub(crate) fn limited(&self, mut profile: Profile) -> Profile {
        let mut gone: BTreeSet<&str> = BTreeSet::new();
        for (part, _, takes) in &TABLE {
            if let (true, Takes::Tools(tools)) = (self.has(*part), takes) {
                gone.extend(tools.iter());
            }
        }
        for state in profile.states.values_mut() {
            state.tools.retain(|tool| !gone.contains(tool.as_str()));
            state.toolbox.retain(|tool| !gone.contains(tool.as_str()));
            state.next.retain(|tool, _| !gone.contains(tool.as_str()));
        }
        if self.has(Part::Fsm) {
            profile = stateless(profile);
        }
        profile
    }
}

/// One state with all tools, of which no prompt speaks.
fn stateless(mut profile: Profile) -> Profile {
    let tools: Vec<ToolName> = profile.tools();
    let start: StateName = profile.start.clone();
    profile.states = BTreeMap::from([(start, State { tools, toolbox: Vec::new(), next: BTreeMap::new() })]);
    profile.start_with_hypothesis = None;
    profile.guided = false;
    profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Registry;

    fn fixer() -> Profile {
        let profiles = crate::agent::profile::load(&[], None, &Registry::builtin().names()).unwrap();
        profiles.into_iter().find(|profile| profile.name.as_str() == "fixer").unwrap()
    }

    #[test]
    fn words_and_parts_are_the_same_list() {
        for word in Part::words() {
            assert_eq!(word.parse::<Part>().unwrap().label(), word);
        }
        assert!("hleper".parse::<Part>().unwrap_err().contains("helper, repo_focus"));
    }

    #[test]
    fn tools_of_a_part_leave_every_state() {
        let without: Without = [Part::Search].into_iter().collect();
        let tools = without.limited(fixer()).tools();
        assert!(!tools.iter().any(|tool| tool.as_str() == "search_code_base"));
        assert!(tools.iter().any(|tool| tool.as_str() == "read_range"));
    }

    #[test]
    fn without_the_machine_every_tool_is_there_at_once() {
        let without: Without = [Part::Fsm].into_iter().collect();
        let (with, without) = (fixer(), without.limited(fixer()));
        assert_eq!(without.states.len(), 1);
        assert_eq!(without.states[&with.start].tools.len(), with.tools().len());
        assert!(!without.guided);
    }
}
