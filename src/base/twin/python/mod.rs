//! Names of Python: what a project declares, where the names stand, and a text with others.
//!
//! A bare name is looked up in its scopes. What stands behind a point is a name of the project unless a library has an
//! attribute of that name, too; then it is one where what stands before the point is seen to be the project's.

mod modules;
mod scopes;
mod uses;

use super::edit::{Edit, edited};
use super::prose::in_prose;
use super::{Caution, Declared, Naming, Role, Source};
use crate::language::{self, children, parse, preorder, text_of};
use modules::Modules;
use scopes::{Bound, Scopes};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::{Node, Tree};

/// Names that test runners call.
const CALLED_BY_OTHERS: &[&str] = &[
    "setup_method",
    "teardown_method",
    "setup_class",
    "teardown_class",
    "setup_module",
    "teardown_module",
    "setup_function",
    "teardown_function",
    "setUp",
    "tearDown",
    "setUpClass",
    "tearDownClass",
    "setUpModule",
    "tearDownModule",
    "main",
    "load_tests",
    "mock",
];
/// Parameters that pytest fills by their name.
const FILLED_BY_NAME: &[&str] = &[
    "tmp_path",
    "tmpdir",
    "capsys",
    "capfd",
    "caplog",
    "monkeypatch",
    "request",
    "recwarn",
    "pytestconfig",
    "cache",
    "tmp_path_factory",
    "doctest_namespace",
    "mocker",
    "parser",
    "config",
    "session",
    "items",
    "item",
    "metafunc",
];
/// Words of a program that reaches names by text.
const REFLECTION: &[&str] = &[
    "getattr(",
    "setattr(",
    "hasattr(",
    "globals(",
    "__dict__",
    "importlib",
    "patch(",
    "attrgetter",
    "methodcaller",
    "eval(",
    "namedtuple",
];

/// The sources of a project in Python, read.
pub struct Python<'s> {
    files: Vec<File<'s>>,
    modules: Modules,
    /// Attributes that libraries have.
    foreign: BTreeSet<String>,
    /// Variables that hold nothing but objects of the project.
    objects: BTreeSet<String>,
    /// What the project's objects and modules have.
    members: BTreeSet<String>,
    /// Parameters of the project's functions, and what its classes declare: what an argument may be named.
    arguments: BTreeSet<String>,
}

struct File<'s> {
    source: &'s Source,
    tree: Tree,
    scopes: Scopes,
}

