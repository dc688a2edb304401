//! Defaults, the user's file, the repository's file, environment, flags: the later decides, and every value knows where
//! it came from.

use super::declare::Misfit;
use super::keys::{Key, check, flatten, lowers, put, readings, repository, rooted};
use super::{Config, ENGINE_TIME, Time};
use crate::benchmark::facts::{FILE, ProjectFile, Repository};
use crate::benchmark::keyed::{self, Entry};
use crate::benchmark::nearest;
use crate::cli::error::Failure;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ffi::OsString;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "layer")]
pub(crate) enum Place {
    /// The program itself: nobody set it.
    Default,
    /// The user's file.
    User {
        /// Where that file lies.
        file: Utf8PathBuf,
        /// The line that sets the value, counted from 1.
        line: usize,
    },
    /// The file that came with the repository.
    Repository {
        /// Where that file lies.
        file: Utf8PathBuf,
        /// The line that sets the value, counted from 1.
        line: usize,
    },
    /// A variable of the environment.
    Environment {
        /// The name of that variable.
        variable: String,
    },
    /// The command line.
    Flag {
        /// As it is typed.
        flag: String,
    },
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User { file, line } | Self::Repository { file, line } => write!(f, "{file}:{line}"),
            Self::Environment { variable } => f.write_str(variable),
            Self::Flag { flag } => f.write_str(flag),
        }
    }
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Setting {
    /// The value that counts, as JSON.
    pub value: Value,
    /// Where it came from.
    pub origin: Place,
}

/// All settings with their places.
#[derive(Debug, Clone)]
pub(crate) struct Layers {
    settings: BTreeMap<Key, Setting>,
}

/// The table of aliases: any name may stand in it.
const ALIASES: &str = "models";
/// What all variables of settings begin with.
const PREFIX: &str = "UNIDEBUG_";
/// The one of another name, which all programs that speak with OpenAI read.
const BASE_URL: &str = "OPENAI_BASE_URL";
/// Variables that are no settings: places and tests.
const OTHER_VARIABLES: &[&str] = &["LOG", "STATE_DIR", "CACHE_DIR"];
/// The same, by their ending or beginning.
const OTHER_FAMILIES: &[&str] = &["TEST_", "BENCH_", "SOAK", "FAILPOINT"];

impl Layers {
    /// What the program decides by itself.
    fn defaults() -> Self {
        let mut settings = BTreeMap::new();
        let all = serde_json::to_value(Config::default()).unwrap_or_default();
        flatten(&all, &mut Vec::new(), &mut |key, value| {
            settings.insert(key, Setting { value, origin: Place::Default });
        });
        Self { settings }
    }

    /// Reads all layers for a project (the folder of a local bug) and a command line.
    ///
    /// # Errors
    /// A file cannot be read, or holds an unknown key or a value of the wrong kind; or a repository asks for more than its
    /// user allows it.
    pub(crate) fn read(project: Option<&Utf8Path>, flags: &impl Serialize) -> Result<Self, Failure> {
        let mut layers = Self::defaults();
        if let Some(file) = user_file().filter(|file| file.is_file()) {
            layers.add_user(&file)?;
        }
        let mut trusted = layers.clone();
        trusted.add_environment(variables())?;
        trusted.add_flags(flags)?;
        if let Some(project) = project {
            layers.add_repository(project, &trusted)?;
            layers.add_environment(variables())?;
            layers.add_flags(flags)?;
            Ok(layers)
        } else {
            Ok(trusted)
        }
    }

