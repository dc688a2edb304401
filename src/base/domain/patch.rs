//! A patch: files with their bytes before and after.

use super::RepoPath;
use std::sync::Arc;

/// One file of a patch. `before` is `None` for a new file; one that is left without a byte is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileChange {
    /// Where it lies in the project.
    pub path: RepoPath,
    /// The original bytes, exactly.
    pub before: Option<Arc<[u8]>>,
    /// The bytes after the change; outside the hunks equal to the original's.
    pub after: Arc<[u8]>,
}

impl FileChange {
    /// Whether the file is there no more afterwards.
    pub fn deletes(&self) -> bool {
        self.before.is_some() && self.after.is_empty()
    }
}

/// All edits that are proposed together; applied whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Patch {
    /// Changed files, ordered by path, each once.
    pub files: Vec<FileChange>,
}

impl Patch {
    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.before.as_deref() == Some(&*file.after))
    }

    /// Paths of the changed files.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.iter().map(|file| &file.path)
    }
}
