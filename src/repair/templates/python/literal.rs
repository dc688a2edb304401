//! A text that should be another one of its role: what the same function takes elsewhere, what is joined or looked up there.
//!
//! Source: TBar's *mutate literal expression* (FP9). Example: `" ".join(names)` becomes `", ".join(names)` in a file that
//! joins by `", "` elsewhere.

use super::calls::callee;
use super::tree::arguments;
use crate::language::preorder;
use crate::templates::edit::Edit;
use crate::templates::site::{Site, similarity};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Literal;

/// Texts that are tried for one literal.
const MAX_OTHERS: usize = 6;

impl Template for Literal {
    fn name(&self) -> &'static str {
        "literal"
    }

    fn prior(&self) -> Prior {
        0.45
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let own: Vec<(Node<'_>, String)> =
            site.of_kind("string").filter_map(|node| Some((node, role(site, node)?))).collect();
        if own.is_empty() {
            return;
        }
        let mut others: Vec<(String, &str)> = Vec::new();
        preorder(site.unit.root(), |node| {
            if node.kind() == "string"
                && let Some(role) = role(site, node)
            {
                others.push((role, site.text(node)));
            }
            true
        });
        for (node, role) in own {
            let old = site.text(node);
            let mut found: Vec<(&str, f64)> = Vec::new();
            for (_, text) in others.iter().filter(|(other, text)| *other == role && *text != old) {
                match found.iter_mut().find(|(known, _)| known == text) {
                    Some((_, weight)) => *weight = (*weight + 0.05).min(1.0),
                    None => found.push((text, 0.4 + 0.5 * similarity(old, text))),
                }
            }
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
            out.extend(found.into_iter().take(MAX_OTHERS).map(|(text, weight)| site.replacement(node, text, weight)));
        }
    }
}

/// What a text is for: an argument of a function, what a method is asked of, a key, or the value of a name.
fn role(site: &Site<'_>, text: Node<'_>) -> Option<String> {
    let parent = text.parent()?;
    let of = |field: &str| parent.child_by_field_name(field).map(|node| site.text(node));
    match parent.kind() {
        "attribute" => Some(format!(".{}", of("attribute")?)),
        "subscript" => Some(format!("{}[]", of("value")?)),
        "keyword_argument" => Some(format!("{}=", of("name")?)),
        "assignment" | "default_parameter" => Some(format!("{} =", of("left").or_else(|| of("name"))?)),
        "argument_list" => {
            let call = parent.parent()?;
            let at = arguments(call).iter().position(|argument| *argument == text)?;
            Some(format!("{}({at})", callee(site, call)))
        }
        _ => None,
    }
}
