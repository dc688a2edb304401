//! `unidebug config show`: every setting and where it came from.

use super::args::ConfigShowArgs;
use super::config::{Layers, Place, user_file};
use super::error::Failure;
use super::open;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::fmt::Write;

/// Prints every setting.
///
/// # Errors
/// A layer that cannot be read.
pub fn show(args: &ConfigShowArgs) -> Result<u8, Failure> {
    let project = open::project_of(args.bug.as_deref().unwrap_or("."));
    let layers = Layers::read(project.as_deref(), &args.settings)?;
    layers.config()?;
    let text = if args.json { format!("{}\n", as_json(&layers)) } else { as_text(&layers) };
    super::print(&text);
    Ok(0)
}

fn as_json(layers: &Layers) -> Value {
    let settings: Vec<Value> = layers
        .settings()
        .map(|(name, setting)| json!({"name": name, "value": setting.value, "origin": setting.origin}))
        .collect();
    json!({"schema": 1, "settings": settings})
}

fn as_text(layers: &Layers) -> String {
    let dim = Style::new().fg_color(Some(AnsiColor::BrightBlack.into()));
    let mut text = String::new();
    for (name, setting) in layers.settings() {
        let value = if setting.value.is_null() { "(not set)".to_owned() } else { setting.value.to_string() };
        let (open, close) = if setting.origin == Place::Default { (dim, dim) } else { (Style::new(), Style::new()) };
        let _ = writeln!(text, "{open}{name:<26} {value:<24} {}{close:#}", setting.origin);
    }
    if let Some(file) = user_file() {
        let there = if file.is_file() { "" } else { " (not there)" };
        let _ = writeln!(text, "\nyour settings: {file}{there}");
    }
    text
}
