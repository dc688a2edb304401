//! `static_analysis`: what the compiler warns of in a file, and what analysers found there that the user ran.

use super::sarif::Finding;
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
    const ABOUT: &'static str = "warnings on a file, by the compiler and by analysers";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let bench = cx.bench;
        let file = bench.file_or_located(args.file_path.as_deref())?;
        let found: Vec<&Finding> = bench.findings.iter().filter(|finding| finding.file == file.path).collect();
        let warnings = bench.validator.probe().warnings(&file.path).await?;
        if warnings.is_none() && bench.findings.is_empty() {
            return Ok(Observation::told("this project is compiled by its own build; no warnings can be had\n"));
        }
        let warnings = warnings.unwrap_or_default();
        let mut text = format!("{}: {} warnings\n", file.path, warnings.len() + found.len());
        for finding in found {
            let code = file.line(finding.line).unwrap_or("").trim();
            let _ = writeln!(text, "line {}: {} ({}) | {code}", finding.line, finding.message, finding.rule);
        }
        for warning in &warnings {
            let code = file.line(warning.line).unwrap_or("").trim();
            let _ = writeln!(text, "line {}: {} | {code}", warning.line, warning.message);
        }
        Ok(Observation::told(text))
    }
}
