//! From what was typed about the way to a plan: strategy, paper, levels, parts that are left out.

use super::config::{CapTable, Config, Dollars, LocalizationArg};
use super::endpoint::price_list;
use super::error::Failure;
use super::models::Models;
use crate::agent::ablation::Part;
use crate::agent::profile::{self, Profile};
use crate::domain::{Hidden, Level};
use crate::escalate::prepare::{Localization, Wanted};
use crate::escalate::strategy::UNTIL_CAP;
use crate::escalate::{PartCap, PartCaps, Plan, Strategy};
use crate::llm::Caps;
use camino::Utf8Path;
use std::sync::Arc;
use std::time::Duration;

/// What was asked for, checked.
pub(super) struct Chosen {
    strategy: Strategy,
    /// The plan as the strategy and the options make it.
    pub plan: Plan,
    /// Whether levels were named.
    named_levels: bool,
}

impl Chosen {
    /// Reads the strategy and what was changed of it.
    ///
    /// # Errors
    /// Unknown strategy; a level that the strategy does not have.
    pub(super) fn of(config: &Config) -> Result<Self, Failure> {
        let strategy = Strategy::named(&config.strategy)
            .map_err(|e| Failure::usage(format!("--strategy: {e}"), "`unidebug run --help` names them"))?;
        let mut plan = strategy.plan(config.paper);
        if let Some(levels) = &config.levels {
            if let Some(missing) = levels.0.iter().find(|level| !plan.crews.contains_key(level)) {
                let has: Vec<&str> = plan.levels.iter().map(|level| level.label()).collect();
                let what = format!("--levels: the strategy `{}` has no level {missing}", strategy.name);
                return Err(Failure::usage(what, format!("it has {}", has.join(", "))));
            }
            plan.levels.clone_from(&levels.0);
        }
        plan.attempts = if config.until_cap { UNTIL_CAP } else { config.attempts.unwrap_or(plan.attempts) };
        plan.variants = config.variants.unwrap_or(plan.variants);
        if let Some(choose) = config.choose {
            plan.choose = choose;
            plan.alternatives = plan.alternatives.max(choose - 1);
        }
        plan.without = config.without.iter().map(|part| part.0).collect();
        plan.reviewer = plan.reviewer.filter(|_| !config.no_review);
        plan.localization = config.localization.as_ref().map_or(plan.localization, localization);
        Ok(Self { strategy, plan, named_levels: config.levels.is_some() })
    }

    /// The profiles that the strategy works with, replaced or joined by those of the user's folder.
    ///
    /// # Errors
    /// An unusable profile.
    pub(super) fn profiles(&self, folder: Option<&Utf8Path>, tools: &[&str]) -> Result<Vec<Profile>, Failure> {
        let own: Vec<&str> = self.strategy.profiles.as_deref().into_iter().collect();
        Ok(profile::load(&own, folder, tools)?)
    }

    /// The plan once it is known who decides: the engine goes first only before a model that is paid, and works on one
    /// level when it is alone, for it learns nothing new on the others.
    pub(super) fn settled(mut self, models: &Models, config: &Config) -> Plan {
        if !models.any_model() || config.no_first {
            self.plan.crews.remove(&Level::First);
        }
        if !models.any_model() && !self.named_levels {
            self.plan.levels.truncate(1);
        }
        self.plan
    }
}

/// What a plan wants of the bench.
pub(super) fn wanted(plan: &Plan, config: &Config) -> Wanted {
    Wanted {
        localization: plan.localization,
        formula: config.formula.0,
        coverage: !plan.without.has(Part::Dynamic),
        history: !plan.paper && !plan.without.has(Part::History),
        accept_suspicious: config.accept_suspicious,
        leaves_texts_out: false,
        hidden: hidden(config),
    }
}

/// Files that no model may see. The globs were checked when they were read.
pub(super) fn hidden(config: &Config) -> Hidden {
    Hidden::new(&config.deny).unwrap_or_default()
}

/// What is wanted of the bench where no plan is made.
pub(super) fn plain(config: &Config) -> Wanted {
    let localization = config.localization.as_ref().map(localization).unwrap_or_default();
    Wanted { localization, formula: config.formula.0, hidden: hidden(config), ..Wanted::default() }
}

fn localization(arg: &LocalizationArg) -> Localization {
    match arg {
        LocalizationArg::Spectrum => Localization::Spectrum,
        LocalizationArg::Perfect => Localization::Perfect,
        LocalizationArg::File => Localization::File,
        // A ranking that is given needs none of ours.
        LocalizationArg::None | LocalizationArg::Given(_) => Localization::None,
    }
}

/// The caps of calls, agents and levels.
///
/// # Errors
/// The price list cannot be read.
pub(super) fn part_caps(config: &Config, time: Duration, idle: Option<u32>) -> Result<PartCaps, Failure> {
    let spending = |tokens: Option<u64>, cost: Option<Dollars>| Caps {
        tokens,
        usd: cost.map(|usd| usd.0),
        allow_unpriced: config.allow_unpriced,
    };
    let CapTable { call, agent, level } = config.caps;
    Ok(PartCaps {
        call: spending(call.tokens, call.cost),
        agent: PartCap {
            spending: spending(agent.tokens, agent.cost),
            time: agent.time.map(|time| time.0),
            cycles: agent.cycles,
            validations: agent.validations,
        },
        level: PartCap {
            spending: spending(level.tokens, level.cost),
            time: level.time.map(|time| time.0),
            cycles: None,
            validations: level.validations,
        },
        validations: config.max_validations,
        time: Some(time),
        idle,
        prices: Some(Arc::new(price_list(config)?)),
    })
}
