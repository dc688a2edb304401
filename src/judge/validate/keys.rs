//! What makes a test process's word on a test its runner's own.
//!
//! Whatever runs in a test process can read and write the channels of its runner. So a test counts as passed only with a
//! proof: of a secret that came with the request and is never written anywhere, and of a key that is handed out when the
//! test begins. Each key changes the secret. Who reads the channels learns neither, and what ran before cannot know what
//! comes after.

use crate::domain::TestId;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The secrets of one run of tests.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// Marks every record of the run; everybody may see it.
    pub(super) nonce: String,
    /// What the runner begins with.
    pub(super) secret: String,
    /// What keys are made of; it never leaves this program.
    source: String,
}

impl Keys {
    /// New ones that nobody can guess.
    pub(super) fn new() -> Self {
        Self { nonce: random()[..32].to_owned(), secret: random(), source: random() }
    }

    /// The follower of a run from its begin.
    pub(super) fn follow(&self) -> Followed {
        Followed { source: self.source.clone(), state: self.secret.clone(), handed: 0, open: BTreeMap::new() }
    }
}

/// A run as far as it was followed. Its lines must come in their order.
#[derive(Debug, Clone)]
pub(super) struct Followed {
    source: String,
    state: String,
    handed: u64,
    open: BTreeMap<TestId, String>,
}

impl Followed {
    /// A test begins: its key.
    pub(super) fn started(&mut self, test: TestId) -> String {
        let key = hash(&[&self.source, &self.handed.to_string()]);
        self.handed += 1;
        self.state = hash(&[&self.state, &key]);
        self.open.insert(test, key.clone());
        key
    }

    /// A test ended, and its key with it; whether `proof` is the runner's that it passed.
    pub(super) fn redeem(&mut self, test: &TestId, proof: &str) -> bool {
        self.open.remove(test).is_some_and(|key| proof == hash(&[&self.state, &key, "passed"]))
    }

    /// Whether `proof` is the runner's that so many results were sent, and why it ended.
    pub(super) fn over(&self, count: usize, why: &str, proof: &str) -> bool {
        proof == hash(&[&self.state, "over", &count.to_string(), why])
    }

    /// What the runner itself would prove, for tests of its readers.
    #[cfg(test)]
    pub(super) fn proof(&self, parts: &[&str]) -> String {
        let mut all = vec![self.state.as_str()];
        all.extend(parts);
        hash(&all)
    }
}

/// As the runners compute it: SHA-256 of lines, in hexadecimal digits.
fn hash(parts: &[&str]) -> String {
    HEXLOWER.encode(&Sha256::digest(parts.join("\n")))
}

/// 64 hexadecimal digits that nobody can guess.
fn random() -> String {
    HEXLOWER.encode(&rand::random::<[u8; 32]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_good_for_one_test_once() {
        let keys = Keys::new();
        let mut run = keys.follow();
        let (one, other) = (TestId::new("T", "one"), TestId::new("T", "other"));
        let key = run.started(one.clone());
        let proof = run.proof(&[&key, "passed"]);
        assert!(!run.clone().redeem(&other, &proof), "another test was not asked yet");
        assert!(run.redeem(&one, &proof));
        assert!(!run.redeem(&one, &proof), "a key is used once");
        let next = run.started(other.clone());
        assert_ne!(key, next);
        assert!(!run.clone().redeem(&other, &proof), "the proof of an earlier test");
        let with_the_old_secret = hash(&[&keys.secret, &next, "passed"]);
        assert!(!run.clone().redeem(&other, &with_the_old_secret), "a secret that was read before");
        assert!(run.over(1, "done", &run.proof(&["over", "1", "done"])));
        assert!(!run.over(2, "done", &run.proof(&["over", "1", "done"])));
    }

    #[test]
    fn nothing_repeats_itself() {
        let (one, other) = (Keys::new(), Keys::new());
        assert!(one.nonce != other.nonce && one.secret != other.secret && one.source != other.source);
        assert_eq!(one.nonce.len(), 32);
    }
}
