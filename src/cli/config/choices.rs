//! Settings that are one word of a few.

use crate::domain::InvalidValue;
use camino::Utf8PathBuf;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How test processes are isolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SandboxArg {
    /// The strongest that works here; refused when none does.
    Auto,
    /// Files, processes and a network of its own.
    Bubblewrap,
    /// Landlock and seccomp: weaker, for machines without bubblewrap.
    Landlock,
    /// None: code of the project and of the model runs with your rights.
    None,
}

/// How the lines that may be wrong are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum LocalizationArg {
    /// From coverage, traces and names.
    Spectrum,
    /// The developer's lines, for research; the report says so.
    Perfect,
    /// The developer's files, for research; the report says so.
    File,
    /// Not at all: no line is more suspicious than another.
    None,
    /// A ranking in a file, that another tool made.
    Given(Utf8PathBuf),
}

impl FromStr for LocalizationArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Ok(match text {
            "spectrum" => Self::Spectrum,
            "perfect" => Self::Perfect,
            "file" => Self::File,
            "none" => Self::None,
            path if path.contains(['/', '.']) => {
                let whole = std::path::absolute(path).ok().and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
                Self::Given(whole.unwrap_or_else(|| path.into()))
            }
            other => {
                return Err(
                    format!("`{other}` is none of spectrum, perfect, file, none, and no path of a ranking").into()
                );
            }
        })
    }
}

impl TryFrom<String> for LocalizationArg {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<LocalizationArg> for String {
    fn from(arg: LocalizationArg) -> Self {
        match arg {
            LocalizationArg::Spectrum => "spectrum".to_owned(),
            LocalizationArg::Perfect => "perfect".to_owned(),
            LocalizationArg::File => "file".to_owned(),
            LocalizationArg::None => "none".to_owned(),
            LocalizationArg::Given(path) => path.into_string(),
        }
    }
}

/// How long a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Effort {
    /// As little as the model can.
    Minimal,
    /// Less than usual.
    Low,
    /// The usual amount.
    Medium,
    /// As much as the model can.
    High,
}

impl Effort {
    /// The word that is sent.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// In which form commands are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormArg {
    /// Native tool calls.
    Tools,
    /// JSON of our schema.
    JsonSchema,
    /// Any JSON object.
    JsonObject,
    /// Text that holds one.
    Text,
}
