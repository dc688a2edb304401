//! Strategies: the unified system, and each of its parents as a paper describes it, as data in `agents/strategies`.

use super::level::{self, Stage};
use super::prepare::Localization;
use crate::agent::ablation::{Part, Without};
use crate::agent::evidence::Recipe;
use crate::agent::mend::Threshold;
use crate::domain::{AgentName, Level};
use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../agents/strategies");

/// The strategy that is used when none is named.
pub const DEFAULT: &str = "unified";

/// Who works on which level, how often, and with what in view.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// Its name: `fixagent`.
    pub name: String,
    /// One line for people.
    pub about: String,
    /// Folder below `agents` whose profiles replace or join the common ones.
    #[serde(default)]
    pub profiles: Option<String>,
    /// The agent that reviews a plausible patch, when there is one.
    #[serde(default)]
    pub reviewer: Option<AgentName>,
    /// Levels whose plausible patches are reviewed.
    #[serde(default)]
    reviewed: Vec<String>,
    /// Further patches that the reviewer is asked for, beside a plausible one; without them it has one look at that.
    #[serde(default)]
    alternatives: u32,
    /// How often all levels are tried.
    #[serde(default = "one")]
    attempts: u32,
    /// Variants asked for each candidate that fails.
    #[serde(default)]
    variants: u32,
    /// Sampling temperature; what is asked again is sampled with at least [`AGAIN`].
    #[serde(default)]
    temperature: f64,
    /// Stages by level. `First` is the built-in engine before the first paid call.
    crews: BTreeMap<String, Vec<Stage>>,
    /// What `--paper` changes.
    #[serde(default)]
    paper: Paper,
}

/// A paper's own numbers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    attempts: Option<u32>,
    temperature: Option<f64>,
    localization: Option<Localization>,
    #[serde(default)]
    evidence: Recipe,
    /// What is not as in the paper all the same, a sentence each.
    #[serde(default)]
    differs: Vec<String>,
}

/// As many attempts as the caps of the bug allow (FixAgent, section 3.3: until a resource threshold).
pub const UNTIL_CAP: u32 = u32::MAX;

/// Least sampling temperature of what is asked again: without one, a second attempt would repeat the first.
pub(crate) const AGAIN: f64 = 0.8;

/// Sampling temperatures of one agent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Temperatures {
    /// When it is asked for the first time.
    pub first: f64,
    /// In later attempts, and when refinement asks it again.
    pub again: f64,
}

impl Temperatures {
    /// What follows from the first one.
    pub fn of(first: f64) -> Self {
        Self { first, again: first.max(AGAIN) }
    }

    /// The same at any time.
    pub fn fixed(temperature: f64) -> Self {
        Self { first: temperature, again: temperature }
    }
}

fn one() -> u32 {
    1
}

/// Why a strategy cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StrategyError {
    /// No such strategy.
    #[error("no strategy `{name}`; there are {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Known ones.
        known: Vec<String>,
    },
    /// Its file is malformed.
    #[error("the strategy {name} is malformed: {what}")]
    Malformed {
        /// Which.
        name: String,
        /// What is wrong.
        what: String,
    },
}

impl Strategy {
    /// The strategy of that name.
    ///
    /// # Errors
    /// Unknown name, malformed file.
    pub fn named(name: &str) -> Result<Self, StrategyError> {
        let text = EMBEDDED.get_file(format!("{name}.toml")).and_then(|file| file.contents_utf8());
        let text = text.ok_or_else(|| StrategyError::Unknown { name: name.to_owned(), known: names() })?;
        Self::parse(name, text)
    }

