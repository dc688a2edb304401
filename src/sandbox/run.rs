//! Runs one job, or keeps one server: pipes, limits, end.

use super::capture::{HeadTail, drain, without_notice};
use super::disk::Disk;
use super::line::{Keep, command};
use super::tasks::Group;
use super::{Backend, Dialogue, Exit, Finished, Job, Limits, SandboxError, find_program, spawner, tree};
use camino::Utf8Path;
use command_fds::{CommandFdExt, FdMapping};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;
use tokio::process::Child;

/// Bytes of the result pipe that are kept: some 300,000 test records.
const RESULT_BYTES: usize = 128 << 20;
/// How often memory and processes are looked at.
const WATCH_EVERY: Duration = Duration::from_millis(100);
/// More processes than any build or test needs.
const MAX_PROCESSES: usize = 512;
/// How long pipes are drained after the end, when something that escaped still holds them.
const LINGER: Duration = Duration::from_millis(500);
/// How long a supervisor may take to end what it supervises.
const SUPERVISED_END: Duration = Duration::from_secs(3);

/// A started process with its pipes. Dropping it kills the whole tree.
struct Running {
    child: Child,
    pid: i32,
    stdout: Arc<Mutex<HeadTail>>,
    stderr: Arc<Mutex<HeadTail>>,
    /// Ended when this is dropped.
    tasks: Vec<tokio::task::JoinHandle<()>>,
    keep: Keep,
}

impl Running {
    /// Ends the job and all it started, without waiting.
    fn kill(&mut self) {
        let supervised = self.keep.lifeline.take().is_some();
        match &self.keep.group {
            Some(group) => group.kill(),
            // A supervisor sees its lifeline cut and ends all; killed itself, it could not.
            None if supervised => {}
            None => tree::kill_all(self.pid),
        }
    }

    /// Ends the job and all it started.
    async fn end(&mut self) -> Result<(), SandboxError> {
        self.kill();
        if tokio::time::timeout(SUPERVISED_END, self.child.wait()).await.is_err() {
            tree::kill_all(self.pid);
        }
        self.child.wait().await.map_err(io("waiting for a killed process"))?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The id is only reused after the child was waited for.
        if let Ok(None) = self.child.try_wait() {
            self.kill();
        }
        self.tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> SandboxError {
    move |source| SandboxError::Io { what, source }
}

async fn start(backend: &Backend, job: &Job, mut pipes: Vec<FdMapping>) -> Result<Running, SandboxError> {
    let spawn = |source| SandboxError::Spawn { program: job.program.clone(), source };
    if find_program(&job.program).is_none() {
        return Err(spawn(std::io::Error::new(std::io::ErrorKind::NotFound, "no such program")));
    }
    let (mut command, more, keep) = command(backend, job)?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(keep.lifeline.is_none());
    pipes.extend(more);
    if !pipes.is_empty() {
        command.fd_mappings(pipes).map_err(|error| spawn(std::io::Error::other(error.to_string())))?;
    }
    let mut child = spawner::spawn(command).await.map_err(spawn)?;
    let Some(pid) = child.id().and_then(|id| i32::try_from(id).ok()) else {
        return Err(spawn(std::io::Error::other("it ended before it could be watched")));
    };
    let stdout = Arc::new(Mutex::new(HeadTail::new(job.limits.output_bytes)));
    let stderr = Arc::new(Mutex::new(HeadTail::new(job.limits.output_bytes)));
    let mut tasks = Vec::new();
    if let Some(from) = child.stdout.take() {
        tasks.push(tokio::spawn(drain(from, stdout.clone())));
    }
    if let Some(from) = child.stderr.take() {
        tasks.push(tokio::spawn(drain(from, stderr.clone())));
    }
    Ok(Running { child, pid, stdout, stderr, tasks, keep })
}

/// Ends when the tree holds or wrote more than it may.
async fn watch(pid: i32, group: Option<&Group>, limits: &Limits, disk: &mut Disk) -> Exit {
    loop {
        tokio::time::sleep(WATCH_EVERY).await;
        // A full group is a bomb that burns: it is not worth walking.
        if group.is_some_and(Group::is_full) {
            return Exit::OutOfMemory;
        }
        let held = tree::held(pid);
        if held.resident_kib > limits.memory_mib << 10 || held.processes > MAX_PROCESSES {
            return Exit::OutOfMemory;
        }
        if disk.is_over(pid).await {
            return Exit::OutOfDisk;
        }
    }
}

/// Ends a server that writes more than it may; memory is held by whoever asks it.
async fn guard(pid: i32, mut disk: Disk) {
    loop {
        tokio::time::sleep(WATCH_EVERY).await;
        if disk.is_over(pid).await {
            tree::kill_all(pid);
            return;
        }
    }
}

/// The disk as a job finds it.
fn disk(job: &Job, keep: &Keep) -> Disk {
    let private = keep.private.as_ref().and_then(|folder| Utf8Path::from_path(folder.path()));
    let folders = job.writable.iter().cloned().chain(private.map(Utf8Path::to_owned));
    Disk::new(folders, job.limits.disk_mib << 20)
}

fn taken(buffer: &Arc<Mutex<HeadTail>>) -> Vec<u8> {
    buffer.lock().map(|mut buffer| std::mem::take(&mut *buffer).finish()).unwrap_or_default()
}

async fn finish(running: &mut Running, limits: &Limits, mut disk: Disk) -> Result<Exit, SandboxError> {
    let pid = running.pid;
    let exit = tokio::select! {
        status = running.child.wait() => {
            let status = status.map_err(io("waiting for a process"))?;
            if disk.was_over(pid).await {
                return Ok(Exit::OutOfDisk);
            }
            return Ok(status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or(0)), Exit::Code));
        }
        () = tokio::time::sleep(limits.wall) => Exit::TimedOut,
        exit = watch(pid, running.keep.group.as_ref(), limits, &mut disk) => exit,
    };
    running.end().await?;
    Ok(exit)
}

