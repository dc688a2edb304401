//! A text of the product that is spelled otherwise than the failing tests want it.
//!
//! Source: TBar's *mutate literal expression* (FP9), with the text that the failing assertion compares. Example: a header
//! that begins with `HTTP/2.1` where a test waits for `HTTP/1.1`. The texts around the difference tell which literal is meant.

use super::super::edit::Change;
use super::super::site::shortened;
use super::super::texts::{self, TextChange};
use super::{Candidate, Engine, Location, Ranking};
use crate::language::{first_line, preorder};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Its name in reports and journals.
pub(super) const SPELLING: &str = "spelling";
/// Candidates at most.
const MOST: usize = 4;
/// Characters of a literal, at the difference and around it, that must stand in the compared text.
const ENOUGH: usize = 5;

/// A literal that may be spelled wrongly.
struct Misspelled {
    unit: usize,
    change: Change,
    place: Location,
    came: String,
    /// How many characters tell that it is the one.
    fit: usize,
    is_suspect: bool,
}

impl Engine<'_> {
    /// Makes the candidates: the literals of which most stands in the compared texts first.
    pub(super) fn respell(&mut self, ranking: &Ranking) {
        let changes: BTreeSet<TextChange> =
            texts::changes(&self.options.failing).into_iter().filter(|change| is_plain(&change.wanted)).collect();
        if changes.is_empty() {
            return;
        }
        let files: BTreeSet<_> = ranking.lines.iter().map(|suspect| suspect.location.file.clone()).collect();
        let mut found = Vec::new();
        let is_there = |text: &str| changes.iter().any(|change| best(change, text).is_some());
        for file in files {
            if !self.index.file(&file).is_some_and(|file| is_there(&file.text)) {
                continue;
            }
            let Some(unit) = self.unit_of(&Location { file, line: 1 }) else { continue };
            found.extend(self.misspelled(unit, &changes, ranking));
        }
        found.sort_by_key(|one| (std::cmp::Reverse((one.fit, one.is_suspect)), one.place.clone()));
        for one in found.into_iter().take(MOST) {
            let candidate = self.spelled(one);
            self.emitted += usize::from(candidate.is_some());
            self.returned.extend(candidate);
        }
    }

    /// The literals of a file in which one of the texts stands that came.
    fn misspelled(&self, unit: usize, changes: &BTreeSet<TextChange>, ranking: &Ranking) -> Vec<Misspelled> {
        let source = &self.units[unit];
        let mut found: Vec<Misspelled> = Vec::new();
        preorder(source.root(), |node| {
            if !is_text(node) {
                return true;
            }
            let literal = source.text(node);
            for change in changes {
                let Some((fit, at)) = best(change, literal) else { continue };
                let start = node.start_byte() + at;
                let line = first_line(node) + count_lines(&literal[..at]);
                let place = Location { file: source.path.clone(), line };
                let is_suspect = ranking.lines.iter().any(|suspect| suspect.location == place);
                let change = Change { range: start..start + change.came.len(), text: change.wanted.clone() };
                found.push(Misspelled { unit, change, place, came: literal.to_owned(), fit, is_suspect });
            }
            false
        });
        found
    }

    fn spelled(&mut self, one: Misspelled) -> Option<Candidate> {
        let Misspelled { unit, change, place, came, .. } = one;
        let old = &self.units[unit].text[change.range.clone()];
        let note = format!("wrote `{}` for `{old}` in `{}`", change.text, shortened(&came));
        self.unplanned(SPELLING, place, vec![(unit, change)], note)
    }
}

/// The best place for a change in a text, with the characters that tell so.
fn best(change: &TextChange, text: &str) -> Option<(usize, usize)> {
    let places = change.places(text).into_iter().map(|(at, fit)| (fit, at));
    places.max().filter(|(fit, _)| *fit >= ENOUGH)
}

/// Whether a node is a literal of text that code uses; a text that stands alone documents something.
fn is_text(node: Node<'_>) -> bool {
    let is_alone = node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
    matches!(node.kind(), "string" | "string_literal") && !is_alone
}

/// Whether a text can stand in any literal as it is.
fn is_plain(text: &str) -> bool {
    !text.contains(['"', '\'', '\\', '{', '}', '%', '$', '#']) && !text.contains(char::is_control)
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}
