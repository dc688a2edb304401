//! `generate_method_body`: a model writes a method from the code before it and its signature.
//!
//! A side query of its own (paper, section III-D2): at most 12 k tokens of context, 4 k of answer, no cycle spent.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::code::SourceFile;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

/// Context in characters: 12 k tokens at four characters each.
const MAX_CONTEXT: usize = 48_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// File, relative to the checkout.
    file_path: String,
    /// Name of an existing method, or the signature of a new one.
    method_name: String,
}

/// The only tool that asks a model.
pub struct GenerateMethodBody;

#[async_trait]
impl TypedTool for GenerateMethodBody {
    const NAME: &'static str = "generate_method_body";
    const ABOUT: &'static str = "have a model write a method from the code before it";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let side = cx.side.ok_or_else(|| ToolError::Correctable("there is no model to ask in this run".into()))?;
        let file = cx.bench.file(&args.file_path)?;
        let (before, signature) = context(file, &args.method_name, cx.bench.language.is_indented());
        let body = side.method_body(&before, &signature).await?;
        Ok(Observation::plain(format!("a generated `{signature}`, not checked by anything yet:\n{body}\n")))
    }
}

/// The file up to the method, cut at whole lines from the front, and the signature to complete.
fn context(file: &SourceFile, wanted: &str, open_end: bool) -> (String, String) {
    let name = wanted.split('(').next().unwrap_or(wanted).trim();
    let name = name.rsplit([' ', '.']).next().unwrap_or(name);
    let method = file.types.iter().flat_map(|class| &class.methods).find(|method| method.name == name);
    let (end, signature) = match method {
        Some(method) => (method.bytes.start, method.signature.clone()),
        None if open_end => (file.text.len(), wanted.to_owned()),
        None => (file.text.rfind('}').unwrap_or(file.text.len()), wanted.to_owned()),
    };
    let mut before = file.text.get(..end).unwrap_or("");
    while before.len() > MAX_CONTEXT {
        match before.split_once('\n') {
            Some((_, rest)) => before = rest,
            None => break,
        }
    }
    (before.to_owned(), signature)
}
