//! Which JSON values name a command, in the spellings that models use.

use super::tolerant;
use serde_json::{Map, Value};

/// Keys under which models put the arguments.
const ARGS: [&str; 7] = ["args", "arguments", "parameters", "params", "input", "action_input", "tool_input"];
/// Keys that name a command by themselves, inside a command object or beside its arguments.
const NAMES: [&str; 6] = ["name", "tool", "tool_name", "function", "action", "command_name"];
/// Keys of the model's reasoning.
const THOUGHTS: [&str; 5] = ["thoughts", "thought", "reasoning", "thinking", "analysis_of_the_situation"];
/// Keys that hold a list of commands, or the one command.
const WRAPPERS: [&str; 5] = ["command", "commands", "tool_calls", "function_call", "tool_call"];

/// A command found in a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub thoughts: String,
    pub name: String,
    pub args: Value,
}

/// Every command a document names, in order; empty when it names none. `alone` says that the document is the whole
/// answer: a name without arguments is a command only then, because data has names too.
pub(super) fn of(document: &Value, alone: bool) -> Vec<Candidate> {
    match document {
        Value::Array(items) => items.iter().flat_map(|item| of(item, alone)).collect(),
        Value::Object(members) => of_object(members, alone),
        _ => Vec::new(),
    }
}

fn of_object(members: &Map<String, Value>, alone: bool) -> Vec<Candidate> {
    let thoughts = THOUGHTS.iter().find_map(|key| members.get(*key)).map(as_text).unwrap_or_default();
    let mut found = match WRAPPERS.iter().find_map(|key| members.get(*key)) {
        Some(Value::String(name)) => named(name, members).into_iter().collect(),
        Some(Value::Array(list)) => list.iter().filter_map(command).collect(),
        Some(wrapped) => command(wrapped).into_iter().collect(),
        None => explicit(members, alone).into_iter().collect::<Vec<_>>(),
    };
    if let Some(first) = found.first_mut()
        && first.thoughts.is_empty()
    {
        first.thoughts = thoughts;
    }
    found
}

/// A value that stands where a command is expected.
fn command(value: &Value) -> Option<Candidate> {
    match value {
        Value::String(name) => named(name, &Map::new()),
        Value::Object(members) => explicit(members, true).or_else(|| {
            let (name, args) = members.iter().next().filter(|_| members.len() == 1)?;
            args.is_object().then(|| Candidate { thoughts: String::new(), name: name.clone(), args: args.clone() })
        }),
        _ => None,
    }
}

/// An object that names its command under one of the usual keys, with arguments beside it; without them only where a
/// command is expected.
fn explicit(members: &Map<String, Value>, expected: bool) -> Option<Candidate> {
    let (key, value) = NAMES.iter().find_map(|key| Some((*key, members.get(*key)?)))?;
    match value {
        Value::String(name) => {
            let has_args = ARGS.iter().any(|key| members.contains_key(*key));
            let strangers = members
                .keys()
                .any(|other| other != key && other != "type" && other != "id" && !THOUGHTS.contains(&other.as_str()));
            // `name` beside other keys is a record of something; `tool` and `action` beside them have arguments inline.
            let inline = strangers && key != "name" && key != "function";
            if has_args || (expected && (!strangers || inline)) { named(name, members) } else { None }
        }
        // OpenAI's own shape of a call: {"type": "function", "function": {"name", "arguments"}}.
        Value::Object(inner) => explicit(inner, expected),
        _ => None,
    }
}

fn named(name: &str, members: &Map<String, Value>) -> Option<Candidate> {
    let name = name.trim().trim_end_matches("()");
    if !is_like_a_name(name) {
        return None;
    }
    let args = ARGS.iter().find_map(|key| members.get(*key)).map_or_else(|| rest(members), parsed);
    Some(Candidate { thoughts: String::new(), name: name.to_owned(), args })
}

/// Whether a text can be meant as a tool's name, however misspelt.
fn is_like_a_name(text: &str) -> bool {
    const LONGEST: usize = 100;
    text.len() <= LONGEST
        && text.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | ':' | '/'))
}

/// Arguments that stand directly beside the command's name.
fn rest(members: &Map<String, Value>) -> Value {
    let own = |key: &str| {
        NAMES.contains(&key) || THOUGHTS.contains(&key) || WRAPPERS.contains(&key) || key == "type" || key == "id"
    };
    Value::Object(members.iter().filter(|(key, _)| !own(key)).map(|(k, v)| (k.clone(), v.clone())).collect())
}

/// Arguments may come as JSON inside a string.
fn parsed(args: &Value) -> Value {
    match args {
        Value::Null => Value::Object(Map::new()),
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) if text.trim_start().starts_with('{') => {
            tolerant::document(text.trim_start()).map_or_else(|_| args.clone(), |read| read.value)
        }
        other => other.clone(),
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => String::new(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            members.iter().map(|(key, value)| format!("{key}: {}", as_text(value))).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}
