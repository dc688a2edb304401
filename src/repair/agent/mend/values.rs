//! Values against the types of a schema: what fits, and what can only mean something that fits.

use crate::domain::words::clipped;
use serde_json::Value;

/// Type names of a schema; empty means any.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

pub(super) fn a_type(name: &str) -> &str {
    match name {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

/// The value in the wanted type, when it can only mean that.
pub(super) fn convert(value: &Value, name: &str, schema: &Value) -> Option<Value> {
    /// Whole numbers up to here are exact in a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let item_types = schema.get("items").map(types).unwrap_or_default();
    match (name, value) {
        ("integer", Value::Number(number)) => {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < EXACT)?;
            #[allow(clippy::cast_possible_truncation)]
            Some(Value::from(float as i64))
        }
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("number", Value::String(text)) => {
            text.trim().parse::<f64>().ok().and_then(|float| serde_json::Number::from_f64(float).map(Value::Number))
        }
        ("boolean", Value::String(text)) => text.trim().to_lowercase().parse::<bool>().ok().map(Value::from),
        ("integer" | "number" | "boolean", Value::Array(list)) if list.len() == 1 => {
            Some(list[0].clone()).filter(|item| is_of(item, name)).or_else(|| convert(&list[0], name, schema))
        }
        ("string", Value::Number(number)) => Some(Value::String(number.to_string())),
        ("string", Value::Bool(word)) => Some(Value::String(word.to_string())),
        ("string", Value::Array(lines)) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            lines.filter(|lines| !lines.is_empty()).map(|lines| Value::String(lines.join("\n")))
        }
        ("array" | "object", Value::String(text)) if text.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str::<Value>(text).ok().filter(|inner| is_of(inner, name))
        }
        ("array", Value::Null) => None,
        ("array", single) if !single.is_array() => {
            let fits = item_types.is_empty() || item_types.iter().any(|item| is_of(single, item));
            (fits || single.is_object() || single.is_string()).then(|| Value::Array(vec![single.clone()]))
        }
        ("object", Value::Array(list)) if list.len() == 1 && list[0].is_object() => Some(list[0].clone()),
        _ => None,
    }
}

/// A value for a message: short, whatever it is.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    clipped(&value.to_string(), LONGEST)
}
