//! `extract_method`: every implementation of a name in a file, overloads and nested types included.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::code::{Method, SourceFile};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// More overloads than this are listed by signature.
const MAX_BODIES: usize = 8;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File, relative to the checkout.
    file_path: String,
    /// Name of the method, or `name(Type,Type)` for one overload.
    method_name: String,
}

pub(super) struct ExtractMethod;

#[async_trait]
impl TypedTool for ExtractMethod {
    const NAME: &'static str = "extract_method";
    const ABOUT: &'static str = "code of every method of that name in a file";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let file = cx.bench.file(&args.file_path)?;
        let found = methods_named(file, &args.method_name);
        if found.is_empty() {
            return Err(ToolError::Correctable(nothing_found(file, &args.method_name)));
        }
        let mut observation = Observation::plain(String::new());
        let mut text = format!("{}\n", file.path);
        for method in found.iter().take(MAX_BODIES) {
            let span = method.span;
            let _ = writeln!(text, "{} (lines {}-{}):", method.qualified(), span.first, span.last);
            text.push_str(file.lines(span).trim_end_matches(['\n', '\r']));
            text.push('\n');
            observation = observation.showing(&file.path, span);
        }
        for method in found.iter().skip(MAX_BODIES) {
            let _ = writeln!(
                text,
                "{} (lines {}-{}): signature only",
                method.signature, method.span.first, method.span.last
            );
        }
        observation.text = text;
        Ok(observation)
    }
}

/// Methods of the file that a model's name means: a bare name, an overload, either behind its class.
fn methods_named<'f>(file: &'f SourceFile, wanted: &str) -> Vec<&'f Method> {
    let wanted: String = wanted.chars().filter(|c| !c.is_whitespace()).collect();
    let all = || file.types.iter().flat_map(|class| &class.methods);
    let squeezed = |text: String| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let exact: Vec<&Method> =
        all().filter(|m| squeezed(m.overload()) == wanted || squeezed(m.qualified()) == wanted).collect();
    if !exact.is_empty() {
        return exact;
    }
    let head = wanted.split('(').next().unwrap_or("");
    let bare = head.rsplit('.').next().unwrap_or(head);
    all().filter(|m| m.name == bare).collect()
}

fn nothing_found(file: &SourceFile, wanted: &str) -> String {
    let names: Vec<&str> = file.types.iter().flat_map(|c| &c.methods).map(|m| m.name.as_str()).collect();
    let mut near: Vec<(usize, &str)> = names.iter().map(|name| (strsim::levenshtein(name, wanted), *name)).collect();
    near.sort_unstable();
    near.dedup();
    let nearest: Vec<&str> = near.into_iter().take(5).map(|(_, name)| name).collect();
    format!("{} has no method `{wanted}`; nearest: {}", file.path, nearest.join(", "))
}
