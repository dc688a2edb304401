//! RepoFocus's answer: two to six files of the product, the bug-located one among them, each reachable or justified.

use super::Context;
use crate::domain::{Refusal, RepoPath};
use crate::tools::Workbench;
use camino::Utf8Path;
use serde_json::{Value, json};

/// Files at least, where the product has so many.
const FEWEST: usize = 2;
/// Files at most.
const MOST: usize = 6;

/// Reads `files`, a list of paths or of `{path, reason}`.
pub(super) fn read(args: &Value, context: Context<'_>, explanation: &str) -> Result<Vec<RepoPath>, Refusal> {
    let bench = context.bench;
    let list = args["files"].as_array().filter(|list| !list.is_empty());
    let list = list.ok_or("`files` is missing: a list of paths")?;
    let mut paths: Vec<RepoPath> = Vec::new();
    for item in list {
        let named = ["path", "file_path", "file"].iter().find_map(|key| item[*key].as_str());
        let named = item.as_str().or(named).ok_or("each of `files` is a path")?;
        let file = bench.index.resolve(named).map_err(|unresolved| unresolved.to_string())?;
        if file.test {
            return Err(format!("{} is a test; name files of the product", file.path).into());
        }
        let reason = ["reason", "explanation"].iter().find_map(|key| item[*key].as_str()).unwrap_or("");
        check_bearing(&file.path, reason, explanation, bench)?;
        if !paths.contains(&file.path) {
            paths.push(file.path.clone());
        }
    }
    check_list(&paths, bench)?;
    Ok(paths)
}

fn check_list(paths: &[RepoPath], bench: &Workbench) -> Result<(), Refusal> {
    if let Some(located) = bench.bug.located.as_ref().filter(|located| !paths.contains(located)) {
        return Err(format!("the bug-located file {located} must be among them").into());
    }
    let fewest = FEWEST.min(bench.index.files().iter().filter(|file| !file.test).count());
    if (fewest..=MOST).contains(&paths.len()) {
        return Ok(());
    }
    Err(format!("these are {} files; name {fewest} to {MOST}", paths.len()).into())
}

/// A file without any path to the failing tests needs a word on why it matters.
fn check_bearing(path: &RepoPath, reason: &str, explanation: &str, bench: &Workbench) -> Result<(), Refusal> {
    let stem = path.stem();
    let justified = !reason.trim().is_empty() || explanation.contains(stem);
    if justified || bench.bearing().contains_key(path) {
        return Ok(());
    }
    Err(format!(
        "neither the failing tests nor the bug-located file depend on {path}; say in `explanation` why it matters"
    )
    .into())
}

/// The arguments as an object, or the paths that stand in a text.
pub(super) fn bare(answer: &Value, bench: &Workbench) -> Option<Value> {
    let Some(text) = answer.as_str() else { return answer.get("files").is_some().then(|| answer.clone()) };
    let ends = |c: char| c.is_whitespace() || "`'\",;()[]<>*".contains(c);
    let mut files: Vec<&str> = Vec::new();
    for word in text.split(ends).map(|word| word.trim_end_matches(['.', ':'])) {
        if bench.language.is_source(Utf8Path::new(word)) && !files.contains(&word) {
            files.push(word);
        }
    }
    (!files.is_empty()).then(|| json!({"files": files, "explanation": text}))
}
