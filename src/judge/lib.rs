//! Where bugs come from, and the judge of patches.

pub mod benchmark;
pub mod validate;

pub(crate) use unidebug_base::{code, domain, language, patch, twin};
pub(crate) use unidebug_sandbox as sandbox;
