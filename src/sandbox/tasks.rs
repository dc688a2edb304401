//! How many processes and threads a job may have, held by the kernel: a fork bomb must not take all process numbers of
//! the machine.
//!
//! `RLIMIT_NPROC` does not bind root, so three ways are tried in turn, each by using it once: a control group of the
//! job's own (version 1 or 2), a process number space with a small `pid_max` (root, Linux 6.14 and newer), and for
//! normal users the resource limit. Where none works, the watchdog of `run.rs` counts and kills.

use super::find_program;
use camino::{Utf8Path, Utf8PathBuf};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Writes to a control file; unlike a plain write it never makes one where there is no such control.
fn set(file: &Utf8Path, value: &str) -> std::io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

/// Processes and threads of one job: more than any build or test needs, far from all that a machine has.
pub(super) const MOST: usize = 1024;
const PREFIX: &str = "unidebug-";

/// What holds the number of tasks on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holder {
    /// Groups of jobs are made below this folder.
    Groups(Utf8PathBuf),
    /// A number space around the job.
    NumberSpace,
    /// `RLIMIT_NPROC` for normal users; the watchdog.
    Limit,
}

impl Holder {
    /// The strongest that works here, found once.
    pub(super) fn here() -> &'static Self {
        static HERE: OnceLock<Holder> = OnceLock::new();
        HERE.get_or_init(|| {
            if let Some(folder) = candidates().into_iter().find(|folder| works(folder)) {
                sweep(&folder);
                return Self::Groups(folder);
            }
            if number_space_works() { Self::NumberSpace } else { Self::Limit }
        })
    }

    /// The command line that runs `words` under the limit, and the group that must live as long as the job.
    pub(super) fn wrap(&self, words: Vec<String>) -> (Vec<String>, Option<Group>) {
        match self {
            Self::Groups(folder) => match Group::make(folder) {
                Some(group) => {
                    // Joined before the program starts, so that nothing it forks is outside.
                    let script = "echo $$ 2>/dev/null > \"$0\"; exec \"$@\"";
                    let mut line = vec!["/bin/sh".to_owned(), "-c".into(), script.into()];
                    line.push(group.folder.join("cgroup.procs").into_string());
                    line.extend(words);
                    (line, Some(group))
                }
                None => (words, None),
            },
            Self::NumberSpace => (number_space().into_iter().chain(words).collect(), None),
            Self::Limit => (words, None),
        }
    }
}

/// `RLIMIT_NPROC` of a job. It counts what the user runs in the job's user space: the job alone where that space is its
/// own, else everything, to which the job's share is added. The kernel does not hold root to it.
pub(super) fn process_limit(own_user_space: bool) -> usize {
    if own_user_space || nix::unistd::geteuid().is_root() { MOST } else { MOST + of_this_user() }
}

/// Processes and threads of this user.
fn of_this_user() -> usize {
    let user = nix::unistd::geteuid().to_string();
    let number = |status: &str, name: &str| -> Option<String> {
        Some(status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.to_owned())
    };
    let threads = |entry: fs::DirEntry| {
        let status = fs::read_to_string(entry.path().join("status")).ok()?;
        number(&status, "Uid:").filter(|owner| *owner == user)?;
        number(&status, "Threads:")?.parse::<usize>().ok()
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(threads).sum()
}

/// Folders in which this process may perhaps make groups: its own, and the one above it, of both versions.
fn candidates() -> Vec<Utf8PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut found = Vec::new();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let mounts: &[&str] = match controllers {
            "" => &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
            _ if controllers.split(',').any(|name| name == "pids") => &["/sys/fs/cgroup/pids"],
            _ => continue,
        };
        for mount in mounts {
            let folder = Utf8Path::new(mount).join(path.trim_start_matches('/'));
            found.extend(folder.parent().filter(|above| above.starts_with(mount)).map(Utf8Path::to_owned));
            found.insert(0, folder);
        }
    }
    found
}

/// Whether a group can be made there and takes a limit.
fn works(folder: &Utf8Path) -> bool {
    // The second version hands a controller down only where that was asked for.
    let _ = set(&folder.join("cgroup.subtree_control"), "+pids");
    Group::make(folder).is_some()
}

