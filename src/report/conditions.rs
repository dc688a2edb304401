//! What a run depends on besides its settings. It is frozen with them, so that a report can tell it long after.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The conditions of a run. Text that is empty is not known, as in runs of older programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Conditions {
    /// When it began, RFC 3339 in UTC.
    pub date: String,
    /// What was typed behind the program's name.
    pub command: Vec<String>,
    /// The commit that the program was built from.
    pub commit: String,
    /// The machine's name.
    pub host: String,
    /// Its operating system.
    pub system: String,
    /// Its processor, with the number of cores that the program may use.
    pub cpu: String,
    /// The version of the dataset, or of the project: its commit, or the fingerprint of its file.
    pub dataset: String,
    /// By setting that names a file or a folder: the fingerprint of what that held.
    pub content: BTreeMap<String, String>,
}
