//! `static_analysis`: what the compiler warns of in a file, before any test is run.

use super::{Observation, ToolContext, ToolError, TypedTool};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// File; the bug-located one when absent.
    file_path: Option<String>,
}

pub struct StaticAnalysis;

#[async_trait]
impl TypedTool for StaticAnalysis {
    const NAME: &'static str = "static_analysis";
    const ABOUT: &'static str = "the compiler's warnings on a file";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let bench = cx.bench;
        let located = bench.bug.located.as_ref().map(|path| path.as_str().to_owned());
        let path = args.file_path.or(located);
        let path = path.ok_or_else(|| ToolError::Correctable("no file was located; name one".into()))?;
        let file = bench.file(&path)?;
        let Some(warnings) = bench.validator.warnings(&file.path).await? else {
            return Ok(Observation::told("this project is compiled by its own build; no warnings can be had\n"));
        };
        let mut text = format!("{}: {} warnings\n", file.path, warnings.len());
        for warning in &warnings {
            let code = file.line(warning.line).unwrap_or("").trim();
            let _ = writeln!(text, "line {}: {} | {code}", warning.line, warning.message);
        }
        Ok(Observation::told(text))
    }
}
