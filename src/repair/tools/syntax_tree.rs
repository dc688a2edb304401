//! `syntax_tree`: the statements of a method as the grammar sees them, one node a line.

use super::{Observation, ToolContext, ToolError, TypedTool};
use crate::domain::words::clipped;
use crate::language::{children, on_one_line, parse, text_of};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;
use tree_sitter::Node;

/// Nodes that are shown.
const MAX_NODES: usize = 150;
/// Deeper ones are left out: below this come operands, which the code itself shows better.
const MAX_DEPTH: usize = 8;
/// Characters of a node's code.
const MAX_CODE: usize = 60;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File, relative to the checkout.
    file_path: String,
    /// Method; every overload of it is shown.
    method_name: String,
}

pub(super) struct SyntaxTree;

#[async_trait]
impl TypedTool for SyntaxTree {
    const NAME: &'static str = "syntax_tree";
    const ABOUT: &'static str = "syntax tree of a method";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let file = cx.bench.file(&args.file_path)?;
        let bare = args.method_name.split('(').next().unwrap_or("").trim();
        let methods: Vec<_> = file.methods().filter(|m| m.name == bare).collect();
        if methods.is_empty() {
            let known: Vec<&str> = file.methods().map(|m| m.name.as_str()).collect();
            let known = known.join(", ");
            let what = format!("{} has no method `{bare}`; its methods are: {known}", file.path);
            return Err(ToolError::Correctable(what));
        }
        let tree = parse(&file.text, cx.bench.language);
        let tree = tree.ok_or_else(|| ToolError::Correctable(format!("{} cannot be parsed", file.path)))?;
        let mut text = String::new();
        for method in methods {
            let _ = writeln!(text, "{} {}", file.path, method.qualified());
            let node = tree.root_node().descendant_for_byte_range(method.bytes.start, method.bytes.end);
            let mut left = MAX_NODES;
            if let Some(node) = node {
                write_node(&mut text, node, &file.text, 0, &mut left);
            }
            if left == 0 {
                let _ = writeln!(text, "(cut after {MAX_NODES} nodes)");
            }
        }
        Ok(Observation::plain(text))
    }
}

fn write_node(text: &mut String, node: Node<'_>, source: &str, depth: usize, left: &mut usize) {
    if *left == 0 || depth > MAX_DEPTH {
        return;
    }
    *left -= 1;
    let code = on_one_line(text_of(node, source));
    let short = clipped(&code, MAX_CODE);
    let line = node.start_position().row + 1;
    let _ = writeln!(text, "{}{} {line}: {short}", "  ".repeat(depth), node.kind());
    for child in children(node) {
        write_node(text, child, source, depth + 1, left);
    }
}
