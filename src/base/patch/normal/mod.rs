//! The normal form of a text: two texts with the same one do the same, whatever they look like.
//!
//! It is the syntax tree without what says nothing to the machine: layout, comments, parentheses (the tree itself holds
//! what they group), the kind of quotes, braces around a single statement, statements that are empty, the order of
//! imports and of modifiers, and the order of operands where it cannot matter (see [`operands`]). Nothing is assumed of
//! names or types that the text does not show, so that a patch in other words is not called equal: that is for the
//! bytecode to show, or for a person.

mod operands;
mod scopes;

use super::suspicious::unicode_escapes;
use crate::language::{self, Language, text_of};
use operands::Operand;
use scopes::Scopes;
use sha2::{Digest as _, Sha256};
use tree_sitter::Node;

/// A form, as a hash of the whole tree below a node.
type Digest = [u8; 32];

/// Nodes that are taken as their text: what stands in strings counts letter by letter, also between escapes, and an
/// expression in a Python text can be printed as it is spelled.
const VERBATIM: &[&str] = &["string_literal", "character_literal", "string_content", "interpolation"];
/// Statements whose only sub-statement may stand in braces or not.
const HOLDS_STATEMENT: &[&str] =
    &["if_statement", "while_statement", "for_statement", "enhanced_for_statement", "do_statement"];
/// Where a lone `;` does nothing.
const HOLDS_MANY: &[&str] = &["block", "class_body", "program", "constructor_body", "interface_body"];
/// The whole text of either language.
const WHOLE: &[&str] = &["program", "module"];

/// One child of a node, in normal form.
struct Part {
    named: bool,
    /// Whether it declares something, and would need braces around it.
    declares: bool,
    imports: bool,
    digest: Digest,
    /// What is known of it as an operand.
    operand: Operand,
}

/// A node on the way from the root to where the walk is.
struct Open<'tree> {
    node: Node<'tree>,
    parts: Vec<Part>,
}

/// The normal form of a text; `None` when it cannot be parsed: a parser that skips over errors, or that takes code for a
/// comment, cannot vouch for anything.
pub(super) fn form(text: &str, language: &dyn Language) -> Option<Digest> {
    let tree = language::parse(text, language)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut walk = Walk { text, language, scopes: Scopes::default() };
    walk.run(tree.root_node())
}

struct Walk<'t> {
    text: &'t str,
    language: &'t dyn Language,
    scopes: Scopes<'t>,
}

impl<'t> Walk<'t> {
    /// Children before parents, without recursion: deeply nested foreign code must not exhaust the stack.
    fn run(&mut self, root: Node<'_>) -> Option<Digest> {
        let mut cursor = root.walk();
        let mut open: Vec<Open<'_>> = Vec::new();
        loop {
            let node = cursor.node();
            let skipped = self.language.is_comment(node, self.text);
            if skipped && self.may_hold_code(node) {
                return None;
            }
            if !skipped {
                self.scopes.enter(node, self.text);
                open.push(Open { node, parts: Vec::new() });
                if !VERBATIM.contains(&node.kind()) && cursor.goto_first_child() {
                    continue;
                }
                if let Some(whole) = self.close(&mut open) {
                    return Some(whole);
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return None;
                }
                if let Some(whole) = self.close(&mut open) {
                    return Some(whole);
                }
            }
        }
    }

    /// Whether a comment may end before the parser thinks so: Java reads Unicode escapes before it looks for comments.
    fn may_hold_code(&self, comment: Node<'_>) -> bool {
        let ends = [b'\n', b'\r', b'*', b'/'].map(u32::from);
        !self.language.is_indented()
            && unicode_escapes(text_of(comment, self.text)).any(|(_, code)| ends.contains(&code))
    }

    /// Ends the innermost node: hands its form to its parent, or gives it when there is none.
    fn close(&mut self, open: &mut Vec<Open<'_>>) -> Option<Digest> {
        let Open { node, parts } = open.pop()?;
        self.scopes.leave(node, self.text);
        let parent = open.last().map(|parent| parent.node.kind());
        let part = self.part(node, parts, parent);
        match (open.last_mut(), part) {
            (None, part) => Some(part.map_or([0; 32], |part| part.digest)),
            (Some(parent), part) => {
                parent.parts.extend(part);
                None
            }
        }
    }

    /// A node in normal form; `None` when nothing is left of it.
    fn part(&self, node: Node<'_>, mut parts: Vec<Part>, parent: Option<&str>) -> Option<Part> {
        let (kind, named) = (node.kind(), node.is_named());
        match kind {
            "parenthesized_expression" => return parts.into_iter().find(|part| part.named),
            ";" if parent.is_some_and(|parent| HOLDS_MANY.contains(&parent)) => return None,
            "string_end" => return None,
            "block" if parent.is_some_and(|parent| HOLDS_STATEMENT.contains(&parent)) => {
                let statements = parts.iter().filter(|part| part.named).count();
                let alone = parts.iter().position(|part| part.named && !part.declares);
                if let (1, Some(at)) = (statements, alone) {
                    return Some(parts.swap_remove(at));
                }
            }
            "modifiers" => parts.sort_by_key(|part| (!part.named, if part.named { [0; 32] } else { part.digest })),
            whole if WHOLE.contains(&whole) => self.sort_imports(&mut parts),
            _ => {}
        }
        let operand = if self.language.is_indented() {
            Operand::Other
        } else {
            operands::settle(node, self.text, &mut parts, &self.scopes)
        };
        Some(Part {
            named,
            declares: kind.ends_with("_declaration"),
            imports: self.language.syntax().imports.contains(&kind),
            digest: digest(kind, self.own_text(node), &parts),
            operand,
        })
    }

    /// The text that a node stands for itself, besides its children.
    fn own_text(&self, node: Node<'_>) -> &'t str {
        match node.kind() {
            // The kind of quotes changes nothing, what stands before them does.
            "string_start" => text_of(node, self.text).trim_end_matches(['"', '\'']),
            kind if node.child_count() == 0 || VERBATIM.contains(&kind) => text_of(node, self.text),
            _ => "",
        }
    }

    /// Imports of Java in one order, each once; those of Python run code, in their order.
    fn sort_imports(&self, parts: &mut Vec<Part>) {
        if self.language.is_indented() {
            return;
        }
        let (mut imported, rest): (Vec<Part>, Vec<Part>) =
            std::mem::take(parts).into_iter().partition(|part| part.imports);
        imported.sort_by_key(|part| part.digest);
        imported.dedup_by_key(|part| part.digest);
        parts.extend(imported.into_iter().chain(rest));
    }
}

/// A hash of a kind, a text, and what is below, each told with its length.
fn digest(kind: &str, text: &str, parts: &[Part]) -> Digest {
    let mut hash = Sha256::new();
    for piece in [kind, text] {
        hash.update((piece.len() as u64).to_le_bytes());
        hash.update(piece);
    }
    parts.iter().for_each(|part| hash.update(part.digest));
    hash.finalize().into()
}

#[cfg(test)]
mod tests;
