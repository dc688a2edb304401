//! Helper's search: material on how similar bugs were repaired, from sources behind one trait.
//!
//! A small corpus of our own comes with the program, so that level 3 works offline. [`Finder`] asks all sources and
//! keeps what a bug's own repair would give away from Helper.

mod finder;
mod guard;
mod index;
pub mod pairs;
mod web;

pub use finder::Finder;
pub(crate) use guard::Guard;
pub use index::LocalIndex;
pub use web::{ENDPOINT, Tavily};

use async_trait::async_trait;
use camino::Utf8PathBuf;
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
    /// A line of a corpus is damaged.
    #[error("line {line} of the corpus {path} is malformed: {what}")]
    Malformed {
        /// Which file.
        path: Utf8PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// What was named as a corpus cannot be used.
    #[error("no corpus can be read: {what} ({path})")]
    NoCorpus {
        /// What was named.
        path: Utf8PathBuf,
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