impl<'s> Python<'s> {
    /// Reads the sources; `foreign` are the attributes that Python and the libraries have.
    pub fn read(sources: &'s [Source], foreign: BTreeSet<String>) -> Self {
        let modules = Modules::of(sources);
        let file = |source: &'s Source| {
            let tree = parse(&source.text, &language::Python)?;
            let scopes = Scopes::of(&tree, &source.text, &modules);
            Some(File { source, tree, scopes })
        };
        let files: Vec<File<'_>> = sources.iter().filter_map(file).collect();
        let (objects, arguments) = uses::collect(files.iter().map(|file| (&file.tree, file.source.text.as_str())));
        let mut members: BTreeSet<String> = modules.names().map(str::to_owned).collect();
        for file in &files {
            members.extend(file.scopes.members().map(str::to_owned));
            preorder(file.tree.root_node(), |node| {
                members.extend(field_target(node, &file.source.text).map(str::to_owned));
                true
            });
        }
        Self { files, modules, foreign, objects, members, arguments }
    }

    /// The modules that are imported and are not the project's.
    pub fn libraries(sources: &[Source]) -> BTreeSet<String> {
        let modules = Modules::of(sources);
        let mut found = BTreeSet::new();
        for source in sources {
            let Some(tree) = parse(&source.text, &language::Python) else { continue };
            preorder(tree.root_node(), |node| {
                if matches!(node.kind(), "import_statement" | "import_from_statement") {
                    found.extend(modules::imported(node, &source.text));
                }
                true
            });
        }
        found.retain(|module| !modules.has(module));
        found
    }

    /// What the project declares, and which of it stays.
    pub fn declared(&self, caution: Caution) -> Declared {
        let mut declared = Declared::default();
        for name in self.modules.names() {
            declared.add(name, Role::Module);
        }
        for file in &self.files {
            file.scopes.declare(&mut declared);
            preorder(file.tree.root_node(), |node| {
                if let Some(name) = field_target(node, &file.source.text) {
                    declared.add(name, Role::Value);
                }
                true
            });
        }
        declared.names.retain(|name, _| !is_special(name));
        for name in CALLED_BY_OTHERS {
            declared.keep(name, "the platform or a test library calls it");
        }
        for name in FILLED_BY_NAME {
            declared.keep(name, "a test library fills it by its name");
        }
        for name in declared.names.keys().filter(|name| name.starts_with("pytest_")).cloned().collect::<Vec<_>>() {
            declared.keep(&name, "the platform or a test library calls it");
        }
        for name in self.modules.plain() {
            declared.keep(name, "a folder or file of that name means something to Python");
        }
        for file in &self.files {
            for name in file.scopes.doubtful() {
                declared.keep(name, "it is imported from a library and set, too");
            }
            self.keep_overrides(file, &mut declared);
        }
        if caution == Caution::Much {
            for name in self.members.intersection(&self.foreign) {
                declared.keep(name, "a library has an attribute of that name");
            }
        }
        let reflects = self.files.iter().any(|file| REFLECTION.iter().any(|word| file.source.text.contains(word)));
        if reflects || caution == Caution::Much {
            self.keep_strings(caution, &mut declared);
        }
        declared
    }

    /// Members of classes that extend one of a library, where the library knows the name.
    fn keep_overrides(&self, file: &File<'_>, declared: &mut Declared) {
        let text = &file.source.text;
        preorder(file.tree.root_node(), |node| {
            let bases = node.child_by_field_name("superclasses").filter(|_| node.kind() == "class_definition");
            let Some(bases) = bases else { return true };
            let own = |base: Node<'_>| {
                let name = text_of(base, text).rsplit('.').next().unwrap_or_default();
                name == "object" || declared.names.get(name) == Some(&Role::Type)
            };
            if children(bases).into_iter().filter(|base| base.is_named()).all(own) {
                return true;
            }
            for member in node.child_by_field_name("body").map(children).unwrap_or_default() {
                let member = member.child_by_field_name("definition").unwrap_or(member);
                let name = member.child_by_field_name("name").map(|name| text_of(name, text));
                if let Some(name) = name.filter(|name| self.foreign.contains(*name)) {
                    declared.keep(name, "it may override a method of a library");
                }
            }
            true
        });
    }

    /// Names that stand in texts: alone, or with much caution as any word.
    fn keep_strings(&self, caution: Caution, declared: &mut Declared) {
        for file in &self.files {
            preorder(file.tree.root_node(), |node| {
                let spoken = node.kind() == "string_content"
                    && !is_docstring(node)
                    && !uses::names_things(node, &file.source.text);
                if spoken {
                    let text = text_of(node, &file.source.text);
                    let path = text.chars().all(|c| c.is_alphanumeric() || "_.:/ ,".contains(c));
                    let alone = path && (!text.contains(' ') || file.source.text.contains("namedtuple"));
                    if alone || caution == Caution::Much {
                        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
                            declared.keep(word, "it stands in a text");
                        }
                    }
                }
                true
            });
        }
    }

    /// Every source under its new names.
    pub fn renamed(&self, naming: &Naming) -> Vec<String> {
        self.files.iter().map(|file| self.of_file(file, naming)).collect()
    }

    fn of_file(&self, file: &File<'_>, naming: &Naming) -> String {
        let text = &file.source.text;
        let mut edits: Vec<Edit> = Vec::new();
        preorder(file.tree.root_node(), |node| {
            match node.kind() {
                "comment" => edits.push((node.byte_range(), in_prose(text_of(node, text), naming))),
                "string_content" if is_docstring(node) => {
                    edits.push((node.byte_range(), in_prose(text_of(node, text), naming)));
                }
                "string_content" if uses::names_things(node, text) => {
                    edits.push((node.byte_range(), naming.each(text_of(node, text))));
                }
                "identifier" => {
                    let new = naming.of(text_of(node, text)).filter(|_| self.is_own(node, file));
                    edits.extend(new.map(|new| (node.byte_range(), new.to_owned())));
                }
                _ => {}
            }
            true
        });
        edited(text, edits)
    }

    /// Whether a name that the project declares is the project's here.
    fn is_own(&self, node: Node<'_>, file: &File<'_>) -> bool {
        let text = &file.source.text;
        let name = text_of(node, text);
        let Some(up) = node.parent() else { return false };
        let is = |field: &str| up.child_by_field_name(field).is_some_and(|child| child.id() == node.id());
        match up.kind() {
            "attribute" if is("attribute") => {
                let object = up.child_by_field_name("object");
                object.is_some_and(|object| self.holds(object, name, file))
            }
            "keyword_argument" if is("name") => self.takes(up, name, text),
            "dotted_name" => self.is_imported_here(node, file),
            _ => file.scopes.is_own(node, name),
        }
    }

    /// Whether the attribute of an object is the project's.
    fn holds(&self, object: Node<'_>, name: &str, file: &File<'_>) -> bool {
        let text = &file.source.text;
        let last = match object.kind() {
            "identifier" => text_of(object, text),
            "attribute" => object.child_by_field_name("attribute").map_or("", |node| text_of(node, text)),
            "call" => {
                let called = object.child_by_field_name("function");
                called.map_or("", |node| text_of(node, text).rsplit('.').next().unwrap_or_default())
            }
            _ => "",
        };
        let bare = object.kind() == "identifier";
        if !self.members.contains(name) || (bare && file.scopes.bound(object, last) == Some(Bound::Foreign)) {
            return false;
        }
        if !self.foreign.contains(name) {
            return !matches!(object.kind(), "string" | "list" | "dictionary" | "set" | "integer");
        }
        let made_here = self.files.iter().any(|file| file.scopes.has_class(last));
        let of_module = bare && file.scopes.bound(object, last).is_some() && self.modules.has(last);
        let itself = bare && (last == "self" || last == "cls");
        itself || made_here || of_module || (object.kind() != "call" && self.objects.contains(last))
    }

    /// Whether a named argument goes to a function or class of the project.
    fn takes(&self, argument: Node<'_>, name: &str, text: &str) -> bool {
        let called =
            argument.parent().and_then(|list| list.parent()).and_then(|call| call.child_by_field_name("function"));
        let called = called.map_or("", |node| text_of(node, text).rsplit('.').next().unwrap_or_default());
        let known =
            called == "cls" || called == "__init__" || self.files.iter().any(|file| file.scopes.defines(called));
        known && self.arguments.contains(name)
    }

    /// Whether a part of an import is the project's: of its modules, or from one of them.
    fn is_imported_here(&self, node: Node<'_>, file: &File<'_>) -> bool {
        let text = &file.source.text;
        let mut up = node;
        while let Some(above) =
            up.parent().filter(|_| !matches!(up.kind(), "import_statement" | "import_from_statement"))
        {
            up = above;
        }
        if self.modules.is_own(up, text, node) {
            return true;
        }
        // The same name may come from the project in another branch.
        let is_name = up.child_by_field_name("module_name").is_some_and(|module| node.start_byte() > module.end_byte());
        up.kind() == "import_from_statement"
            && is_name
            && file.scopes.bound(up, text_of(node, text)) == Some(Bound::Own)
    }
}

/// The name of a field that is set: `self.name = …`.
fn field_target<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let object = node.child_by_field_name("object").filter(|_| node.kind() == "attribute")?;
    let set = scopes::is_target(node) && matches!(text_of(object, text), "self" | "cls");
    set.then(|| node.child_by_field_name("attribute").map(|name| text_of(name, text)))?
}

/// Names that Python itself gives a meaning.
fn is_special(name: &str) -> bool {
    (name.starts_with("__") && name.ends_with("__")) || matches!(name, "_" | "self" | "cls")
}

/// Whether a text says what something is.
fn is_docstring(content: Node<'_>) -> bool {
    let string = content.parent();
    string.and_then(|string| string.parent()).is_some_and(|up| up.kind() == "expression_statement")
}

/// What names stand for, by scope or by class.
type Names = BTreeMap<String, Bound>;
