//! Language models behind one trait, the prompts they are sent, and the durable log of a run.

pub mod journal;
pub mod llm;
pub mod prompt;

pub(crate) use unidebug_base::domain;
