//! `unidebug bugs`: what can be run here.

use super::args::BugsArgs;
use super::error::Failure;
use crate::benchmark::{self, Benchmark, BenchmarkError, Settings, Summary};
use serde_json::json;
use std::fmt::Write;

/// Lists bugs, a line each.
///
/// # Errors
/// A benchmark was named that does not exist or whose root cannot be used; no bug is left; there is no such sample.
pub(super) fn list(args: &BugsArgs) -> Result<u8, Failure> {
    let settings = Settings { root: args.root.clone(), ..Settings::default() };
    let mut text = String::new();
    let all = match &args.set {
        Some(set) => named(set, &settings, &mut text)?,
        None => everything(&settings, &mut text),
    };
    let all = args.choice.of(all)?;
    for bug in &all {
        let kind = bug.kind.as_deref().unwrap_or("");
        let _ = writeln!(text, "{:<40} {kind:<13} {}", bug.id.to_string(), bug.title);
    }
    if args.json {
        text = format!("{}\n", json!({"schema": 1, "bugs": all}));
    }
    super::print(&text);
    Ok(0)
}

/// The bugs that were asked for; for a set with a name, what became of it stands in `text`.
fn named(set: &str, settings: &Settings, text: &mut String) -> Result<Vec<Summary>, BenchmarkError> {
    let ids = benchmark::select(set, settings)?;
    let known = benchmark::named(set);
    if let Some(known) = known {
        let members = known.ids();
        let gone: Vec<String> = members.iter().filter(|id| !ids.contains(id)).map(|id| id.name.clone()).collect();
        let _ = write!(text, "{}: {}, {} bugs", known.name, known.about, members.len());
        let _ = match gone.len() {
            0 => writeln!(text),
            n => writeln!(text, ", {n} of which this installation no longer has: {}", gone.join(", ")),
        };
    }
    benchmark::describe(&ids, settings)
}

/// All bugs of all benchmarks; why one has none stands in `text`.
fn everything(settings: &Settings, text: &mut String) -> Vec<Summary> {
    let mut all = Vec::new();
    for name in benchmark::names() {
        let listed = benchmark::find(name, settings).and_then(|adapter: Box<dyn Benchmark>| {
            adapter.list()?.iter().map(|id| adapter.describe(id)).collect::<Result<Vec<_>, _>>()
        });
        match listed {
            Ok(summaries) => all.extend(summaries),
            Err(error) => {
                let _ = writeln!(text, "{name}: {error} (hint: {})", error.hint());
            }
        }
    }
    all
}
