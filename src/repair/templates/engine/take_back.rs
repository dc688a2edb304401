//! Small parts of the change that broke the tests, each taken back: the first candidates where that change is known.
//!
//! Source: A. Zeller, *Yesterday, my program worked. Today, it does not. Why?* (ESEC/FSE 1999): of a change that makes a
//! test fail, a part mostly does it alone. A large part is not taken back, for its author wants it, and wants it right.

use super::super::edit::Change;
use super::{Candidate, Engine, FileChange, Location, Ranking};
use crate::benchmark::ProductChange;
use crate::domain::words::{clipped, counted, on_one_line};
use crate::language;
use crate::patch;

/// Its name in reports and journals.
pub(in crate::templates) const TAKE_BACK: &str = "take_back";
/// Parts that are taken back at most.
const MOST: usize = 8;
/// Characters of a line that a note shows.
const SHOWN: usize = 60;

/// Neighbouring lines of a file that the change brought, as they were before.
struct Part {
    unit: usize,
    change: Change,
    place: Location,
    /// The first line that stands there now, or stood there before.
    shown: String,
}

impl Engine<'_> {
    /// Makes the candidates: one for each part, the most suspicious first, then one for all of them.
    pub(super) fn take_back(&mut self, change: &ProductChange, ranking: &Ranking) {
        let mut parts: Vec<Part> = change.revert.files.iter().flat_map(|file| self.parts(file)).collect();
        let rank = |part: &Part| ranking.lines.iter().position(|one| one.location == part.place).unwrap_or(usize::MAX);
        parts.sort_by_cached_key(rank);
        parts.truncate(MOST);
        for part in &parts {
            let note = format!("took back a part of {}: `{}`", change.name, part.shown);
            let candidate = self.without(&[part], note);
            self.returned.extend(candidate);
        }
        if parts.len() > 1 {
            let note = format!("took back {} of {}", counted(parts.len() as u64, "small part"), change.name);
            let candidate = self.without(&parts.iter().collect::<Vec<_>>(), note);
            self.returned.extend(candidate);
        }
        self.emitted += self.returned.len();
    }

    /// The small parts of what a change brought to one file.
    fn parts(&mut self, file: &FileChange) -> Vec<Part> {
        let Some(unit) = self.unit_of(&Location { file: file.path.clone(), line: 1 }) else { return Vec::new() };
        let now = &self.units[unit].text;
        let then = language::decode(&file.after).0;
        let (old, new) = (patch::lines_of(now), patch::lines_of(&then));
        patch::differing(now, &then)
            .into_iter()
            .filter(patch::is_small)
            .filter_map(|op| {
                let start: usize = old[..op.old_range().start].iter().map(|line| line.len()).sum();
                let length: usize = old[op.old_range()].iter().map(|line| line.len()).sum();
                let change = Change { range: start..start + length, text: new[op.new_range()].concat() };
                let shown = old[op.old_range()].first().or(new[op.new_range()].first())?;
                let line = u32::try_from(op.old_range().start + 1).ok()?;
                let place = Location { file: file.path.clone(), line };
                Some(Part { unit, change, place, shown: clipped(&on_one_line(shown.trim()), SHOWN) })
            })
            .collect()
    }

    /// The candidate without these parts.
    fn without(&mut self, parts: &[&Part], note: String) -> Option<Candidate> {
        let place = parts.first()?.place.clone();
        let changes = parts.iter().map(|part| (part.unit, part.change.clone())).collect();
        self.unplanned(TAKE_BACK, place, changes, note)
    }
}
