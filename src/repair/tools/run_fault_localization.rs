//! `run_fault_localization`: the most suspicious lines, from coverage of the failing tests, traces and names.

use super::{Observation, ToolContext, ToolError, TypedTool};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Lines that are shown of a ranking that was computed.
const MAX_LINES: usize = 15;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {}

pub(super) struct RunFaultLocalization;

#[async_trait]
impl TypedTool for RunFaultLocalization {
    const NAME: &'static str = "run_fault_localization";
    const ABOUT: &'static str = "most suspicious lines, ranked";
    type Args = Args;

    async fn run(&self, _: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let ranking = &cx.bench.ranking;
        if ranking.lines.is_empty() {
            return Ok(Observation::plain(
                "no line could be ranked: no trace and no coverage leads into the product\n",
            ));
        }
        let mut text = format!("suspicious lines ({}):\n", ranking.source);
        let mut observation = Observation::plain(String::new());
        let most = if ranking.is_the_developers() { ranking.lines.len() } else { MAX_LINES };
        for suspect in ranking.lines.iter().take(most) {
            let place = &suspect.location;
            let code = cx.bench.index.file(&place.file).and_then(|f| f.line(place.line)).unwrap_or("").trim();
            let method = suspect.method.as_deref().unwrap_or("-");
            let _ = writeln!(text, "{:.3} {place} {method}: {code} [{}]", suspect.score, suspect.reasons.join("; "));
            observation =
                observation.showing(&place.file, crate::domain::LineSpan { first: place.line, last: place.line });
        }
        if ranking.lines.len() > most {
            let _ = writeln!(text, "({} more lines with lower scores)", ranking.lines.len() - most);
        }
        observation.text = text;
        Ok(observation)
    }
}
