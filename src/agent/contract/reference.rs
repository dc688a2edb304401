//! Helper's answer: a reference solution that cites what it was made from.

use super::Asked;
use crate::domain::Reference;
use crate::tools::Workbench;
use serde_json::{Value, json};

/// Who cannot search need not cite.
const SEARCH: &str = "search_solutions";

/// Reads `reference` and `sources`.
pub fn read(args: &Value, asked: Asked<'_>, explanation: String) -> Result<Reference, String> {
    let text = args["reference"].as_str().unwrap_or("").trim();
    if text.is_empty() {
        return Err("`reference` is missing: the solution in words and code".into());
    }
    let sources: Vec<String> = match &args["sources"] {
        Value::Array(list) => list.iter().filter_map(|source| source.as_str()).map(cleaned).collect(),
        Value::String(one) => one.split([',', '\n']).map(cleaned).collect(),
        _ => Vec::new(),
    };
    let sources: Vec<String> = sources.into_iter().filter(|source| !source.is_empty()).collect();
    if sources.is_empty() && asked.profile.offers(SEARCH) {
        return Err("`sources` is empty: cite what you used, by the id that search_solutions gave".into());
    }
    let known = asked.bench.solutions.given();
    match sources.iter().find(|source| !known.contains(source)) {
        Some(unknown) => Err(format!("the source `{unknown}` was never found; cite ids that search_solutions gave")),
        None => Ok(Reference { text: text.to_owned(), sources, explanation }),
    }
}

fn cleaned(source: &str) -> String {
    source.trim_matches(|c: char| c.is_whitespace() || "[]`'\"".contains(c)).to_owned()
}

/// The arguments as an object, or a guide in prose that names its sources by id.
pub fn bare(said: &Value, bench: &Workbench) -> Option<Value> {
    let Some(text) = said.as_str() else { return said.get("reference").is_some().then(|| said.clone()) };
    let sources: Vec<String> = bench.solutions.given().into_iter().filter(|id| text.contains(id.as_str())).collect();
    Some(json!({"reference": text, "sources": sources, "explanation": ""}))
}
