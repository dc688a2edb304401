//! What a patch may touch.

use super::PatchError;
use super::original::refused;
use crate::domain::RepoPath;
use crate::language::{self, Language};

/// What a patch may touch: source files in the source roots, and nothing else.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Folders whose source files a patch may change.
    pub source_roots: Vec<RepoPath>,
    /// Folders of tests, which a patch may not change.
    pub test_roots: Vec<RepoPath>,
    /// The language of the sources.
    pub language: &'static dyn Language,
    /// Whether a patch may add files.
    pub accept_new_files: bool,
    /// The file that a diff without headers is for.
    pub default_file: Option<RepoPath>,
}

impl Policy {
    /// A policy for these roots, which accepts new files and has no default file.
    pub fn new(source_roots: Vec<RepoPath>, test_roots: Vec<RepoPath>, language: &'static dyn Language) -> Self {
        Self { source_roots, test_roots, language, accept_new_files: true, default_file: None }
    }

    /// Whether a patch may touch the file.
    ///
    /// # Errors
    /// Says why not: a test, no source file, outside of the source roots.
    pub fn check_path(&self, path: &RepoPath) -> Result<(), PatchError> {
        if !self.language.is_source(path.as_str().into()) {
            let title = self.language.title();
            return Err(refused(format!("{path} is no {title} source file; a patch may change nothing else")));
        }
        if language::is_test(path, &self.source_roots, &self.test_roots, self.language) {
            return Err(refused(format!("{path} is a test; a patch may not change tests")));
        }
        if !self.source_roots.iter().any(|root| path.is_within(root)) {
            let roots: Vec<_> = self.source_roots.iter().map(|root| format!("`{root}`")).collect();
            let roots = roots.join(", ");
            return Err(refused(format!("{path} lies outside of the source folders ({roots})")));
        }
        Ok(())
    }
}
