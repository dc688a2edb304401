//! unidebug: from a bug id to a validated patch.
//!
//! # The pipeline
//! `bug id → benchmark → Checkout → validate (baseline) → localize → escalate → agent (state machine, middleware,
//! tools) → patch → validate → report`. What is learnt goes one way, into the case file; agents never talk to each
//! other.
//!
//! # The rooms
//! Imports point down only; `tests/architecture.rs` holds the table.
pub mod agent;
pub mod benchmark;
pub mod cli;
pub mod code;
pub mod domain;
pub mod escalate;
pub mod journal;
pub mod language;
pub mod llm;
pub mod localize;
pub mod patch;
pub mod prompt;
pub mod report;
pub mod sandbox;
pub mod templates;
pub mod tools;
pub mod validate;
