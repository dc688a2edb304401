//! A small project on disk with a folder to work in, judged by real compilers and real test processes.

use super::tree::write_files;
use camino::Utf8Path;
use std::sync::Arc;
use unidebug::benchmark::{Checkout, Project, Runner};
use unidebug::domain::{BugId, FileChange, Patch, RepoPath};
use unidebug::patch::{Folder, Originals};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{Options, Validator, open};

/// A project on disk, and a folder to work in.
pub struct Trial {
    _folder: tempfile::TempDir,
    pub checkout: Checkout,
    pub options: Options,
    pub sandbox: Sandbox,
}

impl Trial {
    /// A project with sources below `src` and tests below `test`.
    pub async fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let (root, work) = (base.join("bug"), base.join("work"));
        std::fs::create_dir_all(&work).unwrap();
        write_files(&root, files);
        let project = Project {
            source_roots: vec![RepoPath::new("src").unwrap()],
            test_roots: vec![RepoPath::new("test").unwrap()],
            ..Project::default()
        };
        let bug = BugId { benchmark: "local".into(), name: "trial".into() };
        let checkout = Checkout::new(bug, root, "java", project);
        let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
        let options = Options::new(work);
        Self { _folder: folder, checkout, options, sandbox }
    }

    /// A project of Python, with tests below `tests`.
    pub async fn python(files: &[(&str, &str)]) -> Self {
        let mut trial = Self::new(files).await;
        trial.checkout.language = "python".into();
        trial.checkout.project = Project {
            source_roots: vec![RepoPath::default()],
            test_roots: vec![RepoPath::default(), RepoPath::new("tests").unwrap()],
            runner: Runner::Pytest,
            ..Project::default()
        };
        trial
    }

    /// The judge that users get.
    pub async fn open(&self) -> Validator {
        match open(&self.checkout, &self.sandbox, self.options.clone()).await {
            Ok(validator) => validator,
            Err(error) => panic!("{error}; {}", error.hint()),
        }
    }

    /// A patch that replaces all of `from` in one file.
    pub fn patch(&self, path: &str, from: &str, to: &str) -> Patch {
        let path = RepoPath::new(path).unwrap();
        let before = std::fs::read_to_string(path.under(&self.checkout.root)).unwrap();
        assert!(before.contains(from), "{from} is not in {path}");
        let after: Arc<[u8]> = before.replace(from, to).into_bytes().into();
        Patch { files: vec![FileChange { path, before: Some(before.into_bytes().into()), after }] }
    }

    /// A file that is not there yet.
    pub fn new_file(&self, path: &str, text: &str) -> FileChange {
        FileChange { path: RepoPath::new(path).unwrap(), before: None, after: text.as_bytes().into() }
    }
}

/// The developer's repair as a patch.
pub fn repair(checkout: &Checkout) -> Patch {
    let originals = Folder::new(checkout.root.clone());
    let oracle = checkout.oracle.as_ref().unwrap();
    let change = |(path, bytes): &(_, Vec<u8>)| FileChange {
        path: Clone::clone(path),
        before: originals.read(path),
        after: bytes.clone().into(),
    };
    Patch { files: oracle.files.iter().map(change).collect() }
}
