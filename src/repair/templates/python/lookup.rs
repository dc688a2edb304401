//! A lookup that fails where nothing is found, or one of the wrong kind.
//!
//! Example: `schema[field]["schema"]` becomes `schema[field].get("schema", {})`; `del cache[key]` becomes
//! `cache.pop(key, None)`; `hasattr(x, "walk")` becomes `getattr(x, "walk", None)`.

use super::tree::{arguments, elements, is_target};
use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Lookup;

impl Template for Lookup {
    fn name(&self) -> &'static str {
        "lookup"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        deleted(site, out);
        for &node in site.expressions.iter().filter(|node| !is_target(**node)) {
            match node.kind() {
                "subscript" => of_key(site, node, out),
                "attribute" => of_attribute(site, node, out),
                "call" => of_call(site, node, out),
                _ => {}
            }
        }
    }
}

/// `del d[k]`.
fn deleted(site: &Site<'_>, out: &mut Vec<Edit>) {
    let statement = site.statement;
    let target = statement.named_child(0).filter(|_| statement.kind() == "delete_statement");
    if let Some([object, key]) = target.and_then(|target| key_of(site, target)) {
        let code = format!("{object}.pop({key}, None)");
        let note = format!("replaced `{}` by `{code}`", shortened(site.text(statement)));
        out.push(Edit::replace(statement, code, 0.9, note));
    }
}

/// The object and the key of a subscript that may be one of a dictionary.
fn key_of<'s>(site: &Site<'s>, node: Node<'_>) -> Option<[&'s str; 2]> {
    let parts = elements(node);
    let [object, key] = parts.as_slice() else { return None };
    let may_be_key = node.kind() == "subscript" && matches!(key.kind(), "string" | "identifier" | "attribute" | "call");
    may_be_key.then(|| [site.text(*object), site.text(*key)])
}

/// `d[k]` that should give something where there is no such key: nothing, or a thing to look into.
fn of_key(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let Some([object, key]) = key_of(site, node) else { return };
    let others: &[(&str, f64)] = match node.parent().map_or("", |parent| parent.kind()) {
        "subscript" | "attribute" => &[(", {}", 0.8)],
        "for_statement" | "for_in_clause" => &[(", []", 0.7), (", {}", 0.6)],
        _ => &[("", 0.8), (", {}", 0.5), (", []", 0.4), (", \"\"", 0.4), (", 0", 0.4), (", False", 0.3)],
    };
    for (other, weight) in others {
        out.push(site.replacement(node, format!("{object}.get({key}{other})"), *weight));
    }
}

/// `x.name` that should give nothing where there is no such attribute.
fn of_attribute(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let parts = ["object", "attribute"].map(|field| node.child_by_field_name(field));
    let [Some(object), Some(name)] = parts.map(|part| part.map(|part| site.text(part))) else { return };
    if node.parent().is_none_or(|parent| parent.kind() != "attribute") {
        out.push(site.replacement(node, format!("getattr({object}, \"{name}\", None)"), 0.4));
    }
}

/// `hasattr`, `getattr` and `get` that ask too little.
fn of_call(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let Some(called) = node.child_by_field_name("function") else { return };
    let arguments: Vec<&str> = arguments(node).into_iter().map(|argument| site.text(argument)).collect();
    match (site.text(called), arguments.as_slice()) {
        ("hasattr" | "getattr", [object, name]) => {
            out.push(site.replacement(node, format!("getattr({object}, {name}, None)"), 0.8));
        }
        (name, [key]) if name.ends_with(".get") => {
            for (other, weight) in [("{}", 0.5), ("[]", 0.5), ("\"\"", 0.5), ("0", 0.4), ("False", 0.3)] {
                out.push(site.replacement(node, format!("{name}({key}, {other})"), weight));
            }
        }
        (name, [key]) if name.ends_with(".pop") => {
            out.push(site.replacement(node, format!("{name}({key}, None)"), 0.8));
        }
        _ => {}
    }
}
