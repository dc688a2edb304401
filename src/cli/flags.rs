//! The settings as flags, in the groups that commands take. What is not typed is left to the other layers.

use super::config::{JudgingFlags, ModelFlags, SourceFlags, StrategyFlags};
use clap::Args;
use serde::Serialize;

/// All groups: what `run` takes.
#[derive(Debug, Default, Args, Serialize)]
pub(super) struct Settings {
    /// Where the bug is.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceFlags,
    /// Which models are asked.
    #[command(flatten)]
    #[serde(flatten)]
    pub model: ModelFlags,
    /// How it is gone about.
    #[command(flatten)]
    #[serde(flatten)]
    pub strategy: StrategyFlags,
    /// What may become plausible.
    #[command(flatten)]
    #[serde(flatten)]
    pub judging: JudgingFlags,
}

/// What `tool` takes.
#[derive(Debug, Default, Args, Serialize)]
pub(super) struct ToolSettings {
    /// Where the bug is.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceFlags,
    /// Which models are asked, by tools that ask one.
    #[command(flatten)]
    #[serde(flatten)]
    pub model: ModelFlags,
}

/// What `judge` takes: nobody is asked.
#[derive(Debug, Default, Args, Serialize)]
pub(super) struct JudgeSettings {
    /// Where the bug is.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceFlags,
    /// What may be plausible.
    #[command(flatten)]
    #[serde(flatten)]
    pub judging: JudgingFlags,
}