    /// Reads a strategy from TOML.
    ///
    /// # Errors
    /// Malformed text, unknown levels.
    pub fn parse(name: &str, text: &str) -> Result<Self, StrategyError> {
        let wrong = |what: String| StrategyError::Malformed { name: name.to_owned(), what };
        let strategy: Self = toml::from_str(text).map_err(|e| wrong(e.to_string().trim_end().to_owned()))?;
        for level in strategy.crews.keys().chain(&strategy.reviewed) {
            level::named(level).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(strategy)
    }

    /// What a run does by this strategy; `paper` for the numbers and the view of the paper behind it: no level 0, a
    /// new case file for each attempt, the paper's bound for misspelt names.
    pub fn plan(&self, paper: bool) -> Plan {
        let mut crews: BTreeMap<Level, Vec<Stage>> =
            self.crews.iter().filter_map(|(name, stages)| Some((level::named(name).ok()?, stages.clone()))).collect();
        if paper {
            crews.remove(&Level::First);
        }
        Plan {
            strategy: self.name.clone(),
            paper,
            levels: crews.keys().copied().filter(|level| level::OFFERED.contains(level)).collect(),
            crews,
            attempts: self.paper.attempts.filter(|_| paper).unwrap_or(self.attempts),
            variants: self.variants,
            temperature: Temperatures::of(self.paper.temperature.filter(|_| paper).unwrap_or(self.temperature)),
            reviewer: self.reviewer.clone(),
            reviewed: self.reviewed.iter().filter_map(|name| level::named(name).ok()).collect(),
            alternatives: self.alternatives,
            choose: 1,
            fresh: paper,
            near: if paper { Threshold::PAPER } else { Threshold::USUAL },
            recipe: if paper { self.paper.evidence } else { Recipe::Chosen },
            localization: self.paper.localization.filter(|_| paper).unwrap_or_default(),
            without: Without::default(),
            differs: if paper { self.paper.differs.clone() } else { Vec::new() },
        }
    }
}

/// The names of all strategies, the default one first.
pub fn names() -> Vec<String> {
    let stem = |file: &include_dir::File<'_>| Some(file.path().file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = EMBEDDED.files().filter_map(stem).collect();
    names.sort_by_key(|name| (name != DEFAULT, name.clone()));
    names
}

/// What one run does: a strategy with what was changed of it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The strategy's name.
    pub strategy: String,
    /// Whether it keeps to its paper.
    pub paper: bool,
    /// Stages by level.
    pub crews: BTreeMap<Level, Vec<Stage>>,
    /// Levels that may be entered, lowest first; level 0 and refinement come with them.
    pub levels: Vec<Level>,
    /// *k* of FixAgent's Algorithm 1: how often all levels are tried; [`UNTIL_CAP`] for as long as a cap allows it.
    pub attempts: u32,
    /// Variants asked of a model for each failed candidate.
    pub variants: u32,
    /// Sampling temperatures.
    pub temperature: Temperatures,
    /// The agent that reviews a plausible patch, when there is one.
    pub reviewer: Option<AgentName>,
    /// Levels whose plausible patches are reviewed.
    pub reviewed: Vec<Level>,
    /// Further patches that the reviewer is asked for, beside a plausible one (ChatRepair); 0 for one look at that one.
    pub alternatives: u32,
    /// Plausible patches that are distinguished by drawn inputs; 1 takes the first.
    pub choose: u32,
    /// Whether each attempt begins with an empty case file.
    pub fresh: bool,
    /// How far a misspelt name may be off.
    pub near: Threshold,
    /// What agents see before their first query.
    pub recipe: Recipe,
    /// How suspicious lines are found when nothing else is asked for.
    pub localization: Localization,
    /// What agents go without.
    pub without: Without,
    /// What is not as in the paper that is kept to, a sentence each.
    pub differs: Vec<String>,
}

impl Plan {
    /// The agents that it has on the levels that may be entered, and its reviewer.
    pub fn agents(&self) -> BTreeSet<AgentName> {
        let stages = self.levels_of(1).into_iter().flat_map(|(_, stages)| stages);
        let named = stages.flat_map(|stage| stage.agents().to_vec());
        named.chain(self.reviewer.clone()).collect()
    }

