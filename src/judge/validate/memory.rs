//! The one memory of judged candidates: by what a patch makes of the sources, and by the classes it compiles to.
//!
//! No candidate is judged twice. What equals an earlier one of the same attempt is a duplicate; a new attempt knows
//! nothing of the one before, and gets the earlier answer as if it were its own.

use super::jvm::Classes;
use crate::domain::{Fingerprint, Outcome, Patch, Validation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a candidate is, as a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(String);

impl Key {
    /// By the text of the changed files.
    pub(super) fn of_text(patch: &Patch) -> Self {
        let mut fingerprint = Fingerprint::default();
        for file in &patch.files {
            fingerprint.add(file.path.as_str()).add(&file.after);
        }
        Self(fingerprint.name())
    }

    /// By the compiled classes.
    pub(super) fn of_code(classes: &Classes) -> Self {
        let mut fingerprint = Fingerprint::default();
        for (name, bytes) in classes {
            fingerprint.add(name).add(bytes);
        }
        Self(fingerprint.name())
    }
}

/// Answers on earlier candidates; shared by all who judge.
#[derive(Default)]
pub(super) struct Memory {
    candidates: Mutex<Candidates>,
}

#[derive(Default)]
struct Candidates {
    answers: BTreeMap<Key, Validation>,
    /// Those whose answer the present attempt got.
    given: BTreeSet<Key>,
}

impl Memory {
    /// The answer on an equal candidate, for a search: a pass stays one, all else is a duplicate of what it was.
    pub(super) fn answer(&self, key: &Key) -> Option<Validation> {
        let (earlier, again) = self.recall(key)?;
        let passed = matches!(earlier.outcome, Outcome::PassedWarm | Outcome::Plausible);
        Some(if again && !passed { duplicate_of(&earlier) } else { earlier })
    }

    /// The answer on an equal candidate, for who proposes one: only what waits for its confirmation is no duplicate.
    pub(super) fn last_word(&self, key: &Key) -> Option<Validation> {
        let (earlier, again) = self.recall(key)?;
        let open = earlier.outcome == Outcome::PassedWarm;
        Some(if again && !open { duplicate_of(&earlier) } else { earlier })
    }

    /// The answer on an equal candidate, and whether this attempt got it before. A run that was cut says little, so it
    /// is made again.
    fn recall(&self, key: &Key) -> Option<(Validation, bool)> {
        let mut candidates = self.candidates();
        let earlier = candidates.answers.get(key).filter(|answer| answer.outcome != Outcome::Timeout)?.clone();
        let again = !candidates.given.insert(key.clone());
        Some((earlier, again))
    }

    /// Whether there is an answer on an equal candidate.
    pub(super) fn knows(&self, key: &Key) -> bool {
        self.candidates().answers.get(key).is_some_and(|answer| answer.outcome != Outcome::Timeout)
    }

    /// Remembers an answer; what holds for this very patch alone is no answer on its equals.
    pub(super) fn keep(&self, key: Key, answer: &Validation) {
        if matches!(answer.outcome, Outcome::Duplicate | Outcome::Unappliable) {
            return;
        }
        let mut candidates = self.candidates();
        candidates.given.insert(key.clone());
        candidates.answers.insert(key, answer.clone());
    }

    /// Begins a new attempt.
    pub(super) fn forget(&self) {
        self.candidates().given.clear();
    }

    fn candidates(&self) -> MutexGuard<'_, Candidates> {
        self.candidates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to a candidate that equals an earlier one.
fn duplicate_of(earlier: &Validation) -> Validation {
    let detail = format!("equal to an earlier candidate, which was {}", earlier.outcome);
    Validation::without_tests(Outcome::Duplicate, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(outcome: Outcome) -> Validation {
        Validation::without_tests(outcome, "why")
    }

    #[test]
    fn an_attempt_is_told_once_what_became_of_a_candidate() {
        let (memory, key) = (Memory::default(), Key("k".into()));
        assert_eq!(memory.answer(&key), None);
        memory.keep(key.clone(), &answer(Outcome::Failed));
        assert_eq!(memory.answer(&key).unwrap().detail, "equal to an earlier candidate, which was failed");
        memory.forget();
        assert_eq!(memory.answer(&key), Some(answer(Outcome::Failed)), "a new attempt hears it as news");
        assert_eq!(memory.answer(&key).unwrap().outcome, Outcome::Duplicate);
    }

    #[test]
    fn a_pass_stays_one_and_a_cut_run_is_made_again() {
        let (memory, key) = (Memory::default(), Key("k".into()));
        for (outcome, known) in [(Outcome::PassedWarm, true), (Outcome::Plausible, true), (Outcome::Timeout, false)] {
            memory.keep(key.clone(), &answer(outcome));
            assert_eq!(memory.answer(&key).is_some_and(|answer| answer.outcome == outcome), known, "{outcome}");
        }
    }
}
