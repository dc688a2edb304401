//! Cold JVMs: how a process of the runner is started.

use super::harness::Harness;
use crate::benchmark::jdk::Jdk;
use crate::sandbox::{Finished, Job, Sandbox};
use crate::validate::ValidateError;
use crate::validate::plan::Plan;
use crate::validate::suite::{Process, START};
use camino::Utf8PathBuf;
use std::time::Duration;

/// Heap in MiB for a test that only ran out of memory.
const ROOMY_HEAP: u64 = 4096;

/// Where and with what tests run.
pub(in crate::validate) struct Suite<'a> {
    pub(in crate::validate) sandbox: &'a Sandbox,
    pub(in crate::validate) jdk: &'a Jdk,
    pub(in crate::validate) harness: &'a Harness,
    /// Everything behind our runner, in order.
    pub(in crate::validate) class_path: Vec<Utf8PathBuf>,
    /// Working directory of the tests.
    pub(in crate::validate) cwd: Utf8PathBuf,
    /// The only folder tests may write: the copy the working directory lies in.
    pub(in crate::validate) writable: Utf8PathBuf,
    /// Heap of the test JVM in MiB.
    pub(in crate::validate) heap_mib: u64,
}

impl Suite<'_> {
    fn job(&self, plan: &Plan, request: String, left: Duration) -> Job {
        let mut class_path = vec![self.harness.classes.clone()];
        class_path.extend(self.class_path.iter().cloned());
        let joined = class_path.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
        let heap = if plan.roomy { self.heap_mib.max(ROOMY_HEAP) } else { self.heap_mib };
        let mut args: Vec<String> =
            ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError"].map(String::from).to_vec();
        args.extend([format!("-Xmx{heap}m"), "-Djava.awt.headless=true".into(), "-ea".into()]);
        args.extend(plan.args.iter().cloned());
        args.extend(["-cp".into(), joined, "unidebug.runner.Cold".into()]);
        let mut job = Job::new(self.jdk.java(), &self.cwd)
            .args(args)
            .read(class_path)
            .read([self.jdk.home.clone()])
            .write(&self.writable)
            .wall(left + START);
        job.env.push(("JAVA_HOME".into(), self.jdk.home.to_string()));
        job.results = true;
        job.request = Some(request);
        job.limits.memory_mib = heap * 2 + 512;
        job
    }
}

#[async_trait::async_trait]
impl Process for Suite<'_> {
    async fn start(&self, plan: &Plan, request: String, left: Duration) -> Result<Finished, ValidateError> {
        Ok(self.sandbox.run(self.job(plan, request, left)).await?)
    }
}
