//! `dependency_graph`: what a file uses and what uses it; without a file, what the failing tests lead to.

use super::{Observation, ToolContext, ToolError, TypedTool, Workbench};
use crate::code::Dependency;
use crate::domain::RepoPath;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Files that are listed in one direction.
const MAX_FILES: usize = 25;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File whose neighbours are wanted; without it the graph around the failing tests.
    file_path: Option<String>,
}

pub(super) struct DependencyGraph;

#[async_trait]
impl TypedTool for DependencyGraph {
    const NAME: &'static str = "dependency_graph";
    const ABOUT: &'static str = "what a file uses and what uses it";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        Ok(Observation::plain(match args.file_path {
            Some(path) => neighbours_text(cx.bench, &cx.bench.file(&path)?.path),
            None => bearing_text(cx.bench),
        }))
    }
}

fn neighbours_text(bench: &Workbench, file: &RepoPath) -> String {
    let graph = bench.dependencies();
    let mut text = format!("{file}\n");
    for (title, mut list) in [("uses", graph.uses(file)), ("used by", graph.used_by(file))] {
        list.sort_by_key(|(path, _)| bench.index.file(path).is_none_or(|f| f.test));
        if list.is_empty() {
            let _ = writeln!(text, "{title}: nothing of this project");
            continue;
        }
        let _ = writeln!(text, "{title}:");
        for (path, why) in list.iter().take(MAX_FILES) {
            let why: Vec<&str> = why.iter().map(|why: &Dependency| why.label()).collect();
            let _ = writeln!(text, "- {path} ({})", why.join(", "));
        }
        if list.len() > MAX_FILES {
            let _ = writeln!(text, "- and {} more", list.len() - MAX_FILES);
        }
    }
    text
}

/// Product files by their distance from the failing tests and the bug-located file, nearest first.
pub(crate) fn bearing_text(bench: &Workbench) -> String {
    let bearing = bench.bearing();
    let product = |path: &RepoPath| bench.index.file(path).is_some_and(|file| !file.test);
    let mut files: Vec<(&RepoPath, u32)> = bearing.iter().map(|(p, n)| (p, *n)).filter(|(p, _)| product(p)).collect();
    files.sort_by_key(|(path, steps)| (*steps, (*path).clone()));
    if files.is_empty() {
        return "the failing tests lead to no file of the product\n".into();
    }
    let mut text = String::from("files that the failing tests lead to, by steps:\n");
    for (path, steps) in files.iter().take(MAX_FILES) {
        let uses = bench.dependencies().uses(path);
        let names: Vec<&str> = uses.iter().filter(|(p, _)| product(p)).map(|(p, _)| p.file_name()).collect();
        let uses = if names.is_empty() { String::new() } else { format!(": uses {}", names.join(", ")) };
        let _ = writeln!(text, "- {steps} {path}{uses}");
    }
    if files.len() > MAX_FILES {
        let _ = writeln!(text, "- and {} more", files.len() - MAX_FILES);
    }
    text
}
