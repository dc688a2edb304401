//! The warm judge: candidates are compiled by a compiler that stays, and tested in a process that stays, each in a class
//! loader of its own. Its pass is only ever `passed_warm`; the confirmation is the cold judge's.
//!
//! The ladder for each candidate, cheapest first: same text, syntax, compiler, same byte code, triggering tests, tests
//! that stopped earlier candidates, all that can notice the change.

mod compile;
mod selection;
mod testing;

use super::baseline::ROOM;
use super::cold::{self, ColdValidator};
use super::jvm::{Daemon, Jvm};
use super::memory::Memory;
use super::{Baseline, Coverage, OnResult, Options, Spectrum, SpectrumScope, ValidateError, Validator};
use crate::benchmark::Checkout;
use crate::domain::{Diagnostic, Outcome, Patch, RepoPath, TestId, TestReport, Validation};
use crate::sandbox::Sandbox;
use compile::Compiled;
use selection::Selection;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use testing::Warm;
use tokio::sync::{Mutex, OnceCell};

/// Whether a candidate is one of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Haste {
    /// One of a batch.
    Batch,
    /// Proposed by itself.
    One,
}

/// Judges candidates in warm processes, and by the cold judge whatever those cannot.
pub struct WarmValidator {
    inner: Arc<Inner>,
    /// Warms everything up while nobody asks yet.
    starting: tokio::task::JoinHandle<()>,
}

impl Drop for WarmValidator {
    fn drop(&mut self) {
        self.starting.abort();
    }
}

struct Inner {
    jvm: Arc<Jvm>,
    cold: ColdValidator,
    daemon: Mutex<Option<Daemon>>,
    workers: OnceCell<Option<Warm>>,
    selection: OnceCell<Option<Selection>>,
    memory: Memory,
}

impl WarmValidator {
    /// Opens the cold judge, with its baseline, and starts the warm processes in the background.
    ///
    /// # Errors
    /// As [`ColdValidator::open`].
    pub async fn open(checkout: &Checkout, sandbox: &Sandbox, mut options: Options) -> Result<Self, ValidateError> {
        let (jvm, cold) = loop {
            let jvm = Arc::new(Jvm::prepare(checkout, sandbox, options.clone()).await?);
            match ColdValidator::over(jvm.clone()).await? {
                Some(cold) => break (jvm, cold),
                None => options.heap_mib = ROOM,
            }
        };
        let (daemon, workers, selection, memory) = Default::default();
        let inner = Arc::new(Inner { jvm, cold, daemon, workers, selection, memory });
        let starting = tokio::spawn({
            let inner = inner.clone();
            async move {
                inner.warm_up_compiler().await;
                inner.warm().await;
                inner.selection().await;
            }
        });
        Ok(Self { inner, starting })
    }

    /// Resident memory of the warm processes in MiB, for reports.
    pub async fn resident_mib(&self) -> u64 {
        let daemon = self.inner.daemon.lock().await.as_ref().map_or(0, Daemon::resident_kib);
        let workers = match self.inner.workers.get() {
            Some(Some(warm)) => warm.workers.lock().await.resident_kib(),
            _ => 0,
        };
        (daemon + workers) >> 10
    }

    /// Test processes started so far.
    pub async fn workers_started(&self) -> usize {
        match self.inner.workers.get() {
            Some(Some(warm)) => warm.workers.lock().await.started,
            _ => 0,
        }
    }
}

impl Inner {
    async fn warm(&self) -> Option<&Warm> {
        let start = || async {
            match self.start_workers().await {
                Ok(warm) => Some(warm),
                Err(error) => {
                    tracing::warn!("candidates are judged in cold processes: {error}");
                    None
                }
            }
        };
        self.workers.get_or_init(start).await.as_ref()
    }

    /// Which tests can notice a change; `None` means that all may.
    async fn selection(&self) -> Option<&Selection> {
        let measure = || async {
            Selection::of(&self.jvm, self.cold.baseline()).await.unwrap_or_else(|error| {
                tracing::warn!("candidates run all tests: {error}");
                None
            })
        };
        self.selection.get_or_init(measure).await.as_ref()
    }

    async fn finish(
        &self,
        patch: &Patch,
        compiled: Compiled,
        begin: Instant,
        haste: Haste,
    ) -> Result<Validation, ValidateError> {
        let mut validation = match compiled {
            Compiled::Answered(validation) => validation,
            Compiled::Cold => self.cold.validate(patch).await?,
            Compiled::Ready(classes) => match self.warm().await {
                None => self.cold.validate(patch).await?,
                Some(warm) => {
                    let validation = match self.test(warm, &classes, haste).await {
                        Ok((report, judged)) if judged.outcome != Outcome::MissingTests => {
                            self.memory.learn(&judged, self.cold.baseline());
                            cold::answer(&report, judged, 0.0)
                        }
                        // Tests that vanish may be this process's fault, not the candidate's.
                        Ok(_) => self.cold.validate(patch).await?,
                        Err(error) => {
                            tracing::warn!("tested in a cold process: {error}");
                            self.cold.validate(patch).await?
                        }
                    };
                    self.memory.keep_code(&classes, &validation);
                    validation
                }
            },
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        if !matches!(validation.outcome, Outcome::Duplicate | Outcome::Refused | Outcome::Unappliable) {
            self.memory.keep_text(patch, &validation);
        }
        Ok(validation)
    }

    /// While one candidate is tested, the next is compiled.
    async fn pipeline(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        let mut next = match patches.first() {
            Some(first) => Some((Instant::now(), self.compile(first, Haste::Batch).await?)),
            None => None,
        };
        for (at, patch) in patches.iter().enumerate() {
            let Some((begin, compiled)) = next.take() else { break };
            let ahead = async {
                let begin = Instant::now();
                match patches.get(at + 1) {
                    Some(patch) => self.compile(patch, Haste::Batch).await.map(|compiled| Some((begin, compiled))),
                    None => Ok(None),
                }
            };
            let (validation, ahead) = tokio::join!(self.finish(patch, compiled, begin, Haste::Batch), ahead);
            if let ControlFlow::Break(()) = on_result(at, &validation?) {
                break;
            }
            next = ahead?;
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl Validator for WarmValidator {
    fn baseline(&self) -> &Baseline {
        self.inner.cold.baseline()
    }

    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let compiled = self.inner.compile(patch, Haste::One).await?;
        self.inner.finish(patch, compiled, begin, Haste::One).await
    }

    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        self.inner.pipeline(patches, on_result).await
    }

    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let confirmed = self.inner.cold.confirm(patch).await?;
        let warm = self.inner.memory.of_text(patch).map(|known| known.outcome);
        if warm == Some(Outcome::PassedWarm) && !confirmed.is_plausible() {
            tracing::warn!("a candidate passed warm and is {} cold: {}", confirmed.outcome, confirmed.detail);
        }
        Ok(confirmed)
    }

    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError> {
        self.inner.cold.run_tests(tests).await
    }

    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError> {
        self.inner.cold.failing_coverage().await
    }

    async fn spectrum(&self, scope: &SpectrumScope) -> Result<Option<Spectrum>, ValidateError> {
        self.inner.cold.spectrum(scope).await
    }

    async fn same_code(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError> {
        self.inner.cold.same_code(a, b).await
    }

    async fn warnings(&self, file: &RepoPath) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        self.inner.cold.warnings(file).await
    }
}
