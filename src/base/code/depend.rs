//! Which file depends on which: imports, calls, inheritance; tests stand in the graph like everything else.

use super::index::full_name;
use super::{CodeIndex, SourceFile, Type};
use crate::domain::RepoPath;
use crate::language::simple_type;
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Why one file depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependency {
    /// It names a type of the other: by an import, or inside of one package.
    Names,
    /// It calls a method or constructor of the other.
    Calls,
    /// A type of it extends or implements one of the other.
    Inherits,
}

impl Dependency {
    /// The word for texts.
    pub fn label(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Calls => "calls",
            Self::Inherits => "inherits from",
        }
    }
}

/// The types of an index, by full name.
struct Types<'i> {
    index: &'i CodeIndex,
    by_name: BTreeMap<String, &'i RepoPath>,
}

impl Types<'_> {
    /// The file of a module, of a class in one, or of a function in one, as it is imported.
    fn imported(&self, full: &str) -> Option<&RepoPath> {
        let around = full.rsplit_once('.').map(|(head, _)| head);
        let found = [Some(full), around].into_iter().flatten().find_map(|name| self.index.class(name));
        found.map(|(file, _)| &file.path)
    }
}

/// Dependencies between the files of one checkout.
#[derive(Debug)]
pub struct DependencyGraph {
    graph: DiGraph<RepoPath, BTreeSet<Dependency>>,
    nodes: BTreeMap<RepoPath, NodeIndex>,
}

impl DependencyGraph {
    /// The graph of all files of an index.
    pub fn build(index: &CodeIndex) -> Self {
        let mut graph = DiGraph::new();
        let nodes = index.files().iter().map(|file| (file.path.clone(), graph.add_node(file.path.clone()))).collect();
        let mut made = Self { graph, nodes };
        let by_name = index.files().iter();
        let by_name = by_name.flat_map(|file| file.types.iter().map(move |kind| (full_name(file, kind), &file.path)));
        let types = Types { index, by_name: by_name.collect() };
        for file in index.files() {
            for method in file.methods() {
                for call in &method.calls {
                    // The likeliest meaning only: a wrong edge costs more than a missing one.
                    if let Some(target) = index.resolve_call(method, call).first() {
                        made.add(&file.path, &target.file, Dependency::Calls);
                    }
                }
                for name in &method.names {
                    made.add_named(file, name, &types, Dependency::Names);
                }
                for (_, declared) in &method.variables {
                    made.add_named(file, simple_type(declared).as_str(), &types, Dependency::Names);
                }
            }
            for kind in &file.types {
                made.add_type(file, kind, &types);
            }
        }
        made
    }

    fn add_type(&mut self, file: &SourceFile, kind: &Type, types: &Types<'_>) {
        for above in &kind.supertypes {
            self.add_named(file, above, types, Dependency::Inherits);
        }
        for field in &kind.fields {
            self.add_named(file, &simple_type(&field.type_name), types, Dependency::Names);
        }
        for call in kind.calls.iter().filter(|call| call.constructs) {
            self.add_named(file, &call.name, types, Dependency::Calls);
        }
    }

    /// An edge to the file of the type that a simple name means in this file: imported, else of the same package.
    fn add_named(&mut self, file: &SourceFile, name: &str, types: &Types<'_>, why: Dependency) {
        if !types.index.language().is_type_name(name) {
            return;
        }
        let imported = file.imports.iter().filter_map(|import| {
            let import = import.trim_start_matches("static ").trim();
            match import.strip_suffix(".*") {
                Some(package) => Some(format!("{package}.{name}")),
                None => (import.rsplit('.').next() == Some(name)).then(|| import.to_owned()),
            }
        });
        let target = if types.index.language().module(&file.path).is_some() {
            imported.into_iter().find_map(|full| types.imported(&full))
        } else {
            let here = if file.package.is_empty() { name.to_owned() } else { format!("{}.{name}", file.package) };
            imported.chain([here]).find_map(|full| types.by_name.get(&full).copied())
        };
        if let Some(target) = target {
            self.add(&file.path, target, why);
        }
    }

