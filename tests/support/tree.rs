//! Small trees of files.
#![allow(dead_code)]

use std::fs;
use std::path::Path;

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
