//! `read_range`: numbered lines of one file of the checkout.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::domain::LineSpan;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// A wider request is cut: one observation must never flood the context.
const MAX_LINES: u32 = 200;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File, relative to the checkout.
    file_path: String,
    /// First line, counted from 1.
    start_line: u32,
    /// Last line, inclusive.
    end_line: u32,
}

pub(super) struct ReadRange;

#[async_trait]
impl TypedTool for ReadRange {
    const NAME: &'static str = "read_range";
    const ABOUT: &'static str = "numbered lines of a file";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let file = cx.bench.file(&args.file_path)?;
        let count = file.line_count();
        if args.start_line == 0 || args.end_line < args.start_line || args.start_line > count {
            let range = format!("{}..{}", args.start_line, args.end_line);
            return Err(ToolError::Correctable(format!("{} has lines 1 to {count}; {range} was asked for", file.path)));
        }
        let wanted = args.end_line.min(count);
        let last = wanted.min(args.start_line.saturating_add(MAX_LINES - 1));
        let mut text = format!("{}\n", file.path);
        for line in args.start_line..=last {
            let _ = writeln!(text, "Line {line}: {}", file.line(line).unwrap_or(""));
        }
        if last < wanted {
            let _ = writeln!(text, "(cut after {MAX_LINES} lines; go on from line {})", last + 1);
        } else if args.end_line > count {
            let _ = writeln!(text, "(end of file)");
        }
        Ok(Observation::plain(text).showing(&file.path, LineSpan { first: args.start_line, last }))
    }
}