    fn add(&mut self, from: &RepoPath, to: &RepoPath, why: Dependency) {
        let (Some(&from), Some(&to)) = (self.nodes.get(from), self.nodes.get(to)) else { return };
        if from == to {
            return;
        }
        let edge = self.graph.find_edge(from, to).unwrap_or_else(|| self.graph.add_edge(from, to, BTreeSet::new()));
        if let Some(reasons) = self.graph.edge_weight_mut(edge) {
            reasons.insert(why);
        }
    }

    /// Files that a file depends on, ordered by path, each with why.
    pub fn uses(&self, file: &RepoPath) -> Vec<(&RepoPath, Vec<Dependency>)> {
        self.neighbours(file, Direction::Outgoing)
    }

    /// Files that depend on a file, ordered by path, each with why.
    pub fn used_by(&self, file: &RepoPath) -> Vec<(&RepoPath, Vec<Dependency>)> {
        self.neighbours(file, Direction::Incoming)
    }

    fn neighbours(&self, file: &RepoPath, direction: Direction) -> Vec<(&RepoPath, Vec<Dependency>)> {
        let Some(&node) = self.nodes.get(file) else { return Vec::new() };
        let mut found: Vec<_> = self
            .graph
            .edges_directed(node, direction)
            .map(|edge| {
                let other = if direction == Direction::Outgoing { edge.target() } else { edge.source() };
                (&self.graph[other], edge.weight().iter().copied().collect())
            })
            .collect();
        found.sort();
        found
    }

    /// Files that can be reached from some files by what they use, each with the number of steps; the files themselves
    /// with 0.
    pub fn reachable<'p>(&self, from: impl IntoIterator<Item = &'p RepoPath>) -> BTreeMap<RepoPath, u32> {
        let mut steps: BTreeMap<RepoPath, u32> = BTreeMap::new();
        let mut open: VecDeque<(NodeIndex, u32)> =
            from.into_iter().filter_map(|path| Some((*self.nodes.get(path)?, 0))).collect();
        while let Some((node, step)) = open.pop_front() {
            if steps.contains_key(&self.graph[node]) {
                continue;
            }
            steps.insert(self.graph[node].clone(), step);
            open.extend(self.graph.neighbors(node).map(|next| (next, step + 1)));
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Java;
    use camino::Utf8Path;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn index(files: &[(&str, &str)]) -> CodeIndex {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (name, text) in files {
            let full = root.join(name);
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            std::fs::write(full, text).unwrap();
        }
        CodeIndex::build(root, &[path("src")], &[path("test")], &Java)
    }

    #[test]
    fn calls_names_and_inheritance_make_edges() {
        let index = index(&[
            ("src/a/Base.java", "package a;\npublic class Base { public int one() { return 1; } }\n"),
            ("src/b/Child.java", "package b;\nimport a.Base;\npublic class Child extends Base { }\n"),
            ("src/b/Lonely.java", "package b;\nclass Lonely { }\n"),
            ("test/b/ChildTest.java", "package b;\nclass ChildTest { void t() { Child c = new Child(); c.one(); } }\n"),
        ]);
        let graph = DependencyGraph::build(&index);
        let child = path("src/b/Child.java");
        assert_eq!(graph.uses(&child), vec![(&path("src/a/Base.java"), vec![Dependency::Inherits])]);
        let test = path("test/b/ChildTest.java");
        assert_eq!(graph.used_by(&child)[0].0, &test);
        let reach = graph.reachable([&test]);
        assert_eq!(reach.get(&path("src/a/Base.java")).copied().map(|steps| steps <= 2), Some(true));
        assert!(!reach.contains_key(&path("src/b/Lonely.java")));
    }
}
