//! Names of Java: what a project declares, where the names stand, and a text with others.
//!
//! Which of two equal names a use means is not worked out here: all uses get the new name, and the compiler says which of
//! them meant a library's. A new name exists nowhere else, so what compiles means what it meant.

use super::edit::{Edit, edited};
use super::prose::in_prose;
use super::{Caution, Declared, Naming, Role, Source};
use crate::language::{self, children, parse, preorder, text_of};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::{Node, Tree};

/// Names that the platform or a test library calls.
const CALLED_BY_OTHERS: &[&str] = &[
    "main",
    "toString",
    "equals",
    "hashCode",
    "clone",
    "finalize",
    "setUp",
    "tearDown",
    "suite",
    "readObject",
    "writeObject",
    "readResolve",
    "writeReplace",
    "serialVersionUID",
];
/// Parts of packages that say nothing about a project.
const COMMON_PARTS: &[&str] = &[
    "org", "com", "net", "io", "edu", "java", "javax", "jakarta", "junit", "test", "tests", "main", "src", "util",
    "lang",
];
/// Types whose subclasses override nothing by chance.
const HARMLESS_BASES: &[&str] = &["TestCase", "Object"];
/// Words of a program that reaches names by text.
const REFLECTION: &[&str] = &[
    "java.lang.reflect",
    "getDeclared",
    "getMethod(",
    "getField(",
    "forName(",
    "MethodSource",
    "FieldSource",
    "EnumSource",
    "getSimpleName",
    "getResource",
];

/// The sources of a project in Java, read.
pub struct Java<'s> {
    files: Vec<(&'s Source, Tree)>,
}

/// A name in a new text that replaces another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Where it begins in the new text.
    pub at: usize,
    /// Where the old name begins in the old text.
    pub from: usize,
    /// The old name.
    pub name: String,
    /// Whether it declares a method.
    pub declares_method: bool,
}

impl<'s> Java<'s> {
    /// Reads the sources.
    pub fn read(sources: &'s [Source]) -> Self {
        let tree = |source: &'s Source| Some((source, parse(&source.text, &language::Java)?));
        Self { files: sources.iter().filter_map(tree).collect() }
    }

    /// What the project declares, and which of it stays.
    pub fn declared(&self, caution: Caution) -> Declared {
        let mut declared = Declared::default();
        let mut supers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (source, tree) in &self.files {
            preorder(tree.root_node(), |node| {
                declare(node, &source.text, &mut declared);
                if let Some(name) = node.child_by_field_name("name").filter(|_| is_type(node)) {
                    supers.entry(text_of(name, &source.text).to_owned()).or_default().extend(bases(node, &source.text));
                }
                true
            });
        }
        for name in CALLED_BY_OTHERS {
            declared.keep(name, "the platform or a test library calls it");
        }
        for part in COMMON_PARTS
            .iter()
            .filter(|part| declared.names.get(**part) == Some(&Role::Module))
            .copied()
            .collect::<Vec<_>>()
        {
            declared.keep(part, "a part of packages that says nothing");
        }
        self.keep_overrides(&supers, &mut declared);
        self.keep_foreign_types(&mut declared);
        let reflects = self.files.iter().any(|(source, _)| REFLECTION.iter().any(|word| source.text.contains(word)));
        if reflects || caution == Caution::Much {
            self.keep_strings(caution, &mut declared);
        }
        declared
    }

    /// Methods that may override a library's without saying so, or that say so of a method that nobody here declares.
    fn keep_overrides(&self, supers: &BTreeMap<String, BTreeSet<String>>, declared: &mut Declared) {
        let mut own = BTreeSet::new();
        let mut overrides = BTreeSet::new();
        for (source, tree) in &self.files {
            preorder(tree.root_node(), |node| {
                if node.kind() != "method_declaration" {
                    return true;
                }
                let Some(name) = node.child_by_field_name("name") else { return true };
                let name = text_of(name, &source.text);
                let modifiers = modifiers(node, &source.text);
                let says_so = modifiers.contains("@Override");
                if says_so {
                    overrides.insert(name)
                } else {
                    own.insert(name)
                };
                let hidden = modifiers.split_whitespace().any(|word| word == "private" || word == "static");
                if !hidden && !says_so && has_foreign_class(node, &source.text, supers, declared) {
                    declared.keep(name, "it may override a method of a library");
                }
                true
            });
        }
        for name in overrides.difference(&own) {
            declared.keep(name, "it overrides a method of a library");
        }
    }

    /// Types that share their name with one that is imported from elsewhere.
    fn keep_foreign_types(&self, declared: &mut Declared) {
        let packages: BTreeSet<String> = self.packages();
        for (source, tree) in &self.files {
            for import in children(tree.root_node()).into_iter().filter(|node| node.kind() == "import_declaration") {
                let path = imported(import, &source.text);
                let last = path.rsplit('.').next().unwrap_or_default();
                if !is_own(&path, &packages) && declared.names.get(last) == Some(&Role::Type) {
                    declared.keep(last, "a type of that name is imported from a library");
                }
            }
        }
    }

