//! The folder of one run: journal, frozen configuration, patches, report.

use super::JournalError;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};

const CONFIG: &str = "config.json";
const JOURNAL: &str = "run.journal";
const LOCK: &str = "lock";

/// A run directory that this process owns. The lock lies on an open file: it ends with the process, however that ends.
#[derive(Debug)]
pub struct RunDir {
    path: Utf8PathBuf,
    _lock: File,
}

impl RunDir {
    /// Creates the folder, with those above it, and takes it into possession.
    ///
    /// # Errors
    /// It cannot be created, another process owns it, or it holds a run already.
    pub fn create(path: &Utf8Path) -> Result<Self, JournalError> {
        std::fs::create_dir_all(path).map_err(JournalError::io("create", path))?;
        let run = Self::lock(path)?;
        if Self::holds_run(path) {
            return Err(JournalError::Used { path: path.to_owned() });
        }
        Ok(run)
    }

    /// Takes the folder of an earlier run into possession, to go on with it.
    ///
    /// # Errors
    /// It holds no run, or another process owns it.
    pub fn open(path: &Utf8Path) -> Result<Self, JournalError> {
        if Self::holds_run(path) { Self::lock(path) } else { Err(JournalError::NoRun { path: path.to_owned() }) }
    }

    /// Whether a run was begun there: its configuration is frozen before it does anything.
    fn holds_run(path: &Utf8Path) -> bool {
        let has = |name: &str| std::fs::metadata(path.join(name)).is_ok_and(|file| file.len() > 0);
        has(CONFIG) || has(JOURNAL)
    }

    /// Puts another journal in the place of this one.
    pub(super) fn save_journal(&self, bytes: &[u8]) -> Result<(), JournalError> {
        self.save(JOURNAL, bytes).map(drop)
    }

    /// Freezes the run's configuration.
    ///
    /// # Errors
    /// The system refused.
    pub fn freeze(&self, config: &[u8]) -> Result<(), JournalError> {
        self.save(CONFIG, config).map(drop)
    }

    /// The frozen configuration of a run directory, which need not be owned.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn frozen(path: &Utf8Path) -> Result<Vec<u8>, JournalError> {
        let file = path.join(CONFIG);
        std::fs::read(&file).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                JournalError::NoRun { path: path.to_owned() }
            }
            _ => JournalError::io("read", &file)(cause),
        })
    }

    fn lock(path: &Utf8Path) -> Result<Self, JournalError> {
        let file = path.join(LOCK);
        let mut lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&file)
            .map_err(JournalError::io("create", &file))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                let _ = lock.read_to_string(&mut owner);
                let owner =
                    if owner.trim().is_empty() { "another process".to_owned() } else { owner.trim().to_owned() };
                return Err(JournalError::Owned { path: path.to_owned(), owner });
            }
            Err(TryLockError::Error(cause)) => return Err(JournalError::Io { doing: "lock", path: file, cause }),
        }
        let host = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default();
        let owner = format!("process {} on {host}\n", std::process::id());
        lock.set_len(0).and_then(|()| lock.write_all(owner.as_bytes())).map_err(JournalError::io("write", &file))?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The folder.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Where the journal of a run directory lies.
    pub fn journal_in(path: &Utf8Path) -> Utf8PathBuf {
        path.join(JOURNAL)
    }

    /// Where this run's journal lies.
    pub fn journal(&self) -> Utf8PathBuf {
        Self::journal_in(&self.path)
    }

    /// Writes a file of the run so that it is there whole or not at all, even after a loss of power.
    ///
    /// # Errors
    /// The system refused.
    pub fn save(&self, name: &str, bytes: &[u8]) -> Result<Utf8PathBuf, JournalError> {
        let path = self.path.join(name);
        let folder = path.parent().unwrap_or(&self.path).to_owned();
        std::fs::create_dir_all(&folder).map_err(JournalError::io("create", &folder))?;
        let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(JournalError::io("create", &path))?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(JournalError::io("write", &path))?;
        file.persist(&path).map_err(|error| JournalError::io("write", &path)(error.error))?;
        sync_folder(&folder)?;
        Ok(path)
    }
}

/// Makes new names in a folder durable.
pub(super) fn sync_folder(folder: &Utf8Path) -> Result<(), JournalError> {
    File::open(folder).and_then(|open| open.sync_all()).map_err(JournalError::io("flush", folder))
}
