//! Warm test processes: candidates' classes go in, records come out. A process that a candidate spoilt is thrown away,
//! and another one is already waiting.

use super::daemon::{Classes, flags, put, put_count};
use super::suite::{NO_ATTACHING, agent, memory, mocking_agent, told_class_path};
use crate::benchmark::Checkout;
use crate::benchmark::jdk::Jdk;
use crate::domain::{RunEnd, TestReport};
use crate::sandbox::{Exit, Job, Sandbox, SandboxError, Served};
use crate::validate::WorkDir;
use crate::validate::keys::Keys;
use crate::validate::plan::Plan;
use crate::validate::records::{self, ProcessReport};
use crate::validate::served;
use crate::validate::subject::Copy;
use crate::validate::suite;
use camino::Utf8PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;

/// A process is replaced after this many candidates, whatever it looks like.
const CANDIDATES: usize = 400;
/// What a run may take beyond the sum of its tests.
const GRACE: Duration = Duration::from_secs(30);

/// What a worker is started with.
#[derive(Clone)]
pub(in crate::validate) struct WorkerSetup {
    pub(in crate::validate) sandbox: Sandbox,
    pub(in crate::validate) jdk: Jdk,
    pub(in crate::validate) runner: Utf8PathBuf,
    /// Folders of untouched classes, held in memory.
    pub(in crate::validate) classes: Vec<Utf8PathBuf>,
    /// Copies of the resources beside them, for who asks the system class loader.
    pub(in crate::validate) copied: Vec<Utf8PathBuf>,
    /// Libraries, in the parent loader.
    pub(in crate::validate) libraries: Vec<Utf8PathBuf>,
    /// Each process works in a copy of it.
    pub(in crate::validate) checkout: Checkout,
    /// Where the copies are made.
    pub(in crate::validate) work_dir: WorkDir,
    pub(in crate::validate) heap_mib: u64,
    pub(in crate::validate) jvm_args: Vec<String>,
}

struct Worker {
    served: Served,
    candidates: usize,
    /// What its tests may write.
    copy: Copy,
}

impl WorkerSetup {
    async fn start(&self) -> Result<Worker, SandboxError> {
        let copy = Copy::of(&self.checkout, &self.work_dir).map_err(|error| SandboxError::Io {
            what: "making a copy for a test process",
            source: std::io::Error::other(error),
        })?;
        let project = &self.checkout.project;
        let resources: Vec<_> = project.resources.iter().map(|folder| folder.under(&copy.tree)).collect();
        let told = told_class_path(project, self.classes.iter().chain(&resources).chain(&self.libraries));
        let mut class_path = vec![self.runner.clone()];
        class_path.extend(resources);
        class_path.extend(self.copied.iter().chain(&self.libraries).cloned());
        let joined = class_path.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
        let mut args = flags(self.heap_mib);
        args.extend(["-XX:+ExitOnOutOfMemoryError", NO_ATTACHING, "-Djava.awt.headless=true", "-ea"].map(String::from));
        args.extend(mocking_agent(&self.libraries).map(|at| agent(&self.libraries[at])));
        args.extend(told);
        args.extend(self.jvm_args.iter().cloned());
        args.extend(["-cp".into(), joined, "unidebug.runner.Worker".into()]);
        args.push(self.copied.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":"));
        args.extend(self.classes.iter().map(ToString::to_string));
        let mut job = Job::new(self.jdk.java(), project.cwd().under(&copy.tree))
            .args(args)
            .read(class_path)
            .read(self.classes.iter().cloned())
            .read([self.jdk.home.clone()])
            .read(self.checkout.named_in(&self.jvm_args))
            .read(self.checkout.named_in_environment())
            .write(&copy.tree);
        job.env.extend(project.environment.iter().cloned());
        job.env.push(("JAVA_HOME".into(), self.jdk.home.to_string()));
        job.limits.memory_mib = memory(self.heap_mib, &self.jvm_args);
        Ok(Worker { served: self.sandbox.serve(job).await?, candidates: 0, copy })
    }
}

/// One worker at work and one waiting.
pub(in crate::validate) struct Workers {
    setup: Arc<WorkerSetup>,
    at_work: Option<Worker>,
    waiting: Option<tokio::task::JoinHandle<Result<Worker, SandboxError>>>,
    /// Processes started so far.
    pub(in crate::validate) started: usize,
}

/// One run in a worker.
enum Answer {
    /// Its report is complete.
    Complete(ProcessReport),
    /// The process is gone.
    Gone(ProcessReport, RunEnd),
}

impl Workers {
    /// Starts both.
    pub(in crate::validate) fn new(setup: WorkerSetup) -> Self {
        let mut workers = Self { setup: Arc::new(setup), at_work: None, waiting: None, started: 0 };
        workers.start_spare();
        workers
    }

    fn start_spare(&mut self) {
        let setup = self.setup.clone();
        self.started += 1;
        self.waiting = Some(tokio::spawn(async move { setup.start().await }));
    }

    /// Whether no candidate ran yet in the process that takes the next one.
    pub(in crate::validate) fn is_fresh(&self) -> bool {
        self.at_work.is_none()
    }

