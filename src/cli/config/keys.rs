//! Settings by name: which values fit, what a text can mean, how tables become flat and whole again.

use super::{Config, Dollars, Time};
use crate::domain::Hidden;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

/// Name of a setting with the tables it stands in, outermost first.
pub(super) type Key = Vec<String>;

/// Settings that name files: a relative path means one thing wherever it is read from.
const PATHS: &[&str] =
    &["root", "requirements", "java_home", "key_file", "agents", "prompts", "record", "prices", "corpus", "analysis"];

/// Whether a value fits its setting, looked at alone.
pub(super) fn check(key: &[String], value: &Value) -> Result<(), String> {
    let mut alone = Value::Object(Map::new());
    put(&mut alone, key, value.clone());
    serde_json::from_value::<Config>(alone).map_err(|error| error.to_string())?;
    let least = match key.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [
            "attempts"
            | "idle_cycles"
            | "max_tokens"
            | "max_answer"
            | "max_validations"
            | "concurrency"
            | "requests_per_minute"
            | "max_candidates",
        ] => 1,
        ["caps", _, "tokens" | "cycles" | "validations"] => 1,
        _ => 0,
    };
    if value.as_u64().is_some_and(|number| number < least) {
        return Err(format!("it is {value}, and at least {least} makes sense"));
    }
    if key == ["deny"] {
        let globs = value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Hidden::new(&globs.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// A variable's text as each kind of value it can mean.
pub(super) fn readings(text: &str) -> Vec<Value> {
    let list = text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect();
    let plain = serde_json::from_str(text).ok().filter(|value: &Value| value.is_number() || value.is_boolean());
    [Some(Value::from(text)), plain, Some(Value::Array(list))].into_iter().flatten().collect()
}

/// Whether the setting is a cap.
pub(super) fn is_cap(key: &[String]) -> bool {
    key[0] == "caps" || key[0].starts_with("max_")
}

/// Whether a wish stays at or below what is allowed; anything does where nothing is capped.
pub(super) fn lowers(wish: &Value, allowed: &Value) -> bool {
    let amount = |value: &Value| match value {
        Value::String(text) => text
            .parse::<Time>()
            .map(|time| time.0.as_secs_f64())
            .or_else(|_| text.parse::<Dollars>().map(|usd| usd.0))
            .ok(),
        other => other.as_f64(),
    };
    match (amount(wish), amount(allowed)) {
        (Some(wish), Some(allowed)) => wish <= allowed,
        // What is no amount at all is refused as a value of the wrong kind.
        _ => true,
    }
}

/// The value; a path as an absolute one, with `~/` as the home folder.
pub(super) fn rooted(key: &[String], value: Value, base: Option<&Utf8Path>) -> Value {
    let is_path = key.len() == 1 && PATHS.contains(&key[0].as_str());
    if let (true, Value::Array(all)) = (is_path, &value) {
        return all.iter().map(|one| rooted(key, one.clone(), base)).collect();
    }
    let Some(text) = value.as_str().filter(|_| is_path) else { return value };
    let path = match text.strip_prefix("~/") {
        Some(rest) => std::env::var("HOME").map_or_else(|_| text.into(), |home| Utf8Path::new(&home).join(rest)),
        None => Utf8PathBuf::from(text),
    };
    let path = base.map_or_else(|| path.clone(), |base| base.join(&path));
    let whole = std::path::absolute(&path).ok().and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
    Value::from(whole.unwrap_or(path).as_str())
}

/// Tells every value that is no table, with its name.
pub(super) fn flatten(value: &Value, above: &mut Key, each: &mut impl FnMut(Key, Value)) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                above.push(name.clone());
                flatten(value, above, each);
                above.pop();
            }
        }
        other => each(above.clone(), other.clone()),
    }
}

/// Sets a value in tables that are made as needed.
pub(super) fn put(all: &mut Value, key: &[String], value: Value) {
    match key {
        [] => *all = value,
        [first, rest @ ..] => {
            if !all.is_object() {
                *all = Value::Object(Map::new());
            }
            if let Some(members) = all.as_object_mut() {
                put(members.entry(first.clone()).or_insert(Value::Null), rest, value);
            }
        }
    }
}
