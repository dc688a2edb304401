//! A field and a local of one name, and the wrong one of them.
//!
//! Source: ManySStuBs4J's *change caller in function call* and *change identifier used*, narrowed to `this`.
//! Example: a constructor with `name = name;` that leaves the field empty becomes `this.name = name;`.

use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::scope::Origin;
use crate::templates::site::Site;
use crate::templates::syntax::{ancestors, is_expression};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct Shadow;

impl Template for Shadow {
    fn name(&self) -> &'static str {
        "shadow"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            match node.kind() {
                "identifier" if is_expression(node) => {
                    let name = site.text(node);
                    let local = site.scope.iter().any(|v| v.name == name && v.origin != Origin::Field);
                    if local && has_field(site, name) {
                        out.push(site.replacement(node, format!("this.{name}"), target_weight(node)));
                    }
                }
                "field_access" => {
                    let name = site.text(node).strip_prefix("this.").unwrap_or("");
                    let local = site.scope.iter().any(|v| v.name == name && v.origin != Origin::Field);
                    if local && !is_target(node) {
                        out.push(site.replacement(node, name, 0.6));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Assigning a parameter to itself is nearly always meant for the field.
fn target_weight(node: Node<'_>) -> f64 {
    if is_target(node) { 1.0 } else { 0.5 }
}

/// Whether the node is what an assignment changes.
fn is_target(node: Node<'_>) -> bool {
    node.parent().is_some_and(|p| p.kind() == "assignment_expression" && p.child_by_field_name("left") == Some(node))
}

/// Whether a type around the statement has a field of that name.
pub(super) fn has_field(site: &Site<'_>, name: &str) -> bool {
    let bodies = ancestors(site.statement).filter(|node| node.kind() == "class_body");
    let fields = bodies.flat_map(children).filter(|node| node.kind() == "field_declaration");
    fields
        .flat_map(children)
        .any(|part| part.child_by_field_name("name").is_some_and(|declared| site.text(declared) == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn fields_hidden_by_parameters() {
        let source = "class Dog {
    String name;
    int age;
    Dog(String name, int years) {
        name = name;
        age = years;
    }
}";
        assert_eq!(proposals(&Shadow, source, 5), ["this.name = name;", "name = this.name;"]);
        assert!(proposals(&Shadow, source, 6).is_empty());
    }
}
