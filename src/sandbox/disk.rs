//! How much a job may write to disk. A file system says at no cost how much is free on it; when that shrinks, the folders
//! of the job are looked through for what it wrote. They are looked through now and then in any case: what others remove
//! at the same time hides what a job takes.

use super::tree;
use camino::{Utf8Path, Utf8PathBuf};
use nix::sys::statvfs::statvfs;
use nix::time::{ClockId, clock_gettime};
use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Files that a job may make: far beyond any build, far from all that a file system has.
const MOST_FILES: u64 = 1_000_000;
/// Between two looks lies this many times what the last one took.
const REST: u32 = 10;
/// The same where nothing seems to be missing.
const LONG_REST: u32 = 50;
/// The least time between two looks where nothing seems to be missing.
const LEAST_LONG_REST: Duration = Duration::from_secs(4);

/// Room on one file system.
#[derive(Debug, Clone, Copy, Default)]
struct Room {
    bytes: u64,
    files: u64,
}

impl Room {
    fn in_folder(folder: &Utf8Path) -> Self {
        let Ok(stats) = statvfs(folder.as_str()) else { return Self::default() };
        Self { bytes: stats.blocks_available() * stats.fragment_size(), files: stats.files_available() }
    }
}

/// When a file was last changed, in seconds and nanoseconds. A file system takes the time of a clock that ticks every
/// few milliseconds. What was changed within the tick in which a job begins is older than the job, which needs longer to
/// start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change(i64, i64);

impl Change {
    fn now() -> Self {
        let time = clock_gettime(ClockId::CLOCK_REALTIME_COARSE);
        time.map_or(Self(0, 0), |time| Self(time.tv_sec(), time.tv_nsec()))
    }

    fn of(file: &Metadata) -> Self {
        Self(file.ctime(), file.ctime_nsec())
    }
}

/// What a job wrote, as far as it was found.
#[derive(Debug, Default)]
struct Usage {
    used: Room,
    /// Files with several names count once.
    known: HashSet<(u64, u64)>,
    /// Whether some folder could not be read.
    is_partial: bool,
}

impl Usage {
    fn add(&mut self, meta: &Metadata) {
        if self.known.insert((meta.dev(), meta.ino())) {
            self.used.bytes += meta.blocks() * 512;
            self.used.files += 1;
        }
    }
}

/// The disk as one job finds it.
#[derive(Debug)]
pub(super) struct Disk {
    /// What it may write, with the room there when it began.
    folders: Vec<(Utf8PathBuf, Room)>,
    /// Nobody can set back when a file was last changed.
    begin: Change,
    limit: u64,
    looked: Instant,
    /// What the last look took.
    took: Duration,
}

impl Disk {
    /// Begins to watch; `limit` in bytes.
    pub(super) fn new(folders: impl IntoIterator<Item = Utf8PathBuf>, limit: u64) -> Self {
        let with_room = |folder: Utf8PathBuf| (folder.clone(), Room::in_folder(&folder));
        Self {
            folders: folders.into_iter().map(with_room).collect(),
            begin: Change::now(),
            limit,
            looked: Instant::now(),
            took: Duration::ZERO,
        }
    }

    /// Whether the job of that process, which still runs, wrote more than it may.
    pub(super) async fn is_over(&mut self, pid: i32) -> bool {
        let lost = self.lost();
        let wait = if self.is_likely(lost) { self.took * REST } else { LEAST_LONG_REST.max(self.took * LONG_REST) };
        self.looked.elapsed() >= wait && self.look(pid, lost).await
    }

    /// Whether the job of that process, which has ended, wrote more than it may. A file system that is filled at once
    /// ends a job before anybody looks.
    pub(super) async fn was_over(&mut self, pid: i32) -> bool {
        let lost = self.lost();
        self.is_likely(lost) && self.look(pid, lost).await
    }

    fn is_likely(&self, lost: Room) -> bool {
        lost.bytes > self.limit / 2 || lost.files > MOST_FILES / 2
    }

    async fn look(&mut self, pid: i32, lost: Room) -> bool {
        let (begin, folders) = (self.begin, self.folders.iter().map(|(folder, _)| folder.clone()).collect::<Vec<_>>());
        let started = Instant::now();
        let found = tokio::task::spawn_blocking(move || usage(pid, &folders, begin)).await.unwrap_or_default();
        (self.looked, self.took) = (Instant::now(), started.elapsed());
        let over = |room: Room| room.bytes > self.limit || room.files > MOST_FILES;
        over(found.used) || found.is_partial && over(lost)
    }

    /// What is missing since the job began, whoever took it.
    fn lost(&self) -> Room {
        let lost = self.folders.iter().map(|(folder, before)| {
            let now = Room::in_folder(folder);
            Room { bytes: before.bytes.saturating_sub(now.bytes), files: before.files.saturating_sub(now.files) }
        });
        // Folders mostly lie on one file system, where their losses are the same.
        lost.fold(Room::default(), |a, b| Room { bytes: a.bytes.max(b.bytes), files: a.files.max(b.files) })
    }
}

fn usage(pid: i32, folders: &[Utf8PathBuf], begin: Change) -> Usage {
    let mut usage = Usage::default();
    for folder in folders {
        if let Ok(meta) = fs::symlink_metadata(folder) {
            look_through(folder.as_std_path(), meta.dev(), begin, &mut usage);
            open_without_name(pid, meta.dev(), &mut usage);
        }
    }
    usage
}

/// Adds files that were changed since the job began. Links are not followed, nor mounts entered.
fn look_through(top: &Path, device: u64, begin: Change, usage: &mut Usage) {
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            // One that was removed in between holds nothing.
            usage.is_partial |= fs::symlink_metadata(&folder).is_ok();
            continue;
        };
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if Change::of(&meta) > begin && meta.dev() == device {
                usage.add(&meta);
            }
            if meta.is_dir() && meta.dev() == device {
                open.push(entry.path());
            }
        }
        if usage.used.files > MOST_FILES {
            return;
        }
    }
}

/// Adds files that were removed and are still held open.
fn open_without_name(pid: i32, device: u64, usage: &mut Usage) {
    for member in tree::members(pid) {
        for entry in fs::read_dir(format!("/proc/{member}/fd")).into_iter().flatten().flatten() {
            if let Ok(meta) = fs::metadata(entry.path())
                && meta.is_file()
                && meta.nlink() == 0
                && meta.dev() == device
            {
                usage.add(&meta);
            }
        }
    }
}
