//! Modules and packages of a project in Python.

use super::super::Source;
use crate::language::{children, text_of};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Files and folders whose names mean something to Python or to test runners.
const MEANINGFUL: &[&str] = &["__init__", "__main__", "conftest", "setup", "tests", "test", "testing", "src"];

/// Names of a project's modules and packages.
pub(super) struct Modules {
    names: BTreeSet<String>,
    /// Those that say nothing of their own but are the project's, too.
    plain: BTreeSet<String>,
}

impl Modules {
    pub(super) fn of(sources: &[Source]) -> Self {
        let parts = sources.iter().flat_map(|source| source.path.as_str().trim_end_matches(".py").split('/'));
        let named = |part: &&str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (plain, names) =
            parts.filter(named).map(str::to_owned).partition(|part| MEANINGFUL.contains(&part.as_str()));
        Self { names, plain }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(super) fn plain(&self) -> impl Iterator<Item = &str> {
        self.plain.iter().map(String::as_str)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name) || self.plain.contains(name)
    }

    /// Whether an import is the project's, or the part of it that stands in `part`.
    pub(super) fn is_own(&self, import: Node<'_>, text: &str, part: Node<'_>) -> bool {
        if import.kind() == "import_from_statement" {
            return self.is_from_here(import, text);
        }
        let first = part.parent().and_then(|dotted| dotted.named_child(0)).map_or("", |node| text_of(node, text));
        self.has(first)
    }

    /// Whether an import takes from a module of the project.
    pub(super) fn is_from_here(&self, import: Node<'_>, text: &str) -> bool {
        let Some(module) = import.child_by_field_name("module_name") else { return false };
        let path = text_of(module, text);
        module.kind() == "relative_import" || self.has(path.split('.').next().unwrap_or_default())
    }
}

/// First parts of the modules that an import names; nothing of those that are found by their place.
pub(super) fn imported(import: Node<'_>, text: &str) -> Vec<String> {
    let first = |path: &str| path.split('.').next().unwrap_or_default().trim().to_owned();
    if let Some(module) = import.child_by_field_name("module_name") {
        return if module.kind() == "relative_import" { Vec::new() } else { vec![first(text_of(module, text))] };
    }
    let named = children(import).into_iter().filter(|node| matches!(node.kind(), "dotted_name" | "aliased_import"));
    named.map(|node| first(text_of(node.child_by_field_name("name").unwrap_or(node), text))).collect()
}