/// Removes groups whose maker was killed before it could.
fn sweep(folder: &Utf8Path) {
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        let owner = entry.file_name().strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<i32>().ok());
        if owner.is_some_and(|pid| kill(Pid::from_raw(pid), None).is_err()) {
            // Only an empty group can be removed, so one in use is safe.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The control group of one job. Dropping it kills whoever is still in it.
#[derive(Debug)]
pub(super) struct Group {
    folder: Utf8PathBuf,
}

/// Groups that still held a dying process when they were dropped.
static LEFT: Mutex<Vec<Utf8PathBuf>> = Mutex::new(Vec::new());

impl Group {
    fn make(parent: &Utf8Path) -> Option<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        if let Ok(mut left) = LEFT.lock() {
            left.retain(|folder| fs::remove_dir(folder).is_err() && folder.exists());
        }
        let name = format!("{PREFIX}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = parent.join(name);
        fs::create_dir(&folder).ok()?;
        let group = Self { folder };
        set(&group.folder.join("pids.max"), &MOST.to_string()).ok()?;
        Some(group)
    }

    /// Whether it holds as many processes and threads as it may.
    pub(super) fn is_full(&self) -> bool {
        let count = fs::read_to_string(self.folder.join("pids.current")).unwrap_or_default();
        count.trim().parse::<usize>().is_ok_and(|count| count >= MOST)
    }

    /// Kills everything in the group.
    pub(super) fn kill(&self) {
        // The second version does it in one go; the first one process after the other.
        if set(&self.folder.join("cgroup.kill"), "1").is_ok() {
            return;
        }
        // From here on nothing in it can fork, so one round reaches all.
        let _ = set(&self.folder.join("pids.max"), "0");
        let members = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        for pid in members.lines().filter_map(|line| line.parse::<i32>().ok()).filter(|&pid| pid > 1) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if fs::remove_dir(&self.folder).is_ok() {
            return;
        }
        self.kill();
        if fs::remove_dir(&self.folder).is_err()
            && let Ok(mut left) = LEFT.lock()
        {
            left.push(std::mem::take(&mut self.folder));
        }
    }
}

/// A number space with a small `pid_max` around what follows. The first program of it dies with this process, and the
/// whole space with it.
fn number_space() -> Vec<String> {
    let script = format!("echo {MOST} > /proc/sys/kernel/pid_max && exec \"$@\"");
    let words = ["setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
    words.into_iter().chain(["sh", "-c", &script, "sh"]).map(str::to_owned).collect()
}

/// Where process numbers are limited by space: before, the file would be the whole machine's.
fn numbers_by_space() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut parts = release.split(['.', '-']).map(|part| part.trim().parse::<u32>().unwrap_or(0));
    (parts.next(), parts.next()) >= (Some(6), Some(14))
}

fn number_space_works() -> bool {
    if !numbers_by_space()
        || !nix::unistd::geteuid().is_root()
        || find_program("setpriv").is_none()
        || find_program("unshare").is_none()
    {
        return false;
    }
    let words = number_space();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["cat", "/proc/sys/kernel/pid_max"]).env_clear().env("PATH", super::PROGRAM_PATH);
    let read = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    read.is_ok_and(|output| output.status.success() && output.stdout.trim_ascii() == MOST.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_the_dead_are_removed_and_those_of_the_living_stay() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let living = folder.join(format!("{PREFIX}{}-7", std::process::id()));
        // Larger than any process number.
        let dead = folder.join(format!("{PREFIX}{}-0", i32::MAX));
        for path in [&living, &dead, &folder.join("other")] {
            fs::create_dir(path).unwrap();
        }
        sweep(folder);
        assert!(living.exists() && !dead.exists() && folder.join("other").exists());
    }

    #[test]
    fn a_number_space_ends_a_bomb_where_the_kernel_has_it() {
        if !number_space_works() {
            return;
        }
        let bomb =
            "my $n = 0; while (1) { my $p = fork; last unless defined $p; if (!$p) { sleep 30; exit } $n++ } print $n";
        let (words, _) = Holder::NumberSpace.wrap(["perl", "-e", bomb].map(str::to_owned).to_vec());
        let done = Command::new(&words[0]).args(&words[1..]).output().unwrap();
        let forked: usize = String::from_utf8_lossy(&done.stdout).parse().unwrap();
        assert!((MOST / 2..MOST).contains(&forked), "{forked} processes");
    }
}
