//! The arguments of `goal_accomplished` as a schema, for endpoints that are offered tools or hold an answer to a schema.

use crate::agent::profile::ContractKind;
use serde_json::{Value, json};

/// What the answer of an agent with this contract holds.
pub(crate) fn answer_schema(contract: ContractKind) -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let texts = |about: &str| json!({"type": "array", "items": {"type": "string"}, "description": about});
    let objects = |needed: &[&str], properties: Value, about: &str| {
        json!({
            "type": "array", "description": about,
            "items": {"type": "object", "required": needed, "properties": properties},
        })
    };
    let (needed, mut properties) = match contract {
        ContractKind::Marks => {
            let parts = json!({"file_path": text("file of the code"), "code": text("the lines, with the marks")});
            let marked = objects(&["code"], parts, "the code around the marks, with the marks");
            (vec!["marked_code"], json!({"marked_code": marked}))
        }
        ContractKind::Slice => {
            let (first, last) = (text("text of the first line"), text("text of the last line"));
            let parts = json!({"file_path": text("its file"), "first_line": first, "last_line": last});
            let segments =
                objects(&["first_line", "last_line"], parts, "the segments that hold the cause, one as a rule");
            (vec!["segments"], json!({"segments": segments}))
        }
        ContractKind::Summary => {
            let names = ["class", "method", "parameters", "returns", "description"];
            let parts: serde_json::Map<String, Value> =
                names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
            let entries = objects(&names[..2], Value::Object(parts), "what each class and method does");
            (vec!["summary"], json!({"summary": entries}))
        }
        ContractKind::Files => (vec!["files"], json!({"files": texts("paths of the files")})),
        ContractKind::Reference => {
            let sources = texts("ids of what it was made from");
            (vec!["reference"], json!({"reference": text("the solution in words and code"), "sources": sources}))
        }
        ContractKind::Patch | ContractKind::Test => (Vec::new(), json!({})),
    };
    properties["explanation"] = text("why this answer is right");
    json!({"type": "object", "required": needed, "properties": properties})
}
