//! What an expression in Java depends on.

use super::{Depends, File, Reader};
use crate::language::{children, preorder, text_of};
use tree_sitter::Node;

/// Classes that need no import, and that know of the machine, the process or its settings.
const OF_LANGUAGE: [&str; 15] = [
    "System",
    "Runtime",
    "Thread",
    "Class",
    "ClassLoader",
    "Package",
    "Module",
    "Object",
    "Throwable",
    "Exception",
    "String",
    "Character",
    "Math",
    "StrictMath",
    "ProcessHandle",
];
/// Calls whose answer is the user's or the caller's own.
const GIVEN: [&str; 9] = [
    "isInterrupted",
    "interrupted",
    "isDispatchThread",
    "isEventDispatchThread",
    "isLoggable",
    "desiredAssertionStatus",
    "holdsLock",
    "getProperty",
    "getenv",
];
/// Begins of properties that belong to the machine.
const OF_MACHINE: [&str; 7] = ["\"os.", "\"java.", "\"file.", "\"line.", "\"path.", "\"user.", "\"sun."];

pub(super) struct Java;

impl Reader for Java {
    fn read<'t>(&self, node: Node<'t>, file: &File<'t>) -> Depends {
        match node.kind() {
            "this" | "super" => Depends::on_input(),
            "identifier" => named(file.text_of(node), file),
            "method_invocation" => self.call(node, file),
            "field_access" => self.field(node, file),
            "object_creation_expression" => self.creation(node, file),
            "lambda_expression" => node.child_by_field_name("body").map_or_else(Depends::default, |body| {
                let mut takes = Vec::new();
                if let Some(list) = node.child_by_field_name("parameters") {
                    preorder(list, |each| {
                        takes.extend((each.kind() == "identifier").then(|| file.text_of(each)));
                        true
                    });
                }
                if mentions(body, &takes, file) { Depends::default() } else { self.read(body, file) }
            }),
            "variable_declarator" => {
                node.child_by_field_name("value").map_or_else(Depends::default, |value| self.read(value, file))
            }
            kind if kind.ends_with("type_identifier") || kind.ends_with("_type") => Depends::default(),
            _ => file.parts(node, self),
        }
    }

    fn choices<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let field = |name: &str| node.child_by_field_name(name).into_iter().collect();
        match node.kind() {
            "if_statement" | "while_statement" | "do_statement" | "for_statement" | "ternary_expression"
            | "switch_expression" => field("condition"),
            "array_access" => field("index"),
            "binary_expression" => {
                let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
                if ["==", "!=", "<", ">", "<=", ">="].contains(&operator) { vec![node] } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    fn imports(&self, node: Node<'_>, text: &str) -> Vec<(String, String)> {
        if node.kind() != "import_declaration" {
            return Vec::new();
        }
        let name = children(node).into_iter().find(|child| child.kind().ends_with("identifier"));
        let full = name.map_or("", |name| text_of(name, text));
        let last = full.rsplit('.').next().unwrap_or(full);
        vec![(last.to_owned(), full.to_owned())]
    }

    fn bound<'t>(&self, node: Node<'t>, text: &str) -> Vec<(String, Option<Node<'t>>)> {
        let field = |name: &str| node.child_by_field_name(name);
        let named = |name: Node<'_>, value| vec![(text_of(name, text).to_owned(), value)];
        match node.kind() {
            "variable_declarator" => {
                // A field that holds an object holds what others put into it.
                let is_field = node.parent().is_some_and(|up| up.kind() == "field_declaration");
                let value = field("value").filter(|value| !is_field || value.kind() != "object_creation_expression");
                field("name").map_or_else(Vec::new, |name| named(name, value))
            }
            "formal_parameter" | "catch_formal_parameter" | "resource" | "enhanced_for_statement" => {
                field("name").map_or_else(Vec::new, |name| named(name, None))
            }
            "method_declaration" => {
                let takes = field("parameters").is_some_and(|list| list.named_child_count() > 0);
                let body = field("body").filter(|_| !takes);
                field("name").map_or_else(Vec::new, |name| named(name, body))
            }
            "assignment_expression" => field("left").map_or_else(Vec::new, |name| named(name, None)),
            "update_expression" => children(node).into_iter().flat_map(|child| named(child, None)).collect(),
            "class_declaration" | "interface_declaration" | "enum_declaration" | "record_declaration" => {
                field("name").map_or_else(Vec::new, |name| named(name, None))
            }
            _ => Vec::new(),
        }
    }
}

