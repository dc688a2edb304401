//! What a patch may touch: sources and resources of the product. Tests, build files and what tests read stay closed.

use super::PatchError;
use super::original::refused;
use crate::domain::RepoPath;
use crate::language::{self, Language};

/// What a patch may touch: source files in the source roots and data in the product's resources, and nothing else.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Folders whose source files a patch may change.
    pub source_roots: Vec<RepoPath>,
    /// Folders of tests, which a patch may not change.
    pub test_roots: Vec<RepoPath>,
    /// Folders of the product's resources.
    pub resources: Vec<RepoPath>,
    /// The language of the sources.
    pub language: &'static dyn Language,
    /// Whether a patch may add files.
    pub accept_new_files: bool,
    /// The file that a diff without headers is for.
    pub default_file: Option<RepoPath>,
    /// Whether what a diff changes of texts for people is left out, as a commit's change log; else it is refused.
    pub leaves_texts_out: bool,
}

impl Policy {
    /// A policy for these roots, which accepts new files and has no default file.
    pub fn new(source_roots: Vec<RepoPath>, test_roots: Vec<RepoPath>, language: &'static dyn Language) -> Self {
        let (resources, accept_new_files, default_file, leaves_texts_out) = (Vec::new(), true, None, false);
        Self { source_roots, test_roots, resources, language, accept_new_files, default_file, leaves_texts_out }
    }

    /// Whether a patch may touch the file.
    ///
    /// # Errors
    /// Says which rule is against it and how to do it otherwise: a test, no source or resource, outside of the folders.
    pub fn check_path(&self, path: &RepoPath) -> Result<(), PatchError> {
        if language::is_test(path, &self.source_roots, &self.test_roots, self.language) {
            return Err(refused(format!(
                "{path} is a test; a patch may not change tests: change the code that the test calls"
            )));
        }
        if !self.language.is_source(path.as_str().into()) {
            if is_product_resource(path, &self.resources) {
                return Ok(());
            }
            let title = self.language.title();
            let of = |roots: &[RepoPath]| roots.iter().map(|root| format!("`{root}`")).collect::<Vec<_>>().join(", ");
            let also = match self.resources.as_slice() {
                [] => String::new(),
                roots => format!(" but data below {}", of(roots)),
            };
            return Err(refused(format!(
                "{path} is no {title} source file; a patch may change nothing else{also}: put what must change into a \
                 source file of the product"
            )));
        }
        if !self.source_roots.iter().any(|root| path.is_within(root)) {
            let roots: Vec<_> = self.source_roots.iter().map(|root| format!("`{root}`")).collect();
            let roots = roots.join(", ");
            return Err(refused(format!(
                "{path} lies outside of the source folders ({roots}): put it below one of them"
            )));
        }
        Ok(())
    }

    /// Whether what a diff changes of a file is left out: a text for people that neither the product nor a build reads.
    pub fn leaves_out(&self, path: &RepoPath) -> bool {
        let is_read = ["requirements", "CMakeLists"].iter().any(|start| path.file_name().starts_with(start));
        self.leaves_texts_out && path.is_for_people() && !is_read && !is_product_resource(path, &self.resources)
    }
}

/// Begins of names of files that decide how tests or programs are run, whatever folder they lie in.
const DECIDING: &[&str] = &[
    "junit",
    "mockito",
    "logback-test",
    "pytest",
    "conftest",
    "setup.",
    "tox.",
    "pyproject",
    "pom.",
    "build.",
    "Makefile",
];
/// Folders in which files decide which code is run.
const CLOSED: &[&str] = &["META-INF", "mockito-extensions", "__pycache__"];
/// Files that are code, or hold it.
const CODE: &[&str] = &["class", "jar", "py", "pyc", "pth", "so", "pyd", "java", "sh", "gradle"];

/// Whether a file that is no source is data of the product, in one of these folders.
pub fn is_product_resource(path: &RepoPath, resources: &[RepoPath]) -> bool {
    let name = path.file_name();
    let is_code = name.rsplit_once('.').is_some_and(|(_, extension)| CODE.contains(&extension));
    let decides = DECIDING.iter().any(|start| name.starts_with(start)) || name.starts_with('.');
    let is_closed = path.as_str().split('/').any(|part| CLOSED.contains(&part) || part.starts_with('.'));
    !is_code && !decides && !is_closed && resources.iter().any(|root| path.is_within(root))
}
