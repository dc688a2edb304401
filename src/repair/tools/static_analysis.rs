//! `static_analysis`: what the compiler warns of in a file, and what analysers find there: those that the user ran, and
//! those that are installed.

use super::sarif::Finding;
use super::{Observation, ToolContext, ToolError, TypedTool};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Findings of analysers that are shown.
const MOST: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File; the bug-located one when absent.
    file_path: Option<String>,
}

pub(super) struct StaticAnalysis;

#[async_trait]
impl TypedTool for StaticAnalysis {
    const NAME: &'static str = "static_analysis";
    const ABOUT: &'static str = "warnings on a file, by the compiler and by analysers";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let bench = cx.bench;
        let file = bench.file_or_located(args.file_path.as_deref())?;
        let warnings = bench.validator.probe().warnings(&file.path).await?;
        let looked = bench.analysers.look(&bench.checkout, &bench.index, file).await;
        if warnings.is_none() && bench.findings.is_empty() && looked.by.is_empty() {
            let mut text = "this project is compiled by its own build; no warnings can be had\n".to_owned();
            looked.failed.iter().for_each(|why| text.push_str(&format!("{why}\n")));
            return Ok(Observation::plain(text));
        }
        let given = bench.findings.iter().filter(|finding| finding.file == file.path);
        let mut found: Vec<&Finding> = given.chain(&looked.findings).collect();
        found.sort_by_key(|finding| finding.line);
        found.dedup();
        let warnings = warnings.unwrap_or_default();
        let mut text = format!("{}: {} warnings", file.path, warnings.len() + found.len());
        if !looked.by.is_empty() {
            let _ = write!(text, " ({} looked at it, too)", looked.by.join(" and "));
        }
        text.push('\n');
        looked.failed.iter().for_each(|why| text.push_str(&format!("({why})\n")));
        let left = found.len().saturating_sub(MOST);
        for finding in found.into_iter().take(MOST) {
            let code = file.line(finding.line).unwrap_or("").trim();
            let _ = writeln!(text, "line {}: {} ({}) | {code}", finding.line, finding.message, finding.rule);
        }
        if left > 0 {
            let _ = writeln!(text, "and {left} more findings");
        }
        for warning in &warnings {
            let code = file.line(warning.line).unwrap_or("").trim();
            let _ = writeln!(text, "line {}: {} | {code}", warning.line, warning.message);
        }
        Ok(Observation::plain(text))
    }
}
