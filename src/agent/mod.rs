//! (next commit)

pub mod answer;
pub mod mend;
