//! A run as spans that a collector of OpenTelemetry takes: OTLP in its JSON form, one object a run.
//!
//! Names are those of the semantic conventions for generative AI, release 0.1.0 (on conventions 1.45.0), which are still
//! in development: a run is a workflow, an agent's work `invoke_agent`, a question to a model `chat`, a tool
//! `execute_tool`. What they have no name for begins with `unidebug.`. Texts of prompts and answers are not in it.

use crate::domain::{Event, Outcome, Scope};
use crate::report::study::RunFacts;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The release of the conventions for generative AI.
const GEN_AI: &str = "0.1.0";
/// The schema of the conventions that it stands on.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.45.0";
/// Kinds of spans: work inside of this program, a call of another.
const INTERNAL: u32 = 1;
const CLIENT: u32 = 3;
/// The status of what failed.
const ERROR: u32 = 2;

/// The spans of a run that began at this time, in seconds since 1970. Pauses between sessions are not in the times of
/// its events, so a run that was gone on with looks as if it had no pause.
pub(crate) fn otlp(facts: &RunFacts, began: f64, events: &[(f64, Event)]) -> Value {
    let mut spans = Spans {
        trace: id(&format!("{} {began}", facts.dir), 32),
        began,
        spans: Vec::new(),
        agents: HashMap::new(),
        sent: HashMap::new(),
    };
    let end = events.last().map_or(0.0, |(at, _)| *at);
    let root = spans.add(None, "invoke_workflow unidebug", INTERNAL, (0.0, end), root_attributes(facts));
    for (at, event) in events {
        spans.take(*at, event, &root);
    }
    let agents: Vec<Value> = std::mem::take(&mut spans.agents).into_values().map(|agent| agent.span).collect();
    // An agent that did not end was at work when the run stopped.
    spans.spans.extend(agents);
    let resource = attributes(&[
        ("service.name", json!("unidebug")),
        ("service.version", json!(facts.version)),
        ("unidebug.conventions.gen_ai", json!(GEN_AI)),
    ]);
    let scope = json!({"name": "unidebug", "version": facts.version});
    let scope_spans = json!([{"scope": scope, "spans": spans.spans, "schemaUrl": SCHEMA_URL}]);
    json!({"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": scope_spans}]})
}

fn root_attributes(facts: &RunFacts) -> Vec<Value> {
    let mut all = vec![
        ("gen_ai.operation.name", json!("invoke_workflow")),
        ("gen_ai.agent.name", json!("unidebug")),
        ("unidebug.bug", json!(facts.bug.to_string())),
        ("unidebug.sandbox", json!(facts.sandbox)),
    ];
    if let Some(report) = &facts.report {
        all.push(("unidebug.verdict", json!(report.verdict)));
        all.extend(report.usage.cost_usd.0.map(|usd| ("unidebug.cost_usd", json!(usd))));
    }
    attributes(&all)
}

/// An agent at work.
struct Agent {
    id: String,
    span: Value,
}

struct Spans {
    trace: String,
    began: f64,
    spans: Vec<Value>,
    /// Agents that have not ended.
    agents: HashMap<Scope, Agent>,
    /// Requests on their way, by their content key.
    sent: HashMap<String, Value>,
}

impl Spans {
    /// Adds a span; gives its id.
    fn add(&mut self, parent: Option<&str>, name: &str, kind: u32, time: (f64, f64), attributes: Vec<Value>) -> String {
        let (own, span) = self.span(parent, name, kind, time, attributes);
        self.spans.push(span);
        own
    }

    fn span(
        &self,
        parent: Option<&str>,
        name: &str,
        kind: u32,
        (from, to): (f64, f64),
        attributes: Vec<Value>,
    ) -> (String, Value) {
        let nth = self.spans.len() + self.agents.len();
        let own = id(&format!("{} {nth} {name} {from} {to}", self.trace), 16);
        let mut span = json!({
            "traceId": self.trace, "spanId": own, "name": name, "kind": kind,
            "startTimeUnixNano": self.nanos(from), "endTimeUnixNano": self.nanos(to), "attributes": attributes,
        });
        if let Some(parent) = parent {
            span["parentSpanId"] = json!(parent);
        }
        (own, span)
    }

    /// A moment, as 64-bit numbers stand in JSON.
    fn nanos(&self, at: f64) -> String {
        format!("{:.0}", (self.began + at.max(0.0)) * 1e9)
    }

    fn failed(&mut self, why: &str) {
        if let Some(span) = self.spans.last_mut() {
            span["status"] = json!({"code": ERROR, "message": why});
        }
    }

    /// The id of the agent at work, else that of the run.
    fn parent(&self, scope: &Scope, root: &str) -> String {
        self.agents.get(&scope.run()).map_or_else(|| root.to_owned(), |agent| agent.id.clone())
    }

