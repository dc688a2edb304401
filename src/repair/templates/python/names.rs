//! Names that can be used at a place in Python, nearest first.

use super::sorts::{Sort, sorts};
use super::tree::{elements, function};
use crate::language::{children, preorder};
use crate::templates::scope::{Origin, Variable};
use crate::templates::syntax::Unit;
use std::collections::HashMap;
use tree_sitter::Node;

/// Attributes of `self` that count as names.
const ATTRIBUTES: usize = 24;

/// Names visible at a node: those that its functions assign or take, the innermost function first; then attributes of
/// `self` that the class assigns, and names of the file.
pub(in crate::templates) fn visible(at: Node<'_>, unit: &Unit) -> Vec<Variable> {
    let outer = std::iter::successors(function(at), |inner| function(*inner)).last();
    let sorts = outer.map(|outer| sorts(outer, &unit.text)).unwrap_or_default();
    let mut names = Names { unit, sorts, found: Vec::new() };
    let mut around = function(at);
    while let Some(inner) = around {
        names.locals(inner, at);
        names.parameters(inner);
        around = function(inner);
    }
    names.attributes(at);
    names.globals();
    names.found
}

struct Names<'u> {
    unit: &'u Unit,
    sorts: HashMap<&'u str, Sort>,
    found: Vec<Variable>,
}

impl Names<'_> {
    fn add(&mut self, node: Node<'_>, origin: Origin) {
        let name = self.unit.text(node);
        if name != "_" && !self.found.iter().any(|known| known.name == name) {
            let kind = self.sorts.get(name).map(|sort| sort.kind());
            let declared = node.start_byte();
            self.found.push(Variable { name: name.to_owned(), kind, origin, constant: false, declared });
        }
    }

    /// Names that a function assigns before the node ends, the nearest first; those of a comprehension inside it alone.
    fn locals(&mut self, inside: Node<'_>, at: Node<'_>) {
        let Some(body) = inside.child_by_field_name("body") else { return };
        let mut assigned = Vec::new();
        preorder(body, |node| {
            let is_nested = matches!(node.kind(), "function_definition" | "class_definition" | "lambda");
            if is_nested && node.start_byte() < at.start_byte() {
                assigned.extend(node.child_by_field_name("name"));
            }
            if is_nested && !(node.start_byte() <= at.start_byte() && at.end_byte() <= node.end_byte()) {
                return false;
            }
            let is_around = |node: Node<'_>| at.start_byte() <= node.start_byte() && node.end_byte() <= at.end_byte();
            match node.kind() {
                "assignment" | "for_statement" if node.start_byte() < at.end_byte() => {
                    assigned.extend(node.child_by_field_name("left").into_iter().flat_map(targets));
                }
                "for_in_clause" if is_around(node) => {
                    assigned.extend(node.child_by_field_name("left").into_iter().flat_map(targets));
                }
                "as_pattern_target" if node.start_byte() < at.start_byte() => assigned.extend(targets(node)),
                _ => {}
            }
            true
        });
        assigned.sort_by_key(|node| std::cmp::Reverse(node.start_byte()));
        assigned.into_iter().for_each(|node| self.add(node, Origin::Local));
    }

    fn parameters(&mut self, of: Node<'_>) {
        let list = of.child_by_field_name("parameters");
        for parameter in list.into_iter().flat_map(elements) {
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                _ => parameter.child_by_field_name("name").or_else(|| parameter.named_child(0)),
            };
            if let Some(name) = name.filter(|name| name.kind() == "identifier" && !is_receiver(self.unit.text(*name))) {
                self.add(name, Origin::Parameter);
            }
        }
    }

    /// Attributes that the class around the node assigns to `self`.
    fn attributes(&mut self, at: Node<'_>) {
        let mut above = std::iter::successors(at.parent(), |node| node.parent());
        let Some(class) = above.find(|node| node.kind() == "class_definition") else { return };
        let mut found = Vec::new();
        preorder(class, |node| {
            if let Some(left) = node.child_by_field_name("left").filter(|_| node.kind() == "assignment")
                && left.kind() == "attribute"
                && self.unit.text(left).starts_with("self.")
            {
                found.push(left);
            }
            true
        });
        found.into_iter().take(ATTRIBUTES).for_each(|node| self.add(node, Origin::Field));
    }

    fn globals(&mut self) {
        for statement in children(self.unit.root()).into_iter().filter(|node| node.kind() == "expression_statement") {
            let assignment = statement.named_child(0).filter(|node| node.kind() == "assignment");
            let targets = assignment.and_then(|node| node.child_by_field_name("left")).into_iter().flat_map(targets);
            for node in targets {
                // What Python itself reads is no value to compute with.
                if !self.unit.text(node).starts_with("__") {
                    self.add(node, Origin::Field);
                }
            }
        }
    }
}

fn is_receiver(name: &str) -> bool {
    matches!(name, "self" | "cls")
}

/// The names that a target assigns.
fn targets(node: Node<'_>) -> Vec<Node<'_>> {
    match node.kind() {
        "identifier" => vec![node],
        "pattern_list" | "tuple_pattern" | "list_pattern" | "as_pattern_target" => {
            elements(node).into_iter().filter(|node| node.kind() == "identifier").collect()
        }
        _ => Vec::new(),
    }
}
