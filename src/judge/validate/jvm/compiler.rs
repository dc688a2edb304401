//! The compiler of a project that stays: started when it is first asked, and once again when it is gone.

use super::daemon::{Answer, Daemon, DaemonSetup};
use super::javac::Level;
use super::subject::Jvm;
use crate::domain::RepoPath;
use crate::validate::ValidateError;
use tokio::sync::Mutex;

/// A compiler with the untouched classes of a project on its class path.
pub(in crate::validate) struct WarmCompiler {
    daemon: Mutex<Option<Daemon>>,
    /// Whether it runs annotation processors. They may make nothing but classes.
    processors: bool,
}

impl WarmCompiler {
    /// A compiler that is not started yet.
    pub(super) fn new(processors: bool) -> Self {
        Self { daemon: Mutex::default(), processors }
    }

    /// Compiles files given by path and bytes; all that they need beside the untouched classes must be among them.
    ///
    /// # Errors
    /// No compiler can be started, or a new one is gone or stuck as well.
    pub(in crate::validate) async fn compile(
        &self,
        subject: &Jvm,
        files: &[(RepoPath, &[u8])],
    ) -> Result<Answer, ValidateError> {
        let mut daemon = self.daemon.lock().await;
        if let Some(running) = daemon.as_mut()
            && let Ok(answer) = running.compile(files).await
        {
            return Ok(answer);
        }
        let setup = DaemonSetup {
            sandbox: &subject.sandbox,
            jdk: &subject.jdk,
            runner: &subject.harness.classes,
            level: Level { processors: self.processors, ..subject.level() },
            root: &subject.checkout.root,
            class_path: subject.class_path_with(&[]),
            scratch: &subject.options.work_dir,
        };
        let answer = daemon.insert(Daemon::start(&setup).await?).compile(files).await;
        if answer.is_err() {
            *daemon = None;
        }
        Ok(answer?)
    }

    /// Resident memory in KiB; 0 while none runs.
    pub(in crate::validate) async fn resident_kib(&self) -> u64 {
        self.daemon.lock().await.as_ref().map_or(0, Daemon::resident_kib)
    }
}
