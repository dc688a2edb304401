//! Bubblewrap: new namespaces, a root made of the system's program folders, what a job names, and a filter of system
//! calls.
//!
//! The root is an allow-list. Home, `/tmp`, `/run`, other checkouts and this program's state are not hidden: they are
//! never there.

use super::confine::HelperTask;
use super::error::NotHere;
use super::filter::{self, Around};
use super::{Job, find_program, landlock};
use camino::{Utf8Path, Utf8PathBuf};
use command_fds::{CommandFdExt, FdMapping};
use std::io;
use std::process::Stdio;

/// Folders of the system that every job may read.
pub(super) const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store"];

/// Files below them that no job may read, whoever runs it.
pub(super) const MASKED: &[&str] = &["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/sudoers"];

/// Folders below them that are covered with an empty one.
pub(super) const COVERED: &[&str] = &["/etc/ssh", "/etc/munge", "/etc/sudoers.d", "/etc/ssl/private"];

/// Switches of the kernel. Root's own user id, even without a capability, may turn them for the whole machine.
const CONTROLS: &[&str] = &["/proc/sys", "/proc/sysrq-trigger"];

/// A bubblewrap that was seen working.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bubblewrap {
    program: Utf8PathBuf,
    /// What this version of it knows.
    options: Options,
}

/// Options of newer versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Options {
    /// Whether further user name spaces can be forbidden inside.
    forbids_nesting: bool,
    /// Whether more than one filter of system calls can be laid on.
    takes_many_filters: bool,
}

/// The strongest first.
const OPTIONS: [Options; 3] = [
    Options { forbids_nesting: true, takes_many_filters: true },
    Options { forbids_nesting: false, takes_many_filters: true },
    Options { forbids_nesting: false, takes_many_filters: false },
];

/// Descriptors of the filters, behind those of results and requests.
const FILTERS: i32 = 6;

/// Uses bubblewrap once, with the strongest options first.
pub(super) async fn detect() -> Result<Bubblewrap, NotHere> {
    let program = find_program("bwrap").ok_or("bubblewrap is not installed")?;
    let mut complaint = String::new();
    for options in OPTIONS {
        let found = Bubblewrap { program: program.clone(), options };
        let (line, filters) = found.line(&Job::new("true", "/usr"), vec!["true".into()])?;
        let mut command = tokio::process::Command::new(&line[0]);
        command.args(&line[1..]).fd_mappings(filters).map_err(|error| NotHere::from(error.to_string()))?;
        command.env_clear().env("PATH", super::PROGRAM_PATH).stdin(Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(std::time::Duration::from_secs(10), command.output()).await;
        match output {
            Ok(Ok(output)) if output.status.success() => return Ok(found),
            Ok(Ok(output)) => complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Ok(Err(error)) => complaint = error.to_string(),
            Err(_) => complaint = "it did not answer in 10 s".into(),
        }
    }
    Err(format!("bubblewrap does not work here: {complaint}").into())
}

impl Bubblewrap {
    /// The whole line that runs `words` for a job, and the descriptors it reads.
    pub(super) fn line(&self, job: &Job, words: Vec<String>) -> io::Result<(Vec<String>, Vec<FdMapping>)> {
        let mut line = vec![self.program.to_string()];
        line.extend(self.arguments(job));
        let mut filters = Vec::new();
        let around = Around { is_alone: true, network: job.network, door: job.door.is_some() };
        let mut programs = filter::programs(around)?;
        let mut option = "--add-seccomp-fd";
        if !self.options.takes_many_filters {
            option = "--seccomp";
            programs.truncate(1);
        }
        for (program, child_fd) in programs.iter().zip(FILTERS..) {
            line.extend([option.to_owned(), child_fd.to_string()]);
            filters.push(FdMapping { parent_fd: filter::file(program)?, child_fd });
        }
        let mut words = words;
        if let Some(door) = &job.door {
            let helper = landlock::helper().ok_or_else(|| io::Error::other("`unidebug` is not beside this program"))?;
            line.extend(["--ro-bind", helper.as_str(), helper.as_str()].map(String::from));
            line.extend(["--bind", door.socket.as_str(), door.socket.as_str()].map(String::from));
            words = HelperTask::Relay(door.clone()).line(helper.as_str(), words);
        }
        line.push("--".into());
        line.extend(words);
        Ok((line, filters))
    }

    /// All arguments before `--` and the job's program.
    fn arguments(&self, job: &Job) -> Vec<String> {
        let mut line = Line(Vec::new());
        line.add(&["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
        if self.options.forbids_nesting {
            line.add(&["--unshare-user", "--disable-userns"]);
        }
        if job.network {
            line.add(&["--share-net"]);
        }
        system(&mut line);
        line.add(&["--proc", "/proc", "--dev", "/dev"]);
        for control in CONTROLS.iter().filter(|control| Utf8Path::new(control).exists()) {
            line.add(&["--ro-bind", control, control]);
        }
        for scratch in ["/tmp", "/dev/shm"] {
            line.add(&["--size", "536870912", "--tmpfs", scratch]);
        }
        line.add(&["--dir", "/tmp/home"]);
        if job.network {
            name_service(&mut line);
        }
        mounts(&mut line, job);
        for (file, place) in &job.covers {
            line.add(&["--ro-bind", file.as_str(), place.as_str()]);
        }
        for (place, target) in &job.links {
            line.add(&["--symlink", target.as_str(), place.as_str()]);
        }
        line.add(&["--chdir", job.cwd.as_str()]);
        line.0
    }
}

struct Line(Vec<String>);

impl Line {
    fn add(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|&word| word.to_owned()));
    }
}

fn system(line: &mut Line) {
    for folder in SYSTEM {
        let path = Utf8Path::new(folder);
        match path.read_link_utf8() {
            Ok(target) => line.add(&["--symlink", target.as_str(), folder]),
            Err(_) => line.add(&["--ro-bind-try", folder, folder]),
        }
    }
    for file in MASKED.iter().filter(|file| Utf8Path::new(file).exists()) {
        line.add(&["--ro-bind", "/dev/null", file]);
    }
    for folder in COVERED.iter().filter(|folder| Utf8Path::new(folder).is_dir()) {
        line.add(&["--tmpfs", folder]);
    }
}

/// `/etc/resolv.conf` is often a link into `/run`.
fn name_service(line: &mut Line) {
    if let Ok(target) = Utf8Path::new("/etc/resolv.conf").canonicalize_utf8()
        && !target.starts_with("/etc")
    {
        line.add(&["--ro-bind-try", target.as_str(), target.as_str()]);
    }
}

/// Outer folders first, so that a writable folder inside a readable one stays writable, and the other way round. The
/// working directory is as writable as the folder that it lies in.
fn mounts(line: &mut Line, job: &Job) {
    let mut all: Vec<(&Utf8Path, bool)> = Vec::new();
    let is_writable_cwd = |path: &&Utf8PathBuf| **path == job.cwd && job.writable.iter().any(|w| path.starts_with(w));
    all.extend(job.readable.iter().filter(|path| !is_writable_cwd(path)).map(|path| (path.as_path(), false)));
    all.extend(job.writable.iter().map(|path| (path.as_path(), true)));
    all.sort_by_key(|&(path, writable)| (path.components().count(), writable));
    for (path, writable) in all {
        let below_system = SYSTEM.iter().any(|folder| path.starts_with(folder));
        match (writable, below_system) {
            (true, _) => line.add(&["--bind", path.as_str(), path.as_str()]),
            (false, false) => line.add(&["--ro-bind-try", path.as_str(), path.as_str()]),
            (false, true) => {}
        }
    }
}
