//! What a bare name of Python means where it stands.

use super::super::{Declared, Role};
use super::modules::Modules;
use super::{Names, is_special};
use crate::language::{children, preorder, text_of};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::{Node, Tree};

/// Whose a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The project's.
    Own,
    /// It was imported from elsewhere.
    Foreign,
}

#[derive(Debug, Default)]
struct Scope {
    above: Option<usize>,
    is_class: bool,
    names: Names,
    global: BTreeSet<String>,
}

/// The scopes of a file.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    /// The scope that a node stands in.
    of: BTreeMap<usize, usize>,
    /// What the file declares.
    declared: Vec<(String, Role)>,
    /// Names that are set here and imported from a library.
    doubtful: BTreeSet<String>,
}

const OPENING: &[&str] = &[
    "function_definition",
    "lambda",
    "class_definition",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
];
/// What stands between a name that is set and the statement that sets it.
const PATTERNS: &[&str] = &["pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"];

impl Scopes {
    pub(super) fn of(tree: &Tree, text: &str, modules: &Modules) -> Self {
        let mut scopes = Self { all: vec![Scope::default()], ..Self::default() };
        let mut opened: BTreeMap<usize, usize> = BTreeMap::new();
        preorder(tree.root_node(), |node| {
            let at = scopes.place(node, &mut opened);
            scopes.of.insert(node.id(), at);
            scopes.bind(node, at, text, modules);
            true
        });
        scopes
    }

    /// The scope of a node; the first node inside of what opens one opens it.
    fn place(&mut self, node: Node<'_>, opened: &mut BTreeMap<usize, usize>) -> usize {
        let Some(up) = node.parent() else { return 0 };
        let outer = self.of.get(&up.id()).copied().unwrap_or(0);
        let inside = match up.kind() {
            "function_definition" | "lambda" => ["parameters", "body"]
                .iter()
                .any(|field| up.child_by_field_name(field).is_some_and(|child| child.id() == node.id())),
            "class_definition" => up.child_by_field_name("body").is_some_and(|child| child.id() == node.id()),
            kind => OPENING.contains(&kind),
        };
        if !inside {
            return outer;
        }
        *opened.entry(up.id()).or_insert_with(|| {
            let is_class = up.kind() == "class_definition";
            self.all.push(Scope { above: Some(outer), is_class, ..Scope::default() });
            self.all.len() - 1
        })
    }

    fn bind(&mut self, node: Node<'_>, at: usize, text: &str, modules: &Modules) {
        match node.kind() {
            "function_definition" | "class_definition" => {
                let role = if node.kind() == "class_definition" { Role::Type } else { Role::Call };
                if let Some(name) = node.child_by_field_name("name") {
                    self.set(at, text_of(name, text), role);
                }
            }
            "global_statement" | "nonlocal_statement" => {
                let names = children(node).into_iter().filter(|child| child.kind() == "identifier");
                self.all[at].global.extend(names.map(|name| text_of(name, text).to_owned()));
            }
            "import_statement" | "import_from_statement" => self.import(node, at, text, modules),
            "identifier" if is_target(node) || is_parameter(node) => self.set(at, text_of(node, text), Role::Value),
            _ => {}
        }
    }

    /// The project sets a name.
    fn set(&mut self, at: usize, name: &str, role: Role) {
        if is_special(name) || self.all[at].global.contains(name) {
            return;
        }
        self.declared.push((name.to_owned(), role));
        if self.all[at].names.insert(name.to_owned(), Bound::Own) == Some(Bound::Foreign) {
            self.doubtful.insert(name.to_owned());
        }
    }

    fn import(&mut self, node: Node<'_>, at: usize, text: &str, modules: &Modules) {
        let from = node.child_by_field_name("module_name");
        let mut cursor = node.walk();
        for item in node.children_by_field_name("name", &mut cursor) {
            let path = text_of(item.child_by_field_name("name").unwrap_or(item), text);
            let first = path.split('.').next().unwrap_or_default();
            let own = if from.is_some() { modules.is_from_here(node, text) } else { modules.has(first) };
            match item.child_by_field_name("alias") {
                Some(alias) if own => self.set(at, text_of(alias, text), Role::Value),
                Some(alias) => self.take(at, text_of(alias, text), Bound::Foreign),
                None => self.take(at, first, if own { Bound::Own } else { Bound::Foreign }),
            }
        }
    }

    /// A name is imported; what the project imports from itself wins over the same name from elsewhere.
    fn take(&mut self, at: usize, name: &str, bound: Bound) {
        let known = self.all[at].names.entry(name.to_owned()).or_insert(bound);
        if bound == Bound::Own {
            *known = Bound::Own;
        }
    }

    /// Adds what the file declares.
    pub(super) fn declare(&self, declared: &mut Declared) {
        for (name, role) in &self.declared {
            declared.add(name, *role);
        }
    }

    /// Names of the bodies of classes and of the module, which are reached as attributes.
    pub(super) fn members(&self) -> impl Iterator<Item = &str> {
        let outer = |(nth, scope): &(usize, &Scope)| scope.is_class || *nth == 0;
        self.all.iter().enumerate().filter(outer).flat_map(|(_, scope)| scope.names.keys().map(String::as_str))
    }

    pub(super) fn doubtful(&self) -> impl Iterator<Item = &str> {
        self.doubtful.iter().map(String::as_str)
    }

    pub(super) fn has_class(&self, name: &str) -> bool {
        self.declared.iter().any(|(known, role)| known == name && *role == Role::Type)
    }

    /// Whether the file declares a function or class of that name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.declared.iter().any(|(known, role)| known == name && *role != Role::Value)
    }

    /// Whose a name is at a node; `None` where it is Python's own or nobody knows it.
    pub(super) fn bound(&self, node: Node<'_>, name: &str) -> Option<Bound> {
        let mut at = self.of.get(&node.id()).copied().unwrap_or(0);
        let mut first = true;
        loop {
            let scope = &self.all[at];
            if (first || !scope.is_class)
                && !scope.global.contains(name)
                && let Some(bound) = scope.names.get(name)
            {
                return Some(*bound);
            }
            first = false;
            at = scope.above?;
        }
    }

    pub(super) fn is_own(&self, node: Node<'_>, name: &str) -> bool {
        self.bound(node, name) == Some(Bound::Own)
    }
}

/// Whether a statement sets what stands here.
pub(super) fn is_target(node: Node<'_>) -> bool {
    let mut node = node;
    while let Some(up) = node.parent() {
        let is = |field: &str| up.child_by_field_name(field).is_some_and(|child| child.id() == node.id());
        match up.kind() {
            kind if PATTERNS.contains(&kind) => node = up,
            "as_pattern_target" => return true,
            "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => return is("left"),
            "named_expression" => return is("name"),
            _ => return false,
        }
    }
    false
}

/// Whether a parameter is declared here.
pub(super) fn is_parameter(node: Node<'_>) -> bool {
    let mut node = node;
    while let Some(up) = node.parent() {
        match up.kind() {
            "parameters" | "lambda_parameters" => return true,
            "default_parameter" | "typed_default_parameter"
                if up.child_by_field_name("name").is_some_and(|name| name.id() == node.id()) =>
            {
                node = up
            }
            "typed_parameter" if up.child_by_field_name("type").is_none_or(|kind| kind.id() != node.id()) => node = up,
            "list_splat_pattern" | "dictionary_splat_pattern" | "tuple_pattern" => node = up,
            _ => return false,
        }
    }
    false
}
