//! What a file in Python calls: read once, for families ask at every expression.

use super::tree::{arguments, elements};
use crate::language::preorder;
use crate::templates::syntax::Unit;
use std::ops::Range;
use tree_sitter::Node;

/// One call, by byte ranges of its file.
pub(crate) struct Called {
    /// What is called, as it is written: `os.path.join`.
    pub function: Range<usize>,
    /// Arguments without names.
    pub arguments: Vec<Range<usize>>,
    /// Arguments with names: the name, and the whole.
    pub keywords: Vec<(Range<usize>, Range<usize>)>,
}

/// All calls of a file in its order.
pub(in crate::templates) fn called(unit: &Unit) -> Vec<Called> {
    let mut found = Vec::new();
    preorder(unit.root(), |node| {
        if node.kind() == "call"
            && let Some(function) = node.child_by_field_name("function")
        {
            let arguments = arguments(node).iter().map(Node::byte_range).collect();
            found.push(Called { function: function.byte_range(), arguments, keywords: keywords(node) });
        }
        true
    });
    found
}

fn keywords(call: Node<'_>) -> Vec<(Range<usize>, Range<usize>)> {
    let list = call.child_by_field_name("arguments").map(elements).unwrap_or_default();
    let named = list.into_iter().filter(|argument| argument.kind() == "keyword_argument");
    named
        .filter_map(|argument| Some((argument.child_by_field_name("name")?.byte_range(), argument.byte_range())))
        .collect()
}
