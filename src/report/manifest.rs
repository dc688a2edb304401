//! What was sent where: hosts, models, requests and bytes, and of which files which lines.
//!
//! It errs on the side of more: what an agent was shown counts as sent, although its last reading may not have been.

use crate::domain::{Event, EventSink, LineSpan, PolicyKind, RepoPath, Scope};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

/// Schema of the manifest.
const SCHEMA: u32 = 1;

/// Grows with the events of a run.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    sent: Mutex<Sent>,
}

#[derive(Debug, Default)]
struct Sent {
    endpoint: Option<String>,
    requests: u64,
    bytes: u64,
    models: BTreeSet<String>,
    agents: BTreeMap<String, u64>,
    files: BTreeMap<RepoPath, BTreeSet<u32>>,
    /// What the web was searched for.
    searches: Vec<String>,
    /// Agent runs that a model behind an endpoint decides for.
    asking: HashSet<Scope>,
}

impl Manifest {
    /// Notes the host that requests go to.
    pub(crate) fn name_endpoint(&self, host: Option<String>) {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).endpoint = host;
    }

    /// The manifest, when anything was sent.
    pub(crate) fn object(&self) -> Option<Value> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<Value> =
            sent.files.iter().map(|(path, lines)| json!({"path": path, "lines": spans(lines)})).collect();
        (sent.requests > 0 || !sent.searches.is_empty()).then(|| {
            json!({
                "schema": SCHEMA, "endpoint": sent.endpoint, "models": sent.models, "requests": sent.requests,
                "bytes": sent.bytes, "requests_by_agent": sent.agents, "files": files,
                "searches": sent.searches,
            })
        })
    }
}

impl EventSink for Manifest {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::AgentStarted { scope, policy: PolicyKind::Llm, shown } => {
                sent.asking.insert(scope.run());
                sent.show(shown);
            }
            Event::Observed { scope, shown, .. } if sent.asking.contains(&scope.run()) => sent.show(shown),
            Event::Sent { scope, request, .. } if sent.asking.contains(&scope.run()) => {
                sent.requests += 1;
                sent.bytes += request.to_string().len() as u64;
                sent.models.extend(request["model"].as_str().map(str::to_owned));
                *sent.agents.entry(scope.agent.to_string()).or_default() += 1;
            }
            Event::Retrieved { sent: query, .. } => sent.searches.push(query.clone()),
            _ => {}
        }
        Ok(())
    }
}

impl Sent {
    fn show(&mut self, shown: &[(RepoPath, LineSpan)]) {
        for (path, span) in shown {
            self.files.entry(path.clone()).or_default().extend(span.first..=span.last);
        }
    }
}

/// Lines as ranges, both ends included.
fn spans(lines: &BTreeSet<u32>) -> Vec<[u32; 2]> {
    let mut spans: Vec<[u32; 2]> = Vec::new();
    for &line in lines {
        match spans.last_mut() {
            Some([_, last]) if *last + 1 == line => *last = line,
            _ => spans.push([line, line]),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Level;

    #[test]
    fn lines_become_ranges_and_only_what_a_model_saw_counts() {
        let manifest = Manifest::default();
        let scope =
            |agent: &str| Scope { attempt: 1, level: Level::L1, agent: agent.into(), cycle: 0, focus: None, visit: 1 };
        let shown = |first, last| vec![(RepoPath::new("A.java").unwrap(), LineSpan { first, last })];
        let started = |agent, policy, shown| Event::AgentStarted { scope: scope(agent), policy, shown };
        manifest.emit(&started("locator", PolicyKind::Builtin, shown(90, 99))).unwrap();
        assert!(manifest.object().is_none());
        manifest.emit(&started("fixer", PolicyKind::Llm, shown(1, 3))).unwrap();
        manifest.emit(&started("fixer", PolicyKind::Llm, shown(3, 5))).unwrap();
        manifest.emit(&started("fixer", PolicyKind::Llm, shown(9, 9))).unwrap();
        let request = json!({"model": "m"});
        let sent = Event::Sent { scope: Scope { cycle: 2, ..scope("fixer") }, key: "k".into(), request };
        manifest.emit(&sent).unwrap();
        let object = manifest.object().unwrap();
        assert_eq!(object["files"], json!([{"path": "A.java", "lines": [[1, 5], [9, 9]]}]));
        assert_eq!((&object["requests"], &object["models"]), (&json!(1), &json!(["m"])));
    }
}
