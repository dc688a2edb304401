//! Gradle's home: where it keeps what it fetched and made. Code of the project can write it, so each project has its own.

use crate::benchmark::copy::{copy_files, io_error};
use crate::benchmark::{BenchmarkError, age, jars};
use crate::domain::Fingerprint;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs::{self, File};

/// The home of one project.
#[derive(Debug, Clone)]
pub(super) struct Home {
    path: Utf8PathBuf,
    /// Whether an earlier run made it.
    is_old: bool,
}

/// A copy of a home, gone when it is dropped.
pub(super) struct Copied {
    _folder: tempfile::TempDir,
    pub(super) path: Utf8PathBuf,
}

impl Home {
    /// That of the project in the folder `project`, which the user named.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn of(project: &Utf8Path) -> Result<Self, BenchmarkError> {
        let all = jars::cache_dir().join("gradle");
        age::forget_old(&all);
        let project = project.canonicalize_utf8().unwrap_or_else(|_| project.to_owned());
        let home = all.join(Fingerprint::default().add(project.as_str()).name());
        let is_old = home.is_dir();
        let made = fs::create_dir_all(&home).and_then(|()| home.canonicalize_utf8());
        let path = made.map_err(|source| io_error("cannot make the cache", &home, source))?;
        age::used(&path);
        Ok(Self { path, is_old })
    }

    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }

    pub(super) fn is_old(&self) -> bool {
        self.is_old
    }

    /// A copy that a candidate may spoil.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn copy(&self) -> Result<Copied, BenchmarkError> {
        let failed = |source| io_error("cannot copy Gradle's home", &self.path, source);
        let folder = tempfile::tempdir().map_err(failed)?;
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned());
        let path = path.map_err(|_| failed(std::io::Error::other("the path of a private folder is no text")))?;
        copy_files(&self.path, &path, |from, to| fs::copy(from, to).map(|_| ())).map_err(failed)?;
        Ok(Copied { _folder: folder, path })
    }

    /// Waits until no other process of this program uses the home: Gradle's own locks ask their holder over the loopback
    /// device, which each sandbox has for itself.
    ///
    /// # Errors
    /// It cannot be locked.
    pub(super) async fn alone(&self) -> Result<File, BenchmarkError> {
        let failed = |source| io_error("cannot lock Gradle's home", &self.path, source);
        let file = File::create(self.path.join("unidebug.lock")).map_err(failed)?;
        let locked = tokio::task::spawn_blocking(move || file.lock().map(|()| file)).await;
        locked.map_err(std::io::Error::other).and_then(|locked| locked).map_err(failed)
    }
}
