//! What people say of plausible patches that nothing else vouches for: the queue, the sample, the record.

mod columns;

pub(crate) use columns::side_by_side;

use super::study::{Correctness, RunFacts};
use camino::Utf8Path;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Schema of a recorded review.
const SCHEMA: u32 = 1;
/// File of a run directory that keeps its reviews, one a line; the last one of a patch counts.
pub(crate) const FILE: &str = "reviews.jsonl";

/// A person's word on a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Review {
    schema: u32,
    /// Whether the patch does what the developer meant.
    pub correct: bool,
    /// Who says so.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When, as RFC 3339 in UTC.
    pub at: String,
    /// SHA-256 of the patch, in hexadecimal: the word is about this patch and no later one.
    patch: String,
}

impl Review {
    /// A word that is said now.
    pub(crate) fn new(patch: &str, correct: bool, by: &str, reason: &str) -> Self {
        let at = jiff::Timestamp::now().round(jiff::Unit::Second).map_or_else(|_| String::new(), |at| at.to_string());
        Self { schema: SCHEMA, correct, by: by.to_owned(), reason: reason.to_owned(), at, patch: fingerprint(patch) }
    }

    /// Keeps it in a run directory, behind what was said before.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn record(&self, dir: &Utf8Path) -> io::Result<()> {
        let path = dir.join(FILE);
        // A line that a crash cut off must not take this one with it.
        let cut = std::fs::read(&path).is_ok_and(|bytes| bytes.last().is_some_and(|last| *last != b'\n'));
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        let line = serde_json::to_string(self)?;
        file.write_all(format!("{}{line}\n", if cut { "\n" } else { "" }).as_bytes())?;
        file.sync_all()
    }
}

fn fingerprint(patch: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(patch))
}

/// The last word on a patch in a run directory. Lines that cannot be read, or that a newer program wrote, say nothing.
pub(crate) fn of(dir: &Utf8Path, patch: &str) -> Option<Review> {
    let bytes = std::fs::read(dir.join(FILE)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let wanted = fingerprint(patch);
    let mut reviews = text.lines().filter_map(|line| serde_json::from_str::<Review>(line).ok());
    reviews.rfind(|review| review.schema <= SCHEMA && review.patch == wanted)
}

/// Runs of one bug that ended with the same patch: one word is enough for all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item<'r> {
    /// The runs, at least one.
    pub runs: Vec<&'r RunFacts>,
    /// Their patch.
    pub patch: &'r str,
}

/// Patches that wait for a person, in the order of the runs.
pub(crate) fn queue(runs: &[RunFacts]) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    let mut known: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.correctness() == Some(Correctness::Waiting)) {
        let Some(patch) = run.patch() else { continue };
        let at = *known.entry((run.bug.to_string(), patch)).or_insert(items.len());
        match items.get_mut(at) {
            Some(item) => item.runs.push(run),
            None => items.push(Item { runs: vec![run], patch }),
        }
    }
    items
}

/// `n` of the items, drawn by `seed` and left in their order: the same seed draws the same from the same queue.
pub(crate) fn sample(mut items: Vec<Item<'_>>, n: usize, seed: u64) -> Vec<Item<'_>> {
    let mut drawn: Vec<usize> = (0..items.len()).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut drawn);
    drawn.truncate(n);
    drawn.sort_unstable();
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        drawn.binary_search(&(at - 1)).is_ok()
    });
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_on_the_same_patch_counts() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        assert_eq!(of(dir, "a"), None);
        Review::new("a", true, "Ada", "same").record(dir).unwrap();
        std::fs::OpenOptions::new().append(true).open(dir.join(FILE)).unwrap().write_all(b"{cut \xff").unwrap();
        let last = Review::new("a", false, "Bob", "a border is missing");
        last.record(dir).unwrap();
        assert_eq!(of(dir, "a"), Some(last));
        assert_eq!(of(dir, "b"), None, "another patch is another question");
    }

    #[test]
    fn a_sample_is_drawn_by_its_seed() {
        let patches: Vec<String> = (0..30).map(|n| n.to_string()).collect();
        let items = || patches.iter().map(|patch| Item { runs: Vec::new(), patch }).collect::<Vec<_>>();
        let drawn = |seed| sample(items(), 5, seed).iter().map(|item| item.patch).collect::<Vec<_>>();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(drawn(3).len(), 5);
        assert_eq!(sample(items(), 99, 1).len(), 30);
    }
}
