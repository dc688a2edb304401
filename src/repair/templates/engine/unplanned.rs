//! Candidates that no template proposed.

use super::super::edit::Change;
use super::{Candidate, Engine, Location, Patch, normal_form};
use std::collections::BTreeMap;

impl Engine<'_> {
    /// The candidate that makes these changes, each in the unit of that number; nothing where no file would change, parse, or
    /// be new.
    pub(super) fn unplanned(
        &mut self,
        template: &'static str,
        place: Location,
        changes: Vec<(usize, Change)>,
        note: String,
    ) -> Option<Candidate> {
        let (edits, size) = (changes.len(), changes.iter().map(|(_, one)| one.range.len() + one.text.len()).sum());
        let mut files: BTreeMap<usize, Vec<Change>> = BTreeMap::new();
        changes.into_iter().for_each(|(unit, change)| files.entry(unit).or_default().push(change));
        let mut patch = Patch::default();
        let mut is_new = false;
        for (unit, changes) in &files {
            let unit = &self.units[*unit];
            let Some(form) = normal_form(unit, changes) else { continue };
            patch.files.push(self.written(unit, changes)?);
            is_new |= self.seen.insert(form);
        }
        patch.files.sort_by(|a, b| a.path.cmp(&b.path));
        is_new.then(|| Candidate {
            patch,
            template,
            exposure: self.options.exposure.get(&place).copied().unwrap_or(0.0),
            location: place,
            likelihood: 1.0,
            note,
            edits,
            size,
            plan: None,
        })
    }
}
