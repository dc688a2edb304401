//! A call that leaves out an argument, or hands over one too many.
//!
//! Source: what other calls of the same function hand over, and parameters of the function called for which a value of
//! their name is at hand.
//! Example: `self.add(model)` becomes `self.add(model, initial=initial)`, where `add` takes an `initial`.

use super::called::Called;
use super::calls::callee;
use super::tree::{arguments, elements};
use crate::templates::edit::{Change, Edit};
use crate::templates::scope::Origin;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use std::ops::Range;
use tree_sitter::Node;

/// See the module.
pub(super) struct Argument;

/// Arguments that are added to one call.
const MAX_ADDED: usize = 8;

impl Template for Argument {
    fn name(&self) -> &'static str {
        "missing_argument"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in site.expressions.iter().filter(|node| node.kind() == "call") {
            let Some(list) = node.child_by_field_name("arguments").filter(|list| list.kind() == "argument_list") else {
                continue;
            };
            let given = elements(list);
            for (text, weight) in missing(site, node, &given).into_iter().take(MAX_ADDED) {
                let note = format!("added `{}` to `{}`", shortened(&text), shortened(site.text(node)));
                out.push(match given.last() {
                    Some(last) => Edit::insert(last.end_byte(), format!(", {text}"), weight, note),
                    None => Edit::insert(list.start_byte() + 1, text, weight, note),
                });
            }
            for pair in given.windows(2).filter(|pair| pair[1].kind() == "keyword_argument") {
                let note = format!("dropped `{}`", shortened(site.text(pair[1])));
                let range = pair[0].end_byte()..pair[1].end_byte();
                out.push(Edit { changes: vec![Change { range, text: String::new() }], weight: 0.4, note });
            }
        }
    }
}

/// The name of an argument that has one.
fn keyword<'s>(site: &Site<'s>, argument: Node<'_>) -> Option<&'s str> {
    let name = argument.child_by_field_name("name").filter(|_| argument.kind() == "keyword_argument")?;
    Some(site.text(name))
}

/// Arguments that the call may lack, with weights.
fn missing(site: &Site<'_>, call: Node<'_>, given: &[Node<'_>]) -> Vec<(String, f64)> {
    let name = callee(site, call);
    let has = |wanted: &str| given.iter().any(|argument| keyword(site, *argument) == Some(wanted));
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut add = |text: String, weight: f64| {
        if !found.iter().any(|(known, _)| *known == text) {
            found.push((text, weight));
        }
    };
    for (word, text) in elsewhere(site, call, name).into_iter().filter(|(word, _)| !has(word)) {
        add(text.to_owned(), if value_at_hand(site, word).is_some() { 0.9 } else { 0.7 });
    }
    let positional = arguments(call).len();
    for method in site.index.methods_named(name) {
        let parameters = method.params.iter().map(|name| name.trim());
        let own = parameters.clone().filter(|name| !matches!(*name, "self" | "cls")).enumerate();
        for (at, parameter) in own.filter(|(at, name)| *at >= positional && !name.starts_with('*') && !has(name)) {
            if let Some((value, weight)) = value_at_hand(site, parameter) {
                if at == positional && given.len() == positional {
                    add(value.clone(), weight * 0.9);
                }
                add(format!("{parameter}={value}"), weight);
            }
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

/// The value of a name that can be written here: a variable, or an attribute of the object.
fn value_at_hand(site: &Site<'_>, name: &str) -> Option<(String, f64)> {
    let of_object = [format!("self.{name}"), format!("self._{name}")];
    site.scope.iter().find_map(|variable| match &variable.name {
        own if own == name && variable.origin != Origin::Field => Some((own.clone(), 1.0)),
        own if of_object.contains(own) => Some((own.clone(), 0.9)),
        _ => None,
    })
}

/// Arguments with names that other calls of a function of that name hand over, in the order of the file.
fn elsewhere<'s>(site: &Site<'s>, call: Node<'_>, name: &str) -> Vec<(&'s str, &'s str)> {
    let text = |range: &Range<usize>| &site.unit.text[range.clone()];
    let is_other = |other: &&Called| {
        other.function.start != call.start_byte() && text(&other.function).rsplit('.').next() == Some(name)
    };
    let mut found: Vec<(&str, &str)> = Vec::new();
    for (word, whole) in site.unit.called().iter().filter(is_other).flat_map(|other| &other.keywords) {
        if !found.iter().any(|(known, _)| *known == text(word)) {
            found.push((text(word), text(whole)));
        }
    }
    found
}
