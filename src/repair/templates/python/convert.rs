//! A value that must be converted or copied first.
//!
//! Source: what code around does to values of that name; else the conversions that repairs of Python programs add most.
//! Example: `"message": message` becomes `"message": str(message)`; `for span in spans:` becomes
//! `for span in list(spans):`.

use super::called::Called;
use super::sorts::{Sort, sort_at};
use super::tree::{is_target, whole};
use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Convert;

/// Calls of the file around a value of the same name.
const MAX_KNOWN: usize = 4;

impl Template for Convert {
    fn name(&self) -> &'static str {
        "conversion"
    }

    fn prior(&self) -> Prior {
        0.42
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in site.expressions.iter().filter(|node| !is_target(**node)) {
            let is_value = matches!(node.kind(), "identifier" | "attribute" | "subscript" | "call");
            let Some(forms) = forms(node).filter(|_| is_value) else { continue };
            let (text, sort) = (whole(node, &site.unit.text), sort_at(site, node));
            for (form, weight) in forms.iter().filter(|(form, _)| suits(form, sort)) {
                out.push(site.replacement(node, form.replace("{}", &text), *weight));
            }
            if node.kind() != "call" {
                let known = known(site, node).into_iter();
                out.extend(known.map(|called| site.replacement(node, format!("{called}({text})"), 0.9)));
            }
        }
    }
}

/// What is tried where a value stands, with weights; `None` where a value is only looked at.
fn forms(node: Node<'_>) -> Option<&'static [(&'static str, f64)]> {
    let parent = node.parent()?;
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    Some(match parent.kind() {
        "for_statement" | "for_in_clause" if is("right") => {
            &[("list({})", 0.9), ("sorted({})", 0.7), ("{} or ()", 0.6), ("reversed({})", 0.5)]
        }
        "assignment" if is("right") => &[
            ("list({})", 0.7),
            ("{}.copy()", 0.7),
            ("str({})", 0.5),
            ("int({})", 0.5),
            ("dict({})", 0.4),
            ("{}.strip()", 0.4),
            ("sorted({})", 0.4),
            ("reversed({})", 0.3),
        ],
        "attribute" if is("object") => &[("{}.lower()", 0.5), ("{}.strip()", 0.5), ("str({})", 0.6)],
        "return_statement" => &[
            ("list({})", 0.6),
            ("str({})", 0.6),
            ("{}.copy()", 0.6),
            ("tuple({})", 0.4),
            ("bool({})", 0.4),
            ("{}.strip()", 0.4),
        ],
        "argument_list" | "keyword_argument" | "pair" => &[
            ("str({})", 0.7),
            ("list({})", 0.6),
            ("repr({})", 0.5),
            ("{}.copy()", 0.5),
            ("int({})", 0.4),
            ("{}.strip()", 0.4),
        ],
        "tuple" | "list" | "expression_list" | "interpolation" => {
            &[("str({})", 0.6), ("repr({})", 0.5), ("{}.copy()", 0.5)]
        }
        // What fills in a text takes a tuple apart.
        "binary_operator" if is("right") && parent.child_by_field_name("operator").is_some_and(|o| o.kind() == "%") => {
            &[("repr({})", 0.9), ("({},)", 0.9), ("str({})", 0.8), ("int({})", 0.4)]
        }
        "binary_operator" => &[("str({})", 0.6), ("repr({})", 0.4), ("int({})", 0.5), ("list({})", 0.4)],
        "comparison_operator" => {
            &[("{}.lower()", 0.5), ("{}.strip()", 0.5), ("str({})", 0.4), ("int({})", 0.4), ("len({})", 0.3)]
        }
        _ => return None,
    })
}

/// Whether a form makes sense for a value of a sort.
fn suits(form: &str, sort: Option<Sort>) -> bool {
    match sort {
        None => true,
        Some(Sort::Text) => !form.starts_with("str(") && !form.ends_with("copy()") && !form.starts_with("list("),
        Some(Sort::Number) => matches!(form, "str({})" | "int({})" | "repr({})"),
        Some(Sort::Collection) => !form.starts_with("int(") && !form.contains("lower") && !form.contains("strip"),
        Some(Sort::Truth) => false,
    }
}

/// What the file calls with a value of the same text alone, the nearest first.
fn known<'s>(site: &Site<'s>, value: Node<'_>) -> Vec<&'s str> {
    let (text, at) = (&site.unit.text, value.start_byte());
    let is_it = |call: &&Called| match call.arguments.as_slice() {
        [only] => call.keywords.is_empty() && text[only.clone()] == *site.text(value) && only.start != at,
        _ => false,
    };
    let mut calls: Vec<&Called> = site.unit.called().iter().filter(is_it).collect();
    calls.sort_by_key(|call| call.function.start.abs_diff(at));
    let mut names: Vec<&str> = Vec::new();
    for name in calls.into_iter().map(|call| &text[call.function.clone()]) {
        if !names.contains(&name) && !is_question(name) {
            names.push(name);
        }
    }
    names.truncate(MAX_KNOWN);
    names
}

/// Whether a function tells something of a value and makes no other value of it.
fn is_question(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(last, "len" | "type" | "print" | "callable" | "id" | "hash")
        || ["is", "has", "can", "append", "add"].iter().any(|word| last.starts_with(word))
}
