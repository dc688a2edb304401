//! Who owns a run directory. A lock that lies on an open file says so among the processes of one machine, and ends with
//! its process, however that ends. Across machines that share a folder locks may mean nothing, and a machine can go down
//! with all that runs on it: so the file also holds a lease, a token and a time that its owner renews. Whoever finds a
//! lease that nobody renewed takes over; an owner that was taken for dead notices before it pays for anything more.

use super::JournalError;
use camino::{Utf8Path, Utf8PathBuf};
use nix::sys::stat::futimens;
use nix::sys::time::TimeSpec;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

const LOCK: &str = "lock";
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
        let locked = lock.try_lock();
        let mut lease = String::new();
        let _ = lock.read_to_string(&mut lease);
        let told = lease.lines().next().unwrap_or("another process");
        let owned = || JournalError::Owned { path: folder.to_owned(), owner: told.to_owned() };
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(owned()),
            Err(TryLockError::Error(cause)) => return Err(JournalError::Io { doing: "lock", path, cause }),
        }
        // On this machine the lock says who lives.
        if machine_of(&lease).is_some_and(|machine| machine != this_machine()) && is_renewed(folder, &lock) {
            return Err(owned());
        }
        let host = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default();
        let token = format!("{} {:016x}", this_machine(), fastrand::u64(..));
        let lease = format!("process {} on {host}\n{token}\n", std::process::id());
        let written = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| lock.write_all(lease.as_bytes()));
        let beating = written.and_then(|()| lock.try_clone()).map_err(JournalError::io("write", &path))?;
        Ok(Self { path, lock, token, _beat: beat(beating) })
    }

    /// Whether the folder is still this process's.
    ///
    /// # Errors
    /// Another one has taken it over.
    pub(super) fn check(&self) -> io::Result<()> {
        let lease = std::fs::read_to_string(&self.path)?;
        if lease.lines().nth(1) == Some(&self.token) {
            return Ok(());
        }
        let told = lease.lines().next().unwrap_or("another process");
        let what = format!("{told} took {} over, for this process was not heard of", self.path);
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

/// Renews a lease until the sender is dropped.
fn beat(lock: File) -> Sender<()> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        while receiver.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
            // A failure is a lease that ends: whoever takes over is noticed.
            let _ = futimens(lock.as_fd(), &TimeSpec::UTIME_NOW, &TimeSpec::UTIME_NOW);
        }
    });
    sender
}

/// Whether a lease was renewed lately, by the clock of the folder's file system: those of machines differ.
fn is_renewed(folder: &Utf8Path, lock: &File) -> bool {
    let renewed = || lock.metadata()?.modified();
    let now = || tempfile::NamedTempFile::new_in(folder)?.as_file().metadata()?.modified();
    let (Ok(renewed), Ok(now)) = (renewed(), now()) else { return false };
    now.duration_since(renewed).is_ok_and(|age| age < OVER)
}

fn machine_of(lease: &str) -> Option<&str> {
    lease.lines().nth(1)?.split(' ').next()
}

fn this_machine() -> String {
    std::fs::read_to_string(MACHINE).unwrap_or_default().trim().to_owned()
}
