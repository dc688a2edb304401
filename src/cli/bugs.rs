//! `unidebug bugs`: what can be run here.

use super::args::BugsArgs;
use super::error::Failure;
use crate::benchmark::{self, Benchmark, Settings};
use serde_json::json;
use std::fmt::Write;

/// Lists bugs, a line each.
///
/// # Errors
/// A benchmark was named that does not exist or whose root cannot be used.
pub fn list(args: &BugsArgs) -> Result<u8, Failure> {
    let settings = Settings { root: args.root.clone(), ..Settings::default() };
    let mut text = String::new();
    let mut all = Vec::new();
    match &args.set {
        Some(set) => {
            let ids = benchmark::select(set, &settings)?;
            let adapter = benchmark::find(&ids[0].benchmark, &settings)?;
            for id in ids {
                all.push(adapter.describe(&id)?);
            }
        }
        None => {
            for name in benchmark::names() {
                match everything(name, &settings) {
                    Ok(summaries) => all.extend(summaries),
                    Err(error) => {
                        let _ = writeln!(text, "{name}: {error} (hint: {})", error.hint());
                    }
                }
            }
        }
    }
    for bug in &all {
        let kind = bug.kind.as_deref().unwrap_or("");
        let _ = writeln!(text, "{:<40} {kind:<13} {}", bug.id.to_string(), bug.title);
    }
    if args.json {
        let bugs: Vec<_> = all
            .iter()
            .map(|bug| json!({"id": bug.id, "title": bug.title, "kind": bug.kind, "needs": bug.needs}))
            .collect();
        text = format!("{}\n", json!({"schema": 1, "bugs": bugs}));
    }
    super::print(&text);
    Ok(0)
}

fn everything(name: &str, settings: &Settings) -> Result<Vec<benchmark::Summary>, benchmark::BenchmarkError> {
    let adapter: Box<dyn Benchmark> = benchmark::find(name, settings)?;
    adapter.list()?.iter().map(|id| adapter.describe(id)).collect()
}
