//! When an agent's answer is usable (DESIGN.md, section 4: *accepted when*).

use super::marks;
use super::memory::Memory;
use super::profile::{ContractKind, Profile};
use crate::code::SourceFile;
use crate::domain::{Artifact, Mark, RepoPath};
use crate::tools::{Effect, Observation, Workbench};
use serde_json::Value;
use std::sync::Arc;

/// What an observation means for the agent run.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// Go on.
    GoOn,
    /// The run ends with this, and how.
    Ended(Artifact, String),
    /// It was an answer, and it cannot be used; the reason is for the agent.
    Refused(String),
}

/// Judges what the last call brought against what the agent owes.
pub fn judge(profile: &Profile, observation: &Observation, memory: &Memory, bench: &Workbench) -> Verdict {
    match (profile.contract, &observation.effect) {
        (ContractKind::Patch, Effect::Tried(attempts)) => {
            match attempts.iter().find(|attempt| attempt.validation.is_plausible()) {
                Some(plausible) => Verdict::Ended(Artifact::Patch(plausible.clone()), "plausible patch".into()),
                None => Verdict::GoOn,
            }
        }
        (ContractKind::Patch, Effect::Accomplished(args)) => {
            Verdict::Ended(Artifact::Nothing { explanation: explanation(args) }, "ended without a repair".into())
        }
        (ContractKind::Marks, Effect::Accomplished(args)) => match read_marks(args, memory, bench) {
            Ok(marks) => {
                let how = format!("{} line{} marked", marks.len(), if marks.len() == 1 { "" } else { "s" });
                Verdict::Ended(Artifact::Marks { marks, explanation: explanation(args) }, how)
            }
            Err(reason) => Verdict::Refused(reason),
        },
        _ => Verdict::GoOn,
    }
}

/// Arguments of `goal_accomplished` for the prompt's list of tools.
pub fn answer_form(contract: ContractKind) -> &'static str {
    match contract {
        ContractKind::Marks => "goal_accomplished(marked_code, explanation)",
        ContractKind::Patch => "goal_accomplished(explanation)",
    }
}

fn explanation(args: &Value) -> String {
    ["explanation", "analysis", "reason"].iter().find_map(|key| args[*key].as_str()).unwrap_or("").trim().to_owned()
}

/// `marked_code` is a text, or a list of `{file_path, code}`.
fn read_marks(args: &Value, memory: &Memory, bench: &Workbench) -> Result<Vec<Mark>, String> {
    let comment = bench.language.line_comment();
    let mut all = Vec::new();
    match &args["marked_code"] {
        Value::String(code) => all.extend(marks::map(strip_fence(code), &candidates(None, memory, bench)?, comment)?),
        Value::Array(parts) if !parts.is_empty() => {
            for part in parts {
                let code = part["code"].as_str().or(part.as_str()).ok_or("each part of `marked_code` needs `code`")?;
                let files = candidates(part["file_path"].as_str(), memory, bench)?;
                all.extend(marks::map(strip_fence(code), &files, comment)?);
            }
        }
        _ => return Err("`marked_code` is missing: the code around the marks, with the marks".into()),
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// Product files in which the marks are looked for: the named one, else those that were shown, the bug-located first.
fn candidates<'b>(
    named: Option<&str>,
    memory: &Memory,
    bench: &'b Workbench,
) -> Result<Vec<&'b Arc<SourceFile>>, String> {
    if let Some(path) = named {
        let file = bench.index.resolve(path).map_err(|unresolved| unresolved.to_string())?;
        if file.test {
            return Err(format!("{} is a test; mark lines of the product", file.path));
        }
        return Ok(vec![file]);
    }
    let mut paths: Vec<&RepoPath> = memory.seen_files().collect();
    paths.sort_by_key(|path| Some(*path) != bench.bug.located.as_ref());
    Ok(paths.into_iter().filter_map(|path| bench.index.file(path)).filter(|file| !file.test).collect())
}

/// Models like to fence code even inside JSON.
fn strip_fence(code: &str) -> &str {
    let trimmed = code.trim();
    match trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) {
        Some(inner) => inner.split_once('\n').map_or(inner, |(_, body)| body),
        None => code,
    }
}
