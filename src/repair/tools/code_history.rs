//! `code_history`: who changed a file, and some of its lines, last; nothing newer than the revision that is worked on.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::benchmark::LOCAL;
use crate::domain::LineSpan;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

/// Commits that are listed.
const COMMITS: usize = 10;
/// Lines that are looked at at most.
const MAX_LINES: u32 = 60;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File; the bug-located one when absent.
    file_path: Option<String>,
    /// First of the lines whose last change is wanted.
    start_line: Option<u32>,
    /// Last of them.
    end_line: Option<u32>,
}

pub(super) struct CodeHistory;

#[async_trait]
impl TypedTool for CodeHistory {
    const NAME: &'static str = "code_history";
    const ABOUT: &'static str = "commits that changed a file, and who changed which line last";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let bench = cx.bench;
        let Some(history) = &bench.history else {
            let why = match bench.bug.id.benchmark.as_str() {
                LOCAL => "the project is in no git repository",
                _ => "this benchmark hides its history, for later commits hold the repair",
            };
            return Ok(Observation::plain(format!("there is no history: {why}\n")));
        };
        let file = bench.file_or_located(args.file_path.as_deref())?;
        let log = history.log(&file.path, COMMITS).await?;
        if log.trim().is_empty() {
            return Ok(Observation::plain(format!("no commit holds {} yet\n", file.path)));
        }
        let mut text = format!("newest commits of {}:\n{log}", file.path);
        if let Some(first) = args.start_line {
            let last = args.end_line.unwrap_or(first).min(file.line_count());
            let lines = LineSpan { first: first.max(1), last: last.min(first.saturating_add(MAX_LINES - 1)) };
            if lines.first > lines.last {
                let known = file.line_count();
                return Err(ToolError::Correctable(format!("{} has lines 1 to {known}", file.path)));
            }
            let blame = history.blame(&file.path, lines).await?;
            text.push_str(&format!("last changes of lines {} to {}:\n{blame}", lines.first, lines.last));
            return Ok(Observation::plain(text).showing(&file.path, lines));
        }
        Ok(Observation::plain(text))
    }
}
