//! What can be wrong with a prompt, said so that its author can mend it.

use camino::Utf8PathBuf;

/// Why a prompt cannot be loaded or rendered.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The folder of own prompts cannot be read.
    #[error("cannot read the prompts in `{path}`: {cause}")]
    Unreadable {
        /// The folder or file.
        path: Utf8PathBuf,
        /// The error of the system.
        cause: String,
    },
    /// A template is not well formed.
    #[error("malformed template {file}:{line}: {what}")]
    Malformed {
        /// The template: a path of the user, or its name when it is built in.
        file: String,
        /// Line counted from 1; 0 when unknown.
        line: usize,
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A template needs what it was not given.
    #[error("cannot render {file}:{line}: {what}")]
    Render {
        /// The template.
        file: String,
        /// Line counted from 1; 0 when unknown.
        line: usize,
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// No template has that name.
    #[error("no template `{name}` (there are: {known})")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Names that exist.
        known: String,
    },
}

impl PromptError {
    /// What to do about it, in one sentence without a full stop.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreadable { .. } => "give a readable folder with templates in UTF-8".into(),
            Self::Malformed { hint, .. } | Self::Render { hint, .. } => hint.clone(),
            Self::Unknown { name, .. } => format!("put `{name}` into the folder of prompts"),
        }
    }
}
