//! Helper's search: material on how similar bugs were repaired, from sources behind one trait.
//!
//! A small corpus of our own comes with the program, so that level 3 works offline. [`Finder`] asks all sources and
//! keeps what a bug's own repair would give away from Helper.

mod corpus;
mod finder;
mod guard;

pub use corpus::Corpus;
pub use finder::Finder;
pub use guard::Guard;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// A repair that was made elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solution {
    /// How it is cited.
    pub id: String,
    /// What was seen to be wrong.
    pub symptom: String,
    /// The code before.
    pub before: String,
    /// The code after.
    pub after: String,
    /// Why the change is right.
    pub why: String,
}

/// Why nothing could be searched.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    /// The shipped corpus is damaged.
    #[error("line {line} of the corpus of repairs is malformed: {what}")]
    Malformed {
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A source cannot be asked.
    #[error("{what}")]
    Unreachable {
        /// Which, and why.
        what: String,
    },
}

/// Where solutions come from.
#[async_trait]
pub trait Source: Send + Sync {
    /// At most `most` solutions, the nearest first; none when nothing fits.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError>;
}
