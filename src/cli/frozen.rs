//! The configuration of a run as it was when it began: what it goes on with, and what it is repeated with.

use super::config::{Config, Dollars, Layers, Place, Time};
use super::endpoint;
use super::error::Failure;
use super::issue::Issue;
use super::session::Session;
use crate::escalate::strategy::UNTIL_CAP;
use crate::journal::RunDir;
use crate::report::Conditions;
use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// Schema of the file.
const SCHEMA: u32 = 1;

/// The file; no key is in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Frozen {
    schema: u32,
    version: String,
    /// The bug; a folder by its full path.
    pub bug: String,
    /// All settings, decided.
    pub settings: Config,
    /// The issue that is worked on, where no failing test was there.
    #[serde(default)]
    pub issue: Option<Issue>,
    /// Where those that are no defaults came from.
    #[serde(default)]
    origins: BTreeMap<String, String>,
    /// What they come to, for readers.
    #[serde(default)]
    plan: serde_json::Value,
    /// The configuration's name in reports.
    #[serde(default)]
    name: Option<String>,
    /// What it depends on besides.
    #[serde(default)]
    conditions: Conditions,
}

/// The setting of the cap in dollars.
const MAX_COST: &str = "max_cost";

/// Caps that a run goes on with.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(super) struct Raised {
    /// Most US dollars for the bug, those included that are spent.
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<Dollars>,
    /// Most tokens for the bug, those included that are spent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Wall time for the bug, the time included that it was worked on.
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<Time>,
    /// Most candidates that are judged for the bug, those included that were.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_validations: Option<u64>,
}

impl Frozen {
    /// These settings of this bug. Where no model was named, the one is written that was chosen: on another day there
    /// may be another key, or none.
    pub(super) fn new(bug: &str, layers: &Layers, config: &Config, session: &Session) -> Self {
        let mut settings = config.clone();
        if !session.models().is_named() {
            settings.model.insert(0, session.models().chosen());
        }
        settings.max_time = Some(Time(session.time()));
        let prices = endpoint::price_list(config).ok().filter(|_| session.models().any_model());
        let prices = prices.map(|prices| if session.models().in_batches { prices.in_batches() } else { prices });
        let prices = prices.map(|prices| prices.source().to_owned());
        let plan = session.plan();
        let agents = plan.agents();
        let attempts = if plan.attempts == UNTIL_CAP { json!(plan.attempts_text()) } else { json!(plan.attempts) };
        let plan = json!({
            "levels": plan.levels, "agents": agents, "temperature": plan.temperature, "attempts": attempts,
            "variants": plan.variants, "choose": plan.choose, "without": plan.without,
            "review": plan.reviewer.is_some(), "localization": plan.localization.label(),
            "prices": prices, "differs_from_the_paper": plan.differs,
        });
        let given = layers.settings().filter(|(_, setting)| setting.origin != Place::Default);
        let origins = given.map(|(name, setting)| (name, setting.origin.to_string())).collect();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (name, conditions) = (None, Conditions::default());
        let (bug, issue) = (bug.to_owned(), session.issue().cloned());
        Self { schema: SCHEMA, version, bug, settings, issue, origins, plan, name, conditions }
    }

    /// The same, under a name, with what it depends on besides.
    pub(super) fn under(self, name: Option<String>, conditions: Conditions) -> Self {
        Self { name, conditions, ..self }
    }

