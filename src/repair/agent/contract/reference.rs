//! Helper's answer: a reference solution that cites what it was made from, if anything that was found fits.

use super::Context;
use crate::domain::Reference;
use crate::domain::Refusal;
use crate::tools::Workbench;
use serde_json::{Value, json};

/// Reads `reference` and `sources`, and gives the reference with the citations that were dropped: what was never found
/// cannot be cited, and the reference may be good all the same.
pub(super) fn read(
    args: &Value,
    context: Context<'_>,
    explanation: String,
) -> Result<(Reference, Vec<String>), Refusal> {
    let text = args["reference"].as_str().unwrap_or("").trim();
    if text.is_empty() {
        return Err("`reference` is missing: the solution in words and code".into());
    }
    let sources: Vec<String> = match &args["sources"] {
        Value::Array(list) => list.iter().filter_map(|source| source.as_str()).map(cleaned).collect(),
        Value::String(one) => one.split([',', '\n']).map(cleaned).collect(),
        _ => Vec::new(),
    };
    let known = context.bench.solutions.given();
    let named = sources.into_iter().filter(|source| !source.is_empty());
    let (sources, dropped): (Vec<String>, Vec<String>) = named.partition(|source| known.contains(source));
    Ok((Reference { text: text.to_owned(), sources, explanation }, dropped))
}

/// How the agent ended, in one phrase.
pub(super) fn how(reference: &Reference, dropped: &[String]) -> String {
    let from = match reference.sources.as_slice() {
        [] => "a reference of its own".to_owned(),
        sources => format!("a reference from {}", sources.join(", ")),
    };
    match dropped {
        [] => from,
        _ => format!("{from}; dropped the citation of {}, which was never found", dropped.join(", ")),
    }
}

fn cleaned(source: &str) -> String {
    source.trim_matches(|c: char| c.is_whitespace() || "[]`'\"".contains(c)).to_owned()
}

/// The arguments as an object, or a guide in prose that names its sources by id.
pub(super) fn bare(answer: &Value, bench: &Workbench) -> Option<Value> {
    let Some(text) = answer.as_str() else { return answer.get("reference").is_some().then(|| answer.clone()) };
    let sources: Vec<String> = bench.solutions.given().into_iter().filter(|id| text.contains(id.as_str())).collect();
    Some(json!({"reference": text, "sources": sources, "explanation": ""}))
}