    /// The decided settings.
    ///
    /// # Errors
    /// Values that fit alone and not together; there are none today.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let mut all = Value::Object(Map::new());
        for (key, setting) in &self.settings {
            put(&mut all, key, setting.value.clone());
        }
        serde_json::from_value(all).map_err(|e| Failure::usage(format!("the settings do not fit together: {e}"), HINT))
    }

    /// Every setting, in the order of their names.
    pub(crate) fn settings(&self) -> impl Iterator<Item = (String, &Setting)> {
        self.settings.iter().map(|(key, setting)| (key.join("."), setting))
    }

    fn add_user(&mut self, file: &Utf8Path) -> Result<(), Failure> {
        let text = std::fs::read_to_string(file)
            .map_err(|e| Failure::unusable(format!("cannot read the settings in {file}: {e}"), "make it readable"))?;
        let entries = keyed::entries(&text)
            .map_err(|c| Failure::usage(format!("{} ({file}:{})", c.what, c.line), "correct the file"))?;
        for entry in entries {
            let origin = Place::User { file: file.to_owned(), line: entry.line };
            if !self.knows(&entry.key) {
                return Err(self.unknown(&entry, &origin));
            }
            self.add(&entry.key, entry.value, origin, file.parent())?;
        }
        Ok(())
    }

    /// Adds what a repository may decide. What it may not is refused where its file is read; a cap only counts when it
    /// is lower than what the user allows.
    fn add_repository(&mut self, project: &Utf8Path, trusted: &Self) -> Result<(), Failure> {
        let file = project.join(FILE);
        for entry in ProjectFile::read(project)?.entries {
            let origin = Place::Repository { file: file.clone(), line: entry.line };
            if !self.knows(&entry.key) {
                // A fact that only the project's own set-up reads, or an unknown part of a table.
                if entry.key.len() > 1 {
                    return Err(self.unknown(&entry, &origin));
                }
                self.settings.insert(entry.key, Setting { value: entry.value, origin });
                continue;
            }
            let may = repository(&entry.key);
            if may == Some(Repository::Lowers)
                && let Some(most) = trusted.allowed(&entry.key)
                && !lowers(&entry.value, &most)
            {
                let what = format!(
                    "a repository may only lower `{}`: it asks for {}, and {} is allowed ({origin})",
                    entry.name(),
                    entry.value,
                    most
                );
                return Err(Failure::unusable(what, "set it yourself, by flag or in your own file, if you want that"));
            }
            if may == Some(Repository::Adds) {
                self.extend_list(&entry, origin)?;
            } else {
                self.add(&entry.key, entry.value, origin, Some(project))?;
            }
        }
        Ok(())
    }

    /// What a repository may only lower: the value that is set, or the least that stands for none.
    fn allowed(&self, key: &Key) -> Option<Value> {
        let value = self.settings.get(key).map(|setting| setting.value.clone())?;
        let unset = value.is_null() && *key == ["max_time"];
        Some(if unset { Value::from(String::from(Time(ENGINE_TIME))) } else { value })
    }

    /// A repository hides more files; it cannot show what the user hid.
    fn extend_list(&mut self, entry: &Entry, origin: Place) -> Result<(), Failure> {
        let mut all = self.settings.get(&entry.key).map(|s| s.value.clone()).unwrap_or_default();
        if let (Value::Array(all), Value::Array(more)) = (&mut all, &entry.value) {
            all.extend(more.iter().cloned());
            return self.add(&entry.key, Value::Array(std::mem::take(all)), origin, None);
        }
        self.add(&entry.key, entry.value.clone(), origin, None)
    }

    fn add_environment(&mut self, variables: impl Iterator<Item = (String, String)>) -> Result<(), Failure> {
        let all: BTreeMap<String, String> = variables.filter(|(_, value)| !value.is_empty()).collect();
        if let Some(url) = all.get(BASE_URL) {
            let origin = Place::Environment { variable: BASE_URL.into() };
            self.add(&["base_url".into()], Value::from(url.as_str()), origin, None)?;
        }
        for (variable, text) in all {
            let Some(key) = key_of(&variable) else { continue };
            let origin = Place::Environment { variable: variable.clone() };
            if !self.settings.contains_key(&key) {
                return Err(self.unknown(&Entry { key, value: Value::Null, line: 0 }, &origin));
            }
            // A number that is too large is the number all the same, and is refused as that.
            let is_of_its_kind = |value: &Value| !matches!(check(&key, value), Err(Misfit::Kind(_)));
            let fitting = readings(&text).into_iter().find(is_of_its_kind);
            self.add(&key, fitting.unwrap_or_else(|| Value::from(text.as_str())), origin, None)?;
        }
        Ok(())
    }

    /// Adds what was typed: the settings of `flags` that are neither null nor empty.
    fn add_flags(&mut self, flags: &impl Serialize) -> Result<(), Failure> {
        let typed = serde_json::to_value(flags).unwrap_or_default();
        let mut found = Vec::new();
        flatten(&typed, &mut Vec::new(), &mut |key, value| found.push((key, value)));
        for (key, value) in found {
            if value.is_null() || value.as_array().is_some_and(Vec::is_empty) {
                continue;
            }
            let flag = match key.as_slice() {
                [caps, rest @ ..] if caps == "caps" => format!("--cap {}", rest.join(".")),
                _ => format!("--{}", key.join(".").replace('_', "-")),
            };
            let origin = Place::Flag { flag };
            if !self.knows(&key) {
                return Err(self.unknown(&Entry { key, value, line: 0 }, &origin));
            }
            self.add(&key, value, origin, None)?;
        }
        Ok(())
    }

    fn knows(&self, key: &[String]) -> bool {
        self.settings.contains_key(key) || (key.len() == 2 && key[0] == ALIASES)
    }

    fn unknown(&self, entry: &Entry, origin: &Place) -> Failure {
        let name = entry.name();
        let known: Vec<String> = self.settings.keys().map(|key| key.join(".")).collect();
        let near = nearest(&name, known.iter().map(String::as_str), 1).join("");
        let near = match origin {
            Place::Environment { .. } => format!("{PREFIX}{}", near.to_uppercase()),
            _ => near,
        };
        Failure::usage(format!("unknown setting `{name}` ({origin}); did you mean `{near}`?"), HINT)
    }

    fn add(&mut self, key: &[String], value: Value, origin: Place, base: Option<&Utf8Path>) -> Result<(), Failure> {
        let value = rooted(key, value, base);
        check(key, &value).map_err(|what| Failure::usage(format!("`{}`: {what} ({origin})", key.join(".")), HINT))?;
        self.settings.insert(key.to_vec(), Setting { value, origin });
        Ok(())
    }
}

