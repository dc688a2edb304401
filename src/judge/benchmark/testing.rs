//! Projects for tests of this room, file by file.

use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// A project of these files, in a folder that lives as long as its guard.
pub(super) fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Utf8PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
    for (path, text) in files {
        write(&root.join(path), text);
    }
    (temp, root)
}

/// Writes a file and makes its folders.
pub(super) fn write(path: &Utf8Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
