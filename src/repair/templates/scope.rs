//! Variables that can be named at a place in Java, nearest first.

use super::syntax::Unit;
use super::types::ValueType;
use crate::language::{Java, Parameter, children};
use tree_sitter::Node;

/// Where a variable was declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// In a block, loop header, catch, lambda or pattern.
    Local,
    /// Parameter of the method.
    Parameter,
    /// Field of the class or of one around it.
    Field,
}

/// A variable that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type, unless it must be inferred.
    pub kind: Option<ValueType>,
    /// Where it was declared.
    pub origin: Origin,
    /// Whether it cannot be assigned.
    pub constant: bool,
    /// Byte offset of its declaration.
    pub declared: usize,
}

/// Variables visible at a node, nearest declaration first; a shadowed one appears once.
pub(crate) fn visible(at: Node<'_>, unit: &Unit) -> Vec<Variable> {
    let mut scope = Scope { unit, found: Vec::new(), only_static: false };
    let mut child = at;
    while let Some(parent) = child.parent() {
        scope.enter(parent, child);
        child = parent;
    }
    let mut seen = std::collections::HashSet::new();
    scope.found.retain(|variable| seen.insert(variable.name.clone()));
    scope.found
}

struct Scope<'u> {
    unit: &'u Unit,
    found: Vec<Variable>,
    only_static: bool,
}

