//! By what a copy that was used is told from a fresh one: what no program can set by itself.

use camino::{Utf8Path, Utf8PathBuf};
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Clocks of file systems stand still between two ticks of the kernel (10 ms at most): a change so soon after another one
/// may leave no trace.
const TICK: Duration = Duration::from_millis(20);

/// What the files of a copy looked like when it was equal to what it was made from.
#[derive(Debug, Default)]
pub struct Stamps {
    files: HashMap<Utf8PathBuf, [Stamp; 2]>,
    /// Rights of each folder.
    folders: HashMap<Utf8PathBuf, u32>,
    /// When the copy was whole; `None` before it was made.
    whole: Option<SystemTime>,
}

/// Which file it is, and when the kernel last saw a change of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    /// Time of the last change of content, name or rights since the epoch (`st_ctime`), which programs cannot set.
    changed: Duration,
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        let seconds = u64::try_from(meta.ctime()).unwrap_or_default();
        let nanos = u32::try_from(meta.ctime_nsec()).unwrap_or_default();
        Self { device: meta.dev(), inode: meta.ino(), bytes: meta.len(), changed: Duration::new(seconds, nanos) }
    }
}

impl Stamps {
    /// Whether the copy was made before, so that what lies in it must be looked at.
    pub(super) fn is_used(&self) -> bool {
        self.whole.is_some()
    }

    /// Whether a file of the copy still is what it was made from.
    pub(super) fn is_same(&self, from: &Utf8Path, meta: &Metadata, copy: &Utf8Path) -> bool {
        let (Some(stamps), Ok(there)) = (self.files.get(copy), fs::symlink_metadata(copy)) else { return false };
        if *stamps != [Stamp::of(meta), Stamp::of(&there)] {
            return false;
        }
        let whole = self.whole.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let is_late = stamps.iter().any(|stamp| stamp.changed + TICK >= whole);
        !is_late || is_alike(from, meta, copy, &there).unwrap_or(false)
    }

    /// Whether a folder of the copy is one, with the rights that it had.
    pub(super) fn is_same_folder(&self, copy: &Utf8Path) -> bool {
        let there = fs::symlink_metadata(copy).ok().filter(Metadata::is_dir);
        there.is_some_and(|there| self.folders.get(copy) == Some(&there.mode()))
    }

    /// Keeps what a folder of the copy looks like that was just made.
    pub(super) fn keep_folder(&mut self, copy: &Utf8Path) -> io::Result<()> {
        self.folders.insert(copy.to_owned(), fs::symlink_metadata(copy)?.mode());
        Ok(())
    }

    /// Keeps what a file looks like that was just copied.
    pub(super) fn keep(&mut self, meta: &Metadata, copy: &Utf8Path) -> io::Result<()> {
        let there = fs::symlink_metadata(copy)?;
        self.files.insert(copy.to_owned(), [Stamp::of(meta), Stamp::of(&there)]);
        Ok(())
    }

    /// The copy is whole now.
    pub(super) fn finish(&mut self) {
        self.whole = Some(SystemTime::now());
    }
}

/// Whether two files hold the same and have the same rights and time.
fn is_alike(one: &Utf8Path, meta: &Metadata, other: &Utf8Path, there: &Metadata) -> io::Result<bool> {
    let seen = |meta: &Metadata| (meta.mode(), meta.mtime(), meta.mtime_nsec());
    Ok(seen(meta) == seen(there) && fs::read(one)? == fs::read(other)?)
}
