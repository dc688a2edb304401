//! Summarizer's answer: what each method of one file does; every method it names exists.

use super::Context;
use crate::agent::answer;
use crate::code::SourceFile;
use crate::domain::{MethodSummary, Refusal, Summary};
use serde_json::{Value, json};

/// Unknown methods that are named in a refusal.
const NAMED: usize = 5;

/// Reads `summary`, a list of `{class, method, parameters, returns, description}`.
pub(super) fn read(args: &Value, context: Context<'_>, explanation: String) -> Result<Summary, Refusal> {
    let file = context.file()?;
    let list = args["summary"].as_array().filter(|list| !list.is_empty());
    let list = list.ok_or("`summary` is missing: a list of {class, method, parameters, returns, description}")?;
    let entries: Vec<MethodSummary> = list.iter().map(entry).collect::<Result<_, _>>()?;
    let unknown: Vec<&str> = entries.iter().filter(|e| !exists(e, file)).map(|e| e.method.as_str()).collect();
    if !unknown.is_empty() {
        let known: Vec<&str> = file.methods().map(|m| m.name.as_str()).collect();
        let unknown = unknown[..unknown.len().min(NAMED)].join(", ");
        return Err(format!("{} has no method {unknown}; its methods are: {}", file.path, known.join(", ")).into());
    }
    if entries.iter().all(|e| e.description.is_empty() && e.returns.is_empty()) {
        return Err("no entry says what its method does; fill `description`".into());
    }
    Ok(Summary { file: file.path.clone(), entries, explanation })
}

fn entry(value: &Value) -> Result<MethodSummary, Refusal> {
    let text = |key: &str| match &value[key] {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => String::new(),
        Value::Array(parts) => parts.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    let method = text("method");
    // A class may be summarised as a whole, without a method.
    if method.is_empty() && text("class").is_empty() {
        return Err("an entry of `summary` names neither `class` nor `method`".into());
    }
    let bare = method.split('(').next().unwrap_or("").trim();
    Ok(MethodSummary {
        class: text("class"),
        method: bare.rsplit(['.', '#', ' ']).next().unwrap_or(bare).to_owned(),
        parameters: text("parameters"),
        returns: text("returns"),
        description: text("description"),
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether the file declares it. A constructor goes by its class's name or as `<init>`.
fn exists(entry: &MethodSummary, file: &SourceFile) -> bool {
    let simple = entry.class.rsplit(['.', '$']).next().unwrap_or("");
    let simple = simple.split('<').next().unwrap_or(simple).trim();
    let fits = |kind: &&crate::code::Type| simple.is_empty() || kind.simple_name() == simple;
    let mut types = file.types.iter().filter(fits);
    match entry.method.as_str() {
        "" => types.next().is_some(),
        "<init>" => types.any(|kind| kind.methods.iter().any(|m| m.constructor)),
        name => types.any(|kind| kind.methods.iter().any(|m| m.name == name)),
    }
}

/// The arguments as an object, a list of entries in a text, or lines of the form `` `method(…)`: what it does ``.
pub(super) fn bare(answer: &Value) -> Option<Value> {
    let Some(text) = answer.as_str() else { return answer.get("summary").is_some().then(|| answer.clone()) };
    let list = answer::list(text);
    if !list.is_empty() {
        return Some(json!({"summary": list, "explanation": super::prose(text)}));
    }
    let entries: Vec<Value> = text.lines().filter_map(line).collect();
    (!entries.is_empty()).then(|| json!({"summary": entries, "explanation": ""}))
}

/// `- isFull(): whether nothing more fits`, with or without bullets, numbers, bold type and back quotes.
fn line(line: &str) -> Option<Value> {
    let (name, description) = line.split_once(':')?;
    let name = name.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "-*`.#•".contains(c));
    let bare = name.split('(').next()?.trim().trim_matches(['`', '*']);
    let last = bare.rsplit(['.', '#']).next()?;
    let is_name = !last.is_empty() && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    // Only a name with parentheses is surely a method; a heading ends in a colon too.
    (is_name && name.contains('(') && !description.trim().is_empty())
        .then(|| json!({"method": last, "description": description.trim_matches(['*', '`', ' '])}))
}
