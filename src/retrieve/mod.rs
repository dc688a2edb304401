//! Helper's search: material on how similar bugs were repaired, from sources behind one trait.
//!
//! Here is a small corpus of our own, scored by keywords, so that level 3 works offline.

mod corpus;

pub use corpus::Corpus;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// A repair that was made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// Where solutions come from.
#[async_trait]
pub trait Source: Send + Sync {
    /// At most `most` solutions, the nearest first; none when nothing fits.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError>;

    /// Ids that may be cited.
    fn ids(&self) -> Vec<&str>;
}