/// Writes the first message, keeps all that comes back, and answers its lines.
async fn converse(dialogue: Dialogue, mut to: pipe::Sender, from: pipe::Receiver, into: Arc<Mutex<HeadTail>>) {
    // Who does not read it all, or ends before, has no use for the rest.
    let sent = to.write_all(dialogue.first.as_bytes()).await;
    let mut listening = sent.is_ok();
    let mut lines = BufReader::with_capacity(64 << 10, from.take(RESULT_BYTES as u64));
    let mut line = Vec::new();
    while matches!(lines.read_until(b'\n', &mut line).await, Ok(1..)) {
        if let Ok(mut buffer) = into.lock() {
            buffer.push(&line);
        }
        if listening && let Some(answer) = dialogue.answer(&line) {
            listening = to.write_all(answer.as_bytes()).await.is_ok();
        }
        line.clear();
    }
}

pub(super) async fn run(backend: &Backend, job: Job) -> Result<Finished, SandboxError> {
    let begin = Instant::now();
    let results = Arc::new(Mutex::new(HeadTail::new(RESULT_BYTES)));
    let mut pipes = Vec::new();
    let mut teller = None;
    if let Some(dialogue) = job.dialogue.clone() {
        let (sender, receiver) = pipe::pipe().map_err(io("making a pipe"))?;
        let parent_fd = receiver.into_blocking_fd().map_err(io("making a pipe"))?;
        pipes.push(FdMapping { parent_fd, child_fd: 4 });
        teller = Some((dialogue, sender));
    }
    let mut reader = None;
    if job.results || teller.is_some() {
        let (sender, receiver) = pipe::pipe().map_err(io("making a pipe"))?;
        let parent_fd = sender.into_blocking_fd().map_err(io("making a pipe"))?;
        pipes.push(FdMapping { parent_fd, child_fd: 3 });
        reader = Some(match teller {
            Some((dialogue, sender)) => tokio::spawn(converse(dialogue, sender, receiver, results.clone())),
            None => tokio::spawn(drain(receiver, results.clone())),
        });
    }
    let mut running = start(backend, &job, pipes).await?;
    running.tasks.extend(reader);
    let group = nix::unistd::Pid::from_raw(running.pid);
    let disk = disk(&job, &running.keep);
    let exit = finish(&mut running, &job.limits, disk).await?;
    // Whatever the program left behind in its group ends with it.
    let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
    let drained = async {
        for drain in &mut running.tasks {
            let _ = drain.await;
        }
    };
    let _ = tokio::time::timeout(LINGER, drained).await;
    let mut stderr = without_notice(taken(&running.stderr));
    if exit == Exit::OutOfDisk {
        stderr.extend(format!("\nended: it wrote more than {} MiB to disk\n", job.limits.disk_mib).bytes());
    }
    Ok(Finished { exit, stdout: taken(&running.stdout), stderr, results: taken(&results), wall: begin.elapsed() })
}

/// A server in the sandbox: requests go to its descriptor 4, answers come from its descriptor 3.
pub struct Served {
    running: Running,
    /// To the server's descriptor 4.
    pub requests: pipe::Sender,
    /// From the server's descriptor 3.
    pub answers: pipe::Receiver,
}

impl Served {
    /// What it wrote to its standard error so far, head and tail.
    pub fn stderr(&self) -> Vec<u8> {
        without_notice(taken(&self.running.stderr))
    }

    /// What it wrote to its standard output so far, head and tail; taken, so that the next call begins anew.
    pub fn stdout(&self) -> Vec<u8> {
        taken(&self.running.stdout)
    }

    /// Resident memory of the server and all it started, in KiB.
    pub fn resident_kib(&self) -> u64 {
        tree::held(self.running.pid).resident_kib
    }

    /// How it ended, when it has.
    pub fn exit(&mut self) -> Option<Exit> {
        let status = self.running.child.try_wait().ok()??;
        Some(status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or(0)), Exit::Code))
    }

    /// Kills it and all it started.
    pub fn kill(&mut self) {
        self.running.kill();
    }
}

pub(super) async fn serve(backend: &Backend, job: Job) -> Result<Served, SandboxError> {
    let (to_parent, answers) = pipe::pipe().map_err(io("making a pipe"))?;
    let (requests, from_parent) = pipe::pipe().map_err(io("making a pipe"))?;
    let pipes = vec![
        FdMapping { parent_fd: to_parent.into_blocking_fd().map_err(io("making a pipe"))?, child_fd: 3 },
        FdMapping { parent_fd: from_parent.into_blocking_fd().map_err(io("making a pipe"))?, child_fd: 4 },
    ];
    let mut running = start(backend, &job, pipes).await?;
    let disk = disk(&job, &running.keep);
    running.tasks.push(tokio::spawn(guard(running.pid, disk)));
    Ok(Served { running, requests, answers })
}
