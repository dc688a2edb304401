//! What a name or an expression in Python surely is, as far as the function around it shows: a guess from literals, well
//! known functions and what is done with a name. It orders proposals and leaves out those that make no sense.

use super::tree::{arguments, bare, elements};
use crate::language::{preorder, text_of};
use crate::templates::scope::Variable;
use crate::templates::site::Site;
use crate::templates::types::ValueType;
use std::collections::HashMap;
use tree_sitter::Node;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// An integer or a float.
    Number,
    /// A list, set, dictionary, queue or the like.
    Collection,
    /// A text.
    Text,
    /// True or false.
    Truth,
}

impl Sort {
    /// Under which type a variable of the sort stands in a scope.
    pub(super) fn kind(self) -> ValueType {
        ValueType::new(match self {
            Self::Number => "int",
            Self::Collection => "Collection",
            Self::Text => "String",
            Self::Truth => "boolean",
        })
    }

    /// The sort that stands in a scope under a type.
    pub(super) fn of(kind: &ValueType) -> Option<Self> {
        [Self::Number, Self::Collection, Self::Text, Self::Truth].into_iter().find(|sort| sort.kind() == *kind)
    }
}

const NUMBERS: [&str; 8] = ["len", "sum", "int", "float", "abs", "ord", "round", "count"];
const COLLECTIONS: [&str; 11] =
    ["list", "set", "dict", "tuple", "sorted", "range", "deque", "Queue", "defaultdict", "OrderedDict", "Counter"];
const FILLING: [&str; 8] = ["append", "add", "extend", "update", "pop", "popleft", "items", "keys"];

/// Sorts of the names that a function uses.
pub(super) fn sorts<'t>(function: Node<'_>, text: &'t str) -> HashMap<&'t str, Sort> {
    let mut known: HashMap<&str, Sort> = HashMap::new();
    preorder(function, |node| {
        assigned(node, text, &mut known);
        true
    });
    preorder(function, |node| {
        used(node, text, &mut known);
        true
    });
    known
}

fn assigned<'t>(node: Node<'_>, text: &'t str, known: &mut HashMap<&'t str, Sort>) {
    let field = |name: &str| node.child_by_field_name(name);
    let (Some(left), Some(right)) = (field("left"), field("right")) else { return };
    let is_walk = matches!(node.kind(), "for_statement" | "for_in_clause");
    let called = right.child_by_field_name("function").map_or("", |name| text_of(name, text));
    let counted = match (is_walk, called) {
        (true, "range") => Some(left),
        (true, "enumerate") => left.named_child(0),
        _ => None,
    };
    if let Some(name) = counted.filter(|name| name.kind() == "identifier") {
        known.entry(text_of(name, text)).or_insert(Sort::Number);
    }
    if node.kind() == "assignment"
        && left.kind() == "identifier"
        && let Some(sort) = sort_of(right, text, known)
    {
        known.entry(text_of(left, text)).or_insert(sort);
    }
}

fn used<'t>(node: Node<'_>, text: &'t str, known: &mut HashMap<&'t str, Sort>) {
    let mut note = |name: Option<Node<'_>>, sort: Sort| {
        if let Some(name) = name.filter(|name| name.kind() == "identifier") {
            known.entry(text_of(name, text)).or_insert(sort);
        }
    };
    match node.kind() {
        "subscript" => note(node.child_by_field_name("value"), Sort::Collection),
        "for_statement" | "for_in_clause" => note(node.child_by_field_name("right"), Sort::Collection),
        "attribute" if node.child_by_field_name("attribute").is_some_and(|a| FILLING.contains(&text_of(a, text))) => {
            note(node.child_by_field_name("object"), Sort::Collection);
        }
        "call" => match node.child_by_field_name("function").map_or("", |name| text_of(name, text)) {
            "len" | "sorted" | "enumerate" | "sum" => note(arguments(node).first().copied(), Sort::Collection),
            "range" => arguments(node).into_iter().for_each(|argument| note(Some(argument), Sort::Number)),
            _ => {}
        },
        "binary_operator" | "comparison_operator" | "augmented_assignment" => {
            let sides = elements(node);
            let is_arithmetic =
                !matches!(node.child_by_field_name("operator").map(|o| o.kind()), Some("+" | "*" | "%" | "+="));
            if is_arithmetic && sides.iter().any(|side| matches!(bare(*side).kind(), "integer" | "float")) {
                sides.into_iter().for_each(|side| note(Some(bare(side)), Sort::Number));
            }
        }
        _ => {}
    }
}

/// What an expression surely is.
pub(super) fn sort_of(node: Node<'_>, text: &str, known: &HashMap<&str, Sort>) -> Option<Sort> {
    let node = bare(node);
    match node.kind() {
        "integer" | "float" => Some(Sort::Number),
        "string" | "concatenated_string" => Some(Sort::Text),
        "true" | "false" | "comparison_operator" | "not_operator" => Some(Sort::Truth),
        "list"
        | "dictionary"
        | "set"
        | "tuple"
        | "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => Some(Sort::Collection),
        "identifier" => known.get(text_of(node, text)).copied(),
        "call" => {
            let name = text_of(node.child_by_field_name("function")?, text);
            let name = name.rsplit('.').next().unwrap_or(name);
            match name {
                _ if NUMBERS.contains(&name) => Some(Sort::Number),
                _ if COLLECTIONS.contains(&name) => Some(Sort::Collection),
                "str" | "join" | "format" | "lower" | "upper" => Some(Sort::Text),
                "any" | "all" | "isinstance" | "startswith" | "endswith" => Some(Sort::Truth),
                _ => None,
            }
        }
        "binary_operator" => {
            let sides = ["left", "right"].map(|side| node.child_by_field_name(side).map(bare));
            let literal = |side: &Option<Node<'_>>| {
                side.is_some_and(|side| matches!(side.kind(), "list" | "string" | "list_comprehension"))
            };
            if let Some(side) = sides.iter().find(|side| literal(side)) {
                return if side.is_some_and(|side| side.kind() == "string") {
                    Some(Sort::Text)
                } else {
                    Some(Sort::Collection)
                };
            }
            let name = |side: &Option<Node<'_>>| known.get(text_of((*side)?, text)).copied();
            match node.child_by_field_name("operator")?.kind() {
                "+" | "*" => sides.iter().find_map(name),
                "-" | "/" | "//" | "**" => Some(Sort::Number),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What an expression at a site surely is.
pub(super) fn sort_at(site: &Site<'_>, node: Node<'_>) -> Option<Sort> {
    let known = site.scope.iter().filter_map(|variable| Some((variable.name.as_str(), sort_of_name(variable)?)));
    sort_of(node, &site.unit.text, &known.collect())
}

/// What a variable surely is.
pub(super) fn sort_of_name(variable: &Variable) -> Option<Sort> {
    variable.kind.as_ref().and_then(Sort::of)
}

/// How well a value of one sort stands for one of another: not at all where both are known and differ.
pub(super) fn fit(a: Option<Sort>, b: Option<Sort>) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) if a == b => 1.0,
        (Some(_), Some(_)) => 0.0,
        _ => 0.8,
    }
}
