//! Variables that can be named at a place in C, nearest first.

use super::types::named;
use tree_sitter::Node;
use unidebug_base::language::{children, preorder};
use unidebug_repair::templates::scope::{Origin, Variable};
use unidebug_repair::templates::syntax::Unit;

/// Variables visible at a node: of the blocks and loops around it, parameters, and of the file.
pub(super) fn visible(at: Node<'_>, unit: &Unit) -> Vec<Variable> {
    let mut names = Names { unit, found: Vec::new() };
    let mut child = at;
    while let Some(parent) = child.parent() {
        names.enter(parent, child);
        child = parent;
    }
    names.found
}

struct Names<'u> {
    unit: &'u Unit,
    found: Vec<Variable>,
}

impl Names<'_> {
    fn enter(&mut self, parent: Node<'_>, child: Node<'_>) {
        match parent.kind() {
            "compound_statement" | "case_statement" => self.before(parent, child, Origin::Local),
            "for_statement" if parent.child_by_field_name("initializer") != Some(child) => {
                self.before(parent, child, Origin::Local);
            }
            "function_definition" => self.parameters(parent),
            "translation_unit" => self.before(parent, child, Origin::Field),
            kind if kind.starts_with("preproc_if") || kind.starts_with("preproc_el") => {
                self.before(parent, child, Origin::Field);
            }
            _ => {}
        }
    }

    /// What is declared among the children before one of them.
    fn before(&mut self, parent: Node<'_>, child: Node<'_>, origin: Origin) {
        let earlier = children(parent).into_iter().take_while(|node| node.start_byte() < child.start_byte());
        let declarations: Vec<Node<'_>> = earlier.filter(|node| node.kind() == "declaration").collect();
        for declaration in declarations.into_iter().rev() {
            self.declaration(declaration, origin);
        }
    }

    fn declaration(&mut self, declaration: Node<'_>, origin: Origin) {
        let Some(base) = declaration.child_by_field_name("type") else { return };
        let base = self.unit.text(base);
        let constant = origin == Origin::Field
            && children(declaration).iter().any(|n| n.kind() == "type_qualifier" && self.unit.text(*n) == "const");
        let mut cursor = declaration.walk();
        for declarator in declaration.children_by_field_name("declarator", &mut cursor) {
            self.add(declarator, base, origin, constant);
        }
    }

    fn parameters(&mut self, function: Node<'_>) {
        let mut lists = Vec::new();
        if let Some(declarator) = function.child_by_field_name("declarator") {
            preorder(declarator, |node| {
                lists.extend((node.kind() == "parameter_list").then_some(node));
                node.kind() != "parameter_list"
            });
        }
        for parameter in lists.into_iter().flat_map(children).filter(|node| node.kind() == "parameter_declaration") {
            let parts = (parameter.child_by_field_name("type"), parameter.child_by_field_name("declarator"));
            if let (Some(base), Some(declarator)) = parts {
                self.add(declarator, self.unit.text(base), Origin::Parameter, false);
            }
        }
    }

    fn add(&mut self, declarator: Node<'_>, base: &str, origin: Origin, constant: bool) {
        let Some((node, kind)) = named(declarator, base) else { return };
        let name = self.unit.text(node).to_owned();
        if !self.found.iter().any(|known| known.name == name) {
            let declared = node.start_byte();
            self.found.push(Variable { name, kind: Some(kind), origin, constant, declared });
        }
    }
}
