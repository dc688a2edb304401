//! mini-swe-agent's `.traj.json`, format 1.1: `info` and a flat list of `messages` in the form of chats, with what is
//! beside the conversation under `extra`; the last message has the role `exit`.

use super::{action, candidates, exit_status, instance, model_stats, place, submission};
use crate::report::walk::words::messages;
use crate::report::walk::{AgentRun, Cycle, Walk};
use serde_json::{Value, json};

/// The version of the form.
const FORMAT: &str = "mini-swe-agent-1.1";

/// The run as one object of mini-swe-agent's form: its agents' conversations, one after the other.
pub(crate) fn mini(walk: &Walk) -> Value {
    let (status, submission) = (exit_status(walk, "Submitted", "LimitsExceeded"), submission(walk).unwrap_or_default());
    let status = status.unwrap_or_default();
    let end = json!({
        "role": "exit", "content": submission, "extra": {"exit_status": status, "submission": submission},
    });
    let models: Vec<&str> = walk.facts.report.iter().map(|report| report.model.name.as_str()).collect();
    json!({
        "info": {
            "model_stats": model_stats(walk, None),
            "config": {
                "agent": {"configuration": walk.facts.setting.in_full()},
                "agent_type": format!("unidebug {}", walk.facts.version),
                "model": {"model_name": models.join(" ")},
                "environment": {"sandbox": walk.facts.sandbox},
            },
            "exit_status": status,
            "submission": submission,
        },
        "messages": walk.runs.iter().flat_map(conversation).chain([end]).collect::<Vec<_>>(),
        "trajectory_format": FORMAT,
        "instance_id": instance(&walk.facts.bug),
    })
}

fn conversation(run: &AgentRun) -> Vec<Value> {
    let first = run.cycles.iter().find_map(|cycle| cycle.queries.first());
    let prompt = first.map(|query| messages(&query.request)).unwrap_or_default();
    let prompt = prompt.into_iter().map(|(role, content)| json!({"role": role, "content": content}));
    prompt.chain(run.cycles.iter().flat_map(|cycle| turn(run, cycle))).collect()
}

/// The assistant's message and what it saw. An answer in the endpoint's own form keeps it, and is answered by its id.
fn turn(run: &AgentRun, cycle: &Cycle) -> Vec<Value> {
    let answer = cycle.answer();
    let commands: Vec<Value> = cycle.calls.iter().map(|call| json!({"command": action(call)})).collect();
    let mut message = json!({
        "role": "assistant",
        "content": answer.map_or("", |answer| &answer.text),
        "extra": {"actions": commands, "place": place(run, cycle), "candidates": candidates(cycle)},
    });
    let mut call_id = None;
    if let Some(answer) = answer {
        if let Some(usd) = answer.usage.cost_usd.0 {
            message["extra"]["cost"] = json!(usd);
        }
        if !answer.reasoning.is_empty() {
            message["reasoning_content"] = json!(answer.reasoning);
        }
        if !answer.native.is_empty() {
            message["tool_calls"] = json!(answer.native);
            call_id = answer.native[0]["id"].as_str();
        }
    }
    let observations = cycle.calls.iter().map(|call| {
        let extra = json!({"returncode": i32::from(!call.ok), "seconds": call.seconds});
        match call_id {
            Some(id) => json!({"role": "tool", "tool_call_id": id, "content": call.observation, "extra": extra}),
            None => json!({"role": "user", "content": call.observation, "extra": extra}),
        }
    });
    let failed = cycle.queries.iter().filter_map(|query| query.failed.as_deref());
    let failed = failed.map(|why| json!({"role": "user", "content": why, "extra": {"returncode": 1}}));
    [message].into_iter().chain(failed).chain(observations).collect()
}
