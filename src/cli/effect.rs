//! What can be said against settings before anything is opened: flags without effect, models that cannot be asked.

use super::config::{Config, Dollars, Layers, Place};
use super::endpoint::{Address, price_list};
use super::error::Failure;
use super::issue;
use super::models::Models;
use super::strategy::Chosen;
use crate::domain::AgentName;
use crate::tools::Registry;

/// Settings that only say how a model is asked.
const OF_MODELS: &[&str] = &[
    "base_url",
    "provider",
    "key_file",
    "answers",
    "reasoning_effort",
    "temperature",
    "max_answer",
    "stream",
    "record",
    "requests_per_minute",
];

/// Most dollars for a bug where nobody gave a cap.
const USUAL_COST: f64 = 3.0;

/// Refuses what was typed and changes nothing.
///
/// # Errors
/// A flag says how a model is asked, and none is; settings that cannot be read.
pub(super) fn check(layers: &Layers, config: &Config) -> Result<(), Failure> {
    let typed = layers.settings().find_map(|(name, setting)| match &setting.origin {
        Place::Flag { flag } if OF_MODELS.contains(&name.as_str()) => Some(flag.clone()),
        _ => None,
    });
    match typed {
        Some(flag) if !Models::any_named(config, &agents(config)?)? => Err(Failure::usage(
            format!("{flag} has no effect: no model is asked"),
            "name a model with `--model NAME`, or leave the flag out",
        )),
        _ => Ok(()),
    }
}

/// Refuses settings under which no model is asked, where only a model can do the work.
///
/// # Errors
/// No model is named, and no key is there; settings that cannot be read.
pub(super) fn check_model(config: &Config) -> Result<(), Failure> {
    if Models::any_named(config, &agents(config)?)? { Ok(()) } else { Err(issue::no_model()) }
}

/// Names of the models that an endpoint is asked for.
///
/// # Errors
/// Settings that cannot be read.
pub(super) fn models(config: &Config) -> Result<Vec<String>, Failure> {
    Models::names(config, &agents(config)?)
}

/// Refuses a model that has no key, before work is handed out.
///
/// # Errors
/// There is no key where one is needed; settings that cannot be read.
pub(super) fn check_key(config: &Config) -> Result<(), Failure> {
    let names = models(config)?;
    match names.first() {
        Some(name) => Address::read(config)?.endpoint(config, name).map(drop),
        None => Ok(()),
    }
}

/// The usual cap in dollars, where models with known prices are asked and no cap on money or tokens was given.
///
/// # Errors
/// Settings that cannot be read.
pub(super) fn usual_cost(config: &Config, agents: &[AgentName]) -> Result<Option<Dollars>, Failure> {
    if config.max_cost.is_some() || config.max_tokens.is_some() || config.paper {
        return Ok(None);
    }
    let models = Models::names(config, agents)?;
    let prices = price_list(config)?;
    let priced = !models.is_empty() && models.iter().all(|name| prices.knows(name));
    Ok(priced.then_some(Dollars(USUAL_COST)))
}

/// Whether a model at an endpoint would be asked.
///
/// # Errors
/// Settings that cannot be read.
pub(super) fn asks_a_model(config: &Config) -> Result<bool, Failure> {
    Ok(!Models::names(config, &agents(config)?)?.is_empty())
}

fn agents(config: &Config) -> Result<Vec<AgentName>, Failure> {
    let profiles = Chosen::of(config)?.profiles(config.agents.as_deref(), &Registry::builtin().names())?;
    Ok(profiles.into_iter().map(|profile| profile.name).collect())
}
