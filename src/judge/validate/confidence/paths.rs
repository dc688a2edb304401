//! The paths that tests take through a changed file, without the patch and with it. With a right patch a test that passed
//! before mostly does what it did (Xiong et al., "Identifying Patch Correctness in Test-Based Program Repair", ICSE 2018).

use super::{lines_of, programs};
use crate::domain::TestId;
use crate::language::Language;
use crate::patch::{self, Spread};
use crate::validate::Spectrum;
use std::collections::{BTreeMap, BTreeSet};

/// As many tests that do not care for each failing one say that the condition is not what fails.
const OUTVOTED: usize = 8;

/// Tests that passed before and run a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Paths {
    /// Those that run other lines beside it with the patch.
    pub(super) changed: usize,
    /// Those that run the same.
    pub(super) kept: usize,
}

impl Paths {
    /// Counts the tests that were measured both on the untouched code and with the patch.
    pub(super) fn of(before: &Spectrum, spread: &Spread, after: &Spectrum, language: &'static dyn Language) -> Self {
        let mut found = BTreeMap::<&TestId, bool>::new();
        for file in programs(&spread.patch, language) {
            let kept = patch::kept_lines(file);
            let old: BTreeSet<u32> = kept.values().copied().collect();
            let untouched: BTreeMap<&TestId, &BTreeSet<u32>> = lines_of(before, &file.path).into_iter().collect();
            for (id, lines) in lines_of(after, &file.path) {
                let Some(untouched) = untouched.get(id) else { continue };
                let own: BTreeSet<u32> = lines.iter().filter_map(|line| kept.get(line).copied()).collect();
                let is_touched = lines.iter().any(|line| !kept.contains_key(line));
                let is_changed = !own.iter().eq(untouched.intersection(&old));
                if is_touched || is_changed {
                    *found.entry(id).or_default() |= is_changed;
                }
            }
        }
        let passed = |spectrum: &Spectrum| -> BTreeSet<TestId> {
            spectrum.tests().filter(|(_, passed, _)| *passed).map(|(id, ..)| id.clone()).collect()
        };
        let (passed, pass) = (passed(before), passed(after));
        found.retain(|id, _| passed.contains(*id) && pass.contains(*id));
        let changed = found.values().filter(|is_changed| **is_changed).count();
        Self { changed, kept: found.len() - changed }
    }

    /// Whether those that take another path, and pass either way, are many beside the failing ones.
    pub(super) fn outvote(self, failing: usize) -> bool {
        self.changed > 0 && self.changed >= OUTVOTED * failing
    }
}
