//! SWE-agent's `.traj`: `trajectory`, `history` and `info`, as its inspectors and its statistics read them.
//!
//! Their readers want of a step `action`, `observation`, `response`, `thought`, `state` (texts only), `execution_time`
//! and `query`; of an assistant's entry of the history an `action`; and of an end that begins with `submitted` a
//! `submission`.

use super::{actions, candidates, exit_status, instance, model_stats, observations, place, submission};
use crate::report::walk::words::messages;
use crate::report::walk::{AgentRun, Cycle, Walk};
use serde_json::{Value, json};

/// The run as one object of SWE-agent's form.
pub(crate) fn sweagent(walk: &Walk) -> Value {
    let cycles = || walk.runs.iter().flat_map(|run| run.cycles.iter().map(move |cycle| (run, cycle)));
    let info = json!({
        "exit_status": exit_status(walk, "submitted", "exit_cost"),
        "submission": submission(walk),
        "model_stats": model_stats(walk, Some(["tokens_sent", "tokens_received"])),
        "unidebug_version": walk.facts.version,
    });
    json!({
        "environment": instance(&walk.facts.bug),
        "trajectory": cycles().map(|(run, cycle)| step(run, cycle)).collect::<Vec<_>>(),
        "history": walk.runs.iter().flat_map(history).collect::<Vec<_>>(),
        "info": info,
    })
}

fn step(run: &AgentRun, cycle: &Cycle) -> Value {
    let answer = cycle.answer();
    let state = cycle.calls.first().map_or("", |call| call.state.as_str());
    json!({
        "action": actions(cycle),
        "observation": observations(cycle),
        "response": answer.map_or("", |answer| &answer.text),
        "thought": answer.map_or_else(String::new, |answer| answer.thoughts()),
        "state": {"agent": run.place(), "state": state},
        "execution_time": cycle.calls.iter().map(|call| call.seconds).sum::<f64>(),
        "query": cycle.queries.first().map_or_else(|| json!([]), |query| query.request["messages"].clone()),
        "extra_info": {"place": place(run, cycle), "candidates": candidates(cycle)},
    })
}

/// An agent's conversation: its first question in full, then what it did and saw.
fn history(run: &AgentRun) -> Vec<Value> {
    let agent = run.place();
    let first = run.cycles.iter().find_map(|cycle| cycle.queries.first());
    let prompt = first.map(|query| messages(&query.request)).unwrap_or_default();
    let kind = |role: &str| if role == "system" { "system_prompt" } else { "observation" };
    let mut items: Vec<Value> = prompt
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": content, "agent": agent, "message_type": kind(role)}))
        .collect();
    for cycle in &run.cycles {
        let answer = cycle.answer();
        items.push(json!({
            "role": "assistant", "agent": agent, "message_type": "action", "action": actions(cycle),
            "content": answer.map_or("", |answer| &answer.text),
            "thought": answer.map_or_else(String::new, |answer| answer.thoughts()),
        }));
        let content = observations(cycle);
        items.push(json!({"role": "user", "content": content, "agent": agent, "message_type": "observation"}));
    }
    items
}
