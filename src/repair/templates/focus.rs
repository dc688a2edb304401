//! Where the search goes on when a candidate passed: in the method of that candidate.
//!
//! Tests that one change satisfies are often satisfied by others near it, and the right one is often among these.

use super::plan::Place;
use super::syntax::Unit;
use crate::domain::Location;
use std::ops::{Range, RangeInclusive};
use tree_sitter::Node;

/// The method, or the part of a file outside methods, in which a candidate passed.
pub(super) struct Focus {
    unit: usize,
    bytes: Range<usize>,
    lines: RangeInclusive<u32>,
}

impl Focus {
    /// What is around a statement of a unit; `None` where the statement stands in nothing.
    pub(super) fn around(number: usize, unit: &Unit, statement: Node<'_>) -> Option<Self> {
        let member = (unit.rules.member)(statement)?;
        let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
        let lines = line(member.start_position().row)..=line(member.end_position().row);
        Some(Self { unit: number, bytes: member.byte_range(), lines })
    }

    /// Whether a place lies in it.
    pub(super) fn holds(&self, place: &Place) -> bool {
        place.unit == self.unit && self.bytes.contains(&place.start)
    }

    /// Moves the suspicious lines that lie in it to the front; says how many these are.
    pub(super) fn bring_forward(&self, units: &[Unit], suspects: &mut std::vec::IntoIter<(Location, f64)>) -> usize {
        let is_near =
            |at: &Location| units.get(self.unit).is_some_and(|u| u.path == at.file) && self.lines.contains(&at.line);
        let (mut near, rest): (Vec<_>, Vec<_>) = suspects.by_ref().partition(|(at, _)| is_near(at));
        let count = near.len();
        near.extend(rest);
        *suspects = near.into_iter();
        count
    }
}
