//! The only place that starts a process.
//!
//! Every compile, test, build-tool and analysis command goes through [`Sandbox::run`]: environment allow-list, limits,
//! deadline, whole-tree kill, and bubblewrap without network where it works. Nothing a model or a repository says
//! becomes a shell command: a [`Job`] is a program and its arguments.

mod bubblewrap;
mod capture;
pub mod own;
mod run;
mod spawner;
mod tree;

pub use run::Served;

use camino::{Utf8Path, Utf8PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What a job may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Wall time; at its end the whole process tree is killed.
    pub wall: Duration,
    /// Memory of the job in MiB, as far as the back-end can hold it.
    pub memory_mib: u64,
    /// Bytes of stdout and of stderr that are kept, half from the head and half from the tail.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { wall: Duration::from_secs(600), memory_mib: 2048, output_bytes: 2 << 20 }
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
    /// Whether the network may be reached: only for set-up of dependencies, never for a candidate.
    pub network: bool,
    /// Limits.
    pub limits: Limits,
    /// Whether a private pipe for results is passed as descriptor 3.
    pub results: bool,
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
            network: false,
            limits: Limits::default(),
            results: false,
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

    /// Adds files and folders that may be read.
    #[must_use]
    pub fn read<T: Into<Utf8PathBuf>>(mut self, paths: impl IntoIterator<Item = T>) -> Self {
        self.readable.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Sets the wall limit.
    #[must_use]
    pub fn wall(mut self, wall: Duration) -> Self {
        self.limits.wall = wall;
        self
    }
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

/// Which isolation is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The strongest that works here.
    #[default]
    Auto,
    /// Bubblewrap or nothing.
    Bubblewrap,
    /// None; only when typed.
    None,
}

/// Why no process could be started, or none may be.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No isolation works here, and none was not asked for.
    #[error("no sandbox works on this machine: {what}")]
    Unavailable {
        /// What was tried and what it said.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The program is not on the allow-listed PATH or not executable.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// Which program.
        program: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A pipe or a wait failed.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// The cause.
        source: std::io::Error,
    },
}

impl SandboxError {
    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Unavailable { hint, .. } => hint.clone(),
            Self::Spawn { program, .. } => format!("install `{program}`, or put it on the PATH"),
            Self::Io { .. } => "check limits of processes and open files, then run it again".into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Backend {
    Bubblewrap(bubblewrap::Bubblewrap),
    None,
}

/// The isolation in force; cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {
    backend: Arc<Backend>,
}

impl Sandbox {
    /// Finds the isolation by using it once.
    ///
    /// # Errors
    /// What was asked for does not work here; `Auto` never falls back to no isolation.
    pub async fn detect(choice: Choice) -> Result<Self, SandboxError> {
        let backend = match choice {
            Choice::Auto | Choice::Bubblewrap => Backend::Bubblewrap(bubblewrap::detect().await?),
            Choice::None => Backend::None,
        };
        Ok(Self { backend: Arc::new(backend) })
    }

    /// Its name for journal and report.
    pub fn name(&self) -> &'static str {
        match *self.backend {
            Backend::Bubblewrap(_) => "bubblewrap",
            Backend::None => "none",
        }
    }

    /// Runs a job to its end.
    ///
    /// # Errors
    /// The program could not be started; a failing program is no error.
    pub async fn run(&self, job: Job) -> Result<Finished, SandboxError> {
        run::run(&self.backend, job).await
    }

    /// Starts a server that takes requests on descriptor 4 and answers on descriptor 3. It is killed with all it
    /// started when the handle is dropped.
    ///
    /// # Errors
    /// The program could not be started.
    pub async fn serve(&self, job: Job) -> Result<Served, SandboxError> {
        run::serve(&self.backend, job).await
    }
}

