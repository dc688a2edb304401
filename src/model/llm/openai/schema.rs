//! The schema of an answer in text: thoughts and one command. In its strict form every object is closed and every
//! property is named, as endpoints ask for that hold a model to it; what may be missing is then `null`.

use super::super::ToolSpec;
use serde_json::{Map, Value, json};

/// What endpoints do not take in a strict schema, or what says nothing to a model.
const LEFT_OUT: [&str; 9] =
    ["$schema", "title", "default", "format", "minimum", "maximum", "minItems", "maxItems", "uniqueItems"];

/// A named schema as endpoints take it, strict where that can be had.
pub(super) fn format(tools: &[ToolSpec], strictly: bool) -> Value {
    match strict(tools).filter(|_| strictly) {
        Some(schema) => json!({"name": "command", "strict": true, "schema": schema}),
        None => json!({"name": "command", "schema": loose(tools)}),
    }
}

/// Any arguments for any of the tools.
fn loose(tools: &[ToolSpec]) -> Value {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    answer(json!({
        "type": "object", "required": ["name", "args"], "additionalProperties": false,
        "properties": {"name": {"type": "string", "enum": names}, "args": {"type": "object"}},
    }))
}

/// Each tool with its own arguments; `None` where the arguments of one cannot be closed.
pub(super) fn strict(tools: &[ToolSpec]) -> Option<Value> {
    let command = |tool: &ToolSpec| {
        let args = closed(&tool.parameters)?;
        Some(json!({
            "type": "object", "required": ["name", "args"], "additionalProperties": false,
            "properties": {"name": {"type": "string", "enum": [tool.name]}, "args": args},
        }))
    };
    let commands: Option<Vec<Value>> = tools.iter().map(command).collect();
    Some(answer(json!({"anyOf": commands.filter(|commands| !commands.is_empty())?})))
}

fn answer(command: Value) -> Value {
    json!({
        "type": "object", "required": ["thoughts", "command"], "additionalProperties": false,
        "properties": {"thoughts": {"type": "string"}, "command": command},
    })
}

/// The schema with every object closed; `None` where it refers to others, or holds an object of any shape.
fn closed(schema: &Value) -> Option<Value> {
    let given = schema.as_object()?;
    if given.contains_key("$ref") || given.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        return None;
    }
    let mut made: Map<String, Value> = Map::new();
    for (name, value) in given.iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())) {
        let value = match name.as_str() {
            "items" => closed(value)?,
            "anyOf" | "oneOf" => value.as_array()?.iter().map(closed).collect::<Option<Vec<_>>>()?.into(),
            "properties" | "required" | "additionalProperties" => continue,
            _ => value.clone(),
        };
        made.insert(name.clone(), value);
    }
    let is_object = given.get("type").is_some_and(|kind| {
        *kind == "object" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
    });
    if is_object {
        let needed: Vec<&str> = given.get("required").into_iter().flat_map(names).collect();
        let mut properties = Map::new();
        for (name, value) in given.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let value = closed(value)?;
            let value = if needed.contains(&name.as_str()) { value } else { or_null(value) };
            properties.insert(name.clone(), value);
        }
        made.insert("required".to_owned(), properties.keys().cloned().collect());
        made.insert("properties".to_owned(), Value::Object(properties));
        made.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Some(Value::Object(made))
}

fn names(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The same, or nothing.
fn or_null(mut schema: Value) -> Value {
    match schema.get("type") {
        Some(Value::Array(kinds)) if kinds.iter().any(|kind| kind == "null") => schema,
        Some(Value::String(kind)) if schema.get("enum").is_none() => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, parameters: Value) -> ToolSpec {
        ToolSpec { name: name.into(), description: String::new(), parameters }
    }

    #[test]
    fn every_object_is_closed_and_what_may_be_missing_is_null() {
        let read = tool(
            "read",
            json!({"type": "object", "title": "Args", "required": ["file"], "properties": {
                "file": {"type": "string"}, "line": {"type": "integer", "minimum": 0},
                "edits": {"type": "array", "items": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}},
            }}),
        );
        let schema = strict(&[read, tool("none", json!({"type": "object"}))]).unwrap();
        let commands = schema["properties"]["command"]["anyOf"].as_array().unwrap();
        let args = &commands[0]["properties"]["args"];
        assert_eq!(args["required"], json!(["file", "line", "edits"]));
        assert_eq!(args["properties"]["line"], json!({"type": ["integer", "null"]}));
        assert_eq!(args["properties"]["edits"]["items"]["additionalProperties"], false);
        assert_eq!(commands[1]["properties"]["args"]["properties"], json!({}));
        let compiled = jsonschema::validator_for(&schema).unwrap();
        let answer = |args: Value| json!({"thoughts": "", "command": {"name": "read", "args": args}});
        assert!(compiled.is_valid(&answer(json!({"file": "A", "line": null, "edits": null}))));
        assert!(!compiled.is_valid(&answer(json!({"file": "A", "line": 1, "edits": null, "more": 1}))));
    }

    #[test]
    fn what_cannot_be_closed_is_asked_for_loosely() {
        let open = tool("f", json!({"type": "object", "additionalProperties": true}));
        assert_eq!(strict(std::slice::from_ref(&open)), None);
        let format = format(&[open], true);
        assert!(format.get("strict").is_none() && format["schema"].to_string().contains(r#""enum":["f"]"#));
    }
}
