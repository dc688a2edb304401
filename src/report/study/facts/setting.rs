//! How a run was set up, from its frozen configuration.

use super::facet::{self, Facet};
use crate::domain::words::without_login;
use crate::report::Conditions;
use serde::Serialize;
use serde_json::Value;

/// Strategy that needs no mention.
const USUAL: &str = "unified";
/// The engine's name where no model is named.
const ENGINE: &str = "builtin";

/// What distinguishes one way of running from another.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Setting {
    /// The configuration's name, where the plan or the user gave one.
    pub name: Option<String>,
    /// Models as they were named, with the parts that have their own.
    pub model: String,
    /// The strategy.
    pub strategy: String,
    /// The name of its row: runs with the same line are repetitions of each other. Which words it needs depends on the
    /// other runs of a report, see [`crate::report::study::name_rows`].
    pub line: String,
    /// The price list that costs were counted by; empty where nothing was to be paid.
    pub prices: String,
    /// Agents that it has, by name; empty of runs that did not keep it.
    pub agents: Vec<String>,
    /// Levels that it may enter.
    pub levels: Vec<u64>,
    /// Seed of the run.
    pub seed: Option<u64>,
    /// What it depends on besides.
    pub conditions: Conditions,
    /// Everything that can change a result.
    #[serde(skip)]
    pub facets: Vec<Facet>,
    /// Settings that are no defaults.
    #[serde(skip)]
    pub given: Vec<String>,
}

impl Setting {
    /// Reads the frozen configuration; keys that are missing are as by default.
    pub(crate) fn of(config: &Value) -> Self {
        let (settings, plan) = (&config["settings"], &config["plan"]);
        let models = facet::models(settings);
        let mut conditions: Conditions = serde_json::from_value(config["conditions"].clone()).unwrap_or_default();
        conditions.command.iter_mut().for_each(|word| *word = without_login(word));
        let setting = Self {
            name: config["name"].as_str().map(str::to_owned),
            model: if models.is_empty() { ENGINE.to_owned() } else { models.join(" ") },
            strategy: settings["strategy"].as_str().unwrap_or(USUAL).to_owned(),
            line: String::new(),
            prices: plan["prices"].as_str().unwrap_or_default().to_owned(),
            agents: plan["agents"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            levels: plan["levels"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect(),
            seed: settings["seed"].as_u64(),
            facets: facet::facets(config, &conditions),
            given: config["origins"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect(),
            conditions,
        };
        Self { line: setting.base(), ..setting }
    }

    /// The name before it is told from others: the one it was given, else models and strategy.
    pub(crate) fn base(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None if self.strategy == USUAL => self.model.clone(),
            None => format!("{}, {}", self.model, self.strategy),
        }
    }

    /// The name with every setting that is no default: for a run that stands alone.
    pub(crate) fn in_full(&self) -> String {
        let is_base = |name: &str| self.name.is_none() && ["model", "strategy"].contains(&name);
        let given = |facet: &&Facet| {
            let setting = facet.key.strip_prefix("settings.").and_then(|key| key.split('.').next());
            setting.is_some_and(|name| self.given.iter().any(|given| given == name) && !is_base(name))
        };
        let words = self.facets.iter().filter(given).filter(|facet| !facet.value.is_empty()).map(Facet::words);
        std::iter::once(self.base()).chain(words).collect::<Vec<_>>().join(", ")
    }

    /// The value of a facet; empty where it is not set or not known.
    pub(crate) fn value(&self, key: &str) -> &str {
        self.facets.iter().find(|facet| facet.key == key).map_or("", |facet| &facet.value)
    }

    /// What was typed to begin the run, without what belongs to one bug alone.
    pub(crate) fn command(&self) -> String {
        const OF_ONE: [&str; 3] = ["--out", "--account", "--name"];
        const SHOWING: [&str; 4] = ["--json", "--quiet", "-q", "--apply"];
        let mut words = Vec::new();
        let mut typed = self.conditions.command.iter();
        while let Some(word) = typed.next() {
            if OF_ONE.contains(&word.as_str()) {
                typed.next();
            } else if !SHOWING.contains(&word.as_str()) && !OF_ONE.iter().any(|flag| is_value(word, flag)) {
                words.push(word.as_str());
            }
        }
        // Behind the subcommand stands the bug.
        if words.first() == Some(&"run") && words.get(1).is_some_and(|word| !word.starts_with('-')) {
            words[1] = "BUG";
        }
        words.join(" ")
    }
}

/// Whether the word is the flag with its value: `--out=DIR`.
fn is_value(word: &str, flag: &str) -> bool {
    word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_goes_before_model_and_strategy() {
        let mut config = json!({
            "settings": {"model": ["fast", "L3=n"], "models": {"fast": "m"}, "strategy": "fixagent", "seed": 7},
            "plan": {"prices": "list of a day"},
        });
        let setting = Setting::of(&config);
        assert_eq!((setting.line.as_str(), setting.value("settings.model")), ("m L3=n, fixagent", "m L3=n"));
        assert_eq!((setting.seed, setting.prices.as_str()), (Some(7), "list of a day"));
        config["origins"] = json!({"model": "--model", "seed": "--seed"});
        assert_eq!(Setting::of(&config).in_full(), "m L3=n, fixagent, seed 7");
        config["name"] = json!("long");
        assert_eq!(Setting::of(&config).line, "long");
        assert_eq!(Setting::of(&Value::Null).line, "builtin");
    }

    #[test]
    fn a_command_is_told_without_what_belongs_to_one_run() {
        let typed = ["run", "d:A-1", "--out", "/x", "--model", "m", "--account=b:u", "--json", "--seed", "3"];
        let addresses = ["--base-url", "https://me:pass@host:8/v1", "--base-url=http://x@y/?q=a@b"];
        let command: Vec<&str> = typed.into_iter().chain(addresses).collect();
        let settings = json!({"base_url": addresses[1]});
        let setting = Setting::of(&json!({"settings": settings, "conditions": {"command": command}}));
        let wanted = "run BUG --model m --seed 3 --base-url https://host:8/v1 --base-url=http://y/?q=a@b";
        assert_eq!((setting.command().as_str(), setting.value("settings.base_url")), (wanted, "https://host:8/v1"));
    }
}
