//! What a declaration in Python says: decorators, parameters, base classes, names that are assigned, imports.

use crate::domain::RepoPath;
use crate::language::{Modifiers, Parameter, Takes, children, on_one_line, preorder, simple_type, text_of};
use tree_sitter::Node;

/// Whether a statement is a text and nothing else; one that is put together evaluates what stands in it.
pub(super) fn is_text(node: Node<'_>) -> bool {
    let texts = ["string", "concatenated_string"];
    let is_text = node.kind() == "expression_statement"
        && node.named_child_count() == 1
        && node.named_child(0).is_some_and(|child| texts.contains(&child.kind()));
    let mut evaluates = false;
    if is_text {
        preorder(node, |part| {
            evaluates |= part.kind() == "interpolation";
            !evaluates
        });
    }
    is_text && !evaluates
}

pub(super) fn modifiers(whole: Node<'_>, node: Node<'_>, text: &str) -> Modifiers {
    let decorators = children(whole).into_iter().filter(|child| child.kind() == "decorator");
    let name = node.child_by_field_name("name").map_or("", |name| text_of(name, text));
    Modifiers {
        words: Vec::new(),
        annotations: decorators.map(|decorator| decorator_name(decorator, text).into()).collect(),
        private: name.starts_with('_') && !name.ends_with("__"),
        constructor: name == "__init__",
    }
}

/// `parametrize` of `@pytest.mark.parametrize(…)`.
fn decorator_name(decorator: Node<'_>, text: &str) -> String {
    let written = text_of(decorator, text).trim_start_matches('@');
    let head = written.split('(').next().unwrap_or(written).trim();
    head.rsplit('.').next().unwrap_or(head).to_owned()
}

pub(super) fn parameters(list: Node<'_>, text: &str) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = children(list).into_iter().filter_map(|node| parameter(node, text)).collect();
    if let Some(first) = found.first_mut().filter(|_| is_bound(list, text)) {
        first.takes = Takes::Nothing;
    }
    found
}

/// Whether the parameters are those of a method that is called on an object or on its class.
fn is_bound(list: Node<'_>, text: &str) -> bool {
    let Some(function) = list.parent().filter(|node| node.kind() == "function_definition") else { return false };
    let whole = function.parent().filter(|parent| parent.kind() == "decorated_definition").unwrap_or(function);
    let in_class =
        whole.parent().and_then(|body| body.parent()).is_some_and(|class| class.kind() == "class_definition");
    in_class && !modifiers(whole, function, text).annotations.iter().any(|name| name == "staticmethod")
}

fn parameter(node: Node<'_>, text: &str) -> Option<Parameter> {
    let kind = node.child_by_field_name("type").map(|kind| on_one_line(text_of(kind, text))).unwrap_or_default();
    let named = match node.kind() {
        "typed_parameter" => node.named_child(0)?,
        "default_parameter" | "typed_default_parameter" => node.child_by_field_name("name")?,
        _ => node,
    };
    let shown = text_of(named, text).to_owned();
    let takes = match (node.kind(), named.kind()) {
        ("default_parameter" | "typed_default_parameter", _) => Takes::Maybe,
        (_, "list_splat_pattern" | "dictionary_splat_pattern") => Takes::Any,
        (_, "identifier" | "tuple_pattern") => Takes::One,
        _ => return None,
    };
    let name = shown.trim_start_matches('*').to_owned();
    Some(Parameter { shown, name, kind, takes })
}

pub(super) fn supertypes(node: Node<'_>, text: &str) -> Vec<String> {
    let Some(list) = node.child_by_field_name("superclasses") else { return Vec::new() };
    let kinds = ["identifier", "attribute", "subscript"];
    let named = children(list).into_iter().filter(|child| kinds.contains(&child.kind()));
    named.map(|child| simple_type(text_of(child, text))).filter(|name| !name.is_empty()).collect()
}

/// Names on the left of an assignment, with the type that is written beside them or the class that is called.
pub(super) fn declared(field: Node<'_>, text: &str) -> Vec<(String, String)> {
    let Some(assignment) = field.named_child(0).filter(|child| child.kind() == "assignment") else { return Vec::new() };
    let Some(left) = assignment.child_by_field_name("left") else { return Vec::new() };
    let names = if left.kind() == "identifier" { vec![left] } else { children(left) };
    let names = names.into_iter().filter(|name| name.kind() == "identifier");
    let kind = type_of(assignment, text);
    names.map(|name| (text_of(name, text).to_owned(), kind.clone())).collect()
}

/// The type of what an assignment assigns, as far as it is written.
pub(super) fn type_of(assignment: Node<'_>, text: &str) -> String {
    if let Some(kind) = assignment.child_by_field_name("type") {
        return on_one_line(text_of(kind, text));
    }
    let called = assignment.child_by_field_name("right").filter(|right| right.kind() == "call");
    let function = called.and_then(|call| call.child_by_field_name("function")).map_or("", |f| text_of(f, text));
    if is_class_name(function) { function.to_owned() } else { String::new() }
}

/// Whether a name with points ends as classes are named.
pub(super) fn is_class_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_');
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    plain && last.starts_with(char::is_uppercase) && (last.len() == 1 || last.contains(char::is_lowercase))
}

/// Full names that an import brings; those of a relative one begin at the top of the checkout.
pub(super) fn imports(node: Node<'_>, text: &str, file: &RepoPath) -> Vec<String> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    let plain = |name: Node<'_>| {
        let name = name.child_by_field_name("name").unwrap_or(name);
        on_one_line(text_of(name, text)).replace(' ', "")
    };
    match node.kind() {
        "import_statement" => names.map(plain).collect(),
        "import_from_statement" => {
            let Some(module) = node.child_by_field_name("module_name") else { return Vec::new() };
            let module = absolute(text_of(module, text), file);
            let mut brought: Vec<String> = names.map(plain).collect();
            if children(node).iter().any(|child| child.kind() == "wildcard_import") {
                brought.push("*".into());
            }
            let full = |name: String| if module.is_empty() { name } else { format!("{module}.{name}") };
            brought.into_iter().map(full).collect()
        }
        _ => Vec::new(),
    }
}

/// `src.shop.cart` of `.cart` in `src/shop/order.py`.
fn absolute(module: &str, file: &RepoPath) -> String {
    let name = module.trim_start_matches('.');
    let points = module.len() - name.len();
    if points == 0 {
        return name.to_owned();
    }
    let mut folders: Vec<&str> = file.as_str().split('/').collect();
    folders.truncate(folders.len().saturating_sub(points));
    folders.extend(Some(name).filter(|name| !name.is_empty()));
    folders.join(".")
}
