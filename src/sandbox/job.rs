//! What is run, what it may use, and what is left of it.

use super::relay::Door;
use camino::{Utf8Path, Utf8PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a job may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Wall time; at its end the whole process tree is killed.
    pub wall: Duration,
    /// Memory of the job in MiB, as far as the back-end can hold it.
    pub memory_mib: u64,
    /// Whether it may reserve more addresses than memory, as programs with an address sanitizer do. What it holds is
    /// watched all the same.
    pub reserves: bool,
    /// What the job may write to disk, in MiB; also the size of its largest file.
    pub disk_mib: u64,
    /// Bytes of stdout and of stderr that are kept, half from the head and half from the tail.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(600),
            memory_mib: 2048,
            reserves: false,
            disk_mib: 4096,
            output_bytes: 2 << 20,
        }
    }
}

/// What a program reads from descriptor 4, where it can be read only once: a secret that stands in no argument,
/// variable or file, then answers to lines that it writes to descriptor 3.
#[derive(Clone)]
pub struct Dialogue {
    /// The first message.
    pub(super) first: String,
    answer: Arc<Mutex<Answer>>,
}

/// The reply to a line, if any.
type Answer = dyn FnMut(&[u8]) -> Option<String> + Send;

impl Dialogue {
    /// Tells `first`, then what `answer` says to each line.
    pub fn new(first: String, answer: impl FnMut(&[u8]) -> Option<String> + Send + 'static) -> Self {
        Self { first, answer: Arc::new(Mutex::new(answer)) }
    }

    pub(super) fn answer(&self, line: &[u8]) -> Option<String> {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        (*answer)(line)
    }
}

impl std::fmt::Debug for Dialogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Dialogue")
    }
}

/// A program to run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program, absolute or found on the allow-listed PATH.
    pub program: String,
    /// Its arguments, as they are: no shell reads them.
    pub args: Vec<String>,
    /// Working directory.
    pub cwd: Utf8PathBuf,
    /// Variables added to the allow-list.
    pub env: Vec<(String, String)>,
    /// Folders it may write (its working directory is not among them unless named).
    pub writable: Vec<Utf8PathBuf>,
    /// Files and folders that must stay readable although they lie below a hidden folder.
    pub readable: Vec<Utf8PathBuf>,
    /// Symbolic links, each with where it leads, in places where the job sees nothing else. Bubblewrap alone can show them.
    pub links: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// Files that are seen in the place of others it may read, each with that place. Bubblewrap alone can show them.
    pub covers: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// Whether the network may be reached: only by programs that run no code of a project.
    pub network: bool,
    /// The one server of this program that may be reached without network.
    pub door: Option<Door>,
    /// Limits.
    pub limits: Limits,
    /// Whether a private pipe for results is passed as descriptor 3.
    pub results: bool,
    /// What is written to descriptor 4; what comes on descriptor 3 are its results.
    pub dialogue: Option<Dialogue>,
}

impl Job {
    /// A job with default limits, nothing writable, no network and no result pipe.
    pub fn new(program: impl Into<String>, cwd: impl Into<Utf8PathBuf>) -> Self {
        let cwd = cwd.into();
        Self {
            program: program.into(),
            args: Vec::new(),
            readable: vec![cwd.clone()],
            cwd,
            env: Vec::new(),
            writable: Vec::new(),
            links: Vec::new(),
            covers: Vec::new(),
            network: false,
            door: None,
            limits: Limits::default(),
            results: false,
            dialogue: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<T: Into<String>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds a folder that may be written.
    #[must_use]
    pub fn write(mut self, folder: impl Into<Utf8PathBuf>) -> Self {
        self.writable.push(folder.into());
        self
    }

    /// Adds files and folders that may be read; never a home, what holds one, or the whole disk, whoever names it.
    #[must_use]
    pub fn read<T: Into<Utf8PathBuf>>(mut self, paths: impl IntoIterator<Item = T>) -> Self {
        self.readable.extend(paths.into_iter().map(Into::into).filter(|path| !is_too_wide(path)));
        self
    }

    /// Sets the wall limit.
    #[must_use]
    pub fn wall(mut self, wall: Duration) -> Self {
        self.limits.wall = wall;
        self
    }
}

/// Folders that hold what belongs to other programs and people.
const TOO_WIDE: &[&str] =
    &["/", "/root", "/home", "/etc", "/var", "/tmp", "/run", "/mnt", "/media", "/srv", "/proc", "/sys", "/dev"];

/// Whether so much lies below a folder that no job may read all of it.
fn is_too_wide(path: &Utf8Path) -> bool {
    let real = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let home = std::env::var("HOME").ok().map(Utf8PathBuf::from);
    let home = home.map(|home| home.canonicalize_utf8().unwrap_or(home));
    TOO_WIDE.iter().any(|folder| real == *folder) || home.is_some_and(|home| home.starts_with(&real))
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Its exit code.
    Code(i32),
    /// The signal that ended it.
    Signal(i32),
    /// It was killed at its deadline.
    TimedOut,
    /// It was killed because its processes together held more memory than allowed.
    OutOfMemory,
    /// It was killed because it wrote more to disk than allowed.
    OutOfDisk,
}

impl Exit {
    /// Whether it ended by itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::TimedOut => f.write_str("its deadline"),
            Self::OutOfMemory => f.write_str("its memory limit"),
            Self::OutOfDisk => f.write_str("its limit of disk"),
        }
    }
}

/// What is left of a job.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// Kept part of its standard output.
    pub stdout: Vec<u8>,
    /// Kept part of its standard error.
    pub stderr: Vec<u8>,
    /// All bytes of descriptor 3, when it was asked for (bounded).
    pub results: Vec<u8>,
    /// Wall time.
    pub wall: Duration,
}
