//! How much a plausible patch can be relied on, beyond the tests that it passes.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How far a plausible patch can be relied on, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceWord {
    /// Several things speak against it.
    Low,
    /// One thing does.
    Medium,
    /// Nothing that can be seen does.
    High,
}

impl fmt::Display for ConfidenceWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// The word with what stands behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confidence {
    /// How far it can be relied on.
    pub word: ConfidenceWord,
    /// What was seen, for people; what speaks against the patch comes first.
    pub reasons: Vec<String>,
}

impl Confidence {
    /// The same with one thing more that speaks against the patch.
    pub fn lowered(mut self, reason: String) -> Self {
        self.word = if self.word == ConfidenceWord::High { ConfidenceWord::Medium } else { ConfidenceWord::Low };
        self.reasons.insert(0, reason);
        self
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reasons.as_slice() {
            [] => self.word.fmt(f),
            reasons => write!(f, "{} ({})", self.word, reasons.join("; ")),
        }
    }
}
