//! The warm compiler: one JVM that compiles changed files in memory and never loads what it makes.

use super::harness::{COMPILER_POOL, POOL_SINCE};
use crate::domain::{Diagnostic, RepoPath};
use crate::sandbox::{Job, Sandbox, SandboxError, Served};
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;

/// A compilation beyond this is stuck.
const WALL: Duration = Duration::from_secs(60);
/// Longer pieces in an answer are a fault of the protocol.
const LONGEST: usize = 256 << 20;
const HEAP_MIB: u64 = 512;

/// Classes by name, with their bytes.
pub(in crate::validate) type Classes = BTreeMap<String, Vec<u8>>;

/// What the daemon answered.
pub(in crate::validate) type Answer = Result<Classes, Vec<Diagnostic>>;

/// A running daemon.
pub(in crate::validate) struct Daemon {
    served: Served,
}

/// What a daemon is started with.
pub(in crate::validate) struct DaemonSetup<'a> {
    pub(in crate::validate) sandbox: &'a Sandbox,
    pub(in crate::validate) jdk: &'a crate::benchmark::jdk::Jdk,
    pub(in crate::validate) runner: &'a Utf8Path,
    pub(in crate::validate) level: super::Level,
    /// The folder of the project. Annotation processors may read settings there.
    pub(in crate::validate) root: &'a Utf8Path,
    /// Untouched classes and libraries, in order.
    pub(in crate::validate) class_path: Vec<Utf8PathBuf>,
    /// An existing folder for its options.
    pub(in crate::validate) scratch: &'a Utf8Path,
}

impl Daemon {
    /// Starts it.
    pub(in crate::validate) async fn start(setup: &DaemonSetup<'_>) -> Result<Self, ValidateError> {
        let joined = setup.class_path.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
        let mut options = setup.level.arguments(setup.jdk);
        // An empty source path: whatever is not given is read from classes.
        options.extend(["-sourcepath", "", "-classpath", &joined, "-implicit:none"].map(String::from));
        let name = if setup.level.processors { "compiler-options-with-processors" } else { "compiler-options" };
        let file = setup.scratch.join(name);
        std::fs::write(&file, options.join("\n")).map_err(io_error("writing the compiler's options", &file))?;
        let encoding = if setup.level.encoding.is_empty() { "UTF-8" } else { &setup.level.encoding };
        let mut args: Vec<String> = flags(HEAP_MIB);
        if setup.jdk.major >= POOL_SINCE {
            args.extend(COMPILER_POOL.map(String::from));
        }
        args.extend(["-Xss8m", "-cp", setup.runner.as_str(), "unidebug.runner.Compiler"].map(String::from));
        args.extend([encoding.to_owned(), file.to_string(), setup.root.to_string()]);
        let mut job = Job::new(setup.jdk.java(), setup.scratch)
            .args(args)
            .read(setup.class_path.iter().cloned())
            .read([setup.runner.to_owned(), setup.jdk.home.clone()]);
        if setup.level.processors {
            job = job.read([setup.root.to_owned()]);
        }
        job.limits.memory_mib = HEAP_MIB * 2 + 512;
        Ok(Self { served: setup.sandbox.serve(job).await? })
    }

    /// Compiles files given by path and bytes.
    ///
    /// # Errors
    /// The daemon is gone or stuck; it must be started again.
    pub(in crate::validate) async fn compile(&mut self, files: &[(RepoPath, &[u8])]) -> Result<Answer, SandboxError> {
        let exchange = async {
            let mut request = Vec::new();
            put_count(&mut request, files.len());
            for (path, bytes) in files {
                put(&mut request, path.as_str().as_bytes());
                put(&mut request, bytes);
            }
            self.served.requests.write_all(&request).await?;
            read_answer(&mut BufReader::with_capacity(1 << 16, &mut self.served.answers)).await
        };
        let late = || std::io::Error::new(std::io::ErrorKind::TimedOut, "no answer in 60 s");
        let answer = tokio::time::timeout(WALL, exchange).await.unwrap_or_else(|_| Err(late()));
        answer.map_err(|source| {
            let errors = String::from_utf8_lossy(&self.served.stderr()).lines().next().unwrap_or("").to_owned();
            SandboxError::Io {
                what: "asking the warm compiler",
                source: std::io::Error::other(format!("{source} {errors}")),
            }
        })
    }

    /// Resident memory in KiB.
    pub(in crate::validate) fn resident_kib(&self) -> u64 {
        self.served.resident_kib()
    }
}

/// What every warm JVM runs with: on few processors the optimising compiler and a parallel collector cost more than
/// they bring.
pub(in crate::validate) fn flags(heap_mib: u64) -> Vec<String> {
    let mut flags: Vec<String> =
        ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"].map(String::from).to_vec();
    flags.push(format!("-Xmx{heap_mib}m"));
    flags
}

/// Appends a count.
pub(super) fn put_count(into: &mut Vec<u8>, count: usize) {
    into.extend(i32::try_from(count).unwrap_or(i32::MAX).to_be_bytes());
}

/// Appends bytes with their length in front.
pub(super) fn put(into: &mut Vec<u8>, bytes: &[u8]) {
    put_count(into, bytes.len());
    into.extend(bytes);
}

type Answers<'a> = BufReader<&'a mut pipe::Receiver>;

async fn read_answer(from: &mut Answers<'_>) -> std::io::Result<Answer> {
    let ok = from.read_u8().await? != 0;
    let mut complaints = Vec::new();
    for _ in 0..from.read_i32().await? {
        let path = text(from).await?;
        let line = u32::try_from(from.read_i32().await?).unwrap_or(0);
        let message = text(from).await?;
        let message = message.lines().map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let file = (!path.is_empty()).then(|| RepoPath::new(&path).ok()).flatten();
        complaints.push(Diagnostic { file, line, message });
    }
    let mut classes = Classes::new();
    for _ in 0..from.read_i32().await? {
        let name = text(from).await?;
        let bytes = bytes(from).await?;
        classes.insert(name, bytes);
    }
    if ok {
        return Ok(Ok(classes));
    }
    if complaints.is_empty() {
        complaints.push(Diagnostic { file: None, line: 0, message: "the compiler gave no reason".into() });
    }
    Ok(Err(complaints))
}

async fn bytes(from: &mut Answers<'_>) -> std::io::Result<Vec<u8>> {
    let length = usize::try_from(from.read_i32().await?).unwrap_or(usize::MAX);
    if length > LONGEST {
        return Err(std::io::Error::other("an answer that is too long"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn text(from: &mut Answers<'_>) -> std::io::Result<String> {
    Ok(String::from_utf8_lossy(&bytes(from).await?).into_owned())
}
