//! What went wrong, with what to do about it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What went wrong and, where that is known, what to do about it. It prints both; who shows them apart takes the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What went wrong, where, and what is known.
    #[serde(rename = "why")]
    pub what: String,
    /// What to do, in one sentence without a full stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problem {
    /// A problem with what to do about it.
    pub fn with_hint(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: Some(hint.into()) }
    }

    /// The same with both texts changed.
    #[must_use]
    pub fn map(self, change: impl Fn(String) -> String) -> Self {
        Self { what: change(self.what), hint: self.hint.map(change) }
    }
}

impl From<String> for Problem {
    fn from(what: String) -> Self {
        Self { what, hint: None }
    }
}

impl From<&str> for Problem {
    fn from(what: &str) -> Self {
        what.to_owned().into()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\nhint: {hint}"))
    }
}
