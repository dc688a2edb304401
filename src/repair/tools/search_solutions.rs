//! `search_solutions`: how similar bugs were repaired elsewhere.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::retrieve::Solution;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Solutions that are shown.
const MOST: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// A few words on what is wrong.
    query: String,
}

pub(super) struct SearchSolutions;

#[async_trait]
impl TypedTool for SearchSolutions {
    const NAME: &'static str = "search_solutions";
    const ABOUT: &'static str = "repairs of similar bugs, with ids to cite";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let found = cx.bench.solutions.search(&args.query, MOST).await;
        let found = found.map_err(|error| ToolError::Correctable(error.to_string()))?;
        if found.is_empty() {
            return Ok(Observation::plain("nothing was found; use other words\n"));
        }
        Ok(Observation::plain(solutions_text(&found)))
    }
}

/// Solutions for prompts, each with its id.
pub(crate) fn solutions_text(solutions: &[Solution]) -> String {
    let mut text = String::new();
    for solution in solutions {
        let Solution { id, symptom, before, after, why } = solution;
        let _ = writeln!(text, "[{id}] {symptom}");
        for (title, part) in [("before: ", before), ("after:  ", after), ("why: ", why)] {
            if !part.is_empty() {
                let _ = writeln!(text, "  {title}{part}");
            }
        }
    }
    text
}
