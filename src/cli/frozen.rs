//! The configuration of a run as it was when it began: what it goes on with, and what it is repeated with.

use super::config::{Config, Dollars, Layers, Place, Time};
use super::endpoint;
use super::error::Failure;
use super::session::Session;
use crate::journal::RunDir;
use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// Schema of the file.
const SCHEMA: u32 = 1;

/// The file; no key is in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Frozen {
    schema: u32,
    version: String,
    /// The bug; a folder by its full path.
    pub bug: String,
    /// All settings, decided.
    pub settings: Config,
    /// Where those that are no defaults came from.
    #[serde(default)]
    origins: BTreeMap<String, String>,
    /// What they come to, for readers.
    #[serde(default)]
    plan: serde_json::Value,
}

/// Caps that a run goes on with.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Raised {
    /// Most US dollars for the bug, those included that are spent.
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<Dollars>,
    /// Most tokens for the bug, those included that are spent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Wall time for the bug, the time included that it was worked on.
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<Time>,
}

impl Frozen {
    /// These settings of this bug. Where no model was named, the one is written that was chosen: on another day there
    /// may be another key, or none.
    pub fn new(bug: &str, layers: &Layers, config: &Config, session: &Session) -> Self {
        let mut settings = config.clone();
        if !session.models().is_named() {
            settings.model.insert(0, session.models().chosen());
        }
        settings.max_time = Some(Time(session.time()));
        let prices = endpoint::price_list(config).ok().filter(|_| session.models().any_model());
        let prices = prices.map(|prices| prices.source().to_owned());
        let plan = session.plan();
        let plan = json!({
            "levels": plan.levels, "temperature": plan.temperature, "attempts": plan.attempts, "variants": plan.variants, "without": plan.without,
            "review": plan.reviewer.is_some(), "localization": plan.localization.word(),
            "prices": prices, "differs_from_the_paper": plan.differs,
        });
        let given = layers.settings().filter(|(_, setting)| setting.origin != Place::Default);
        let origins = given.map(|(name, setting)| (name, setting.origin.to_string())).collect();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { schema: SCHEMA, version, bug: bug.to_owned(), settings, origins, plan }
    }

    /// Writes it into a run directory.
    ///
    /// # Errors
    /// The system refused.
    pub fn save(&self, dir: &RunDir) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|e| Failure::io("the settings cannot be frozen", &e.into()))?;
        Ok(dir.freeze(format!("{text}\n").as_bytes())?)
    }

    /// Reads it from a run directory.
    ///
    /// # Errors
    /// There is no run, or its settings are damaged or of a newer program.
    pub fn read(folder: &Utf8Path) -> Result<Self, Failure> {
        let bytes = RunDir::frozen(folder)?;
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let version = value["version"].as_str().unwrap_or("of a later day");
        if value["schema"].as_u64().is_some_and(|schema| schema > u64::from(SCHEMA)) {
            let what =
                format!("the settings of `{folder}` were frozen by unidebug {version}, in a schema unknown here");
            return Err(Failure::unusable(what, format!("use unidebug {version} or newer")));
        }
        serde_json::from_slice(&bytes).map_err(|e| {
            let what = format!("the frozen settings of `{folder}` cannot be read: {e}");
            Failure::unusable(what, "restore `config.json`, or run the bug again")
        })
    }

    /// Takes other caps; says whether any was given.
    pub fn raise(&mut self, raised: Raised) -> bool {
        let Raised { max_cost, max_tokens, max_time } = raised;
        let settings = &mut self.settings;
        settings.max_cost = max_cost.or(settings.max_cost);
        settings.max_tokens = max_tokens.or(settings.max_tokens);
        settings.max_time = max_time.or(settings.max_time);
        max_cost.is_some() || max_tokens.is_some() || max_time.is_some()
    }
}
