//! What the built-in engine answers for the agents that only read: from ranking, outline, graph and corpus.

use super::CycleView;
use crate::agent::evidence::search_query;
use crate::agent::memory::Memory;
use crate::code::Method;
use crate::domain::{CaseFile, RepoPath};
use crate::language::Language;
use serde_json::{Value, json};

/// Files that are named at most.
const FILES: usize = 6;
/// A segment of fewer lines gets the whole class around it.
const SHORTEST: u32 = 10;

/// Slicer: the method in which the most suspicion lies, with its class around it when it is short.
pub(super) fn slice(view: &CycleView<'_>) -> Value {
    let bench = view.bench;
    let suspects = bench.ranking.lines.iter().map(|suspect| &suspect.location);
    let located = bench.bug.located.as_ref().and_then(|path| bench.index.file(path));
    let first = suspects.clone().find_map(|place| bench.index.method_at(&place.file, place.line));
    let Some(method) = first.or_else(|| located.and_then(|file| file.methods().next())) else { return json!({}) };
    let Some(file) = bench.index.file(&method.file) else { return json!({}) };
    let class = file.types.iter().find(|kind| kind.name == method.class);
    let span = match class {
        Some(class) if method.span.len() < SHORTEST && class.span.len() <= SHORTEST * SHORTEST => class.span,
        _ => method.span,
    };
    json!({
        "file_path": file.path, "first_line": span.first, "last_line": span.last,
        "explanation": format!("the most suspicious lines lie in {}", method.qualified()),
    })
}

/// Summarizer: what documentation and declarations say.
pub(super) fn summary(view: &CycleView<'_>) -> Value {
    let path = view.scope.focus.as_ref().or(view.bench.bug.located.as_ref());
    let Some(file) = path.and_then(|path| view.bench.index.file(path)) else { return json!({}) };
    let entry = |method: &Method| {
        let description = method.summary.clone().unwrap_or_else(|| format!("declared as {}", method.signature));
        json!({"class": method.class, "method": method.name, "parameters": method.params.join(", "), "description": description})
    };
    let mut entries: Vec<Value> = file.methods().map(entry).collect();
    let kinds = file.types.iter().map(|kind| json!({"class": kind.name, "description": kind.signature}));
    if entries.is_empty() {
        entries.extend(kinds);
    }
    let about = file.types.first().and_then(|kind| kind.summary.clone()).unwrap_or_default();
    json!({"summary": entries, "explanation": about})
}

/// RepoFocus: the bug-located file, then what the failing tests lead to, nearest first.
pub(super) fn files(view: &CycleView<'_>) -> Value {
    let bench = view.bench;
    let bearing = bench.bearing();
    let product = |path: &&RepoPath| bench.index.file(path).is_some_and(|file| !file.test);
    let mut near: Vec<&RepoPath> = bearing.keys().filter(product).collect();
    near.sort_by_key(|path| (bearing.get(*path).copied(), (*path).clone()));
    let ranked = bench.ranking.files();
    let others = bench.index.files().iter().filter(|file| !file.test).map(|file| &file.path);
    let mut files: Vec<&RepoPath> = Vec::new();
    // Others come in only where the graph leads to no second file.
    let least = 2_usize;
    for path in bench.bug.located.iter().chain(ranked).chain(near) {
        if files.len() < FILES && product(&path) && !files.contains(&path) {
            files.push(path);
        }
    }
    for path in others {
        if files.len() < least && !files.contains(&path) {
            files.push(path);
        }
    }
    let names: Vec<&str> = files.iter().map(|path| path.file_name()).collect();
    json!({"files": files, "explanation": format!("the failing tests lead to {}", names.join(", "))})
}

/// Helper: the nearest repair of the corpus.
pub(super) async fn reference(view: &CycleView<'_>) -> Value {
    if !view.profile.offers("search_solutions") {
        return json!({"reference": "look at the code that the failing tests reach", "explanation": "nothing may be searched"});
    }
    let found = view.bench.solutions.search(&search_query(view.bench), 1).await.unwrap_or_default();
    let Some(nearest) = found.first() else { return json!({"reference": "", "sources": []}) };
    let crate::retrieve::Solution { id, symptom, before, after, why } = nearest;
    json!({
        "reference": format!("{symptom}: `{before}` becomes `{after}`, because {why}"),
        "sources": [id], "explanation": "the nearest known repair by its words",
    })
}

/// What a search that found nothing says.
pub(super) fn tried(memory: &Memory) -> String {
    let tried = memory.attempts.len();
    let best = memory.attempts.iter().filter(|a| a.validation.fixed > 0).max_by_key(|a| a.validation.fixed);
    let best = best.map(|a| format!("; nearest: {} ({} triggering tests pass)", a.explanation, a.validation.fixed));
    format!("{tried} template candidates were tried, none is plausible{}", best.unwrap_or_default())
}

/// The explanation where no fix template is written for the language.
pub(super) fn no_templates(language: &dyn Language) -> String {
    let language = language.title();
    format!(
        "the built-in engine has no fix templates for {language}, so it proposes nothing; a model can repair the bug"
    )
}

/// The explanation when all candidates were tried before.
pub(super) fn nothing_left(case: &CaseFile) -> String {
    if case.engine_notes.is_empty() {
        return "no template fits the suspicious lines".into();
    }
    format!("no further template was found to fit the suspicious lines; {}", case.engine_notes.join("; "))
}
