//! Wrong calls: swapped arguments, another function or attribute.
//!
//! Example: `gcd(a % b, b)` becomes `gcd(b, a % b)`; `any(…)` becomes `all(…)`.

use super::tree::{arguments, elements, is_called, is_literal, is_of_object, whole};
use crate::language::preorder;
use crate::templates::edit::Edit;
use crate::templates::family::arguments::by_names;
use crate::templates::scope::Origin;
use crate::templates::site::{Site, shortened, similarity};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Swaps two arguments, two elements of a tuple or the operands of an operator that has an order.
pub(super) struct Swap;

/// Exchanges the name of a function, method or attribute.
pub(super) struct Name;

impl Template for Swap {
    fn name(&self) -> &'static str {
        "swap_arguments"
    }

    fn prior(&self) -> Prior {
        0.8
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let (parts, weight) = match node.kind() {
                "call" => (arguments(node), call_weight(site, node)),
                "tuple" | "list" => (elements(node), 0.4),
                "subscript" => (elements(node).into_iter().skip(1).collect(), 0.7),
                _ => (Vec::new(), 0.0),
            };
            for (at, a) in parts.iter().enumerate() {
                for b in parts[at + 1..].iter().filter(|b| site.text(**b) != site.text(*a)) {
                    let weight = weight * by_names(site, callee(site, node), &parts, [*a, *b]);
                    let literal = is_literal(a.kind()) || is_literal(b.kind());
                    let note = format!("swapped `{}` and `{}`", shortened(site.text(*a)), shortened(site.text(*b)));
                    out.push(Edit::swap(site.unit, *a, *b, weight * if literal { 0.6 } else { 1.0 }, note));
                }
            }
            operands(site, node, out);
        }
    }
}

/// The last name of what is called; nothing for what is no call.
pub(super) fn callee<'a>(site: &Site<'a>, call: Node<'_>) -> &'a str {
    let function = call.child_by_field_name("function").map(|function| site.text(function));
    function.and_then(|name| name.rsplit('.').next()).unwrap_or("")
}

fn call_weight(site: &Site<'_>, call: Node<'_>) -> f64 {
    let first = arguments(call).first().map(|argument| site.text(*argument));
    match callee(site, call) {
        "isinstance" if first.is_some_and(is_type) => 0.9,
        "max" | "min" | "isinstance" | "range" => 0.15,
        _ => 0.9,
    }
}

/// Whether a name is written as that of a type.
fn is_type(name: &str) -> bool {
    const TYPES: [&str; 10] = ["bool", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"];
    TYPES.contains(&name) || name.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase))
}

fn operands(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let parts = ["left", "operator", "right"].map(|field| node.child_by_field_name(field));
    let [Some(left), Some(sign), Some(right)] = parts else { return };
    let is_ordered = node.kind() == "binary_operator" && !matches!(site.text(sign), "*" | "&" | "|" | "^");
    if !is_ordered || site.text(left) == site.text(right) {
        return;
    }
    // The order of a sum matters for texts and lists alone.
    let has_number = [left, right].iter().any(|side| matches!(side.kind(), "integer" | "float"));
    let weight = if site.text(sign) == "+" || has_number { 0.4 } else { 0.7 };
    let note = format!("swapped the operands of `{}`", shortened(site.text(node)));
    let text = &site.unit.text;
    out.push(Edit::replace(left, whole(right, text), weight, note).and(right.byte_range(), whole(left, text)));
}

/// Functions and methods that are taken for each other.
const PAIRS: [(&str, &str); 26] = [
    ("any", "all"),
    ("min", "max"),
    ("append", "extend"),
    ("append", "insert"),
    ("popleft", "pop"),
    ("append", "appendleft"),
    ("startswith", "endswith"),
    ("lstrip", "rstrip"),
    ("strip", "rstrip"),
    ("lower", "upper"),
    ("find", "rfind"),
    ("union", "intersection"),
    ("issubset", "issuperset"),
    ("keys", "values"),
    ("items", "values"),
    ("get", "pop"),
    ("isinstance", "issubclass"),
    ("add", "update"),
    ("remove", "discard"),
    ("str", "repr"),
    ("list", "tuple"),
    ("match", "search"),
    ("match", "fullmatch"),
    ("split", "rsplit"),
    ("find", "index"),
    ("floor", "ceil"),
];
/// Attributes of the file that are tried instead of one.
const OTHERS: usize = 6;