/// Where programs are looked for.
pub const PROGRAM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The absolute path of a program on [`PROGRAM_PATH`], or of one given absolute that exists.
pub fn find_program(name: &str) -> Option<Utf8PathBuf> {
    if name.contains('/') {
        return Utf8Path::new(name).is_file().then(|| name.into());
    }
    PROGRAM_PATH.split(':').map(|folder| Utf8Path::new(folder).join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, cwd: &Utf8Path) -> Job {
        Job::new("sh", cwd).args(["-c", script])
    }

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        (folder, path)
    }

    #[tokio::test]
    async fn results_come_over_their_own_descriptor_and_output_apart() {
        let (_keep, cwd) = folder();
        for choice in [Choice::Auto, Choice::None] {
            let mut job = shell("echo out; echo err >&2; echo result > /proc/self/fd/3; exit 7", &cwd);
            job.results = true;
            let done = Sandbox::detect(choice).await.unwrap().run(job).await.unwrap();
            assert_eq!(done.exit, Exit::Code(7), "{}", String::from_utf8_lossy(&done.stderr));
            assert_eq!(
                (&*done.stdout, &*done.stderr, &*done.results),
                (&b"out\n"[..], &b"err\n"[..], &b"result\n"[..])
            );
        }
    }

    #[tokio::test]
    async fn nothing_but_the_named_folder_can_be_written_and_no_secret_is_seen() {
        let (_keep, cwd) = folder();
        let (_other, sibling) = folder();
        std::fs::write(sibling.join("secret"), "s").unwrap();
        let script = format!(
            "touch {sibling}/x; cat {sibling}/secret; touch /usr/x; touch {cwd}/mine; ls $HOME /root /home; env; \
             cat /proc/1/environ; cat /etc/shadow"
        );
        let sandbox = Sandbox::detect(Choice::Bubblewrap).await.unwrap();
        let mut job = shell(&script, &cwd).write(&cwd);
        job.env.push(("GIVEN".into(), "yes".into()));
        let done = sandbox.run(job).await.unwrap();
        let seen = String::from_utf8_lossy(&done.stdout);
        assert!(cwd.join("mine").exists() && !sibling.join("x").exists() && !Utf8Path::new("/usr/x").exists());
        assert!(seen.contains("GIVEN=yes") && !seen.contains("CARGO") && !seen.contains("root:"), "{seen}");
    }

    #[tokio::test]
    async fn the_host_is_not_reached_and_the_own_loopback_is() {
        let (_keep, cwd) = folder();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let sandbox = Sandbox::detect(Choice::Bubblewrap).await.unwrap();
        let script = format!("exec 5<>/dev/tcp/127.0.0.1/{port}");
        let done = sandbox.run(Job::new("bash", &cwd).args(["-c", &script])).await.unwrap();
        assert_ne!(done.exit, Exit::Code(0));
        assert!(String::from_utf8_lossy(&done.stderr).contains("refused"), "the loopback is up, the host is not there");
    }

    #[tokio::test]
    async fn the_whole_tree_ends_at_the_deadline() {
        let (_keep, cwd) = folder();
        for choice in [Choice::Auto, Choice::None] {
            let sandbox = Sandbox::detect(choice).await.unwrap();
            let script = format!("(while :; do date +%N > {cwd}/alive; sleep 0.05; done) & sleep 60");
            let job = shell(&script, &cwd).write(&cwd).wall(Duration::from_millis(700));
            let done = sandbox.run(job).await.unwrap();
            assert_eq!(done.exit, Exit::TimedOut);
            tokio::time::sleep(Duration::from_millis(100)).await;
            let last = std::fs::read(cwd.join("alive")).unwrap();
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert_eq!(last, std::fs::read(cwd.join("alive")).unwrap(), "{}: it lives on", sandbox.name());
        }
    }

    #[tokio::test]
    async fn a_job_that_takes_all_memory_is_ended() {
        let (_keep, cwd) = folder();
        let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
        let mut job = Job::new("perl", &cwd).args(["-e", "my @a; while (1) { push @a, 'x' x 1000000 } "]);
        job.limits.memory_mib = 100;
        let done = sandbox.run(job).await.unwrap();
        assert!(done.exit == Exit::OutOfMemory || !done.exit.success(), "{:?}", done.exit);
        assert!(done.wall < Duration::from_secs(20));
    }

    #[tokio::test]
    async fn a_server_answers_on_its_own_descriptors() {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (_keep, cwd) = folder();
        let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
        let job = shell("while read line <&4; do echo \"got $line\" >&3; done", &cwd);
        let mut server = sandbox.serve(job).await.unwrap();
        server.requests.write_all(b"hello\n").await.unwrap();
        let mut answer = [0; 10];
        server.answers.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"got hello\n");
    }

    #[tokio::test]
    async fn a_missing_program_is_named() {
        let sandbox = Sandbox::detect(Choice::None).await.unwrap();
        let error = sandbox.run(Job::new("no-such-program", "/")).await.unwrap_err();
        assert!(error.to_string().contains("no-such-program"));
    }
}
