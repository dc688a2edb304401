//! The wrong value of a parameter that callers leave out.
//!
//! A function's header runs when its module is loaded, so that no test's lines tell of it: the function's first statement
//! stands for it.
//! Source: ManySStuBs4J's *change boolean literal* and *change numeral*, in a place where Java has no values.
//! Example: `def walk(tree, reverse=True)` beside `def walk_keys(tree, reverse=False)` becomes `def walk(tree, reverse=False)`.

use super::tree::{function, is_site};
use crate::language::{children, preorder};
use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Default;

/// Weight of what a parameter of the same name has in another function of the file.
const OF_OTHERS: f64 = 1.0;
/// Weight of the opposite truth, and of a number beside.
const FLIPPED: f64 = 0.8;
const BESIDE: f64 = 0.5;

impl Template for Default {
    fn name(&self) -> &'static str {
        "default"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let Some(function) = function(site.statement).filter(|function| begins_with(site, *function)) else {
            return;
        };
        for (name, value) in defaults(function) {
            let (name, text) = (site.text(name), site.text(value));
            for (other, weight) in others(site, name, text).into_iter().chain(near(value.kind(), text)) {
                let note = format!("replaced the default `{}` of `{name}` by `{}`", shortened(text), shortened(&other));
                out.push(Edit::replace(value, other, weight, note));
            }
        }
    }
}

/// Whether the site's statement is the first of a function that does something.
fn begins_with(site: &Site<'_>, function: Node<'_>) -> bool {
    let does_something = |node: &Node<'_>| is_site(*node) && !site.unit.language.is_comment(*node, &site.unit.text);
    let body = function.child_by_field_name("body").map(children).unwrap_or_default();
    body.into_iter().find(does_something) == Some(site.statement)
}

/// The parameters of a function that have values, with these.
fn defaults<'t>(function: Node<'t>) -> impl Iterator<Item = (Node<'t>, Node<'t>)> {
    let parameters = function.child_by_field_name("parameters").map(children).unwrap_or_default();
    let is_default = |node: &Node<'t>| matches!(node.kind(), "default_parameter" | "typed_default_parameter");
    let named = parameters.into_iter().filter(is_default);
    named.filter_map(|node| node.child_by_field_name("name").zip(node.child_by_field_name("value")))
}

/// Other values that parameters of this name have in the file, each once.
fn others(site: &Site<'_>, name: &str, value: &str) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    preorder(site.unit.root(), |node| {
        if node.kind() == "function_definition" {
            let same = defaults(node).filter(|(other, _)| site.text(*other) == name);
            for text in same.map(|(_, value)| site.text(value)) {
                if text != value && !found.iter().any(|(known, _)| known == text) {
                    found.push((text.to_owned(), OF_OTHERS));
                }
            }
        }
        true
    });
    found
}

/// Values that are likely meant where this one is wrong.
fn near(kind: &str, text: &str) -> Vec<(String, f64)> {
    match kind {
        "true" => vec![("False".into(), FLIPPED)],
        "false" => vec![("True".into(), FLIPPED)],
        "integer" => {
            match text.parse::<i64>().ok().and_then(|number| Some((number.checked_sub(1)?, number.checked_add(1)?))) {
                Some((below, above)) => vec![(above.to_string(), BESIDE), (below.to_string(), BESIDE)],
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}
