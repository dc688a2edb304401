//! Who owns a run directory. A lock that lies on an open file says so among the processes of one machine, and ends with
//! its process, however that ends. Across machines that share a folder locks may mean nothing, and a machine can go down
//! with all that runs on it: so the file also holds a lease, a token and a time that its owner renews. Whoever finds a
//! lease that nobody renewed takes over; an owner that was taken for dead notices before it pays for anything more. Where
//! the file system has no locks the lease alone decides, and what was killed is free when its lease is over.

use super::JournalError;
use camino::{Utf8Path, Utf8PathBuf};
use nix::sys::stat::futimens;
use nix::sys::time::TimeSpec;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

/// The file that says who has a run directory. A copy of the folder is nobody's.
pub const LOCK: &str = "lock";
/// How often a lease is renewed.
const BEAT: Duration = Duration::from_secs(10);
/// A lease that was not renewed for so long is over.
const OVER: Duration = Duration::from_secs(60);
/// What tells one machine, since it was started, from others.
const MACHINE: &str = "/proc/sys/kernel/random/boot_id";

/// A run directory that this process owns, until this is dropped.
#[derive(Debug)]
pub(super) struct Claim {
    path: Utf8PathBuf,
    lock: File,
    token: String,
    /// Stops the renewal when it is dropped.
    _beat: Sender<()>,
}

impl Claim {
    /// Takes a folder into possession.
    ///
    /// # Errors
    /// Another process has it, on this machine or another; the system refused.
    pub(super) fn take(folder: &Utf8Path) -> Result<Self, JournalError> {
        let path = folder.join(LOCK);
        let open = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let mut lock = open.map_err(JournalError::io("create", &path))?;
        let locked = match lock.try_lock() {
            Err(TryLockError::Error(cause)) if has_no_locks(&cause) => None,
            Err(TryLockError::Error(cause)) => return Err(JournalError::Io { doing: "lock", path, cause }),
            Err(TryLockError::WouldBlock) => Some(false),
            Ok(()) => Some(true),
        };
        let lease = read_lease(&mut lock).map_err(JournalError::io("read", &path))?;
        let owned = match locked {
            Some(false) => true,
            // On this machine the lock says who lives.
            Some(true) if machine_of(&lease) == Some(&this_machine()) => false,
            _ => !lease.is_empty() && is_renewed(folder, &lock).map_err(JournalError::io("look at", &path))?,
        };
        if owned {
            let owner = lease.lines().next().unwrap_or("another process").to_owned();
            return Err(JournalError::Owned { path: folder.to_owned(), owner });
        }
        let host = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default();
        let token = format!("{} {:016x}", this_machine(), fastrand::u64(..));
        let lease = format!("process {} on {host}\n{token}\n", std::process::id());
        let written = write_lease(&mut lock, &lease).and_then(|()| lock.try_clone());
        let beating = Beating { path: path.clone(), lock: written.map_err(JournalError::io("write", &path))? };
        Ok(Self { path, lock, _beat: beating.begin(token.clone()), token })
    }

    /// Whether the folder is still this process's.
    ///
    /// # Errors
    /// Another one has taken it over.
    pub(super) fn check(&self) -> io::Result<()> {
        let lease = std::fs::read_to_string(&self.path)?;
        if token_of(&lease) == Some(&self.token) {
            return Ok(());
        }
        let holder = lease.lines().next().unwrap_or("another process");
        let what = format!("{holder} took {} over, for this process was not heard of", self.path);
        Err(io::Error::new(io::ErrorKind::ResourceBusy, what))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Other machines need not wait for the lease to end.
        if self.check().is_ok() {
            let _ = self.lock.set_len(0);
        }
        // The thread that renews, and a child between its two lives, may hold the file for a moment longer.
        let _ = self.lock.unlock();
    }
}

/// What renews a lease.
struct Beating {
    path: Utf8PathBuf,
    lock: File,
}

impl Beating {
    /// Renews the lease until the sender is dropped or somebody else has taken the folder over: whose lease it is then
    /// must end by itself if that one dies.
    fn begin(self, token: String) -> Sender<()> {
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            // What cannot be read now may be read the next time.
            let is_lost = || std::fs::read_to_string(&self.path).is_ok_and(|lease| token_of(&lease) != Some(&token));
            while receiver.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) && !is_lost() {
                // A failure is a lease that ends: whoever takes over is noticed.
                let _ = futimens(self.lock.as_fd(), &TimeSpec::UTIME_NOW, &TimeSpec::UTIME_NOW);
            }
        });
        sender
    }
}