impl Java {
    fn call<'t>(&self, node: Node<'t>, file: &File<'t>) -> Depends {
        let name = node.child_by_field_name("name").map_or("", |name| file.text_of(name));
        let arguments = node.child_by_field_name("arguments");
        let with = || arguments.map_or_else(Depends::default, |list| file.parts(list, self));
        let written = arguments.map_or("", |list| file.text_of(list));
        let is_own =
            ["getProperty", "getenv"].contains(&name) && OF_MACHINE.iter().any(|start| written.contains(start));
        if GIVEN.contains(&name) && !is_own {
            return Depends::on_input();
        }
        let Some(object) = node.child_by_field_name("object") else {
            let is_static = file.imports.get(name).is_some_and(|full| is_library(full));
            let of = if is_static { Depends::on_library(name) } else { file.follow(name, self) };
            return of.and(with());
        };
        let of = match class_of(object, file) {
            Some(class) if is_library(&class) => Depends::on_library(&format!("{}.{name}", simple(&class))),
            Some(_) => Depends::on_input(),
            None => {
                let of = self.read(object, file);
                let asks = written == "()" && !of.on_input && is_by_settings(name, file.text_of(object));
                if asks { of.and(Depends::on_library(name)) } else { of }
            }
        };
        of.and(with())
    }

    fn field<'t>(&self, node: Node<'t>, file: &File<'t>) -> Depends {
        let name = node.child_by_field_name("field").map_or("", |name| file.text_of(name));
        let Some(object) = node.child_by_field_name("object") else { return Depends::on_input() };
        match class_of(object, file) {
            // What is written in capitals never changes.
            Some(class) if is_library(&class) && is_constant(name) => Depends::default(),
            Some(class) if is_library(&class) => Depends::on_library(&format!("{}.{name}", simple(&class))),
            Some(_) => Depends::on_input(),
            None => self.read(object, file),
        }
    }

    fn creation<'t>(&self, node: Node<'t>, file: &File<'t>) -> Depends {
        let class = node.child_by_field_name("type").map_or("", |class| file.text_of(class));
        let class = class.split('<').next().unwrap_or(class);
        let full = if class.contains('.') { class.to_owned() } else { full_name(class, file) };
        if !is_library(&full) {
            return Depends::on_input();
        }
        let with = node.child_by_field_name("arguments").map_or_else(Depends::default, |list| file.parts(list, self));
        if is_collection(&full) {
            return with;
        }
        Depends::on_library(&format!("new {}", simple(&full))).and(with)
    }
}

/// Whether a class only holds what is put into it, which no look at its creation tells. Two forget by time or by place.
fn is_collection(full: &str) -> bool {
    const ENDINGS: [&str; 7] = ["List", "Map", "Set", "Deque", "Queue", "Stack", "Vector"];
    let is_fickle = full.contains("Weak") || full.contains("Identity");
    full.starts_with("java.util.") && !is_fickle && ENDINGS.iter().any(|ending| full.ends_with(ending))
}

/// Whether a call makes another text of a literal with other settings: bytes of its letters, or an `i` in capitals.
fn is_by_settings(name: &str, literal: &str) -> bool {
    match name {
        "getBytes" => true,
        "toUpperCase" | "toLowerCase" => literal.contains(['i', 'I']),
        _ => false,
    }
}

/// Whether code names one of some variables.
fn mentions(code: Node<'_>, names: &[&str], file: &File<'_>) -> bool {
    let mut found = false;
    preorder(code, |node| {
        found |= node.kind() == "identifier" && names.contains(&file.text_of(node));
        !found
    });
    found
}

fn named(name: &str, file: &File<'_>) -> Depends {
    if file.values.contains_key(name) {
        return file.follow(name, &Java);
    }
    // A class by itself decides nothing; what is not declared here is another part's.
    if is_class(name) { Depends::default() } else { Depends::on_input() }
}

/// The class that an expression names; `None` where it names none.
fn class_of(node: Node<'_>, file: &File<'_>) -> Option<String> {
    let written = file.text_of(node);
    let is_path = !written.is_empty()
        && written.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_')
        && ["identifier", "field_access", "scoped_identifier"].contains(&node.kind());
    let last = written.rsplit('.').next().unwrap_or(written);
    if !is_path || !is_class(last) || file.values.contains_key(written) {
        return None;
    }
    Some(if written.contains('.') { written.to_owned() } else { full_name(written, file) })
}

fn full_name(class: &str, file: &File<'_>) -> String {
    if let Some(full) = file.imports.get(class) {
        return full.clone();
    }
    if OF_LANGUAGE.contains(&class) && !file.values.contains_key(class) {
        return format!("java.lang.{class}");
    }
    class.to_owned()
}

fn is_library(class: &str) -> bool {
    class.starts_with("java.") || class.starts_with("javax.")
}

fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// `Locale`, and not `locale` or `LOCALE`.
fn is_class(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && !is_constant(name)
}

fn is_constant(name: &str) -> bool {
    name.len() > 1 && !name.contains(char::is_lowercase)
}
