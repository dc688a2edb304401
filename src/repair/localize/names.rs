//! Names that the line of a failure reads: where a value is wrong, the fault is often where its name stands beside.

use super::frames::Frames;
use super::statements::{Statement, statements};
use crate::code::{CodeIndex, SourceFile};
use crate::domain::{LineSpan, Location};
use crate::language::{self, Language, first_line, text_of};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Lines of failures that are read.
const MOST_FRAMES: usize = 8;
/// Letters of a name at least that tells something beyond its own method.
const TELLING: usize = 4;
/// Other lines with such a name at most: one that stands everywhere tells nothing.
const MOST_LINES: usize = 12;
/// Added to a statement of the same method that has one of the names.
const INSIDE: f64 = 0.1;
/// Added to a statement elsewhere.
const ELSEWHERE: f64 = 0.3;

/// Lines that share a name with the innermost line of a failure, or with a condition that decides on it: the name, and what
/// is added to the score of a statement there that ran.
#[derive(Default)]
pub(super) struct SharedNames(BTreeMap<Location, (String, f64)>);

impl SharedNames {
    /// What a name adds to a statement that ran, with the reason.
    pub(super) fn bonus(&self, file: &SourceFile, lines: LineSpan, reasons: &mut Vec<String>) -> f64 {
        let at = |line| self.0.get(&Location { file: file.path.clone(), line });
        let Some((name, bonus)) = (lines.first..=lines.last).find_map(at) else { return 0.0 };
        reasons.push(format!("has `{name}`, as the failure's line or what decides on it"));
        *bonus
    }
}

/// Finds them.
pub(super) fn shared(index: &CodeIndex, frames: &Frames) -> SharedNames {
    let mut found = SharedNames::default();
    let innermost = frames.lines.iter().filter(|(_, depth)| **depth == 0).map(|(at, _)| at);
    for at in innermost.take(MOST_FRAMES) {
        let Some(file) = index.file(&at.file) else { continue };
        let method = file.method_at(at.line).map(|method| method.span);
        for name in names_at(file, at.line, index.language()) {
            let mut inside = Vec::new();
            let mut elsewhere = Vec::new();
            for (place, is_inside) in lines_with(index, &name, at, method) {
                if is_inside { inside.push(place) } else { elsewhere.push(place) }
            }
            if name.len() < TELLING || elsewhere.len() > MOST_LINES {
                elsewhere.clear();
            }
            let all = inside.into_iter().map(|place| (place, INSIDE));
            for (place, bonus) in all.chain(elsewhere.into_iter().map(|place| (place, ELSEWHERE))) {
                found.0.entry(place).or_insert_with(|| (name.clone(), bonus));
            }
        }
    }
    found
}

/// Names of values that a line reads, and those of the conditions around it that decide on it.
fn names_at(file: &SourceFile, line: u32, language: &dyn Language) -> BTreeSet<String> {
    let decides = |statement: &Statement| statement.decides.is_some_and(|lines| lines.contains(line));
    let all = statements(&file.text, language).into_iter();
    let lines: Vec<LineSpan> =
        all.filter(|one| one.lines.contains(line) || decides(one)).map(|statement| statement.lines).collect();
    let mut names = BTreeSet::new();
    let Some(tree) = language::parse(&file.text, language) else { return names };
    language::preorder(tree.root_node(), |node| {
        let is_there = || lines.iter().any(|span| span.contains(first_line(node)));
        if node.kind() == "identifier" && is_there() && !is_called(node) {
            names.insert(text_of(node, &file.text).to_owned());
        }
        true
    });
    names.remove("self");
    names
}

/// Whether a name is that of what a call calls.
fn is_called(name: Node<'_>) -> bool {
    let call = name.parent().filter(|parent| matches!(parent.kind(), "call" | "method_invocation"));
    call.is_some_and(|call| ["function", "name"].iter().any(|field| call.child_by_field_name(field) == Some(name)))
}

/// The lines of the product on which a name stands, but for the line of the failure, with whether each lies in its method.
fn lines_with<'i>(
    index: &'i CodeIndex,
    name: &'i str,
    failed: &'i Location,
    method: Option<LineSpan>,
) -> impl Iterator<Item = (Location, bool)> {
    let files = index.files().iter().filter(move |file| !file.test && file.text.contains(name));
    let lines = files.flat_map(move |file| {
        let numbered = (1u32..).zip(file.text.lines()).filter(move |(_, text)| has_word(text, name));
        numbered.map(move |(line, _)| {
            let is_inside = file.path == failed.file && method.is_some_and(|span| span.contains(line));
            (Location { file: file.path.clone(), line }, is_inside)
        })
    });
    lines.filter(move |(at, _)| at != failed)
}

/// Whether a name stands in a line as a whole word.
fn has_word(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(is_part)
            && !line[at + name.len()..].chars().next().is_some_and(is_part)
    })
}
