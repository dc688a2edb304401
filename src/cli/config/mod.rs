//! Settings, which decide what a run does: each is declared in [`settings`], how the layers decide it is in [`layers`].

mod choices;
mod declare;
mod keys;
mod layers;
mod settings;
mod values;

pub(super) use choices::{Effort, FormArg, LocalizationArg, SandboxArg};
pub(super) use declare::Declared;
pub(super) use layers::{Layers, Place, Setting, user_file, variables_of_settings};
pub(super) use settings::{CAPS, Config, JudgingFlags, ModelFlags, SourceFlags, StrategyFlags};
pub(super) use values::{CapFlag, CapTable, Dollars, FormulaArg, Levels, PartArg, Time};

use clap::Arg;
use clap::builder::StyledStr;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

/// The table of all settings.
pub(super) static TABLE: LazyLock<Vec<Declared>> = LazyLock::new(settings::declared);

/// The declaration of a setting, by its name.
fn declared(key: &str) -> Option<&'static Declared> {
    TABLE.iter().find(|declared| declared.key == key)
}

/// Defaults of settings that have one, as they are shown.
static DEFAULTS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let Ok(Value::Object(all)) = serde_json::to_value(Config::default()) else { return BTreeMap::new() };
    let shown = |value: Value| match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    all.into_iter().filter_map(|(key, value)| Some((key, shown(value)?))).collect()
});

/// The default of a setting as it is shown, where it has one that says something.
pub(super) fn default_of(key: &str) -> Option<&'static str> {
    DEFAULTS.get(key).map(String::as_str)
}

/// A flag whose help ends with the default of its setting.
pub(super) fn with_default(flag: Arg) -> Arg {
    let Some(default) = default_of(flag.get_id().as_str()) else { return flag };
    let ending = format!(" [default: {default}]");
    let without_stop = |help: &StyledStr| {
        let help = help.to_string();
        if help.ends_with(&ending) { help } else { help + &ending }
    };
    let (short, long) = (flag.get_help().map(without_stop), flag.get_long_help().map(without_stop));
    let flag = short.into_iter().fold(flag, Arg::help);
    long.into_iter().fold(flag, Arg::long_help)
}

/// Wall time for a bug that only the built-in engine works on.
pub(super) const ENGINE_TIME: Duration = Duration::from_secs(60);
/// Wall time for a bug by a paper's own numbers: the papers know no such cap, and their slowest bugs take hours.
pub(super) const PAPER_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Wall time for a bug that a model is asked about. Three levels are a dozen answers and their candidates; RepairAgent's
/// median is 920 s a bug (its figure 9).
pub(super) const MODEL_TIME: Duration = Duration::from_secs(15 * 60);

impl Config {
    /// Wall time for the bug: what was given, or what is usual with or without a model.
    pub(super) fn time(&self, any_model: bool) -> Duration {
        let usual = match (any_model, self.paper) {
            (true, true) => PAPER_TIME,
            (true, false) => MODEL_TIME,
            (false, _) => ENGINE_TIME,
        };
        self.max_time.map_or(usual, |time| time.0)
    }
}
