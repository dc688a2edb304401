//! Patches: formats in, context matching, apply, render, policy, comparison with the developer's patch.
//!
//! A patch applies whole or not at all, and every byte outside of what it changes stays: line ends, tabs, encoding,
//! a missing final line end. What does not fit is refused with the nearest lines, so that a model can mend it.
//! Whether a patch compiles or repairs anything is the validate room's affair.

mod apply;
pub mod bare;
pub mod compare;
mod content;
mod diff;
mod hunks;
mod indent;
mod insert;
mod lines;
mod members;
mod methods;
mod minimise;
mod normal;
mod operators;
mod original;
mod originals;
mod part;
mod policy;
pub mod proposal;
mod render;
mod seek;
mod spread;
pub mod suspicious;
mod test_file;
mod untested;

pub use apply::{apply, files_of, replaced_methods};
pub use content::{differing, lines_of};
pub use minimise::Minimiser;
pub use operators::{Exchange, drops_an_operand, takes_words_out};
pub use originals::Folder;
pub use part::{is_part_of, is_small, is_small_part};
pub use policy::{Policy, is_product_resource};
pub use render::{render, render_bytes};
pub use spread::Spread;
pub use test_file::with_test;
pub use untested::{Changed, changed, kept_lines};

use crate::domain::RepoPath;
use serde::{Deserialize, Serialize};

/// A whole method, or a member, import or nested type to insert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodEdit {
    /// File, relative to the checkout.
    pub file_path: String,
    /// `name(ParamType,…)`, or the bare name when it is not overloaded; absent to insert `code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The whole method, or the member, import or nested type to insert.
    pub code: String,
}

/// Lines to insert before a line of the original.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Insertion {
    /// Line of the original, counted from 1, before which the lines go.
    pub line_number: u32,
    /// The lines, without line ends.
    pub new_lines: Vec<String>,
}

/// A line of the original to replace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Modification {
    /// Line of the original, counted from 1.
    pub line_number: u32,
    /// The new line; may hold several.
    pub modified_line: String,
}

/// RepairAgent's form of a patch for one file (paper, Figure 5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LineEdits {
    /// File, relative to the checkout.
    pub file_path: String,
    /// Lines to insert.
    #[serde(default)]
    pub insertions: Vec<Insertion>,
    /// Lines of the original to delete, counted from 1.
    #[serde(default)]
    pub deletions: Vec<u32>,
    /// Lines of the original to replace.
    #[serde(default)]
    pub modifications: Vec<Modification>,
}

/// What a proposer wants changed, in one of the three forms of `write_fix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edits {
    /// A unified diff; line numbers are ignored.
    Diff(String),
    /// Whole methods by name and parameter types.
    Methods(Vec<MethodEdit>),
    /// Edits by line number of the original.
    Lines(Vec<LineEdits>),
}

/// Why edits do not become a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// It does not fit the code: told to the model with the nearest lines.
    #[error("{what}")]
    Unappliable {
        /// Which hunk or edit, and the nearest lines.
        what: String,
    },
    /// It touches what a patch may not touch.
    #[error("{what}")]
    Refused {
        /// What and why.
        what: String,
    },
}

/// Reads original files for matching; the code index and a folder on disk both can.
pub trait Originals: Send + Sync {
    /// The file's bytes, or `None` when there is no such file.
    fn read(&self, path: &RepoPath) -> Option<std::sync::Arc<[u8]>>;

    /// All files, ordered by path, for finding one by a part of its path; may be empty when that is not offered.
    fn paths(&self) -> &[RepoPath] {
        &[]
    }

    /// Whether a new file may be put there: nothing is there yet, and no symbolic link on the way.
    fn is_free(&self, path: &RepoPath) -> bool {
        self.read(path).is_none()
    }
}
