//! When an agent's answer is usable (DESIGN.md, section 4: *accepted when*), and what an answer without a command means.
//!
//! Each kind of answer has a file of its own below; marks are mapped by [`super::marks`].

mod files;
mod reference;
mod schema;
mod slice;
mod summary;
mod test;

pub(crate) use schema::answer_schema;

use super::marks;
use super::memory::Memory;
use super::profile::{ContractKind, Ending, Profile};
use crate::code::SourceFile;
use crate::domain::{Artifact, Mark, PatchAttempt, Refusal, RepoPath};
use crate::patch::proposal::{self, Proposal};
use crate::patch::{Edits, bare};
use crate::tools::{Effect, GOAL_ACCOMPLISHED, Observation, WRITE_FIX, WRITE_TEST, Workbench};
use serde_json::{Value, json};
use std::sync::Arc;

/// What an observation means for the agent run.
#[derive(Debug, PartialEq)]
pub(crate) enum ContractCheck {
    /// It was no answer: the agent run has its next cycle.
    GoOn,
    /// The run ends with this, and how.
    Ended(Artifact, String),
    /// It was an answer, and it cannot be used; the reason is for the agent.
    Refused(String),
}

/// What an answer is judged against, beside the observation itself.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Who was asked.
    pub profile: &'a Profile,
    /// The bug on the bench.
    pub bench: &'a Workbench,
    /// What the agent has seen.
    pub memory: &'a Memory,
    /// The one file it works on, when it runs once for each of several.
    pub focus: Option<&'a RepoPath>,
}

impl<'a> Context<'a> {
    /// The file an agent of one file works on: its focus, else the bug-located one.
    fn file(&self) -> Result<&'a Arc<SourceFile>, Refusal> {
        let path = self.focus.or(self.bench.bug.located.as_ref()).ok_or("no file could be located; name one")?;
        self.bench.index.file(path).ok_or_else(|| format!("{path} is not among the sources").into())
    }
}

/// Judges what the last call brought against what the agent owes.
pub(crate) fn judge(context: Context<'_>, observation: &Observation) -> ContractCheck {
    match (context.profile.contract, &observation.effect) {
        (ContractKind::Patch, Effect::Tried(attempts)) => judge_tried(context.profile.ends, attempts),
        (ContractKind::Patch, Effect::NotApplied(attempt)) if context.profile.ends == Ending::Judged => {
            ContractCheck::Refused(attempt.validation.detail.clone())
        }
        (ContractKind::Patch, Effect::Accomplished(args)) => match (context.profile.ends, context.memory.plausible()) {
            (Ending::Called, Some(found)) => {
                ContractCheck::Ended(Artifact::Patch(found.clone()), "said to be done".into())
            }
            (Ending::Called, None) => ContractCheck::Refused("no patch has passed all tests yet".into()),
            _ => ContractCheck::Ended(
                Artifact::Nothing { explanation: explanation(args) },
                "ended without a repair".into(),
            ),
        },
        (kind, Effect::Accomplished(args)) => match read(kind, args, context) {
            Ok((artifact, how)) => ContractCheck::Ended(artifact, how),
            Err(reason) => ContractCheck::Refused(reason.to_string()),
        },
        _ => ContractCheck::GoOn,
    }
}

/// What judged candidates mean for an agent that owes a patch.
fn judge_tried(ends: Ending, attempts: &[PatchAttempt]) -> ContractCheck {
    let plausible = attempts.iter().find(|attempt| attempt.validation.is_plausible());
    match (ends, plausible) {
        (Ending::Called, _) | (Ending::Plausible, None) => ContractCheck::GoOn,
        (_, Some(found)) => ContractCheck::Ended(Artifact::Patch(found.clone()), "plausible patch".into()),
        (Ending::Judged, None) => {
            let explanation = attempts.first().map(|attempt| attempt.explanation.clone()).unwrap_or_default();
            ContractCheck::Ended(Artifact::Nothing { explanation }, "its patch did not pass".into())
        }
    }
}

/// The artifact that an answer holds, and how the run ended, in one phrase.
fn read(kind: ContractKind, args: &Value, context: Context<'_>) -> Result<(Artifact, String), Refusal> {
    let explanation = explanation(args);
    Ok(match kind {
        ContractKind::Marks => {
            let marks = read_marks(args, context.memory, context.bench)?;
            let how = format!("{} line{} marked", marks.len(), if marks.len() == 1 { "" } else { "s" });
            (Artifact::Marks { marks, explanation }, how)
        }
        ContractKind::Slice => {
            let slice = slice::read(args, context, explanation)?;
            let how = slice::how(&slice);
            (Artifact::Slice(slice), how)
        }
        ContractKind::Summary => {
            let summary = summary::read(args, context, explanation)?;
            let how = format!("summarised {} methods of {}", summary.entries.len(), summary.file);
            (Artifact::Summary(summary), how)
        }
        ContractKind::Files => {
            let paths = files::read(args, context, &explanation)?;
            let how = format!("{} bug-related file{}", paths.len(), if paths.len() == 1 { "" } else { "s" });
            (Artifact::Files { paths, explanation }, how)
        }
        ContractKind::Reference => {
            let (reference, dropped) = reference::read(args, context, explanation)?;
            let how = reference::how(&reference, &dropped);
            (Artifact::Reference(reference), how)
        }
        ContractKind::Test => test::read(args)?,
        ContractKind::Patch => (Artifact::Nothing { explanation }, "ended without a repair".into()),
    })
}

