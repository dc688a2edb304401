//! What a patch newly asks of the world around it: the time, chance, threads, the process it runs in.
//!
//! A test sees one moment of one process. Code that decides by such things can behave there and nowhere else, and no
//! further run of the test shows it. They have honest uses, so what only keeps or shows such a value is left alone.

use crate::patch::suspicious::Place;
use std::collections::BTreeSet;

/// When something that code asks counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// Where a condition depends on it.
    WhereItDecides,
    /// There, and where arithmetic makes a value of it.
    WhereItWeighs,
    /// Wherever it stands: what it decides comes by a way of its own.
    Always,
}

impl Counts {
    /// The warning for code that asks: how the question is written, what it does who asks, the names by which it
    /// asks. `decides` tells whether a condition of the patch depends on one of them.
    pub(super) fn warning(
        self,
        shown: &str,
        what: &str,
        names: &BTreeSet<String>,
        decides: impl Fn(&BTreeSet<String>, Place) -> bool,
    ) -> Option<String> {
        let place = if self == Self::WhereItWeighs { Place::Value } else { Place::Condition };
        (self == Self::Always || decides(names, place))
            .then(|| format!("`{shown}` {what}: what a test sees of it may be so in the test alone"))
    }
}
