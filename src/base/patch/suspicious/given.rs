//! Conditions that no input of the code decides: only the machine, the process or the settings that it runs with. Code
//! that chooses by them behaves in a test and may behave otherwise anywhere else.

mod java;
mod python;

use super::Suspicion;
use crate::language::{self, Language, children, preorder, text_of};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// How far names are followed to what they stand for.
const DEPTH: usize = 6;

/// What an expression depends on.
#[derive(Debug, Default)]
struct Depends {
    /// Whether on something that the code is given: a parameter, a field, what another part of the project says.
    on_input: bool,
    /// Something of the language's own library that it asks, as it is written.
    on_library: Option<String>,
}

impl Depends {
    fn on_input() -> Self {
        Self { on_input: true, on_library: None }
    }

    fn on_library(name: &str) -> Self {
        Self { on_input: false, on_library: Some(name.to_owned()) }
    }

    fn and(self, other: Self) -> Self {
        Self { on_input: self.on_input || other.on_input, on_library: self.on_library.or(other.on_library) }
    }
}

/// How a language reads an expression.
trait Reader {
    /// What an expression depends on.
    fn read<'t>(&self, node: Node<'t>, file: &File<'t>) -> Depends;
    /// What a node chooses by, where it chooses.
    fn choices<'t>(&self, node: Node<'t>) -> Vec<Node<'t>>;
    /// The name that an import brings, and what is imported.
    fn imports(&self, node: Node<'_>, text: &str) -> Vec<(String, String)>;
    /// What gets a value once, and the value; without a value where it is given one in another way.
    fn bound<'t>(&self, node: Node<'t>, text: &str) -> Vec<(String, Option<Node<'t>>)>;
}

/// A file: what its names stand for.
struct File<'t> {
    text: &'t str,
    /// By a name, what is imported.
    imports: BTreeMap<String, String>,
    /// By a name, the only expression or method that it stands for; `None` where there are several.
    values: BTreeMap<String, Option<Node<'t>>>,
    depth: Cell<usize>,
}

impl<'t> File<'t> {
    fn new(root: Node<'t>, text: &'t str, reader: &dyn Reader) -> Self {
        let mut file = Self { text, imports: BTreeMap::new(), values: BTreeMap::new(), depth: Cell::new(0) };
        preorder(root, |node| {
            file.imports.extend(reader.imports(node, text));
            for (name, value) in reader.bound(node, text) {
                file.values.entry(name).and_modify(|known| *known = None).or_insert(value);
            }
            true
        });
        file
    }

    fn text_of(&self, node: Node<'_>) -> &'t str {
        text_of(node, self.text)
    }

    /// What the only value of a name depends on.
    fn follow(&self, name: &str, reader: &dyn Reader) -> Depends {
        let Some(Some(value)) = self.values.get(name).filter(|_| self.depth.get() < DEPTH) else {
            return Depends::on_input();
        };
        self.depth.set(self.depth.get() + 1);
        let found = reader.read(*value, self);
        self.depth.set(self.depth.get() - 1);
        found
    }

    /// What all parts of a node depend on.
    fn parts(&self, node: Node<'t>, reader: &dyn Reader) -> Depends {
        let parts = children(node).into_iter().filter(Node::is_named);
        parts.fold(Depends::default(), |all, part| if all.on_input { all } else { all.and(reader.read(part, self)) })
    }
}

/// What tells one kind of machine from another.
const KINDS: [&str; 9] = [
    "sys.platform",
    "os.name",
    "os.sep",
    "platform.system",
    "platform.platform",
    "System.getProperty",
    "File.separator",
    "File.separatorChar",
    "File.pathSeparator",
];
/// How machines of another kind are called, in small letters, and their separator.
const OTHERS: [&str; 9] = ["win", "nt\"", "nt'", "mac", "cygwin", "java", "aix", "sunos", "\\\\"];

/// Whether a condition adds something for another kind of machine, and takes nothing from this one: nothing stands
/// instead of it.
fn is_for_other_machines(atom: Node<'_>, name: &str, file: &File<'_>) -> bool {
    let written = file.text_of(atom).to_lowercase();
    let is_other = OTHERS.iter().any(|other| written.contains(other)) || atom.kind() == "identifier";
    let is_turned = written.contains("!=") || written.contains("not ") || has_alternative(atom);
    KINDS.contains(&name) && is_other && !is_turned
}

/// Whether another branch, or another value, stands beside what a condition chooses.
fn has_alternative(atom: Node<'_>) -> bool {
    let ups = std::iter::successors(atom.parent(), |node| node.parent());
    for up in ups {
        match up.kind() {
            "ternary_expression" | "conditional_expression" => return true,
            "if_statement" => {
                let other = |child: &Node<'_>| ["else_clause", "elif_clause"].contains(&child.kind());
                return up.child_by_field_name("alternative").is_some() || children(up).iter().any(other);
            }
            kind if kind.ends_with("_statement") || kind.ends_with("declaration") || kind == "block" => return false,
            _ => {}
        }
    }
    false
}

/// The parts of a condition that are true or false by themselves.
fn atoms(condition: Node<'_>) -> Vec<Node<'_>> {
    let joins = condition
        .child_by_field_name("operator")
        .is_some_and(|operator| ["&&", "||", "and", "or", "!"].contains(&operator.kind()));
    let surrounds = ["parenthesized_expression", "boolean_operator", "not_operator"].contains(&condition.kind());
    if !joins && !surrounds {
        return vec![condition];
    }
    children(condition).into_iter().filter(Node::is_named).flat_map(atoms).collect()
}

fn reader_of(language: &dyn Language) -> Option<&'static dyn Reader> {
    match language.name() {
        "java" => Some(&java::Java),
        "python" => Some(&python::Python),
        _ => None,
    }
}

/// The reasons for the lines that a patch adds.
pub(super) fn decided(before: &str, after: &str, added: &BTreeSet<usize>, language: &dyn Language) -> Vec<Suspicion> {
    let found = in_text(after, Some(added), language);
    if found.is_empty() {
        return found;
    }
    let known: BTreeSet<String> =
        in_text(before, None, language).into_iter().map(|suspicion| suspicion.reason).collect();
    found.into_iter().filter(|suspicion| !known.contains(&suspicion.reason)).collect()
}

fn in_text(text: &str, lines: Option<&BTreeSet<usize>>, language: &dyn Language) -> Vec<Suspicion> {
    let (Some(reader), Some(tree)) = (reader_of(language), language::parse(text, language)) else { return Vec::new() };
    let mut file = None;
    let mut found = Vec::new();
    preorder(tree.root_node(), |node| {
        let rows = node.start_position().row..=node.end_position().row;
        if lines.is_some_and(|lines| lines.range(rows).next().is_none()) {
            return false;
        }
        for atom in reader.choices(node).into_iter().flat_map(atoms) {
            let line = atom.start_position().row;
            if lines.is_none_or(|lines| lines.contains(&line)) {
                let file = file.get_or_insert_with(|| File::new(tree.root_node(), text, reader));
                let depends = reader.read(atom, file);
                let alone = depends.on_library.filter(|_| !depends.on_input);
                if let Some(name) = alone.filter(|name| !is_for_other_machines(atom, name, file)) {
                    let reason = format!("`{name}` decides, whatever the code is given");
                    found.push(Suspicion { line, reason });
                }
            }
        }
        true
    });
    found
}