    /// Writes it into a run directory.
    ///
    /// # Errors
    /// The system refused.
    pub(super) fn save(&self, dir: &RunDir) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|e| Failure::io("the settings cannot be frozen", &e.into()))?;
        Ok(dir.freeze(format!("{text}\n").as_bytes())?)
    }

    /// Reads it from a run directory.
    ///
    /// # Errors
    /// There is no run, or its settings are damaged or of a newer program.
    pub(super) fn read(folder: &Utf8Path) -> Result<Self, Failure> {
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

    /// Whether nobody gave the cap in dollars: it is the usual one.
    pub(super) fn has_usual_cost(&self) -> bool {
        self.settings.max_cost.is_some() && !self.origins.contains_key(MAX_COST)
    }

    /// Takes other caps; says whether any was given.
    pub(super) fn raise(&mut self, raised: Raised) -> bool {
        let Raised { max_cost, max_tokens, max_time, max_validations } = raised;
        if max_cost.is_some() {
            self.origins.insert(MAX_COST.into(), "--max-cost of `resume`".into());
        }
        let settings = &mut self.settings;
        settings.max_cost = max_cost.or(settings.max_cost);
        settings.max_tokens = max_tokens.or(settings.max_tokens);
        settings.max_time = max_time.or(settings.max_time);
        settings.max_validations = max_validations.or(settings.max_validations);
        max_cost.is_some() || max_tokens.is_some() || max_time.is_some() || max_validations.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::study::facts::EXEMPT;
    use crate::report::study::{RunFacts, Study};
    use serde_json::Value;

    /// A frozen configuration of this program, with every setting in it.
    fn frozen() -> Value {
        let settings = Config { model: vec!["m".into()], corpus: vec!["pairs.jsonl".into()], ..Config::default() };
        let conditions = Conditions {
            dataset: "v2".into(),
            commit: "abc".into(),
            content: BTreeMap::from([("prompts".into(), "sha256 1".into())]),
            ..Conditions::default()
        };
        let plan = json!({"prices": "list of a day"});
        let frozen = Frozen {
            schema: SCHEMA,
            version: "1.0.0".into(),
            bug: "fixtures:a".into(),
            settings,
            issue: None,
            origins: BTreeMap::new(),
            plan,
            name: None,
            conditions,
        };
        serde_json::to_value(frozen).unwrap()
    }

    /// Every place where a value stands.
    fn leaves(value: &Value, at: &str, all: &mut Vec<String>) {
        match value {
            Value::Object(parts) if !parts.is_empty() => {
                parts.iter().for_each(|(name, part)| leaves(part, &format!("{at}/{name}"), all));
            }
            _ => all.push(at.to_owned()),
        }
    }

    fn changed(value: &Value) -> Value {
        match value {
            Value::Bool(on) => json!(!on),
            Value::Number(n) => json!(n.as_f64().unwrap() + 1.0),
            Value::String(text) => json!(format!("{text} and more")),
            Value::Array(items) => items.iter().cloned().chain([json!("more")]).collect(),
            Value::Object(_) => json!({"more": "yes"}),
            Value::Null => json!("7"),
        }
    }

    fn study(configurations: [&Value; 2]) -> Study {
        let started = |config: &Value| {
            let bug = config["bug"].as_str().unwrap().parse().unwrap();
            let event = crate::domain::Event::RunStarted { schema: 1, version: "1".into(), bug, sandbox: "s".into() };
            RunFacts::of("r".into(), config, &[event])
        };
        Study::of(configurations.map(started).into(), Vec::new())
    }

    #[test]
    fn no_two_different_configurations_share_a_row_in_silence() {
        let base = frozen();
        let mut places = Vec::new();
        leaves(&base, "", &mut places);
        assert!(places.len() > 60, "{places:?}");
        let mut pooled = Vec::new();
        for place in &places {
            let mut other = base.clone();
            *other.pointer_mut(place).unwrap() = changed(&base.pointer(place).unwrap().clone());
            let study = study([&base, &other]);
            let key = place.trim_start_matches('/').replace('/', ".");
            match study.configurations.len() {
                2 => {
                    let names: Vec<&String> = study.configurations.keys().collect();
                    assert!(!names[0].contains("settings "), "{place} is named: {names:?}");
                    assert!(
                        study.settings.iter().any(|row| row.values[0] != row.values[1]) || key == "name",
                        "{place}"
                    );
                }
                _ => pooled.push(key),
            }
        }
        // What is exempt has its reason in the list, and nothing else is pooled. The rest stands for paths, or is told
        // under Conditions.
        let is_exempt =
            |key: &String| EXEMPT.iter().any(|(exempt, _)| key == exempt || key.starts_with(&format!("{exempt}.")));
        // A path whose content is known may differ: what lies there is the same.
        let stands = |key: &String| ["settings.prompts", "settings.root"].contains(&key.as_str());
        let wrong: Vec<&String> = pooled.iter().filter(|key| !is_exempt(key) && !stands(key)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        for content in ["conditions.dataset", "conditions.commit", "conditions.content.prompts", "plan.prices", "name"]
        {
            assert!(!pooled.iter().any(|key| key == content), "{content} sets runs apart");
        }
        for (exempt, why) in EXEMPT {
            assert!(base.pointer(&format!("/{}", exempt.replace('.', "/"))).is_some() && !why.is_empty(), "{exempt}");
        }
    }

    #[test]
    fn settings_of_a_bug_set_apart_where_one_bug_was_run_with_two() {
        let one = frozen();
        let mut other = one.clone();
        other["settings"]["java_home"] = json!("/jdk8");
        let mut third = one.clone();
        third["settings"]["java_home"] = json!("/jdk17");
        assert_eq!(study([&other, &third]).configurations.len(), 2);
        third["bug"] = json!("fixtures:b");
        let pooled = study([&other, &third]);
        assert_eq!(pooled.configurations.len(), 1, "another bug may want another JDK");
        assert_eq!(pooled.settings[0].values[0].len(), 2, "and the table of settings says so");
    }
}
