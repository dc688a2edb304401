//! `unidebug config show`: every setting and where it came from.

use super::args::ConfigShowArgs;
use super::config::{Config, Dollars, Layers, Place, Setting, user_file};
use super::effect;
use super::endpoint::Address;
use super::error::Failure;
use super::models::Models;
use super::open;
use super::strategy::Chosen;
use crate::domain::AgentName;
use crate::domain::words::span;
use crate::tools::Registry;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Prints every setting.
///
/// # Errors
/// A layer that cannot be read.
pub(super) fn show(args: &ConfigShowArgs) -> Result<u8, Failure> {
    let project = open::project_of(args.bug.as_deref().unwrap_or("."));
    let layers = Layers::read(project.as_deref(), &args.settings)?;
    let effective = effective(&layers.config()?)?;
    let text = if args.json { format!("{}\n", as_json(&layers, &effective)) } else { as_text(&layers, &effective) };
    super::print(&text);
    Ok(0)
}

/// What settings come to that nobody set, because it depends on others.
fn effective(config: &Config) -> Result<BTreeMap<&'static str, String>, Failure> {
    let (profiles, plan) = {
        let chosen = Chosen::of(config)?;
        (chosen.profiles(config.agents.as_deref(), &Registry::builtin().names())?, chosen.plan)
    };
    let names: Vec<AgentName> = profiles.into_iter().map(|profile| profile.name).collect();
    let (models, address) = (Models::names(config, &names)?, Address::read(config)?);
    let any_model = Models::any_named(config, &names)?;
    let levels: Vec<&str> = plan.levels.iter().map(|level| level.label()).collect();
    let mut all = BTreeMap::from([
        ("model", models.first().cloned().unwrap_or_else(|| "builtin".to_owned())),
        ("max_time", span(config.time(any_model))),
        ("levels", if any_model { levels.join(", ") } else { levels.first().copied().unwrap_or_default().to_owned() }),
        ("attempts", plan.attempts_text()),
        ("variants", plan.variants.to_string()),
        ("localization", plan.localization.label().to_owned()),
    ]);
    if any_model {
        all.extend([("base_url", address.url), ("key_variable", address.variable)]);
    }
    if let Some(Dollars(usd)) = effect::usual_cost(config, &names)? {
        all.insert("max_cost", usd.to_string());
    }
    Ok(all)
}

fn as_json(layers: &Layers, effective: &BTreeMap<&str, String>) -> Value {
    let settings = layers.settings().map(|(name, setting)| {
        let own = is_set(setting).then(|| setting.value.clone());
        let effective = own.or_else(|| effective.get(name.as_str()).map(|value| json!(value)));
        json!({"name": name, "value": setting.value, "effective": effective, "origin": setting.origin})
    });
    json!({"schema": 1, "settings": settings.collect::<Vec<_>>()})
}

fn is_set(setting: &Setting) -> bool {
    !setting.value.is_null() && setting.value.as_array().is_none_or(|all| !all.is_empty())
}

fn as_text(layers: &Layers, effective: &BTreeMap<&str, String>) -> String {
    let dim = Style::new().fg_color(Some(AnsiColor::BrightBlack.into()));
    let (mut text, mut unset) = (String::new(), Vec::new());
    for (name, setting) in layers.settings() {
        let value = match effective.get(name.as_str()) {
            _ if is_set(setting) => setting.value.to_string(),
            Some(value) => value.clone(),
            None => {
                unset.push(name);
                continue;
            }
        };
        let (open, close) = if setting.origin == Place::Default { (dim, dim) } else { (Style::new(), Style::new()) };
        let _ = writeln!(text, "{open}{name:<26} {value:<24} {}{close:#}", setting.origin);
    }
    let _ = writeln!(text, "\nnot set: {}", unset.join(", "));
    if let Some(file) = user_file() {
        let there = if file.is_file() { "" } else { " (not there; `unidebug config init` writes one)" };
        let _ = writeln!(text, "your settings: {file}{there}");
    }
    text
}
