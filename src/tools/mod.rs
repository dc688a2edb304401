//! (next commit)
