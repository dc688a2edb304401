//! Names that the line of a failure reads: where a value is wrong, the fault is often where its name stands beside.

use super::frames::Frames;
use super::statements::{Statement, statements};
use crate::code::{CodeIndex, SourceFile};
use crate::domain::{LineSpan, Location, words};
use crate::language::{self, Language, first_line, text_of};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Lines of failures that are read.
const MOST_FRAMES: usize = 8;
/// Letters of a name at least that tells something beyond its own method.
const TELLING: usize = 4;
/// Other lines with such a name at most: one that stands everywhere tells nothing.
const MOST_LINES: usize = 12;
/// Added to a statement of the same method that has one of the names, if it ran, and to one elsewhere.
const INSIDE: f64 = 0.1;
const ELSEWHERE: f64 = 0.3;

/// Lines that share a name with the innermost line of a failure, or with a condition that decides on it: the name, and what
/// is added to a statement there that ran.
#[derive(Default)]
pub(super) struct SharedNames(BTreeMap<Location, (String, f64)>);

impl SharedNames {
    /// Finds them.
    pub(super) fn of(index: &CodeIndex, frames: &Frames) -> Self {
        let mut found = Self::default();
        let innermost = frames.lines.iter().filter(|(_, depth)| **depth == 0).map(|(at, _)| at);
        for at in innermost.take(MOST_FRAMES) {
            let Some(file) = index.file(&at.file) else { continue };
            let method =
                file.method_at(at.line).map_or(LineSpan { first: at.line, last: at.line }, |method| method.span);
            for name in names_at(&file.text, at.line, index.language()) {
                found.add(
                    &name,
                    lines_with(&name, file).filter(|line| method.contains(line.line) && line != at),
                    INSIDE,
                );
                let product = index.files().iter().filter(|file| !file.test);
                let elsewhere = product.flat_map(|file| lines_with(&name, file));
                let elsewhere = elsewhere.filter(|line| line.file != at.file || !method.contains(line.line));
                let few: Vec<Location> = elsewhere.take(MOST_LINES + 1).collect();
                if name.len() >= TELLING && few.len() <= MOST_LINES {
                    found.add(&name, few.into_iter(), ELSEWHERE);
                }
            }
        }
        found
    }

    fn add(&mut self, name: &str, lines: impl Iterator<Item = Location>, bonus: f64) {
        for line in lines {
            self.0.entry(line).or_insert_with(|| (name.to_owned(), bonus));
        }
    }

    /// What a name adds to a statement that ran, with the reason.
    pub(super) fn bonus(&self, file: &SourceFile, lines: LineSpan, reasons: &mut Vec<String>) -> f64 {
        let at = |line| self.0.get(&Location { file: file.path.clone(), line });
        let Some((name, bonus)) = (lines.first..=lines.last).find_map(at) else { return 0.0 };
        reasons.push(format!("has `{name}`, as the failure's line or what decides on it"));
        *bonus
    }
}

/// The lines of a file on which a name stands.
fn lines_with<'f>(name: &'f str, file: &'f SourceFile) -> impl Iterator<Item = Location> + 'f {
    let is_there = file.text.contains(name);
    let lines = (1u32..).zip(file.text.lines()).filter(move |(_, text)| is_there && words::names(text, name));
    lines.map(|(line, _)| Location { file: file.path.clone(), line })
}

/// Names of values that a line reads, and those of the conditions around it that decide on it.
fn names_at(text: &str, line: u32, language: &dyn Language) -> BTreeSet<String> {
    let decides = |statement: &Statement| statement.decides.is_some_and(|lines| lines.contains(line));
    let all = statements(text, language).into_iter();
    let lines: Vec<LineSpan> =
        all.filter(|one| one.lines.contains(line) || decides(one)).map(|statement| statement.lines).collect();
    let mut names = BTreeSet::new();
    let Some(tree) = language::parse(text, language) else { return names };
    language::preorder(tree.root_node(), |node| {
        let is_there = || lines.iter().any(|span| span.contains(first_line(node)));
        if node.kind() == "identifier" && is_there() && !is_called(node) {
            names.insert(text_of(node, text).to_owned());
        }
        true
    });
    names.remove("self");
    names
}

/// Whether a name is that of what a call calls.
fn is_called(name: Node<'_>) -> bool {
    let is_call = |parent: &Node<'_>| matches!(parent.kind(), "call" | "call_expression" | "method_invocation");
    let call = name.parent().filter(is_call);
    call.is_some_and(|call| ["function", "name"].iter().any(|field| call.child_by_field_name(field) == Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Python;

    #[test]
    fn names_of_the_line_and_of_what_decides_on_it_are_read() {
        let code = "def add(self, p, term):
    if term is None:
        term = make(self.number)
    if term not in self.known:
        assert p not in seen(self.reverse)
";
        let names: Vec<String> = names_at(code, 5, &Python).into_iter().collect();
        assert_eq!(names, ["known", "p", "reverse", "term"]);
    }
}
