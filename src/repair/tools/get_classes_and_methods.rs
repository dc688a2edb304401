//! `get_classes_and_methods`: the types of a file with their constructors and methods, nested ones too.

use super::{Observation, ToolContext, ToolError, TypedTool};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File, relative to the checkout.
    file_path: String,
}

pub(super) struct GetClassesAndMethods;

#[async_trait]
impl TypedTool for GetClassesAndMethods {
    const NAME: &'static str = "get_classes_and_methods";
    const ABOUT: &'static str = "types and methods of a file, with their lines";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let file = cx.bench.file(&args.file_path)?;
        let mut text = format!("{}\n", file.path);
        for class in &file.types {
            let _ = writeln!(text, "{} (lines {}-{})", class.signature, class.span.first, class.span.last);
            for method in &class.methods {
                let _ = writeln!(text, "  {} (lines {}-{})", method.signature, method.span.first, method.span.last);
            }
        }
        if file.types.is_empty() {
            text.push_str("no type is declared here\n");
        }
        Ok(Observation::plain(text))
    }
}
