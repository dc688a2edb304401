//! `discard_hypothesis`: gives the current hypothesis up; it stays in memory, marked as refuted.

use super::{Effect, Observation, ToolContext, ToolError, TypedTool};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// What speaks against it.
    reason: String,
}

pub(super) struct DiscardHypothesis;

#[async_trait]
impl TypedTool for DiscardHypothesis {
    const NAME: &'static str = "discard_hypothesis";
    const ABOUT: &'static str = "give the hypothesis up and understand the bug anew";
    type Args = Args;

    async fn run(&self, args: Args, _: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let reason = args.reason.trim().to_owned();
        Ok(Observation::plain("the hypothesis is marked as refuted; look for another cause\n")
            .with(Effect::Discarded(reason)))
    }
}
