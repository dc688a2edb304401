//! Predictions: one line a bug, with the patch that a run ended with.
//!
//! SWE-bench reads `instance_id`, `model_name_or_path` and `model_patch`. Multi-SWE-bench reads `org`, `repo`, `number`
//! and `fix_patch`, and knows nothing else. An empty patch is what both take for none.

use super::instance;
use crate::domain::BugId;
use crate::report::study::RunFacts;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The lines of a file of predictions.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Predictions {
    /// One object a bug, in the order of the runs.
    pub lines: Vec<Value>,
    /// What a reader should know: runs that are not over, several runs of one bug.
    pub notes: Vec<String>,
}

/// Why runs are no predictions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unpredictable {
    /// One file is one system on one benchmark.
    #[error("these runs are of {} {what}: {}", names.len(), names.join("; "))]
    Mixed {
        /// `benchmarks` or `configurations`.
        what: &'static str,
        /// Which.
        names: Vec<String>,
    },
    /// The form wants a pull request.
    #[error("`{bug}` names no pull request")]
    NoPullRequest {
        /// The bug.
        bug: BugId,
    },
    /// No run is over.
    #[error("none of these runs is over")]
    Unfinished,
}

impl Unpredictable {
    /// What to do about it, in one sentence without a full stop.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Mixed { .. } => "name the runs of one configuration on one benchmark",
            Self::NoPullRequest { .. } => {
                "Multi-SWE-bench knows bugs by organisation, repository and number: name them `org__repo-123`"
            }
            Self::Unfinished => "end them first: `unidebug resume RUN`",
        }
    }
}

/// Predictions for SWE-bench.
///
/// # Errors
/// Runs of several configurations or benchmarks; none is over.
pub(crate) fn swebench(runs: &[RunFacts]) -> Result<Predictions, Unpredictable> {
    predictions(runs, |run, patch| {
        let model = run.report.as_ref().map_or("", |report| &report.model.name);
        Ok(json!({
            "instance_id": instance(&run.bug), "model_name_or_path": format!("unidebug-{model}"), "model_patch": patch,
        }))
    })
}

/// Predictions for Multi-SWE-bench, and SWE-bench-java, whose form it is.
///
/// # Errors
/// As [`swebench`]; a bug that names no pull request.
pub(crate) fn multi_swebench(runs: &[RunFacts]) -> Result<Predictions, Unpredictable> {
    predictions(runs, |run, patch| {
        let pull = pull_request(instance(&run.bug));
        let (org, repo, number) = pull.ok_or_else(|| Unpredictable::NoPullRequest { bug: run.bug.clone() })?;
        Ok(json!({"org": org, "repo": repo, "number": number, "fix_patch": patch}))
    })
}

fn predictions(
    runs: &[RunFacts],
    line: impl Fn(&RunFacts, &str) -> Result<Value, Unpredictable>,
) -> Result<Predictions, Unpredictable> {
    let (over, open): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.report.is_some());
    one("benchmarks", over.iter().map(|run| run.bug.benchmark.clone()))?;
    one("configurations", over.iter().map(|run| run.setting.line.clone()))?;
    let mut notes: Vec<String> =
        open.iter().map(|run| format!("{} is left out: its run is not over ({})", run.bug, run.dir)).collect();
    let mut chosen: Vec<&RunFacts> = Vec::new();
    let mut of_bug: BTreeMap<String, (usize, u32)> = BTreeMap::new();
    for run in over {
        let known = of_bug.entry(run.bug.to_string()).or_insert((chosen.len(), 0));
        known.1 += 1;
        match chosen.get_mut(known.0) {
            None => chosen.push(run),
            // Of several, the first that passed: what a developer with these runs would take.
            Some(taken) if !taken.plausible() && run.plausible() => *taken = run,
            Some(_) => {}
        }
    }
    let several = of_bug.iter().filter(|(_, (_, runs))| *runs > 1);
    notes.extend(
        several.map(|(bug, (_, runs))| format!("{bug} was run {runs} times: the first plausible patch counts")),
    );
    if chosen.is_empty() {
        return Err(Unpredictable::Unfinished);
    }
    let patch = |run: &RunFacts| run.report.as_ref().and_then(|report| report.patch.clone()).unwrap_or_default();
    let lines = chosen.into_iter().map(|run| line(run, &patch(run))).collect::<Result<_, _>>()?;
    Ok(Predictions { lines, notes })
}

fn one(what: &'static str, names: impl Iterator<Item = String>) -> Result<(), Unpredictable> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    if names.len() > 1 { Err(Unpredictable::Mixed { what, names }) } else { Ok(()) }
}

/// `org__repo-123`, as SWE-bench writes its instances, or `org/repo:pr-123`, as Multi-SWE-bench does.
fn pull_request(name: &str) -> Option<(&str, &str, u64)> {
    let (whole, number) = name.rsplit_once(":pr-").or_else(|| name.rsplit_once('-'))?;
    let (org, repo) = whole.split_once("__").or_else(|| whole.split_once('/'))?;
    let words = !org.is_empty() && !repo.is_empty() && !repo.contains('/');
    Some((org, repo, number.parse().ok()?)).filter(|_| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_request_is_read_in_both_spellings() {
        assert_eq!(pull_request("alibaba__fastjson2-2285"), Some(("alibaba", "fastjson2", 2285)));
        assert_eq!(pull_request("google/gson:pr-1787"), Some(("google", "gson", 1787)));
        assert_eq!(pull_request("apache__commons-lang-12"), Some(("apache", "commons-lang", 12)));
        for none in ["Lang-1", "a__b-", "__b-1", "a__b", "/abs/dir/x-1", "a__b-99999999999999999999"] {
            assert_eq!(pull_request(none), None, "{none}");
        }
    }
}
