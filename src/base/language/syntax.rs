//! What kinds of nodes of a grammar mean, and walking a tree without recursion.

use super::readings::as_compiled;
use super::{Brackets, Language};
use tree_sitter::{Node, Parser, Tree};

/// Kinds of nodes of a grammar, by what they mean.
#[derive(Debug)]
pub struct Syntax {
    /// Comments of any form.
    pub comments: &'static [&'static str],
    /// Declarations of types.
    pub types: &'static [&'static str],
    /// Declarations of methods, without constructors.
    pub methods: &'static [&'static str],
    /// Declarations of constructors.
    pub constructors: &'static [&'static str],
    /// Declarations of fields.
    pub fields: &'static [&'static str],
    /// Bodies of types, and wrappers around members inside them.
    pub member_lists: &'static [&'static str],
    /// A constant of an enumeration; it may have a body with methods.
    pub enum_constants: &'static [&'static str],
    /// Initialisers in the body of a type.
    pub initializers: &'static [&'static str],
    /// Declarations that import a name.
    pub imports: &'static [&'static str],
    /// Declarations of the package that a file is of.
    pub packages: &'static [&'static str],
    /// Statements that repeat their body.
    pub loops: &'static [&'static str],
    /// Parts of a declaration that its signature leaves out, beside comments and the body.
    pub unsigned: &'static [&'static str],
    /// What stands around the body of a type when it is shown.
    pub brackets: Brackets,
}

impl Syntax {
    /// Whether the node declares a method or a constructor.
    pub fn is_method(&self, node: Node<'_>) -> bool {
        self.methods.contains(&node.kind()) || self.constructors.contains(&node.kind())
    }

    /// Whether the node declares a type.
    pub fn is_type(&self, node: Node<'_>) -> bool {
        self.types.contains(&node.kind())
    }

    /// Whether the node is a comment.
    pub fn is_comment(&self, node: Node<'_>) -> bool {
        self.comments.contains(&node.kind())
    }
}

/// Parses a text, with its lines as compilers see them; `None` only when the grammar cannot be loaded.
pub fn parse(text: &str, language: &dyn Language) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    parser.parse(&*as_compiled(text), None)
}

/// Visits a node and what is below it, parents first; `visit` answers whether to go below. It needs no stack, so
/// deeply nested foreign code cannot exhaust one.
pub fn preorder<'tree>(node: Node<'tree>, mut visit: impl FnMut(Node<'tree>) -> bool) {
    let mut cursor = node.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The children of a node, in order.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The line a byte offset of the node lies on, counted from 1.
pub fn first_line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// The last line that a node has text of, counted from 1. A macro in C ends where the next line begins.
pub fn last_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let begins_next = end.column == 0 && end.row > node.start_position().row;
    u32::try_from(end.row + usize::from(!begins_next)).unwrap_or(u32::MAX)
}

/// The text of a node; empty when the ranges do not fit the text.
pub fn text_of<'text>(node: Node<'_>, text: &'text str) -> &'text str {
    text.get(node.byte_range()).unwrap_or("")
}

/// The parts of a list of types or parameters: what stands between its commas, but for those in brackets.
pub fn between_commas(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '<' | '(' | '{' => depth += 1,
            '>' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).collect()
}

/// `List` of `java.util.List<String>[]`.
pub(crate) fn simple_type(text: &str) -> String {
    let plain = text.split(['<', '[']).next().unwrap_or(text).trim().trim_end_matches("...");
    let last = plain.split_whitespace().next_back().unwrap_or(plain);
    last.rsplit('.').next().unwrap_or(last).to_owned()
}
