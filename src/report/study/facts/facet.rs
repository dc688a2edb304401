//! Everything in a frozen configuration that can change a result, one value at a time.

use crate::domain::words::without_login;
use crate::report::Conditions;
use serde_json::Value;

/// Parts of the frozen configuration that cannot change a result, or that something else stands for, each with the
/// reason. Everything else sets its runs apart, and so does everything that later programs will add.
pub(crate) const EXEMPT: [(&str, &str); 11] = [
    ("schema", "it is the form of the file"),
    ("bug", "rows are compared bug by bug"),
    ("issue", "it is a part of the bug"),
    ("name", "it is the row's name itself"),
    ("origins", "where a value came from does not change it"),
    ("plan", "settings and version decide it; its prices stand by themselves"),
    ("conditions", "machine, date and command are told under Conditions; dataset and content stand for paths"),
    ("settings.models", "`model` tells what an alias stands for"),
    ("settings.key_variable", "whose key pays changes no answer"),
    ("settings.key_file", "whose key pays changes no answer"),
    ("settings.record", "a copy of the traffic changes none of it"),
];
/// Settings that belong to a bug or its dataset: they set runs apart where one bug was run with two of them.
const OF_BUG: [&str; 8] = [
    "settings.root",
    "settings.build",
    "settings.test",
    "settings.failing",
    "settings.requirements",
    "settings.analysis",
    "settings.java_home",
    "settings.sandbox",
];

/// One thing that can change a result, and what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facet {
    /// Where it stands: `settings.max_time`.
    pub key: String,
    /// Its value as text; empty where it is not set, or off.
    pub value: String,
    /// Whether it belongs to the bug, the dataset or the machine, and counts where one bug was run with two of them.
    pub of_bug: bool,
}

impl Facet {
    /// One that is known apart from the settings; `of_bug` as there.
    pub(crate) fn new(key: &str, value: &str, of_bug: bool) -> Self {
        Self { key: key.to_owned(), value: value.to_owned(), of_bug }
    }

    /// Whether it was not found out. A setting that is not set is as by default, which is known.
    pub(crate) fn is_unknown(&self) -> bool {
        self.value.is_empty() && !self.key.starts_with("settings.")
    }

    /// The name for people: `max time`.
    pub(crate) fn name(&self) -> String {
        self.key.trim_start_matches("settings.").replace(['_', '.'], " ")
    }

    /// Name and value as they stand in a label: `max time 60s`; what is on is only named.
    pub(crate) fn words(&self) -> String {
        if self.value == ON { self.name() } else { format!("{} {}", self.name(), self.value) }
    }
}

/// The value of what is either on or not.
const ON: &str = "yes";

/// The facets of a frozen configuration, in its order.
pub(super) fn facets(config: &Value, conditions: &Conditions) -> Vec<Facet> {
    let mut all = Vec::new();
    for (key, value) in config.as_object().into_iter().flatten() {
        push(&mut all, key, value);
    }
    for facet in &mut all {
        let setting = facet.key.trim_start_matches("settings.");
        if let Some(content) = conditions.content.get(setting) {
            facet.value.clone_from(content);
        }
        // The state of the dataset counts, where it lies does not.
        if setting == "root" && !conditions.dataset.is_empty() {
            facet.value.clone_from(&conditions.dataset);
        }
        if setting == "model" {
            facet.value = models(&config["settings"]).join(" ");
        }
    }
    all.push(Facet::new("commit", &conditions.commit, false));
    all.push(Facet::new("prices of", config["plan"]["prices"].as_str().unwrap_or_default(), false));
    all
}

fn push(all: &mut Vec<Facet>, key: &str, value: &Value) {
    if EXEMPT.iter().any(|(exempt, _)| *exempt == key) {
        return;
    }
    match value {
        Value::Object(parts) if !parts.is_empty() => {
            parts.iter().for_each(|(name, part)| push(all, &format!("{key}.{name}"), part));
        }
        _ => all.push(Facet { key: key.to_owned(), value: text(value), of_bug: OF_BUG.contains(&key) }),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => String::new(),
        Value::Bool(true) => ON.to_owned(),
        // Reports are published.
        Value::String(text) => without_login(text),
        Value::Array(items) if items.is_empty() => String::new(),
        Value::Array(items) => {
            let words: Vec<String> = items.iter().map(text).collect();
            let is_plain = words.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace));
            if is_plain { words.join(" ") } else { value.to_string() }
        }
        Value::Object(parts) if parts.is_empty() => String::new(),
        other => other.to_string(),
    }
}

/// The models as they are asked, aliases resolved, each perhaps behind its part.
pub(super) fn models(settings: &Value) -> Vec<String> {
    let named = settings["model"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let resolved = named.map(|named| {
        let (part, model) = named.split_once('=').map_or(("", named), |(part, model)| (part, model));
        let model = settings["models"][model].as_str().unwrap_or(model);
        if part.is_empty() { model.to_owned() } else { format!("{part}={model}") }
    });
    resolved.collect()
}
