//! The paths that tests take through a changed file, without the patch and with it. With a right patch a test that passed
//! before mostly does what it did (Xiong et al., "Identifying Patch Correctness in Test-Based Program Repair", ICSE 2018).

use super::{lines_of, programs};
use crate::domain::TestId;
use crate::language::Language;
use crate::patch::{self, Spread};
use crate::validate::Spectrum;
use std::collections::{BTreeMap, BTreeSet};

/// How many tests passed before and with a patch, and run other lines beside the change with it. Tests count that were
/// measured both times.
pub(super) fn changed(before: &Spectrum, spread: &Spread, after: &Spectrum, language: &'static dyn Language) -> usize {
    let passed = |spectrum: &Spectrum| -> BTreeSet<TestId> {
        spectrum.tests().filter(|(_, passed, _)| *passed).map(|(id, ..)| id.clone()).collect()
    };
    let (passed, passes) = (passed(before), passed(after));
    let mut changed = BTreeSet::<&TestId>::new();
    for file in programs(&spread.patch, language) {
        let kept = patch::kept_lines(file);
        let old: BTreeSet<u32> = kept.values().copied().collect();
        let untouched: BTreeMap<&TestId, &BTreeSet<u32>> = lines_of(before, &file.path).into_iter().collect();
        for (id, lines) in lines_of(after, &file.path) {
            let Some(untouched) = untouched.get(id).filter(|_| passed.contains(id) && passes.contains(id)) else {
                continue;
            };
            let own: BTreeSet<u32> = lines.iter().filter_map(|line| kept.get(line).copied()).collect();
            if !own.iter().eq(untouched.intersection(&old)) {
                changed.insert(id);
            }
        }
    }
    changed.len()
}