impl Template for Name {
    fn name(&self) -> &'static str {
        "method_name"
    }

    fn prior(&self) -> Prior {
        0.65
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let mut names = Vec::new();
        preorder(site.statement, |node| {
            let is_body = node != site.statement && node.kind() == "block";
            let parent = node.parent();
            let field = |name: &str| parent.is_some_and(|parent| parent.child_by_field_name(name) == Some(node));
            if node.kind() == "identifier" && (field("function") || field("attribute")) {
                names.push((node, field("attribute")));
            }
            !is_body
        });
        for (node, is_attribute) in names {
            let old = site.text(node);
            for (a, b) in PAIRS.iter().filter(|(a, b)| *a == old || *b == old) {
                let other = if *a == old { b } else { a };
                out.push(site.replacement(node, *other, 0.8));
            }
            if !is_attribute {
                if is_of_object(site, old) {
                    out.push(site.replacement(node, format!("self.{old}"), 0.75));
                }
                for (other, weight) in functions(site, old) {
                    out.push(site.replacement(node, other, weight));
                }
            }
            if is_attribute {
                out.extend(own_name(site, node));
                for (other, weight) in attributes(site, node) {
                    out.push(site.replacement(node, other, weight));
                }
            }
        }
    }
}

/// `self.name` where a variable of that name is at hand.
fn own_name(site: &Site<'_>, attribute: Node<'_>) -> Option<Edit> {
    let (whole, name) = (attribute.parent()?, site.text(attribute));
    let is_of_self = whole.child_by_field_name("object").is_some_and(|object| site.text(object) == "self");
    let is_known = site.scope.iter().any(|known| known.name == name && known.origin != Origin::Field);
    (is_of_self && is_known).then(|| site.replacement(whole, name, 0.6))
}

/// Other functions that the file calls by name, the most alike first.
fn functions(site: &Site<'_>, old: &str) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for name in site.unit.called().iter().map(|call| &site.unit.text[call.function.clone()]) {
        if name != old
            && !name.contains(|c: char| c != '_' && !c.is_alphanumeric())
            && !found.iter().any(|f| f.0 == name)
        {
            let alike = (similarity(old, name) - 0.5).max(0.0) * 2.0;
            found.push((name.to_owned(), 0.1 + 0.6 * alike));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(OTHERS);
    found
}

/// Other attributes that the file names, methods for methods, with weights: those of the same object and similar ones
/// first.
fn attributes(site: &Site<'_>, instead: Node<'_>) -> Vec<(String, f64)> {
    let (old, is_method) = (site.text(instead), instead.parent().is_some_and(is_called));
    let object = |node: Node<'_>| node.child_by_field_name("object").map(|object| site.text(object));
    let own = instead.parent().and_then(object);
    let mut found: Vec<(String, f64)> = Vec::new();
    preorder(site.unit.root(), |node| {
        if node.kind() != "attribute" || is_called(node) != is_method {
            return true;
        }
        let name = node.child_by_field_name("attribute").map(|name| site.text(name));
        if let Some(name) = name.filter(|name| *name != old && !name.starts_with("__")) {
            // Names that are half alike are unlike.
            let alike = (similarity(old, name) - 0.5).max(0.0) * 2.0;
            let weight = if object(node) == own { 0.3 + 0.5 * alike } else { 0.1 + 0.5 * alike };
            match found.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = known.max(weight),
                None => found.push((name.to_owned(), weight)),
            }
        }
        true
    });
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(OTHERS);
    found
}