    /// The levels of an attempt, each with its stages: the built-in engine before the first attempt where the plan has
    /// it, what was asked for, and refinement after level 3. Agents that are left out are in none of them.
    pub(crate) fn levels_of(&self, attempt: u32) -> Vec<(Level, Vec<Stage>)> {
        let may_enter = |level: Level| match level {
            Level::First => attempt == 1,
            Level::Refine => self.levels.contains(&Level::L3),
            other => self.levels.contains(&other),
        };
        let left = |stages: &[Stage]| stages.iter().filter_map(|s| s.without(|a| self.without.has_agent(a))).collect();
        self.crews
            .iter()
            .filter(|(level, _)| may_enter(**level))
            .map(|(level, stages)| (*level, left(stages)))
            .collect()
    }

    /// How often all levels are tried, for people.
    pub fn attempts_text(&self) -> String {
        if self.attempts == UNTIL_CAP { "until a cap".to_owned() } else { self.attempts.to_string() }
    }

    /// The reviewer of a plausible patch of that level.
    pub(crate) fn reviewer_on(&self, level: Level) -> Option<&AgentName> {
        self.reviewer.as_ref().filter(|agent| self.reviewed.contains(&level) && !self.without.has_agent(agent))
    }

    /// Whether an agent is kept from what tests say of patches.
    pub(crate) fn hides_results(&self, level: Level, agent: &AgentName) -> bool {
        self.without.has(Part::Testing) && (level == Level::Refine || agent.as_str() == Part::FixerPro.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::profile;
    use crate::tools::Registry;

    #[test]
    fn every_strategy_has_the_profiles_of_its_crews() {
        let names = names();
        assert_eq!(names[0], DEFAULT);
        assert_eq!(names.len(), 6, "{names:?}");
        for name in names {
            let strategy = Strategy::named(&name).unwrap();
            let folders: Vec<&str> = strategy.profiles.as_deref().into_iter().collect();
            let profiles = profile::load(&folders, None, &Registry::builtin().names()).unwrap();
            for (level, stages) in strategy.plan(false).levels_of(1) {
                for agent in stages.iter().flat_map(Stage::agents) {
                    assert!(profiles.iter().any(|p| p.name == *agent), "{name}: {agent} of {level}");
                }
            }
        }
    }

    #[test]
    fn the_papers_have_their_own_numbers() {
        let paper = |name: &str| Strategy::named(name).unwrap().plan(true);
        assert_eq!(paper("fixagent").attempts, 20);
        assert_eq!(paper("lite").attempts, 5);
        assert_eq!((paper("repairagent").attempts, paper("repairagent").variants), (1, 30));
        assert_eq!(paper("direct").attempts, 20);
        for (name, localization) in [("fixagent", Localization::Spectrum), ("direct", Localization::Perfect)] {
            assert_eq!(paper(name).localization, localization, "{name}");
        }
        assert!(paper("unified").levels_of(1).iter().all(|(level, _)| *level != Level::First));
        assert_eq!(Strategy::named("unified").unwrap().plan(false).attempts, 1);
    }

    #[test]
    fn agents_that_are_left_out_are_in_no_rung() {
        let mut plan = Strategy::named("unified").unwrap().plan(false);
        plan.without = [Part::FixerPro, Part::Summarizer].into_iter().collect();
        let levels = plan.levels_of(2);
        let all: Vec<&AgentName> = levels.iter().flat_map(|(_, stages)| stages).flat_map(Stage::agents).collect();
        assert!(all.iter().all(|agent| !["fixer_pro", "summarizer"].contains(&agent.as_str())));
        assert_eq!(levels.last().unwrap().1.len(), 17, "refinement starts at Fixer");
        assert!(plan.reviewer_on(Level::L2).is_none());
    }

    #[test]
    fn unknown_names_and_levels_are_named() {
        assert!(Strategy::named("fixagnt").unwrap_err().to_string().contains("unified, chatrepair, direct, fixagent"));
        let error = Strategy::parse("x", "name = \"x\"\nabout = \"x\"\n[crews]\nL9 = []").unwrap_err();
        assert!(error.to_string().contains("`L9` is no level"), "{error}");
    }
}
