//! Caps of a bug's run, and what is said when one is reached.

use super::Problem;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A cap of a bug that its user sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    /// Wall time, from the first step to the last.
    Time,
    /// Tokens, sent and received.
    Tokens,
    /// US dollars that the models may cost.
    Cost,
    /// Candidates that are judged.
    Validations,
}

impl Cap {
    /// The flag that sets it.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Time => "--max-time",
            Self::Tokens => "--max-tokens",
            Self::Cost => "--max-cost",
            Self::Validations => "--max-validations",
        }
    }
}

/// A cap that was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Which; `None` where more of a bug's cap does not help: another one was reached, or a price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Cap>,
    /// What was reached, for people.
    pub what: String,
    /// What to do about it; empty where that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

impl Reached {
    /// A cap of the bug, with which it goes on when there is more of it.
    pub fn of(cap: Cap, what: String) -> Self {
        Self { cap: Some(cap), what, hint: go_on(cap.flag()) }
    }

    /// A cap that belongs to no bug, with what to do about it.
    pub fn other(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { cap: None, what: what.into(), hint: hint.into() }
    }

    /// The cap of a part of a run, which an option of its own sets.
    pub fn of_part(option: &str, what: String) -> Self {
        Self::other(what, go_on(option))
    }
}

fn go_on(option: &str) -> String {
    format!("raise {option} and go on with `unidebug resume`")
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\nhint: {}", self.hint) }
    }
}

impl From<Reached> for Problem {
    fn from(reached: Reached) -> Self {
        Self { what: reached.what, hint: Some(reached.hint).filter(|hint| !hint.is_empty()) }
    }
}