/// What stands in the file; nothing when its owner gave it back, or nobody has had it yet.
fn read_lease(lock: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    lock.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Puts a lease over the last one. The file is cut behind it and not before it, because an empty one is free; other
/// machines see it once it is flushed.
fn write_lease(lock: &mut File, lease: &str) -> io::Result<()> {
    lock.rewind()?;
    lock.write_all(lease.as_bytes())?;
    lock.set_len(lease.len() as u64)?;
    lock.sync_all()
}

/// Whether a lease was renewed lately, by the clock of the folder's file system: those of machines differ. What cannot
/// be looked at is not taken for over.
fn is_renewed(folder: &Utf8Path, lock: &File) -> io::Result<bool> {
    let renewed = lock.metadata()?.modified()?;
    let now = tempfile::NamedTempFile::new_in(folder)?.as_file().metadata()?.modified()?;
    Ok(is_near(renewed, now))
}

/// Whether a lease renewed then counts now. That clock can have been set back meanwhile; a lease that it puts further
/// ahead than one lasts was left before, because a living owner would have renewed it.
fn is_near(renewed: SystemTime, now: SystemTime) -> bool {
    let distance = now.duration_since(renewed).unwrap_or_else(|ahead| ahead.duration());
    distance < OVER
}

/// Whether the file system has no locks at all, as some that machines share.
fn has_no_locks(cause: &io::Error) -> bool {
    use libc::{ENOLCK, ENOSYS, EOPNOTSUPP};
    cause.kind() == io::ErrorKind::Unsupported
        || cause.raw_os_error().is_some_and(|code| [ENOLCK, ENOSYS, EOPNOTSUPP].contains(&code))
}

fn token_of(lease: &str) -> Option<&str> {
    lease.lines().nth(1)
}

fn machine_of(lease: &str) -> Option<&str> {
    token_of(lease)?.split(' ').next()
}

fn this_machine() -> String {
    std::fs::read_to_string(MACHINE).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: &str = "process 7 on elsewhere\n00000000-0000-0000-0000-000000000000 1234\n";

    /// A folder with a lease of another machine, renewed so long ago; before that when it is negative.
    fn leased(lease: &str, seconds: i64) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(LOCK);
        std::fs::write(&file, lease).unwrap();
        let (now, age) = (SystemTime::now(), Duration::from_secs(seconds.unsigned_abs()));
        let renewed = if seconds < 0 { now + age } else { now - age };
        File::options().write(true).open(file).unwrap().set_modified(renewed).unwrap();
        folder
    }

    fn take(folder: &tempfile::TempDir) -> Result<Claim, JournalError> {
        Claim::take(Utf8Path::from_path(folder.path()).unwrap())
    }

    #[test]
    fn a_clock_that_was_set_back_takes_no_folder_from_its_owner() {
        for (seconds, owned) in [(5, true), (300, false), (-30, true), (-86_400, false)] {
            let folder = leased(LEASE, seconds);
            assert_eq!(matches!(take(&folder), Err(JournalError::Owned { .. })), owned, "{seconds}");
        }
    }

    #[test]
    fn half_a_lease_is_somebodys_who_writes_it_until_it_is_old() {
        for (lease, seconds, owned) in
            [("", 1, false), ("process 7 on else", 1, true), ("process 7 on else", 300, false), ("\n\n\n", 1, true)]
        {
            let folder = leased(lease, seconds);
            assert_eq!(matches!(take(&folder), Err(JournalError::Owned { .. })), owned, "{lease:?} {seconds}");
        }
        let folder = leased(LEASE, 300);
        std::fs::write(folder.path().join(LOCK), b"process \xff\xfe\n\xff").unwrap();
        assert!(matches!(take(&folder), Err(JournalError::Owned { .. })), "bytes that are no text");
    }

    #[test]
    fn a_shorter_lease_leaves_nothing_of_a_longer_one() {
        let folder = leased(&format!("{LEASE}{}", "x".repeat(500)), 300);
        let claim = take(&folder).unwrap();
        let lease = std::fs::read_to_string(folder.path().join(LOCK)).unwrap();
        assert_eq!((lease.lines().count(), token_of(&lease)), (2, Some(claim.token.as_str())));
    }
}
