//! `goal_accomplished`: ends the agent run and hands its answer over.
//!
//! The arguments differ by agent (DESIGN.md, section 7), so they pass through as they are; the agent's contract judges
//! them.

use super::{Effect, Observation, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use serde_json::{Value, json};

/// The tool that ends an agent run.
pub(crate) const GOAL_ACCOMPLISHED: &str = "goal_accomplished";

pub(super) struct GoalAccomplished;

#[async_trait]
impl Tool for GoalAccomplished {
    fn name(&self) -> &'static str {
        GOAL_ACCOMPLISHED
    }
    fn about(&self) -> &'static str {
        "hand your answer over and end"
    }
    fn schema(&self) -> Value {
        json!({"type": "object", "properties": {
            "explanation": {"type": "string", "description": "why this answer is right"}
        }})
    }
    async fn call(&self, args: Value, _: &ToolContext<'_>) -> Result<Observation, ToolError> {
        Ok(Observation::plain("done").with(Effect::Accomplished(args)))
    }
}
