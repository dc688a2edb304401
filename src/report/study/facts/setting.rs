//! How a run was set up, from its frozen configuration.

use serde::Serialize;
use serde_json::Value;

/// Strategy that needs no mention.
const USUAL: &str = "unified";
/// The engine's name where no model is named.
const ENGINE: &str = "builtin";

/// What distinguishes one way of running from another.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Setting {
    /// Models as they were named, with the parts that have their own.
    pub model: String,
    /// The strategy.
    pub strategy: String,
    /// Everything that sets it apart, as one line: runs with the same line are repetitions of each other.
    pub line: String,
    /// The price list that costs were counted by; empty where nothing was to be paid.
    pub prices: String,
    /// Seed of the run.
    pub seed: Option<u64>,
}

impl Setting {
    /// Reads the frozen configuration; keys that are missing are as by default.
    pub fn of(config: &Value) -> Self {
        let (settings, plan) = (&config["settings"], &config["plan"]);
        let models = list(&settings["model"]);
        let model = if models.is_empty() { ENGINE.to_owned() } else { models.join(" ") };
        let strategy = settings["strategy"].as_str().unwrap_or(USUAL).to_owned();
        Self {
            line: line(settings, &model, &strategy),
            model,
            strategy,
            prices: plan["prices"].as_str().unwrap_or_default().to_owned(),
            seed: settings["seed"].as_u64(),
        }
    }
}

fn list(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn line(settings: &Value, model: &str, strategy: &str) -> String {
    let text = |key: &str| settings[key].as_str().map(str::to_owned);
    let mut words = vec![model.to_owned()];
    words.extend((strategy != USUAL).then(|| strategy.to_owned()));
    words.extend(text("levels"));
    words.extend(list(&settings["without"]).iter().map(|part| format!("without {part}")));
    for (key, word) in [("paper", "paper"), ("no_first", "no first rung"), ("no_review", "no review"), ("web", "web")] {
        words.extend((settings[key] == Value::Bool(true)).then(|| word.to_owned()));
    }
    words.extend(text("localization").map(|mode| format!("localization {mode}")));
    words.extend(text("formula").filter(|formula| formula != "ochiai"));
    for (key, word) in [("attempts", "attempts"), ("variants", "variants")] {
        words.extend(settings[key].as_u64().map(|n| format!("{n} {word}")));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_from_the_default_is_named() {
        let config = json!({
            "settings": {"model": ["m", "L3=n"], "strategy": "fixagent", "without": ["helper"], "levels": "L1..L2",
                         "paper": true, "localization": "perfect", "formula": "ochiai", "attempts": 5, "seed": 7},
            "plan": {"prices": "list of a day"},
        });
        let setting = Setting::of(&config);
        assert_eq!(setting.line, "m L3=n, fixagent, L1..L2, without helper, paper, localization perfect, 5 attempts");
        assert_eq!((setting.seed, setting.prices.as_str()), (Some(7), "list of a day"));
        assert_eq!(Setting::of(&Value::Null).line, "builtin");
    }
}
