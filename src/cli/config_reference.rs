//! `unidebug config reference`: every setting with its flag, its variable, its default and who may set it, as a page in
//! Markdown. It is made from the declarations, and `docs/settings.md` is what it prints.

use super::config::{Config, Declared, TABLE, default_of};
use super::flags::Settings;
use crate::benchmark::facts::{FILE, Repository};
use clap::{Arg, ArgAction, Args, Command};
use serde_json::Value;
use std::fmt::Write;

/// What stands above the settings.
const INTRODUCTION: &str = "\
# Settings

`unidebug config reference` prints this page. A setting has one name in every layer, and the later layer decides: the
program's defaults, `~/.config/unidebug/config.toml`, the project's `.unidebug.toml`, variables, flags. `unidebug config
show` prints each value with the place it came from. The project's file comes with a repository and is not trusted: it may
set what is marked here, and the facts that [your own project](projects.md) explains. A path in a file is relative to that
file. A variable holds a list with commas between its items; `OPENAI_BASE_URL` sets `base_url`, too.
";

/// Heading of settings that have no flag.
const FILES: &str = "Without a flag";

/// Prints the page.
pub(super) fn reference() -> u8 {
    super::print(&page(&TABLE, &Settings::augment_args(Command::default())));
    0
}

/// The page of these settings, whose flags are those of a command.
fn page(table: &[Declared], flags: &Command) -> String {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    let flag_of = |declared: &Declared| flags.get_arguments().find(|flag| flag.get_id() == declared.key);
    let heading_of = |declared: &Declared| flag_of(declared).and_then(Arg::get_help_heading).unwrap_or(FILES);
    let mut headings: Vec<&str> = Vec::new();
    for heading in table.iter().map(heading_of) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut page = INTRODUCTION.to_owned();
    for heading in headings {
        let _ = writeln!(page, "\n## {heading}");
        for declared in table.iter().filter(|declared| heading_of(declared) == heading) {
            page.push_str(&entry(declared, flag_of(declared), &defaults[declared.key]));
        }
    }
    page
}

/// What the page says of one setting.
fn entry(declared: &Declared, flag: Option<&Arg>, default: &Value) -> String {
    let lines: Vec<&str> = declared.help.lines().map(str::trim).collect();
    let mut facts: Vec<String> = flag.map(|flag| format!("`{}`", typed(flag))).into_iter().collect();
    facts.push(match default {
        Value::Object(_) => format!("table `[{}]` in files, no variable", declared.key),
        _ => format!("`UNIDEBUG_{}`", declared.key.to_uppercase()),
    });
    facts.extend(flag.and_then(choices));
    facts.extend(range(declared));
    facts.extend(default_of(declared.key).map(|default| format!("default `{default}`")));
    facts.push(match declared.repository {
        None => "not in the project's file".to_owned(),
        Some(Repository::States) => format!("`{FILE}` may set it"),
        Some(Repository::Lowers) => format!("`{FILE}` may lower it"),
        Some(Repository::Adds) => format!("`{FILE}` may add to it"),
    });
    format!("\n### `{}`\n\n{}\n\n{}.\n", declared.key, lines.join("\n").trim(), facts.join(" · "))
}

/// A flag as it is typed.
fn typed(flag: &Arg) -> String {
    let long = flag.get_long().unwrap_or_default();
    let value = flag.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    let value = if is_switch(flag) { String::new() } else { format!(" {value}") };
    let again = if matches!(flag.get_action(), ArgAction::Append) { " …" } else { "" };
    format!("--{long}{value}{again}")
}

/// Whether the flag may stand without a value.
fn is_switch(flag: &Arg) -> bool {
    flag.get_num_args().is_some_and(|values| values.min_values() == 0)
}

/// The words that a flag takes, where they are few.
fn choices(flag: &Arg) -> Option<String> {
    let words: Vec<String> = flag.get_possible_values().iter().map(|word| format!("`{}`", word.get_name())).collect();
    (!words.is_empty() && !is_switch(flag)).then(|| format!("one of {}", words.join(", ")))
}

/// The numbers that fit.
fn range(declared: &Declared) -> Option<String> {
    match (declared.least, declared.most) {
        (0, None) => None,
        (least, None) => Some(format!("at least {least}")),
        (least, Some(most)) => Some(format!("{least} to {most}")),
    }
}
