//! How a repair is found: localization, the built-in engine, tools, agents and their levels.

pub mod agent;
pub mod escalate;
pub mod localize;
pub mod retrieve;
pub mod templates;
pub mod tools;

pub(crate) use unidebug_base::{code, domain, language, patch};
pub(crate) use unidebug_judge::{benchmark, validate};
pub(crate) use unidebug_model::{journal, llm, prompt};
pub(crate) use unidebug_sandbox as sandbox;
