//! How a test is changed, so that a right patch fails it.

use crate::language::{self, Language, on_one_line, text_of};
use std::ops::Range;
use tree_sitter::Node;

/// Characters of a changed statement that a message shows.
const SHOWN: usize = 80;

/// How surely a test fails that is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Always.
    Sure,
    /// But for what two ways to compare see differently, such as arrays.
    Likely,
    /// Always, without a look at any value.
    AtEnd,
    /// When the changed value counts.
    Altered,
}

/// A change of a test that makes it fail, whatever is tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) kind: Kind,
    /// The statement, on one line.
    pub(super) was: String,
    /// Its lines, counted from 1.
    pub(super) lines: (u32, u32),
    /// What is written instead of which bytes; one after the other.
    pub(super) edits: Vec<(Range<usize>, String)>,
}

impl Change {
    /// One that changes parts of a statement.
    pub(super) fn of(kind: Kind, statement: Node<'_>, text: &str, edits: Vec<(Range<usize>, String)>) -> Self {
        let was = on_one_line(text_of(statement, text)).chars().take(SHOWN).collect();
        Self { kind, was, lines: (language::first_line(statement), language::last_line(statement)), edits }
    }

    /// The same text as a comment behind the statement, which stays as it is: a test that reads its own file meets both in
    /// the same way. `None` where an edit lies in no line of the statement.
    pub(super) fn as_comment(&self, text: &str, language: &dyn Language) -> Option<Self> {
        let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let begin = *starts.get(self.lines.0.checked_sub(1)? as usize)?;
        let end = starts.get(self.lines.1 as usize).map_or(text.len(), |next| next - 1);
        let mut lines = text.get(begin..end)?.to_owned();
        let mut edits: Vec<_> = self.edits.iter().collect();
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, new) in edits {
            let inside = range.start.checked_sub(begin)?..range.end.checked_sub(begin)?;
            lines.get(inside.clone())?;
            lines.replace_range(inside, new);
        }
        let comment: String = lines.lines().map(|line| format!("\n{} {line}", language.line_comment())).collect();
        Some(Self { edits: vec![(end..end, comment)], ..self.clone() })
    }
}

/// What ends a test before its last line.
pub(super) struct Leaving {
    /// Kinds of statements that may.
    pub(super) by: &'static [&'static str],
    /// Kinds of nodes whose content runs at another time.
    pub(super) not_in: &'static [&'static str],
}

impl Leaving {
    /// Whether a statement may end its test before the last line.
    pub(super) fn is_in(&self, statement: Node<'_>) -> bool {
        let mut leaves = false;
        language::preorder(statement, |node| {
            leaves |= self.by.contains(&node.kind());
            !self.not_in.contains(&node.kind())
        });
        leaves
    }
}

/// The other word of a pair.
pub(super) fn opposite(pairs: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    pairs.iter().find_map(|(one, other)| match word {
        _ if word == *one => Some(*other),
        _ if word == *other => Some(*one),
        _ => None,
    })
}
