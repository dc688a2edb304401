//! `collect_more_information`: back from trying to collecting.

use super::{Observation, ToolContext, ToolError, TypedTool};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// What is missing.
    reason: String,
}

pub(super) struct CollectMoreInformation;

#[async_trait]
impl TypedTool for CollectMoreInformation {
    const NAME: &'static str = "collect_more_information";
    const ABOUT: &'static str = "go back and collect what is missing";
    type Args = Args;

    async fn run(&self, args: Args, _: &ToolContext<'_>) -> Result<Observation, ToolError> {
        Ok(Observation::plain(format!("collect what is missing: {}", args.reason.trim())))
    }
}
