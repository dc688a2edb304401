//! `search_code_base`: which methods hold which keywords, in all sources, tests too.
//!
//! The paper's semantics (section III-D2): keywords are split into subtokens by camel case, underscore and period and
//! matched in the content of methods; the result is nested by file, class and method.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::code::SearchHits;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;

/// Methods that are listed at most; the best matches come first.
const MAX_HITS: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Words to look for: names of variables, methods, classes, or parts of them.
    key_words: Vec<String>,
}

pub struct SearchCodeBase;

#[async_trait]
impl TypedTool for SearchCodeBase {
    const NAME: &'static str = "search_code_base";
    const ABOUT: &'static str = "methods that hold keywords (split into their words), in all files";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        if args.key_words.iter().all(|word| word.trim().is_empty()) {
            return Err(ToolError::Correctable("`key_words` holds no word".into()));
        }
        let hits = cx.bench.index.search(&args.key_words, MAX_HITS);
        Ok(Observation::told(text(&hits)))
    }
}

/// The nested result, a line a method, without the weight of JSON.
fn text(hits: &SearchHits) -> String {
    let shown = hits.hits.len();
    let mut text = format!("{} methods hold {}", hits.total, hits.subtokens.join(", "));
    if shown < hits.total {
        let _ = write!(text, "; the best {shown}");
    }
    text.push('\n');
    if let Value::Object(files) = hits.nested() {
        for (file, classes) in files {
            let _ = writeln!(text, "{file}");
            for (class, methods) in classes.as_object().into_iter().flatten() {
                let _ = writeln!(text, "  {class}");
                for (method, keywords) in methods.as_object().into_iter().flatten() {
                    let words: Vec<&str> =
                        keywords.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                    let _ = writeln!(text, "    {method}: {}", words.join(", "));
                }
            }
        }
    }
    text
}
