//! What an expression in Python depends on.

use super::{Depends, File, Reader};
use crate::language::{children, preorder, text_of};
use tree_sitter::Node;

/// Modules of the language's library that know of the machine, the process or its settings.
const MODULES: &str = "array asyncio atexit builtins bz2 calendar cmd code codecs codeop concurrent contextvars copyreg ctypes curses \
    datetime dbm decimal dis email errno faulthandler fcntl filecmp fileinput gc getpass gettext glob grp gzip http \
    importlib inspect io linecache locale logging lzma marshal mimetypes mmap multiprocessing os pathlib pickle \
    pkgutil platform profile pwd queue random readline resource runpy sched secrets select selectors shelve shutil \
    signal site socket socketserver sqlite3 ssl struct subprocess symtable sys sysconfig tarfile tempfile termios \
    threading time timeit traceback tracemalloc tty types urllib uuid warnings weakref webbrowser zipfile zipimport \
    zlib zoneinfo";
/// Names that an interpreter has unless it was started without them.
const OF_SITE: [&str; 6] = ["exit", "quit", "help", "license", "credits", "copyright"];
/// Built-in functions whose answer is the process's.
const ASKING: [&str; 9] = ["object", "id", "hash", "open", "dir", "vars", "globals", "locals", "input"];
/// What is asked of them and is the user's own, or the same wherever the code may run.
const GIVEN: [&str; 17] = [
    "sys.version_info",
    "sys.version",
    "sys.hexversion",
    "sys.implementation",
    "sys.argv",
    "sys.exc_info",
    "sys.exc_clear",
    "sys.maxunicode",
    "os.environ",
    "os.getenv",
    "os.fork",
    "logging.getLogger",
    "warnings.catch_warnings",
    "asyncio.Queue",
    "threading.Event",
    "threading.Lock",
    "errno",
];
/// What decides nothing by itself.
const EMPTY: [&str; 2] = ["io.StringIO", "io.BytesIO"];

pub(super) struct Python;

impl Reader for Python {
    fn read<'t>(&self, node: Node<'t>, file: &File<'t>) -> Depends {
        match node.kind() {
            "identifier" => self.name(file.text_of(node), file),
            "attribute" => match path(node, file) {
                Some(path) => depends_on(&path),
                None => node.child_by_field_name("object").map_or_else(Depends::on_input, |of| self.read(of, file)),
            },
            "call" => {
                let with =
                    node.child_by_field_name("arguments").map_or_else(Depends::default, |list| file.parts(list, self));
                with.and(self.called(node, file))
            }
            // Whether something is in a set has one answer; the order of a set has many.
            "set" if node.parent().is_none_or(|up| up.kind() != "comparison_operator") => {
                file.parts(node, self).and(Depends::on_library("the order of a set"))
            }
            "keyword_argument" => {
                node.child_by_field_name("value").map_or_else(Depends::default, |value| self.read(value, file))
            }
            "lambda"
            | "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => Depends::on_input(),
            _ => file.parts(node, self),
        }
    }

    fn choices<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let field = |name: &str| node.child_by_field_name(name).into_iter().collect();
        match node.kind() {
            "if_statement" | "elif_clause" | "while_statement" => field("condition"),
            "match_statement" | "subscript" => {
                field("subject").into_iter().chain(field("subscript")).collect::<Vec<_>>()
            }
            "conditional_expression" => node.named_child(1).into_iter().collect(),
            "if_clause" => node.named_child(0).into_iter().collect(),
            "comparison_operator" => vec![node],
            _ => Vec::new(),
        }
    }

    fn imports(&self, node: Node<'_>, text: &str) -> Vec<(String, String)> {
        let mut cursor = node.walk();
        let of = match node.kind() {
            "import_statement" => None,
            "import_from_statement" => node.child_by_field_name("module_name").map(|of| text_of(of, text)),
            _ => return Vec::new(),
        };
        let names = node.children_by_field_name("name", &mut cursor);
        let bound = names.map(|name| {
            let full = text_of(name.child_by_field_name("name").unwrap_or(name), text);
            let alias = name.child_by_field_name("alias").map(|alias| text_of(alias, text));
            match (of, alias) {
                (Some(of), alias) => (alias.unwrap_or(full).to_owned(), format!("{of}.{full}")),
                (None, Some(alias)) => (alias.to_owned(), full.to_owned()),
                // `import os.path` brings `os`.
                (None, None) => {
                    let top = full.split('.').next().unwrap_or(full);
                    (top.to_owned(), top.to_owned())
                }
            }
        });
        bound.collect()
    }

    fn bound<'t>(&self, node: Node<'t>, text: &str) -> Vec<(String, Option<Node<'t>>)> {
        let field = |name: &str| node.child_by_field_name(name);
        let named = |name: Option<Node<'_>>, value| {
            name.map_or_else(Vec::new, |name| vec![(text_of(name, text).to_owned(), value)])
        };
        match node.kind() {
            "assignment" | "named_expression" => {
                let left = field("left").or_else(|| field("name"));
                if left.is_some_and(|left| left.kind() == "identifier") {
                    named(left, field("right").or_else(|| field("value")))
                } else {
                    names_in(left, text)
                }
            }
            "augmented_assignment" => named(field("left"), None),
            // An error that is caught, or a part of what is matched, is something that the code is given.
            "as_pattern" => named(
                field("alias"),
                node.named_child(0).filter(|_| node.parent().is_some_and(|up| up.kind() == "with_item")),
            ),
            "for_statement" | "for_in_clause" => names_in(field("left"), text),
            "parameters" | "lambda_parameters" => names_in(Some(node), text),
            "function_definition" => {
                let takes = field("parameters").is_some_and(|list| list.named_child_count() > 0);
                named(field("name"), field("body").filter(|_| !takes))
            }
            "class_definition" => named(field("name"), None),
            _ => Vec::new(),
        }
    }
}

