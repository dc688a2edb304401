//! Processes that have loaded pytest and the libraries of the tests, and fork for each run: for candidates of which few are
//! confirmed, in fresh processes then.

use super::{Python, Suite};
use crate::sandbox::{Exit, Finished, Served};
use crate::validate::plan::Plan;
use crate::validate::records::Listener;
use crate::validate::served;
use crate::validate::subject::Copy;
use crate::validate::suite::{Process, RunRequest, START};
use crate::validate::{Options, ValidateError, WorkDir, io_error};
use camino::Utf8Path;
use serde::Deserialize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;

/// A process is replaced after this many runs, whatever it looks like.
const RUNS: usize = 400;

/// The processes of a project that wait for a run.
#[derive(Default)]
pub(super) struct Servers {
    waiting: Mutex<Vec<Server>>,
}

struct Server {
    served: Served,
    runs: usize,
    /// Where it loads what the tests load.
    _copy: Copy,
}

/// What a server says when a run is over.
#[derive(Deserialize)]
struct Ended {
    ended: i32,
}

impl Servers {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Server>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Python {
    /// The folder that copies for servers lie in: the only one that they may write.
    pub(super) fn served_folder(options: &Options) -> Result<WorkDir, ValidateError> {
        let folder = options.work_dir.join("served");
        std::fs::create_dir_all(&folder).map_err(io_error("making a folder for test processes", &folder))?;
        let folder = folder.canonicalize_utf8();
        folder.map(WorkDir::new).map_err(io_error("finding the folder of test processes", &options.work_dir))
    }

    /// A new server, which has loaded what the tests of these classes load.
    async fn start_server(&self, classes: &[String]) -> Result<Server, ValidateError> {
        let copy = Copy::of(&self.checkout, &self.served)?;
        let files = classes.iter().filter_map(|class| self.file_of(class));
        self.rewrite(classes).await;
        let cwd = self.checkout.project.module.under(&copy.tree);
        let job = self.job(&cwd, "serve").args(files).write(self.served.to_path_buf());
        Ok(Server { served: self.sandbox.serve(job).await?, runs: 0, _copy: copy })
    }

    fn file_of(&self, class: &str) -> Option<String> {
        self.files.iter().find(|(name, _)| name == class).map(|(_, file)| file.clone())
    }
}

/// A suite whose tests run in children of servers.
pub(super) struct ServedSuite<'a>(pub(super) Suite<'a>);

#[async_trait::async_trait]
impl Process for ServedSuite<'_> {
    /// Runs a request in a child of a server. One that does not end as it must is thrown away.
    async fn start(&self, plan: &Plan, mut request: RunRequest, left: Duration) -> Result<Finished, ValidateError> {
        let Self(suite) = self;
        request.request = suite.request(plan, request.request);
        let servers = &suite.subject.servers;
        let known = servers.lock().pop();
        let mut server = match known {
            Some(server) => server,
            None => suite.subject.start_server(&plan.classes).await?,
        };
        let begin = Instant::now();
        let mut results = Vec::new();
        let run = server.run(&suite.cwd, &request, &mut results);
        let ended = tokio::time::timeout(left + START, run).await;
        let exit = match ended {
            Ok(Ok(code)) => {
                server.runs += 1;
                if code >= 0 { Exit::Code(code) } else { Exit::Signal(-code) }
            }
            Ok(Err(_)) => Exit::Signal(0),
            Err(_) => Exit::TimedOut,
        };
        let (stdout, stderr) = (server.served.stdout(), server.served.stderr());
        if exit == Exit::Signal(0) {
            tracing::debug!("a process that waits for runs is gone: {}", String::from_utf8_lossy(&stderr));
        }
        if matches!(exit, Exit::Code(_)) && server.runs < RUNS {
            servers.lock().push(server);
        }
        Ok(Finished { exit, stdout, stderr, results, wall: begin.elapsed() })
    }

    fn copy(&self) -> &Utf8Path {
        self.0.copy()
    }
}

impl Server {
    /// One run; the exit code of the child, or its signal below zero.
    async fn run(&mut self, cwd: &Utf8Path, request: &RunRequest, results: &mut Vec<u8>) -> std::io::Result<i32> {
        let cwd = cwd.as_str();
        let first = format!("R{:010}{cwd}{:010}{}", cwd.len(), request.request.len(), request.request);
        self.served.requests.write_all(first.as_bytes()).await?;
        let ended = |_: &Listener, line: &[u8]| serde_json::from_slice(line).ok().map(|Ended { ended }| ended);
        served::follow(&mut self.served, request.keys(), results, ended).await
    }
}
