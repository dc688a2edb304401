//! Settings that are one word of a few.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxArg {
    /// The strongest that works here; refused when none does.
    Auto,
    /// Bubblewrap.
    Bubblewrap,
    /// Landlock and seccomp: weaker, for machines without bubblewrap.
    Landlock,
    /// None: code of the project and of the model runs with your rights.
    None,
}

/// Fault localization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LocalizationArg {
    /// From coverage, traces and names.
    Spectrum,
    /// The developer's lines, for research; the report says so.
    Perfect,
    /// The developer's files, for research; the report says so.
    File,
    /// None.
    None,
}

/// How long a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Long.
    High,
}

impl Effort {
    /// The word that is sent.
    pub fn word(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
