//! A run in the forms that other tools read: trajectories of SWE-agent and mini-swe-agent, predictions of SWE-bench and
//! Multi-SWE-bench.
//!
//! Nothing is invented for a reader's sake: a price that nobody knows is left out, and a bug that is no pull request is
//! no prediction for a benchmark of pull requests.

mod mini;
mod otlp;
mod predictions;
mod sweagent;

pub(crate) use mini::mini;
pub(crate) use otlp::otlp;
pub(crate) use predictions::{Predictions, Unpredictable, multi_swebench, swebench};
pub(crate) use sweagent::sweagent;

use super::{AgentRun, Call, Cycle, Walk};
use crate::domain::BugId;
use crate::report::VerdictWord;
use serde_json::{Map, Value, json};

/// The bug's name as its benchmark knows it: what readers call an instance.
pub(crate) fn instance(bug: &BugId) -> &str {
    &bug.name
}

/// A name for files of a bug: the id without what file systems and shells take amiss.
pub(crate) fn file_name(bug: &BugId) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    bug.to_string().chars().map(plain).collect::<String>().trim_start_matches(['-', '.']).to_owned()
}

/// The patch a run ended with; `None` for a run without one.
fn submission(walk: &Walk) -> Option<&str> {
    walk.facts.report.as_ref()?.patch.as_deref()
}

/// How a run ended, in the words of a reader that knows three ends.
fn exit_status(walk: &Walk, submitted: &str, exhausted: &str) -> Option<String> {
    let report = walk.facts.report.as_ref()?;
    Some(match report.verdict {
        VerdictWord::Plausible => submitted.to_owned(),
        VerdictWord::StoppedAtCap => exhausted.to_owned(),
        VerdictWord::NoRepair => "no_repair".to_owned(),
        VerdictWord::NotReproduced => "not_reproduced".to_owned(),
    })
}

/// Requests, tokens and money under a reader's names; the money only when it is known.
fn model_stats(walk: &Walk, tokens: Option<[&str; 2]>) -> Value {
    let usage = &walk.facts.usage;
    let mut stats = Map::new();
    stats.insert("api_calls".into(), json!(usage.requests));
    if let Some([sent, received]) = tokens {
        stats.insert(sent.into(), json!(usage.prompt_tokens));
        stats.insert(received.into(), json!(usage.completion_tokens));
    }
    stats.extend(usage.cost_usd.0.map(|usd| ("instance_cost".into(), json!(usd))));
    Value::Object(stats)
}

/// A call as one line: the tool's name and its arguments as JSON.
fn action(call: &Call) -> String {
    if call.args.is_null() { call.name().to_owned() } else { format!("{} {}", call.name(), call.args) }
}

/// What an agent did in a cycle, as one line; empty when it did nothing.
fn actions(cycle: &Cycle) -> String {
    cycle.calls.iter().map(action).collect::<Vec<_>>().join("\n")
}

/// What it saw.
fn observations(cycle: &Cycle) -> String {
    let texts: Vec<&str> = cycle.calls.iter().map(|call| call.observation.as_str()).collect();
    let failed = cycle.queries.iter().filter_map(|query| query.failed.as_deref());
    failed.chain(texts).collect::<Vec<_>>().join("\n")
}

/// Where in the run it was.
fn place(run: &AgentRun, cycle: &Cycle) -> Value {
    let scope = &run.scope;
    json!({
        "attempt": scope.attempt, "level": scope.level.label(), "agent": scope.agent, "cycle": cycle.number,
        "focus": scope.focus, "policy": run.policy,
    })
}

/// The candidates of a cycle with the judge's words.
fn candidates(cycle: &Cycle) -> Value {
    cycle
        .candidates
        .iter()
        .map(|candidate| json!({"outcome": candidate.outcome, "detail": candidate.detail, "diff": candidate.diff}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_hold_nothing_that_a_shell_takes_amiss() {
        let name = |text: &str| file_name(&text.parse().unwrap());
        assert_eq!(name("defects4j:Lang-1"), "defects4j-Lang-1");
        assert_eq!(name("local:/home/me/my project"), "local--home-me-my-project");
    }
}