    /// Throws away what candidates may have spoilt: the next one gets a fresh process in a fresh copy.
    pub(in crate::validate) fn renew(&mut self) {
        self.at_work = None;
    }

    async fn take(&mut self) -> Result<Worker, SandboxError> {
        if let Some(worker) = self.at_work.take() {
            return Ok(worker);
        }
        let waiting = self.waiting.take();
        let worker = match waiting {
            Some(waiting) => waiting.await.unwrap_or_else(|error| {
                Err(SandboxError::Io { what: "starting a test process", source: std::io::Error::other(error) })
            })?,
            None => self.setup.start().await?,
        };
        self.start_spare();
        Ok(worker)
    }

    /// Runs a plan on a candidate; the report is as a cold run's would be.
    ///
    /// # Errors
    /// No worker can be started.
    pub(in crate::validate) async fn run(
        &mut self,
        candidate: &Classes,
        plan: &Plan,
        must: &[String],
    ) -> Result<TestReport, SandboxError> {
        let begin = Instant::now();
        let mut report = suite::empty();
        loop {
            let left = plan.deadlines.total.saturating_sub(begin.elapsed());
            if left.is_zero() {
                report.end = RunEnd::TimedOut;
                return Ok(report);
            }
            let mut worker = self.take().await?;
            let keys = Keys::new();
            let request = suite::request(plan, &report, &keys, left, must);
            let answer = worker.run(candidate, &request, &keys, left + GRACE).await;
            report.output_tail = worker.tail();
            let (reply, end) = match answer {
                Answer::Complete(reply) => (reply, None),
                Answer::Gone(reply, end) => (reply, Some(end)),
            };
            let why = reply.over.as_ref().map_or("", |over| over.why.as_str()).to_owned();
            let (ran, seconds) = (reply.results.len(), begin.elapsed().as_secs_f64());
            tracing::debug!(only = plan.only.len(), ran, seconds, why, "a run in a warm process ended");
            let honest = reply.over.as_ref().is_some_and(|over| over.count == reply.results.len());
            let before = report.results.len();
            suite::add(&mut report, reply, end);
            worker.candidates += 1;
            if why == "stopped" && begin.elapsed() >= plan.deadlines.total {
                report.end = RunEnd::TimedOut;
            }
            if honest && (why == "done" || why == "stopped") && worker.candidates < CANDIDATES {
                self.at_work = Some(worker);
                return Ok(report);
            }
            match why.split(' ').next() {
                Some("done" | "stopped") if honest => return Ok(report),
                Some("cut") if honest && plan.losses == 1 => {
                    report.end = RunEnd::TimedOut;
                    return Ok(report);
                }
                // Threads that compute for ever fail one test; the others have still to be told, unless nobody asks.
                Some("cut" | "runaway") if honest && report.results.len() > before => {
                    if plan.losses == 1 && !plan.only.is_empty() {
                        return Ok(report);
                    }
                }
                _ => {
                    report.end = end.unwrap_or(RunEnd::Crashed);
                    return Ok(report);
                }
            }
        }
    }

    /// Resident memory of what runs, in KiB.
    pub(in crate::validate) fn resident_kib(&self) -> u64 {
        self.at_work.as_ref().map_or(0, |worker| worker.served.resident_kib())
    }
}

impl Worker {
    async fn run(&mut self, candidate: &Classes, request: &str, keys: &Keys, wall: Duration) -> Answer {
        let mut bytes = vec![b'C'];
        put_count(&mut bytes, candidate.len());
        for (name, class) in candidate {
            put(&mut bytes, name.as_bytes());
            put(&mut bytes, class);
        }
        bytes.push(b'R');
        put(&mut bytes, request.as_bytes());
        let mut reply = Vec::new();
        let exchange = async {
            self.served.requests.write_all(&bytes).await?;
            served::follow(&mut self.served, keys, &mut reply, |run, line| run.is_over(line).then_some(())).await
        };
        match tokio::time::timeout(wall, exchange).await {
            Ok(Ok(())) => Answer::Complete(self.read(&reply, keys)),
            Ok(Err(_)) => {
                let end = self.end().await;
                Answer::Gone(self.read(&reply, keys), end)
            }
            Err(_) => {
                self.served.kill();
                Answer::Gone(self.read(&reply, keys), RunEnd::TimedOut)
            }
        }
    }

    fn read(&self, reply: &[u8], keys: &Keys) -> ProcessReport {
        records::read(reply, keys).in_project(&self.copy.tree)
    }

    /// How the process ended, once its channel is closed.
    async fn end(&mut self) -> RunEnd {
        for _ in 0..50 {
            match self.served.exit() {
                // The JVM's code under `ExitOnOutOfMemoryError`.
                Some(Exit::Code(3)) => return RunEnd::OutOfMemory,
                Some(_) => return RunEnd::Crashed,
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
        RunEnd::Crashed
    }

    fn tail(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.served.stdout()).into_owned();
        text.push_str(&String::from_utf8_lossy(&self.served.stderr()));
        suite::last_chars(&text)
    }
}
