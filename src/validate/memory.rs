//! What the warm judge remembers of earlier candidates: answers by text and by byte code, and the tests that stopped
//! them.

use super::Baseline;
use super::cold::as_duplicate;
use super::jvm::Classes;
use super::kept::short_hash;
use super::plausible::Judged;
use crate::domain::{Outcome, Patch, TestId, Validation};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Tests that stopped earlier candidates and are asked before the rest.
pub(super) const KILLERS: usize = 20;

/// Answers and tests; shared by all who ask.
#[derive(Default)]
pub(super) struct Memory {
    answers: Mutex<BTreeMap<String, Validation>>,
    /// Most recent last.
    killers: Mutex<Vec<TestId>>,
}

impl Memory {
    /// The answer to a candidate of the same text.
    pub(super) fn of_text(&self, patch: &Patch) -> Option<Validation> {
        self.answer(&text_key(patch))
    }

    /// The answer to a candidate of the same byte code.
    pub(super) fn of_code(&self, classes: &Classes) -> Option<Validation> {
        self.answer(&code_key(classes))
    }

    fn answer(&self, key: &str) -> Option<Validation> {
        Some(as_duplicate(self.answers.lock().ok()?.get(key)?))
    }

    /// Remembers an answer by text.
    pub(super) fn keep_text(&self, patch: &Patch, answer: &Validation) {
        self.keep(text_key(patch), answer);
    }

    /// Remembers an answer by byte code.
    pub(super) fn keep_code(&self, classes: &Classes, answer: &Validation) {
        self.keep(code_key(classes), answer);
    }

    fn keep(&self, key: String, answer: &Validation) {
        if let Ok(mut answers) = self.answers.lock() {
            answers.insert(key, answer.clone());
        }
    }

    /// Tests to ask early.
    pub(super) fn killers(&self) -> Vec<TestId> {
        self.killers.lock().map(|killers| killers.clone()).unwrap_or_default()
    }

    /// Learns from a candidate that broke tests.
    pub(super) fn learn(&self, judged: &Judged, baseline: &Baseline) {
        if judged.outcome != Outcome::Regression {
            return;
        }
        let Ok(mut killers) = self.killers.lock() else { return };
        for id in judged.against.iter().filter(|id| baseline.passing.contains(id)).take(3) {
            killers.retain(|known| known != id);
            killers.push(id.clone());
        }
        let over = killers.len().saturating_sub(KILLERS);
        killers.drain(..over);
    }
}

fn text_key(patch: &Patch) -> String {
    let mut digest = Sha256::new();
    for file in &patch.files {
        digest.update(file.path.as_str());
        digest.update([0]);
        digest.update(&*file.after);
        digest.update([0]);
    }
    short_hash(digest)
}

fn code_key(classes: &Classes) -> String {
    let mut digest = Sha256::new();
    for (name, bytes) in classes {
        digest.update(name);
        digest.update([0]);
        digest.update(bytes.len().to_le_bytes());
        digest.update(bytes);
    }
    short_hash(digest)
}