/// What an answer without a command means, as FixAgent's models give it: the tool and its arguments.
pub(crate) fn bare(kind: ContractKind, answer: &Value, bench: &Workbench) -> Option<(&'static str, Value)> {
    let args = match kind {
        ContractKind::Patch => return bare_patch(answer, bench).map(|args| (WRITE_FIX, args)),
        ContractKind::Test => return test::bare(answer).map(|args| (WRITE_TEST, args)),
        ContractKind::Marks => bare_marks(answer.as_str()?, bench)?,
        ContractKind::Slice => slice::bare(answer, bench)?,
        ContractKind::Summary => summary::bare(answer)?,
        ContractKind::Files => files::bare(answer, bench)?,
        ContractKind::Reference => reference::bare(answer, bench)?,
    };
    Some((GOAL_ACCOMPLISHED, args))
}

/// Marked code, fenced or not.
fn bare_marks(text: &str, bench: &Workbench) -> Option<Value> {
    let comment = bench.language.line_comment();
    let lower = text.to_ascii_lowercase();
    let marked = lower.contains(&format!("{comment} buggy")) || lower.contains(&format!("{comment} missing"));
    let code = fenced_blocks(text);
    let code = if code.is_empty() { text.to_owned() } else { code };
    marked.then(|| json!({"marked_code": code, "explanation": prose(text)}))
}

/// A diff or a block of code.
fn bare_patch(answer: &Value, bench: &Workbench) -> Option<Value> {
    let default_file = bench.bug.located.as_ref();
    let shown = bare::Shown { originals: &bench.originals, default_file, language: bench.language };
    let proposal = match answer.as_str() {
        Some(text) => bare::parse_bare(text, &shown)?,
        None => proposal::parse(answer).ok()?,
    };
    Some(write_fix_args(&proposal))
}

/// A proposal in the documented form of `write_fix`.
fn write_fix_args(proposal: &Proposal) -> Value {
    let mut args = match &proposal.edits {
        Edits::Diff(diff) => json!({"diff": diff}),
        Edits::Methods(methods) => json!({"methods": methods}),
        Edits::Lines(lines) => json!({"edits": lines}),
    };
    if let Some(explanation) = &proposal.explanation {
        args["explanation"] = json!(explanation);
    }
    args
}

/// The contents of all fenced blocks of a text.
fn fenced_blocks(text: &str) -> String {
    let parts: Vec<&str> = text.split("```").collect();
    let blocks: Vec<&str> =
        parts.iter().skip(1).step_by(2).map(|block| block.split_once('\n').map_or(*block, |(_, body)| body)).collect();
    blocks.join("\n...\n")
}

/// What stands outside the fenced blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Arguments of `goal_accomplished` for the prompt's list of tools.
pub(crate) fn answer_form(contract: ContractKind) -> &'static str {
    match contract {
        ContractKind::Marks => "goal_accomplished(marked_code, file_path?, explanation)",
        ContractKind::Slice => "goal_accomplished(segments: [{file_path?, first_line, last_line}], explanation)",
        ContractKind::Summary => "goal_accomplished(summary: […], explanation)",
        ContractKind::Files => "goal_accomplished(files: […], explanation)",
        ContractKind::Reference => "goal_accomplished(reference, sources: […], explanation)",
        ContractKind::Patch | ContractKind::Test => "goal_accomplished(explanation)",
    }
}

fn explanation(args: &Value) -> String {
    ["explanation", "analysis", "reason"].iter().find_map(|key| args[*key].as_str()).unwrap_or("").trim().to_owned()
}

/// `marked_code` is a text, or a list of `{file_path, code}`.
fn read_marks(args: &Value, memory: &Memory, bench: &Workbench) -> Result<Vec<Mark>, Refusal> {
    let mut all = Vec::new();
    match &args["marked_code"] {
        Value::String(code) => {
            all.extend(marks_in(strip_fence(code), args["file_path"].as_str(), memory, bench)?);
        }
        Value::Array(parts) if !parts.is_empty() => {
            for part in parts {
                let code = part["code"].as_str().or(part.as_str()).ok_or("each part of `marked_code` needs `code`")?;
                all.extend(marks_in(strip_fence(code), part["file_path"].as_str(), memory, bench)?);
            }
        }
        _ => return Err("`marked_code` is missing: the code around the marks, with the marks".into()),
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// Marks of a snippet in the named product file, else in one that was shown, else in the only one that holds its lines.
fn marks_in(code: &str, named: Option<&str>, memory: &Memory, bench: &Workbench) -> Result<Vec<Mark>, Refusal> {
    let comment = bench.language.line_comment();
    if let Some(path) = named {
        let file = bench.index.resolve(path).map_err(|unresolved| unresolved.to_string())?;
        if file.test {
            return Err(format!("{} is a test; mark lines of the product", file.path).into());
        }
        return marks::map(code, &[file], comment);
    }
    marks::map(code, &shown(memory, bench), comment).or_else(|problem| {
        let product = bench.index.files().iter().filter(|file| !file.test);
        let mut holding = product.filter_map(|file| marks::map(code, &[file], comment).ok());
        match (holding.next(), holding.next()) {
            (Some(marks), None) => Ok(marks),
            _ => Err(problem),
        }
    })
}

/// Product files that the agent was shown, the bug-located one first.
fn shown<'b>(memory: &Memory, bench: &'b Workbench) -> Vec<&'b Arc<SourceFile>> {
    let mut paths: Vec<&RepoPath> = memory.seen_files().collect();
    paths.sort_by_key(|path| Some(*path) != bench.bug.located.as_ref());
    paths.into_iter().filter_map(|path| bench.index.file(path)).filter(|file| !file.test).collect()
}

/// Models like to fence code even inside JSON.
fn strip_fence(code: &str) -> &str {
    let trimmed = code.trim();
    match trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) {
        Some(inner) => inner.split_once('\n').map_or(inner, |(_, body)| body),
        None => code,
    }
}