    /// Names that stand in texts: alone, or with much caution as any word.
    fn keep_strings(&self, caution: Caution, declared: &mut Declared) {
        for (source, tree) in &self.files {
            preorder(tree.root_node(), |node| {
                if node.kind() == "string_fragment" {
                    let text = text_of(node, &source.text);
                    let path = text.chars().all(|c| c.is_alphanumeric() || "_.#$/".contains(c));
                    if path || caution == Caution::Much {
                        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
                            declared.keep(word, "it stands in a text");
                        }
                    }
                }
                true
            });
        }
    }

    /// The packages of the project.
    fn packages(&self) -> BTreeSet<String> {
        let of = |(source, tree): &(&Source, Tree)| {
            let node = children(tree.root_node()).into_iter().find(|node| node.kind() == "package_declaration")?;
            Some(package(node, &source.text))
        };
        self.files.iter().filter_map(of).collect()
    }

    /// Every source under its new names, with where they stand. `foreign` are uses, by the file's place in the list and
    /// the offset, that mean somebody else's name.
    pub fn renamed(&self, naming: &Naming, foreign: &BTreeSet<(usize, usize)>) -> Vec<(String, Vec<Placed>)> {
        let packages = self.packages();
        let one = |(nth, (source, tree)): (usize, &(&Source, Tree))| {
            let mut edits: Vec<Edit> = Vec::new();
            let mut placed = Vec::new();
            preorder(tree.root_node(), |node| {
                let text = text_of(node, &source.text);
                match node.kind() {
                    "import_declaration" => return is_own(&imported(node, &source.text), &packages),
                    "line_comment" | "block_comment" => {
                        let new = in_prose(text, naming);
                        if new != text {
                            edits.push((node.byte_range(), new));
                        }
                    }
                    "identifier" | "type_identifier" if !foreign.contains(&(nth, node.start_byte())) => {
                        if let Some(new) = naming.of(text) {
                            let declares_method = node.parent().is_some_and(|up| up.kind() == "method_declaration");
                            let name = text.to_owned();
                            placed.push(Placed { at: 0, from: node.start_byte(), name, declares_method });
                            edits.push((node.byte_range(), new.to_owned()));
                        }
                    }
                    _ => {}
                }
                true
            });
            edits.sort_by_key(|(range, _)| range.start);
            locate(&edits, &mut placed);
            (edited(&source.text, edits), placed)
        };
        self.files.iter().enumerate().map(one).collect()
    }
}

/// Says where in the new text the placed names begin.
fn locate(edits: &[Edit], placed: &mut [Placed]) {
    placed.sort_by_key(|one| one.from);
    let mut placed = placed.iter_mut().peekable();
    let (mut old, mut new) = (0, 0);
    for (range, text) in edits {
        new += range.start - old;
        if let Some(one) = placed.next_if(|one| one.from == range.start) {
            one.at = new;
        }
        new += text.len();
        old = range.end;
    }
}

fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

/// Takes up what a node declares.
fn declare(node: Node<'_>, text: &str, declared: &mut Declared) {
    let mut name = |role| {
        if let Some(name) = node.child_by_field_name("name") {
            declared.add(text_of(name, text), role);
        }
    };
    match node.kind() {
        _ if is_type(node) => name(Role::Type),
        "method_declaration" => name(Role::Call),
        "variable_declarator"
        | "formal_parameter"
        | "catch_formal_parameter"
        | "enhanced_for_statement"
        | "resource"
        | "instanceof_expression"
        | "enum_constant" => name(Role::Value),
        "annotation_type_element_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                declared.add(text_of(name, text), Role::Call);
                declared.keep(text_of(name, text), "an element of an annotation");
            }
        }
        "inferred_parameters" => {
            for child in children(node).into_iter().filter(|child| child.kind() == "identifier") {
                declared.add(text_of(child, text), Role::Value);
            }
        }
        "lambda_expression" => {
            let alone = node.child_by_field_name("parameters").filter(|child| child.kind() == "identifier");
            if let Some(child) = alone {
                declared.add(text_of(child, text), Role::Value);
            }
        }
        "package_declaration" => {
            for part in package(node, text).split('.') {
                declared.add(part, Role::Module);
            }
        }
        _ => {}
    }
}

fn package(node: Node<'_>, text: &str) -> String {
    let path = children(node).into_iter().find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"));
    path.map_or_else(String::new, |path| text_of(path, text).split_whitespace().collect())
}

/// What an import names, without `*`.
fn imported(node: Node<'_>, text: &str) -> String {
    package(node, text)
}

/// Whether a path leads into the project.
fn is_own(path: &str, packages: &BTreeSet<String>) -> bool {
    let begins = |package: &String| {
        path.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    packages.iter().filter(|package| !package.is_empty()).any(begins)
}

/// Simple names of the classes that a type extends; interfaces ask for their methods, so the compiler tells of them.
fn bases(node: Node<'_>, text: &str) -> Vec<String> {
    let base = node.child_by_field_name("superclass").map(|node| text_of(node, text));
    let base = base.and_then(|text| text.trim().strip_prefix("extends")).map(language::simple_type);
    base.into_iter().collect()
}

fn modifiers<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    let found = children(node).into_iter().find(|child| child.kind() == "modifiers");
    found.map_or("", |node| text_of(node, text))
}

/// Whether a method stands in a class that extends one of a library, directly or not.
fn has_foreign_class(
    method: Node<'_>,
    text: &str,
    supers: &BTreeMap<String, BTreeSet<String>>,
    declared: &Declared,
) -> bool {
    let Some(around) = method.parent().and_then(|body| body.parent()) else { return false };
    let mut open = match around.kind() {
        "object_creation_expression" => {
            let made = around.child_by_field_name("type").map(|node| language::simple_type(text_of(node, text)));
            made.into_iter().collect()
        }
        _ => bases(around, text),
    };
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) || HARMLESS_BASES.contains(&name.as_str()) {
            continue;
        }
        match supers.get(&name) {
            Some(above) => open.extend(above.iter().cloned()),
            None if declared.names.get(&name) == Some(&Role::Type) => {}
            None => return true,
        }
    }
    false
}
