//! The command line of a job under each back-end, its environment, and what must live as long as the job.

use super::tasks::{self, Group, Holder};
use super::{Backend, Job, PROGRAM_PATH, SandboxError, find_program, landlock};
use camino::Utf8Path;
use command_fds::FdMapping;
use tokio::net::unix::pipe;
use tokio::process::Command;

/// Lives as long as its job, and ends what the job leaves when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Keep {
    /// Holds the number of tasks.
    pub(super) group: Option<Group>,
    /// The supervisor ends everything when this is dropped.
    pub(super) lifeline: Option<pipe::Sender>,
    /// Scratch files of a job that has no `/tmp` of its own.
    pub(super) private: Option<tempfile::TempDir>,
}

/// The command of a job, the descriptors it needs besides those of the caller, and what lives with it.
pub(super) fn command(backend: &Backend, job: &Job) -> Result<(Command, Vec<FdMapping>, Keep), SandboxError> {
    let io = |source| SandboxError::Io { what: "preparing the sandbox", source };
    let words = limited(backend, job);
    let (mut keep, mut pipes) = (Keep::default(), Vec::new());
    let mut home = "/tmp/home".to_owned();
    let mut scratch = "/tmp".to_owned();
    let line = match backend {
        Backend::Bubblewrap(bubblewrap) => {
            let (line, filters) = bubblewrap.line(job, words).map_err(io)?;
            pipes.extend(filters);
            line
        }
        Backend::Landlock(landlock) => {
            let private = tempfile::Builder::new().prefix("unidebug-job-").tempdir().map_err(io)?;
            let path = Utf8Path::from_path(private.path()).unwrap_or(Utf8Path::new("/nonexistent")).to_owned();
            (home, scratch) = (path.join("home").into_string(), path.to_string());
            std::fs::create_dir(&home).map_err(io)?;
            keep.private = Some(private);
            let (sender, receiver) = pipe::pipe().map_err(io)?;
            let parent_fd = receiver.into_blocking_fd().map_err(io)?;
            pipes.push(FdMapping { parent_fd, child_fd: landlock::LIFELINE });
            keep.lifeline = Some(sender);
            landlock.line(job, &path, words)
        }
        Backend::None => {
            home = job.cwd.to_string();
            words
        }
    };
    let (line, group) = Holder::here().wrap(line);
    keep.group = group;
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).env_clear().envs(environment(job, &home, &scratch));
    if !matches!(backend, Backend::Bubblewrap(_)) {
        command.current_dir(&job.cwd);
    }
    Ok((command, pipes, keep))
}

/// The allow-list: nothing is inherited.
fn environment(job: &Job, home: &str, scratch: &str) -> Vec<(String, String)> {
    let fixed = [
        ("PATH", PROGRAM_PATH),
        ("HOME", home),
        ("TMPDIR", scratch),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("USER", "unidebug"),
    ];
    let mut all: Vec<(String, String)> = fixed.map(|(name, value)| (name.into(), value.into())).to_vec();
    if scratch != "/tmp" {
        // The JVM looks for its temporary folder nowhere else.
        all.push(("JAVA_TOOL_OPTIONS".into(), format!("{}{scratch}", super::capture::JAVA_SCRATCH)));
    }
    if job.network {
        // A job that may fetch needs to know how this machine reaches the network.
        for name in ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"]
        {
            all.extend(std::env::var(name).ok().map(|value| (name.to_owned(), value)));
        }
    }
    all.extend(job.env.iter().cloned());
    all
}

/// Limits that the kernel holds, through the small program that every Linux has; without it the watchdog is alone.
fn limited(backend: &Backend, job: &Job) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(prlimit) = find_program("prlimit") {
        let data = (job.limits.memory_mib * 2 + 512) << 20;
        words.push(prlimit.into_string());
        words.extend(["--core=0".into(), format!("--fsize={}", job.limits.disk_mib << 20)]);
        words.extend((!job.limits.reserves).then(|| format!("--data={data}")));
        let own_user_space = matches!(backend, Backend::Bubblewrap(_));
        words.extend([format!("--nproc={}", tasks::process_limit(own_user_space)), "--".into()]);
    }
    words.push(job.program.clone());
    words.extend(job.args.iter().cloned());
    words
}