const HINT: &str = "`unidebug config show` lists all settings with their values";

/// The environment. What is no text cannot be a setting of ours as it stands, and is read as near to it as can be.
fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(move |(name, value)| (text(name), text(value)))
}

/// The setting that a variable of the environment names; `None` for a place, a test's switch, another program's variable.
fn key_of(variable: &str) -> Option<Key> {
    let rest = variable.strip_prefix(PREFIX)?;
    let other = OTHER_VARIABLES.contains(&rest)
        || rest.ends_with("_ROOT")
        || OTHER_FAMILIES.iter().any(|family| rest.starts_with(family));
    (!other).then(|| vec![rest.to_lowercase()])
}

/// The variables of this environment that decide a setting, for a machine whose environment is another one.
pub(crate) fn variables_of_settings() -> Vec<(String, String)> {
    let decides = |(name, value): &(String, String)| !value.is_empty() && (name == BASE_URL || key_of(name).is_some());
    let mut all: Vec<_> = variables().filter(decides).collect();
    all.sort();
    all
}

/// Where the user's own settings lie, whether or not they exist.
pub(crate) fn user_file() -> Option<Utf8PathBuf> {
    use etcetera::BaseStrategy;
    let folder = etcetera::choose_base_strategy().ok()?.config_dir();
    Some(Utf8PathBuf::from_path_buf(folder).ok()?.join("unidebug/config.toml"))
}

#[cfg(test)]
mod tests;
