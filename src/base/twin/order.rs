//! Another order of methods.

use super::drawn;
use super::edit::{Edit, edited};
use crate::language::{Language, children, parse, preorder, text_of};
use std::ops::Range;
use tree_sitter::Node;

/// A text whose methods stand in another order, in Python its functions too. Only neighbours change places, with the
/// comments before them; the order depends on their names alone, so that two versions of a file are ordered alike.
pub fn reordered(text: &str, language: &dyn Language, seed: u64) -> String {
    let Some(tree) = parse(text, language).filter(|tree| !tree.root_node().has_error()) else {
        return text.to_owned();
    };
    let mut runs = Vec::new();
    preorder(tree.root_node(), |node| {
        if is_list(node) {
            runs.extend(runs_of(node, text));
        }
        true
    });
    // An inner list moves with what it stands in: of two that overlap the outer one is ordered.
    let mut edits: Vec<Edit> = Vec::new();
    for run in runs {
        let (from, to) = (run[0].0.start, run[run.len() - 1].0.end);
        if edits.iter().any(|(range, _)| range.start < to && from < range.end) {
            continue;
        }
        let mut sorted: Vec<&(Range<usize>, String)> = run.iter().collect();
        sorted.sort_by_key(|(_, name)| drawn(seed, &["order", name]));
        edits.extend(run.iter().zip(sorted).map(|(place, one)| (place.0.clone(), text[one.0.clone()].to_owned())));
    }
    edited(text, edits)
}

fn is_list(node: Node<'_>) -> bool {
    match node.kind() {
        "class_body" | "enum_body_declarations" | "interface_body" | "module" => true,
        "block" => node.parent().is_some_and(|up| up.kind() == "class_definition"),
        _ => false,
    }
}

/// Neighbouring methods of a list, at least two in a run, each with its place and what it is known by.
fn runs_of(list: Node<'_>, text: &str) -> Vec<Vec<(Range<usize>, String)>> {
    let (mut runs, mut run): (Vec<_>, Vec<(Range<usize>, String)>) = (Vec::new(), Vec::new());
    let mut comment: Option<usize> = None;
    for child in children(list) {
        let is_comment = child.kind().ends_with("comment");
        let starts_line = text[..child.start_byte()].rsplit('\n').next().unwrap_or_default().trim().is_empty();
        if is_comment && starts_line && child.kind() != "comment" {
            comment.get_or_insert(child.start_byte());
            continue;
        }
        match key(child, text).filter(|key| starts_line && run.iter().all(|(_, known)| known != key)) {
            Some(key) => run.push((comment.take().unwrap_or(child.start_byte())..child.end_byte(), key)),
            None => runs.push(std::mem::take(&mut run)),
        }
        comment = None;
    }
    runs.push(run);
    runs.retain(|run| run.len() > 1);
    runs
}

/// By what a method is known that may change places; a function of Python that computes nothing when it is defined.
fn key(node: Node<'_>, text: &str) -> Option<String> {
    let parts = ["name", "parameters"].map(|field| node.child_by_field_name(field).map(|part| text_of(part, text)));
    let [Some(name), Some(parameters)] = parts else { return None };
    match node.kind() {
        "method_declaration" => Some(format!("{name}{parameters}")),
        "function_definition" => (!computes(node)).then(|| name.to_owned()),
        _ => None,
    }
}

/// Whether defaults or annotations of a function are more than literals.
fn computes(function: Node<'_>) -> bool {
    if function.child_by_field_name("return_type").is_some() {
        return true;
    }
    let Some(parameters) = function.child_by_field_name("parameters") else { return true };
    children(parameters).into_iter().any(|parameter| {
        let mut names = false;
        if let Some(value) = parameter.child_by_field_name("value") {
            preorder(value, |node| {
                names |= matches!(node.kind(), "identifier" | "call" | "lambda");
                !names
            });
        }
        parameter.child_by_field_name("type").is_some() || names
    })
}