    fn take(&mut self, at: f64, event: &Event, root: &str) {
        match event {
            Event::Baseline { passing, triggering, seconds, .. } => {
                let counts =
                    [("unidebug.tests.failing", json!(triggering.len())), ("unidebug.tests.passing", json!(passing))];
                self.add(Some(root), "baseline", INTERNAL, (at - seconds, at), attributes(&counts));
            }
            Event::AgentStarted { scope, policy, .. } => {
                let name = format!("invoke_agent {}", scope.agent);
                let about = attributes(&[
                    ("gen_ai.operation.name", json!("invoke_agent")),
                    ("gen_ai.agent.name", json!(scope.agent)),
                    ("unidebug.level", json!(scope.level.label())),
                    ("unidebug.attempt", json!(scope.attempt)),
                    ("unidebug.policy", json!(policy)),
                ]);
                let (id, span) = self.span(Some(root), &name, INTERNAL, (at, at), about);
                // One that a killed session left is begun again.
                let left = self.agents.insert(scope.run(), Agent { id, span });
                self.spans.extend(left.map(|agent| agent.span));
            }
            Event::AgentEnded { scope, how, cycles } => {
                if let Some(Agent { mut span, .. }) = self.agents.remove(&scope.run()) {
                    span["endTimeUnixNano"] = json!(self.nanos(at));
                    let more = attributes(&[("unidebug.ended", json!(how)), ("unidebug.cycles", json!(cycles))]);
                    span["attributes"].as_array_mut().into_iter().for_each(|all| all.extend(more.clone()));
                    self.spans.push(span);
                }
            }
            _ => self.take_of_work(at, event, root),
        }
    }

    /// What an agent did.
    fn take_of_work(&mut self, at: f64, event: &Event, root: &str) {
        match event {
            Event::Sent { key, request, .. } => drop(self.sent.insert(key.clone(), request.clone())),
            Event::Received { scope, key, response, seconds, .. } => {
                let request = self.sent.remove(key).unwrap_or_default();
                let about = chat(event, &request, response);
                let name = format!("chat {}", request["model"].as_str().unwrap_or_default());
                let parent = self.parent(scope, root);
                self.add(Some(&parent), name.trim_end(), CLIENT, (at - seconds, at), about);
            }
            Event::Failed { scope, key, why, .. } => {
                let request = self.sent.remove(key).unwrap_or_default();
                let name = format!("chat {}", request["model"].as_str().unwrap_or_default());
                let parent = self.parent(scope, root);
                let about = chat(event, &request, &Value::Null);
                self.add(Some(&parent), name.trim_end(), CLIENT, (at, at), about);
                self.failed(&why.to_string());
            }
            Event::Observed { scope, tool, ok, seconds, .. } => {
                let about = attributes(&[
                    ("gen_ai.operation.name", json!("execute_tool")),
                    ("gen_ai.tool.name", json!(tool)),
                    ("gen_ai.tool.type", json!("function")),
                    ("unidebug.cycle", json!(scope.cycle)),
                ]);
                let parent = self.parent(scope, root);
                self.add(Some(&parent), format!("execute_tool {tool}").trim_end(), INTERNAL, (at - seconds, at), about);
                if !ok {
                    self.failed("refused, or without result");
                }
            }
            Event::Validated { scope, outcome, origin, seconds, .. } if *outcome != Outcome::PassedWarm => {
                let about = [("unidebug.outcome", json!(outcome)), ("unidebug.origin", json!(origin))];
                let parent = self.parent(scope, root);
                self.add(Some(&parent), "judge", INTERNAL, (at - seconds, at), attributes(&about));
            }
            _ => {}
        }
    }
}

/// The attributes of a query to a model.
fn chat(event: &Event, request: &Value, response: &Value) -> Vec<Value> {
    let mut all = vec![
        ("gen_ai.operation.name", json!("chat")),
        // The shape that was spoken; who stands behind it, an address does not tell.
        ("gen_ai.provider.name", json!("openai")),
        ("gen_ai.request.model", request["model"].clone()),
        ("gen_ai.request.temperature", request["temperature"].clone()),
        ("gen_ai.request.seed", request["seed"].clone()),
        ("gen_ai.response.model", response["model"].clone()),
        ("gen_ai.response.id", response["id"].clone()),
    ];
    let most = ["max_completion_tokens", "max_tokens"].map(|key| request[key].clone());
    all.extend(most.into_iter().find(|most| !most.is_null()).map(|most| ("gen_ai.request.max_tokens", most)));
    let reasons: Vec<Value> =
        response["choices"].as_array().into_iter().flatten().map(|choice| choice["finish_reason"].clone()).collect();
    if !reasons.is_empty() {
        all.push(("gen_ai.response.finish_reasons", json!(reasons)));
    }
    if let Event::Received { usage, .. } = event {
        all.push(("gen_ai.usage.input_tokens", json!(usage.prompt_tokens)));
        all.push(("gen_ai.usage.output_tokens", json!(usage.completion_tokens)));
        all.push(("gen_ai.usage.cache_read.input_tokens", json!(usage.cached_tokens)));
        all.extend(usage.cost_usd.0.map(|usd| ("unidebug.cost_usd", json!(usd))));
    }
    attributes(&all)
}

/// Attributes as OTLP writes them; those without a value are left out.
fn attributes(all: &[(&str, Value)]) -> Vec<Value> {
    let known = all.iter().filter_map(|(key, value)| Some(json!({"key": key, "value": any(value)?})));
    known.collect()
}

fn any(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Null | Value::Object(_) => return None,
        Value::String(text) => json!({"stringValue": text}),
        Value::Bool(is) => json!({"boolValue": is}),
        Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        Value::Array(items) => json!({"arrayValue": {"values": items.iter().filter_map(any).collect::<Vec<_>>()}}),
    })
}

/// An id of so many hexadecimal digits, the same for the same run.
fn id(text: &str, digits: usize) -> String {
    let mut id = HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    id.truncate(digits);
    id
}