impl Python {
    fn name(&self, name: &str, file: &File<'_>) -> Depends {
        if let Some(full) = file.imports.get(name) {
            // A module by itself decides nothing.
            return if full.contains('.') { depends_on(full) } else { Depends::default() };
        }
        match name {
            _ if file.values.contains_key(name) => file.follow(name, self),
            _ if OF_SITE.contains(&name) => Depends::on_library(name),
            // Which error is meant decides nothing by itself.
            _ if name.ends_with("Error") || name.ends_with("Exception") => Depends::default(),
            _ => Depends::on_input(),
        }
    }

    fn called<'t>(&self, node: Node<'t>, file: &File<'t>) -> Depends {
        let Some(function) = node.child_by_field_name("function") else { return Depends::on_input() };
        let takes = node.child_by_field_name("arguments").is_some_and(|list| list.named_child_count() > 0);
        if !takes && path(function, file).as_deref() == Some("logging.getLogger") {
            return Depends::on_library("logging.getLogger");
        }
        if function.kind() != "identifier" {
            return self.read(function, file);
        }
        let name = file.text_of(function);
        if file.imports.contains_key(name) || file.values.contains_key(name) {
            return self.name(name, file);
        }
        if ASKING.contains(&name) {
            return Depends::on_library(name);
        }
        // Other built-in functions make something of what they are given.
        Depends { on_input: !BUILT_IN.contains(&name), on_library: None }
    }
}

/// Built-in functions that make something of what they are given.
const BUILT_IN: [&str; 26] = [
    "abs",
    "all",
    "any",
    "bool",
    "bytes",
    "chr",
    "dict",
    "float",
    "format",
    "hasattr",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "max",
    "min",
    "next",
    "ord",
    "range",
    "repr",
    "round",
    "sorted",
    "str",
    "sum",
    "type",
];

/// Each name in a target.
fn names_in<'t>(target: Option<Node<'_>>, text: &str) -> Vec<(String, Option<Node<'t>>)> {
    let mut found = Vec::new();
    if let Some(target) = target {
        preorder(target, |node| {
            found.extend((node.kind() == "identifier").then(|| (text_of(node, text).to_owned(), None)));
            true
        });
    }
    found
}

/// `os.path.sep`, with what `os` was imported as; `None` where it begins with something else.
fn path(node: Node<'_>, file: &File<'_>) -> Option<String> {
    if node.kind() == "identifier" {
        let name = file.text_of(node);
        return file.imports.get(name).filter(|_| !file.values.contains_key(name)).cloned();
    }
    let object = node.child_by_field_name("object").filter(|_| node.kind() == "attribute")?;
    let name = children(node).into_iter().next_back()?;
    Some(format!("{}.{}", path(object, file)?, file.text_of(name)))
}

/// What a name of a module depends on.
fn depends_on(path: &str) -> Depends {
    let below = |known: &str| path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let is_library = MODULES.split_whitespace().any(below);
    if EMPTY.iter().any(|known| below(known)) {
        return Depends::default();
    }
    if !is_library || GIVEN.iter().any(|known| below(known)) {
        return Depends::on_input();
    }
    // What is written in capitals never changes.
    let last = path.rsplit('.').next().unwrap_or(path);
    if last.len() > 1 && !last.contains(char::is_lowercase) { Depends::default() } else { Depends::on_library(path) }
}
