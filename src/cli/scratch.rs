//! A folder for a checkout that nobody keeps.

use super::error::Failure;
use camino::{Utf8Path, Utf8PathBuf};

/// Removed when dropped.
pub(super) struct Scratch {
    _folder: tempfile::TempDir,
    path: Utf8PathBuf,
}

impl Scratch {
    /// Makes one for a command.
    ///
    /// # Errors
    /// The folder for temporary files cannot be written, or is not UTF-8.
    pub(super) fn of(command: &str) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix(&format!("unidebug-{command}-")).tempdir();
        let folder = folder.map_err(|error| Failure::io("no folder for the checkout", &error))?;
        match Utf8PathBuf::from_path_buf(folder.path().to_owned()) {
            Ok(path) => Ok(Self { _folder: folder, path }),
            Err(_) => Err(Failure::unusable("TMPDIR is not UTF-8", "set another")),
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }
}