impl Scope<'_> {
    fn enter(&mut self, parent: Node<'_>, child: Node<'_>) {
        let inside = |field: &str| parent.child_by_field_name(field) == Some(child);
        match parent.kind() {
            "block" | "constructor_body" | "switch_block_statement_group" => self.earlier_declarations(parent, child),
            "for_statement" if !inside("init") => {
                for node in children(parent).into_iter().filter(|n| n.kind() == "local_variable_declaration") {
                    self.declaration(node, Origin::Local);
                }
            }
            "enhanced_for_statement" if inside("body") => self.typed_name(parent, Origin::Local),
            "catch_clause" => self.catch_parameter(parent),
            "try_with_resources_statement" if inside("body") => self.resources(parent),
            "lambda_expression" => self.lambda_parameters(parent),
            "method_declaration" | "constructor_declaration" => {
                self.formal_parameters(parent, Origin::Parameter);
                self.only_static |= self.has_modifier(parent, "static");
            }
            "static_initializer" => self.only_static = true,
            "class_body" | "interface_body" | "enum_body_declarations" => self.fields(parent),
            "record_declaration" | "class_declaration" | "enum_declaration" => {
                if parent.kind() == "record_declaration" && !self.only_static {
                    self.formal_parameters(parent, Origin::Field);
                }
                self.only_static |= self.has_modifier(parent, "static");
            }
            _ => {}
        }
    }

    fn earlier_declarations(&mut self, block: Node<'_>, before: Node<'_>) {
        let earlier = children(block).into_iter().take_while(|n| n.start_byte() < before.start_byte());
        let declarations: Vec<_> = earlier.filter(|n| n.kind() == "local_variable_declaration").collect();
        for node in declarations.into_iter().rev() {
            self.declaration(node, Origin::Local);
        }
    }

    fn fields(&mut self, body: Node<'_>) {
        for node in children(body) {
            let is_field = matches!(node.kind(), "field_declaration" | "constant_declaration");
            if is_field && (!self.only_static || self.has_modifier(node, "static")) {
                self.declaration(node, Origin::Field);
            }
        }
    }

    fn declaration(&mut self, node: Node<'_>, origin: Origin) {
        let Some(kind) = node.child_by_field_name("type") else { return };
        let constant = self.has_modifier(node, "final");
        for declarator in children(node).into_iter().filter(|n| n.kind() == "variable_declarator") {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            let kind = self.declared_type(kind, declarator);
            self.add(name, kind, origin, constant);
        }
    }

    /// The declared type with the dimensions after the name; `var` has none.
    fn declared_type(&self, kind: Node<'_>, declarator: Node<'_>) -> Option<ValueType> {
        let text = self.unit.text(kind);
        if text == "var" {
            return None;
        }
        let dimensions = declarator.child_by_field_name("dimensions").map_or("", |d| self.unit.text(d));
        Some(ValueType::new(&format!("{text}{dimensions}")))
    }

    fn typed_name(&mut self, node: Node<'_>, origin: Origin) {
        let kind = node.child_by_field_name("type").map(|t| self.unit.text(t)).filter(|t| *t != "var");
        if let Some(name) = node.child_by_field_name("name") {
            let constant = self.has_modifier(node, "final");
            self.add(name, kind.map(ValueType::new), origin, constant);
        }
    }

    fn catch_parameter(&mut self, clause: Node<'_>) {
        let parameter = children(clause).into_iter().find(|n| n.kind() == "catch_formal_parameter");
        let Some(parameter) = parameter else { return };
        let kind = children(parameter).into_iter().find(|n| n.kind() == "catch_type");
        if let Some(name) = parameter.child_by_field_name("name") {
            self.add(name, kind.map(|k| ValueType::new(self.unit.text(k))), Origin::Local, true);
        }
    }

    fn resources(&mut self, statement: Node<'_>) {
        let Some(list) = statement.child_by_field_name("resources") else { return };
        for resource in children(list).into_iter().filter(|n| n.kind() == "resource") {
            self.typed_name(resource, Origin::Local);
        }
    }

    fn lambda_parameters(&mut self, lambda: Node<'_>) {
        let Some(parameters) = lambda.child_by_field_name("parameters") else { return };
        match parameters.kind() {
            "identifier" => self.add(parameters, None, Origin::Local, true),
            "inferred_parameters" => {
                for name in children(parameters).into_iter().filter(|n| n.kind() == "identifier") {
                    self.add(name, None, Origin::Local, true);
                }
            }
            _ => self.formal_parameters(lambda, Origin::Local),
        }
    }

    fn formal_parameters(&mut self, node: Node<'_>, origin: Origin) {
        let Some(list) = node.child_by_field_name("parameters") else { return };
        for node in children(list) {
            if let Some(Parameter { kind, name, .. }) = Java.parameter(node, &self.unit.text) {
                let constant = self.has_modifier(node, "final");
                let kind = (kind != "var").then(|| ValueType::new(&kind));
                self.found.push(Variable { name, kind, origin, constant, declared: node.start_byte() });
            }
        }
    }

    fn has_modifier(&self, node: Node<'_>, word: &str) -> bool {
        let modifiers = children(node).into_iter().find(|n| n.kind() == "modifiers");
        modifiers.is_some_and(|m| self.unit.text(m).split_whitespace().any(|w| w == word))
    }

    fn add(&mut self, name: Node<'_>, kind: Option<ValueType>, origin: Origin, constant: bool) {
        let declared = name.start_byte();
        self.found.push(Variable { name: self.unit.text(name).to_owned(), kind, origin, constant, declared });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use std::sync::Arc;

    fn names_at(source: &str, line: u32) -> Vec<(String, String)> {
        let unit = Unit::new(RepoPath::new("A.java").unwrap(), Arc::from(source), &Java).unwrap();
        let statement = unit.statement_at(line).unwrap();
        let shown = |v: &Variable| (v.name.clone(), v.kind.as_ref().map_or("?".into(), ToString::to_string));
        visible(statement, &unit).iter().map(shown).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect()
    }

    #[test]
    fn nearest_first_and_shadowed_once() {
        let source = "class A {
  long size; static int made;
  int f(int size, String... words) {
    int[] parts[] = null;
    for (String word : words) {
      int n = 1;
      use(n);
      int later = 2;
    }
    return 0;
  }
}";
        let wanted = [
            ("n", "int"),
            ("word", "String"),
            ("parts", "int[][]"),
            ("size", "int"),
            ("words", "String[]"),
            ("made", "int"),
        ];
        assert_eq!(names_at(source, 7), pairs(&wanted));
    }

    #[test]
    fn static_methods_see_static_fields_only() {
        let source = "class A {\n int a; static int b;\n static int f() {\n  return b;\n }\n}";
        assert_eq!(names_at(source, 4), pairs(&[("b", "int")]));
    }

    #[test]
    fn lambda_catch_and_resource_names() {
        let source = "class A {
  void f() {
    try (java.io.Reader in = open()) {
      run(x -> { use(x); });
    } catch (RuntimeException e) {
      use(e);
    }
  }
}";
        assert_eq!(names_at(source, 6), pairs(&[("e", "RuntimeException")]));
        assert_eq!(names_at(source, 4), pairs(&[("x", "?"), ("in", "java.io.Reader")]));
    }
}
