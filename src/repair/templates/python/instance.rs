//! The wrong question about the type or the identity of a value.
//!
//! Example: `type(x) in [str, bytes]` becomes `isinstance(x, (str, bytes))`; `isinstance(x, list)` becomes
//! `isinstance(x, (list, tuple))`; `if default == empty` becomes `if default is empty`.

use super::tree::{arguments, bare, conditions, elements, is_literal};
use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};
use std::ops::Range;
use tree_sitter::Node;

/// See the module.
pub(super) struct Instance;

/// Types that stand for each other to many programs.
const ALIKE: [&[&str]; 4] = [
    &["list", "tuple", "set", "frozenset"],
    &["str", "bytes", "bytearray"],
    &["int", "float", "complex"],
    &["dict", "Mapping"],
];
/// Types of the file that are asked about as well.
const MAX_TYPES: usize = 4;

impl Template for Instance {
    fn name(&self) -> &'static str {
        "type_check"
    }

    fn prior(&self) -> Prior {
        0.55
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            match node.kind() {
                "comparison_operator" => {
                    of_type(site, node, out);
                    identity(site, node, out);
                }
                "call" => wider(site, node, out),
                _ => {}
            }
        }
        conditions(site).into_iter().for_each(|condition| emptiness(site, condition, out));
    }
}

/// What asks for nothing where it should ask for `None`, and the other way round, in a condition and its parts.
fn emptiness(site: &Site<'_>, condition: Node<'_>, out: &mut Vec<Edit>) {
    let condition = bare(condition);
    let other = match condition.kind() {
        "identifier" | "attribute" => format!("{} is not None", site.text(condition)),
        "not_operator" => match condition.child_by_field_name("argument").map(bare) {
            Some(part) if matches!(part.kind(), "identifier" | "attribute") => format!("{} is None", site.text(part)),
            _ => return,
        },
        "comparison_operator" => match site.text(condition) {
            text if text.ends_with(" is not None") => text.trim_end_matches(" is not None").to_owned(),
            text if text.ends_with(" is None") => format!("not {}", text.trim_end_matches(" is None")),
            _ => return,
        },
        "boolean_operator" => {
            let sides = ["left", "right"].map(|side| condition.child_by_field_name(side));
            sides.into_iter().flatten().for_each(|side| emptiness(site, side, out));
            return;
        }
        _ => return,
    };
    out.push(site.replacement(condition, other, 0.8));
}

/// `type(x) == T` and `type(x) in (T, U)`.
fn of_type(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let parts = children(node);
    let [left, sign, right] = parts.as_slice() else { return };
    let is_asked = left.kind() == "call" && site.text(*left).starts_with("type(");
    let values = if is_asked { arguments(*left) } else { Vec::new() };
    let [value] = values.as_slice() else { return };
    let types = match right.kind() {
        "list" | "set" => {
            let types: Vec<&str> = elements(*right).into_iter().map(|element| site.text(element)).collect();
            format!("({})", types.join(", "))
        }
        _ => site.text(*right).to_owned(),
    };
    let negated = match site.text(*sign) {
        "==" | "is" | "in" => "",
        "!=" | "is not" | "not in" => "not ",
        _ => return,
    };
    out.push(site.replacement(node, format!("{negated}isinstance({}, {types})", site.text(*value)), 0.9));
}

/// Equality where the very same object is meant, and the other way round.
fn identity(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let parts = children(node);
    let [left, sign, right] = parts.as_slice() else { return };
    if [left, right].iter().any(|side| side.kind() == "none") {
        return;
    }
    let is_value = [left, right].iter().any(|side| is_literal(side.kind()));
    let (other, weight) = match site.text(*sign) {
        "==" if !is_value => ("is", 0.5),
        "!=" if !is_value => ("is not", 0.5),
        "is" => ("==", if is_value { 0.9 } else { 0.5 }),
        "is not" => ("!=", if is_value { 0.9 } else { 0.5 }),
        _ => return,
    };
    out.push(site.replacement(*sign, other, weight));
}

/// `isinstance(x, T)` that should ask for another type as well.
fn wider(site: &Site<'_>, node: Node<'_>, out: &mut Vec<Edit>) {
    let is_asked = node.child_by_field_name("function").is_some_and(|name| site.text(name) == "isinstance");
    let parts = if is_asked { arguments(node) } else { Vec::new() };
    let [_, types] = parts.as_slice() else { return };
    let asked: Vec<&str> = match types.kind() {
        "tuple" => elements(*types).into_iter().map(|element| site.text(element)).collect(),
        _ => vec![site.text(*types)],
    };
    let alike = ALIKE.iter().filter(|group| asked.iter().any(|kind| group.contains(kind))).copied().flatten().copied();
    let mut others: Vec<(&str, f64)> = alike.map(|kind| (kind, 0.8)).collect();
    others.extend(types_of_file(site).into_iter().map(|kind| (kind, 0.5)));
    for (other, weight) in others.into_iter().filter(|(other, _)| !asked.contains(other)) {
        out.push(site.replacement(*types, format!("({}, {other})", asked.join(", ")), weight));
    }
}

/// Types that the file asks about elsewhere, the most frequent first.
fn types_of_file<'s>(site: &Site<'s>) -> Vec<&'s str> {
    let text = |range: &Range<usize>| &site.unit.text[range.clone()];
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let mut found: Vec<(&str, usize)> = Vec::new();
    for call in site.unit.called().iter().filter(|call| text(&call.function) == "isinstance") {
        let Some(name) = call.arguments.get(1).map(text).filter(|name| is_name(name)) else { continue };
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => found.push((name, 1)),
        }
    }
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found.into_iter().take(MAX_TYPES).map(|(name, _)| name).collect()
}
