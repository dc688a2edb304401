//! `search_code_base`: which members hold which keywords, in all sources, tests too.
//!
//! The paper's semantics (section III-D2): keywords are split into subtokens by camel case, underscore and period and
//! matched in methods, variables and classes; the result is nested by file, class and member, with the lines of code.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::code::{CodeIndex, SearchHits};
use crate::domain::RepoPath;
use crate::domain::words::clipped;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Members that are listed at most; the best matches come first.
const MAX_HITS: usize = 25;
/// Characters of a line that are shown.
const MAX_LINE: usize = 120;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Words to look for: names of variables, methods, classes, or parts of them.
    key_words: Vec<String>,
}

pub(super) struct SearchCodeBase;

#[async_trait]
impl TypedTool for SearchCodeBase {
    const NAME: &'static str = "search_code_base";
    const ABOUT: &'static str = "code that holds keywords (whole, or split into words), in all files, with lines";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        Ok(Observation::plain(search_text(&cx.bench.index, &args.key_words)?))
    }
}

/// What an index says of keywords.
///
/// # Errors
/// There is no word among them.
pub fn search_text(index: &CodeIndex, key_words: &[String]) -> Result<String, ToolError> {
    if key_words.iter().all(|word| word.trim().is_empty()) {
        return Err(ToolError::Correctable("`key_words` holds no word".into()));
    }
    Ok(text(&index.search(key_words, MAX_HITS)))
}

/// The nested result, a line a member with the lines that hold the words, without the weight of JSON.
fn text(hits: &SearchHits) -> String {
    let shown = hits.hits.len();
    let mut text = format!("{} places hold {}", hits.total, hits.subtokens.join(", "));
    if (1..hits.total).contains(&hits.whole) {
        let _ = write!(text, ", {} of them a whole keyword", hits.whole);
    }
    if shown < hits.total {
        let _ = write!(text, "; the best {shown}");
    }
    if !hits.dropped.is_empty() {
        let _ = write!(text, " (too short to be looked for: {})", hits.dropped.join(", "));
    }
    text.push('\n');
    let mut files: Vec<&RepoPath> = Vec::new();
    for hit in &hits.hits {
        if !files.contains(&&hit.file) {
            files.push(&hit.file);
        }
    }
    for file in files {
        let _ = writeln!(text, "{file}");
        for hit in hits.hits.iter().filter(|hit| hit.file == *file) {
            let _ = writeln!(text, "  {}.{}", hit.class, hit.member);
            for (number, line) in &hit.lines {
                let _ = writeln!(text, "    {number}: {}", clipped(line, MAX_LINE));
            }
        }
    }
    text
}
