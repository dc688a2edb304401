//! An exception of the wrong type: one that is raised where the tests wait for another one, or that no handler takes.
//!
//! Example: `except (TypeError, ValueError):` becomes `except (TypeError, ValueError, OverflowError):` where a failing test
//! died of an `OverflowError`.

use super::tree::elements;
use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Handler;

impl Template for Handler {
    fn name(&self) -> &'static str {
        "exception"
    }

    fn prior(&self) -> Prior {
        0.7
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        match site.statement.kind() {
            "raise_statement" => raised(site, out),
            "try_statement" => {
                let clauses = children(site.statement).into_iter().filter(|node| node.kind() == "except_clause");
                clauses.for_each(|clause| caught(site, clause, out));
            }
            _ => {}
        }
    }
}

/// The last name of a type, as code that imported it writes it.
fn plain(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The type of what a statement raises, exchanged for one that the tests wait for.
fn raised(site: &Site<'_>, out: &mut Vec<Edit>) {
    let value = site.statement.named_child(0);
    let Some(kind) = value.map(|value| value.child_by_field_name("function").unwrap_or(value)) else { return };
    for name in site.clues.expected.iter().map(|name| plain(name)).filter(|name| *name != site.text(kind)) {
        out.push(site.replacement(kind, name, 0.9));
    }
}

/// The types that a handler takes, with what failing tests died of.
fn caught(site: &Site<'_>, clause: Node<'_>, out: &mut Vec<Edit>) {
    let Some(types) = clause.named_child(0).filter(|node| node.kind() != "block") else { return };
    let types = if types.kind() == "as_pattern" { types.named_child(0).unwrap_or(types) } else { types };
    let known: Vec<&str> = match types.kind() {
        "tuple" => elements(types).into_iter().map(|node| site.text(node)).collect(),
        _ => vec![site.text(types)],
    };
    for name in site.clues.thrown.iter().map(|name| plain(name)).filter(|name| !known.contains(name)) {
        out.push(site.replacement(types, format!("({}, {name})", known.join(", ")), 0.9));
    }
}
