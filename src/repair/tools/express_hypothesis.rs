//! `express_hypothesis`: states the cause; leads from understanding to collecting.

use super::{Effect, Observation, ToolContext, ToolError, TypedTool};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The cause of the failure, as far as it is believed now.
    hypothesis: String,
}

pub(super) struct ExpressHypothesis;

#[async_trait]
impl TypedTool for ExpressHypothesis {
    const NAME: &'static str = "express_hypothesis";
    const ABOUT: &'static str = "state the cause, then collect what the fix needs";
    type Args = Args;

    async fn run(&self, args: Args, _: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let text = args.hypothesis.trim();
        if text.is_empty() {
            return Err(ToolError::Correctable("`hypothesis` is empty".into()));
        }
        Ok(Observation::plain("noted; now collect what the fix needs\n").with(Effect::Hypothesis(text.to_owned())))
    }
}
