//! What an endpoint can do, found out by three tiny calls: for `doctor`.

use super::super::{ChatModel, Message, ModelError, Query, ToolSpec};
use super::OpenAi;
use crate::domain::{Cost, Problem, Usage};
use serde_json::json;
use std::time::Instant;

/// Limit of a probe's answer; enough for models that think before they answer.
const ANSWER_TOKENS: u32 = 256;
/// More than any probe's prompt takes.
const PROMPT_TOKENS: u64 = 200;
/// Calls that a probe pays for.
const CALLS: u64 = 2;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What was looked at: `contact`, `text`, `tools`, `usage`, `price`.
    pub what: &'static str,
    /// Whether it is as a run wishes it.
    pub ok: bool,
    /// What was seen, with what to do when it is not well.
    pub detail: Problem,
}

impl Finding {
    fn new(what: &'static str, ok: bool, detail: impl Into<Problem>) -> Self {
        Self { what, ok, detail: detail.into() }
    }
}

impl OpenAi {
    /// The most that [`OpenAi::probe`] can cost, to be shown before it is done.
    pub fn probe_cost(&self, model: &str) -> Cost {
        let usage = Usage {
            requests: CALLS,
            prompt_tokens: CALLS * PROMPT_TOKENS,
            cached_tokens: 0,
            cache_write_tokens: 0,
            completion_tokens: CALLS * u64::from(ANSWER_TOKENS),
            cost_usd: Cost::UNKNOWN,
        };
        self.endpoint.prices.as_ref().map_or(Cost::UNKNOWN, |prices| prices.cost(model, &usage))
    }

    /// Looks at contact, text, native tools, usage and price, in this order; ends at the first that makes the rest
    /// pointless. Pays for two calls at most.
    pub async fn probe(&self, model: &str) -> Vec<Finding> {
        if let Err(error) = self.reach(model).await {
            return vec![Finding::new("contact", false, error.into_problem())];
        }
        let mut findings = vec![Finding::new("contact", true, format!("{} answers", self.host))];
        let started = Instant::now();
        let answer = match self.ask(&question(model, "Answer with the word ready.", Vec::new())).await {
            Ok(answer) => answer,
            Err(error) => {
                findings.push(Finding::new("text", false, error.into_problem()));
                return findings;
            }
        };
        let reply: String = answer.text.chars().take(40).collect();
        let text = format!("`{}` after {:.1} s", reply.trim(), started.elapsed().as_secs_f64());
        findings.push(Finding::new("text", !answer.text.trim().is_empty(), text));
        findings.push(self.tools(model).await);
        findings.push(if ["prompt_tokens", "input_tokens"].iter().any(|name| answer.raw["usage"][*name].is_u64()) {
            Finding::new("usage", true, "tokens are counted by the endpoint")
        } else {
            Finding::new("usage", false, "the endpoint counts no tokens: they are estimated, and costs are unknown")
        });
        findings.push(match answer.usage.cost_usd {
            Cost(Some(_)) => Finding::new("price", true, "known"),
            Cost(None) => {
                let hint = "give it with --prices FILE to cap and report costs";
                Finding::new("price", false, Problem::with_hint("unknown", hint))
            }
        });
        findings
    }

    async fn tools(&self, model: &str) -> Finding {
        let tool = ToolSpec {
            name: "report_ready".to_owned(),
            description: "Says that you are ready.".to_owned(),
            parameters: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        };
        match self.ask(&question(model, "Call the tool report_ready.", vec![tool])).await {
            Ok(answer) if !answer.calls.is_empty() => Finding::new("tools", true, "native calls work"),
            Ok(_) => Finding::new("tools", false, "no native calls; commands are read from text instead"),
            Err(error @ (ModelError::Auth(_) | ModelError::Failed(_))) => {
                Finding::new("tools", false, error.into_problem())
            }
            Err(_) => Finding::new("tools", false, "refused; commands are read from text instead"),
        }
    }
}

fn question(model: &str, text: &str, tools: Vec<ToolSpec>) -> Query {
    let message = |role: &str, content: &str| Message { role: role.to_owned(), content: content.to_owned() };
    Query {
        model: model.to_owned(),
        messages: vec![message("system", "# Probe\nYou are being tested for readiness."), message("user", text)],
        tools,
        form: None,
        effort: None,
        temperature: None,
        max_tokens: Some(ANSWER_TOKENS),
        sample: 0,
    }
}
