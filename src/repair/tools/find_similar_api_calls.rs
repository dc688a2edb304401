//! `find_similar_api_calls`: where methods called in a snippet are called elsewhere, in one file or in all.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::code;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Calls shown for each name.
const MAX_CALLS: usize = 12;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Code that holds a method call.
    code_snippet: String,
    /// Only this file; all when absent.
    #[serde(default)]
    file_path: Option<String>,
}

pub(super) struct FindSimilarApiCalls;

#[async_trait]
impl TypedTool for FindSimilarApiCalls {
    const NAME: &'static str = "find_similar_api_calls";
    const ABOUT: &'static str = "calls of the methods that a snippet calls";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let only = match args.file_path.as_deref() {
            Some(path) => Some(cx.bench.file(path)?.path.clone()),
            None => None,
        };
        let names = code::called_names(&args.code_snippet, cx.bench.language);
        if names.is_empty() {
            return Err(ToolError::Correctable("no method call was found in `code_snippet`".into()));
        }
        let mut text = String::new();
        for name in names {
            let calls = cx.bench.index.calls_to(&name, only.as_ref());
            let _ = writeln!(text, "{name}: {} call{}", calls.len(), if calls.len() == 1 { "" } else { "s" });
            for call in calls.iter().take(MAX_CALLS) {
                let _ = writeln!(
                    text,
                    "  {}:{} in {}.{}: {}",
                    call.file,
                    call.line,
                    call.class,
                    call.method.as_deref().unwrap_or("(initialiser)"),
                    call.text
                );
            }
            if calls.len() > MAX_CALLS {
                let _ = writeln!(text, "  ({} more)", calls.len() - MAX_CALLS);
            }
        }
        Ok(Observation::plain(text))
    }
}
