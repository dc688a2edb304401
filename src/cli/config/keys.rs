//! Settings by name: which values fit, what a text can mean, how tables become flat and whole again.

use super::declare::{Misfit, in_range};
use super::{Config, Dollars, Time, declared};
use crate::benchmark::facts::Repository;
use crate::domain::Hidden;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

/// Name of a setting with the tables it stands in, outermost first.
pub(super) type Key = Vec<String>;

/// Whether a value fits its setting, looked at alone.
pub(super) fn check(key: &[String], value: &Value) -> Result<(), Misfit> {
    let mut alone = Value::Object(Map::new());
    put(&mut alone, key, value.clone());
    let config: Config = serde_json::from_value(alone)?;
    match key {
        [name] => declared(name).map_or(Ok(()), |declared| declared.check(value))?,
        // Of no call, no token and no candidate nothing comes.
        [table, ..] if table == "caps" => in_range(value, 1, None)?,
        _ => {}
    }
    // What is made of globs takes longer than all the rest.
    if !config.deny.is_empty() {
        Hidden::new(&config.deny)?;
    }
    Ok(())
}

/// A variable's text as each kind of value it can mean.
pub(super) fn readings(text: &str) -> Vec<Value> {
    let list = text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect();
    let plain = serde_json::from_str(text).ok().filter(|value: &Value| value.is_number() || value.is_boolean());
    [Some(Value::from(text)), plain, Some(Value::Array(list))].into_iter().flatten().collect()
}

/// What a project's own file may do to the setting, if anything.
pub(super) fn repository(key: &[String]) -> Option<Repository> {
    declared(key.first()?)?.repository
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
    let is_path = matches!(key, [name] if declared(name).is_some_and(|declared| declared.is_path));
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
