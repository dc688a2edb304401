//! Small trees of files.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes files below a folder, each by its path, with the folders it needs.
pub fn write_files(root: impl AsRef<Path>, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.as_ref().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A folder of its own that holds these files.
pub fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), files);
    folder
}

/// Makes `.venv` in a folder, an environment of Python that sees what this machine has; where its own packages lie.
pub fn python_environment(folder: &Path) -> PathBuf {
    let words = ["-m", "venv", "--without-pip", "--system-site-packages", ".venv"];
    let made = Command::new("python3").args(words).current_dir(folder).status().unwrap();
    assert!(made.success(), "an environment of Python cannot be made");
    folder.join(".venv/lib").read_dir().unwrap().flatten().next().unwrap().path().join("site-packages")
}
