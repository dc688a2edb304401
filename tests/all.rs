//! Every integration test, in one binary: a file a subject, `support/` for what they share.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod architecture;
mod attacks;
mod bad_input;
mod caps;
mod configuration;
mod endpoint_faults;
mod fixtures;
mod journal_kill;
mod judge;
mod levels;
mod local_projects;
mod localization;
mod model_stack;
mod patches;
mod prompts;
mod providers;
mod repair;
mod report;
mod sandbox_probes;
mod secrets;
mod soak;
mod strategies;
mod support;
mod tools;
