//! The folder of one run: journal, frozen configuration, patches, report.

use super::JournalError;
use super::claim::Claim;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs::File;
use std::io::Write;

const CONFIG: &str = "config.json";
const JOURNAL: &str = "run.journal";

/// A run directory that this process owns.
#[derive(Debug)]
pub struct RunDir {
    path: Utf8PathBuf,
    claim: Claim,
}

impl RunDir {
    /// Name of a folder in which run directories are put together before they get their place: those in it count for
    /// nothing.
    pub const STAGE: &str = ".unfinished";

    /// Creates the folder, with those above it, and takes it into possession.
    ///
    /// # Errors
    /// It cannot be created, another process owns it, or it holds a run already.
    pub fn create(path: &Utf8Path) -> Result<Self, JournalError> {
        let run = Self::take(path)?;
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

    /// Takes a folder into possession, whether it holds a run or not, to put another one in its place.
    ///
    /// # Errors
    /// It cannot be created, or another process owns it.
    pub fn take(path: &Utf8Path) -> Result<Self, JournalError> {
        std::fs::create_dir_all(path).map_err(JournalError::io("create", path))?;
        Self::lock(path)
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
        Ok(Self { path: path.to_owned(), claim: Claim::take(path)? })
    }

    /// Whether the folder is still this process's.
    ///
    /// # Errors
    /// Another process took it over.
    pub(super) fn check(&self) -> std::io::Result<()> {
        self.claim.check()
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
    pub(crate) fn journal(&self) -> Utf8PathBuf {
        Self::journal_in(&self.path)
    }

    /// Writes a file of the run so that it is there whole or not at all, even after a loss of power.
    ///
    /// # Errors
    /// The system refused, or another process took the folder over.
    pub fn save(&self, name: &str, bytes: &[u8]) -> Result<Utf8PathBuf, JournalError> {
        let path = self.path.join(name);
        self.check().map_err(JournalError::io("write", &path))?;
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
