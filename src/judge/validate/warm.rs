//! The warm judge: candidates are compiled by a compiler that stays, and tested in a process that stays, each in a class
//! loader of its own. Its pass is only ever `passed_warm`; the confirmation is the cold judge's.
//!
//! The steps for each candidate, cheapest first: syntax, compiler, same byte code, triggering tests; in a batch also tests
//! that stopped earlier candidates, and those near the change.

mod compile;
mod testing;
mod trust;

use super::cold::ColdJudge;
use super::jvm::{Jvm, WarmCompiler};
use super::memory::{Key, Memory};
use super::{Baseline, Judge, OnResult, Options, ValidateError};
use crate::benchmark::Checkout;
use crate::domain::{Disagreement, Outcome, Patch, RepoPath, Validation};
use crate::sandbox::Sandbox;
use compile::{Compiled, Compiler};
use std::collections::BTreeMap;
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
pub struct WarmJudge {
    inner: Arc<Inner>,
    /// Warms everything up while nobody asks yet.
    starting: tokio::task::JoinHandle<()>,
}

impl Drop for WarmJudge {
    fn drop(&mut self) {
        self.starting.abort();
    }
}

struct Inner {
    jvm: Arc<Jvm>,
    cold: Arc<ColdJudge>,
    workers: OnceCell<Option<Warm>>,
    /// Which compiler a file needs for annotation processors; of those that were asked for.
    compilers: Mutex<BTreeMap<RepoPath, Compiler>>,
    memory: Arc<Memory>,
    /// Where the cold judge disagreed, until somebody takes note.
    disagreements: std::sync::Mutex<Vec<Disagreement>>,
}

impl WarmJudge {
    /// Opens the cold judge, with its baseline. The warm processes start in the background once the spectrum is measured,
    /// whose time is short, else with the first candidate.
    ///
    /// # Errors
    /// As [`ColdJudge::open`].
    pub async fn open(checkout: &Checkout, sandbox: &Sandbox, options: Options) -> Result<Self, ValidateError> {
        let jvm = Arc::new(Jvm::prepare(checkout, sandbox, options).await?);
        let cold = Arc::new(ColdJudge::over(jvm.clone(), sandbox).await?);
        let (workers, compilers, memory, disagreements) = Default::default();
        let inner = Arc::new(Inner { jvm, cold, workers, compilers, memory, disagreements });
        let starting = tokio::spawn({
            let inner = inner.clone();
            async move {
                inner.cold.measured.notified().await;
                inner.warm_up_compiler().await;
                inner.warm().await;
                if let Err(error) = inner.cold.discover().await {
                    tracing::warn!("the tests could not be discovered yet: {error}");
                }
            }
        });
        Ok(Self { inner, starting })
    }

    /// The judge behind it.
    pub(super) fn cold(&self) -> Arc<ColdJudge> {
        self.inner.cold.clone()
    }

    /// What it remembers of candidates.
    pub(super) fn memory(&self) -> Arc<Memory> {
        self.inner.memory.clone()
    }

    /// Resident memory of the warm processes in MiB, for reports.
    pub async fn resident_mib(&self) -> u64 {
        let compilers = [&self.inner.jvm.compiler, &self.inner.jvm.processing_compiler];
        let [plain, processing] = compilers.map(WarmCompiler::resident_kib);
        let (plain, processing) = tokio::join!(plain, processing);
        let workers = match self.inner.workers.get() {
            Some(Some(warm)) => warm.workers.lock().await.resident_kib(),
            _ => 0,
        };
        (plain + processing + workers) >> 10
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

    async fn finish(
        &self,
        patch: &Patch,
        compiled: Compiled,
        begin: Instant,
        haste: Haste,
    ) -> Result<Validation, ValidateError> {
        let mut validation = match compiled {
            Compiled::Answered(validation) if haste == Haste::One && validation.outcome == Outcome::CompileError => {
                // Before a no is said, a fresh compiler has its word.
                let surer = self.cold.validate(patch).await?;
                self.note(&validation, &surer);
                surer
            }
            Compiled::Answered(validation) => validation,
            Compiled::Cold => self.cold_answer(patch, haste).await?,
            Compiled::Ready(classes) => match self.warm().await {
                None => self.cold_answer(patch, haste).await?,
                Some(warm) => {
                    let validation = match self.test(warm, patch, &classes, haste).await {
                        Ok(validation) => validation,
                        Err(error) => {
                            tracing::warn!("tested in a cold process: {error}");
                            self.cold_answer(patch, haste).await?
                        }
                    };
                    self.memory.keep(Key::of_code(&classes), &validation);
                    validation
                }
            },
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        Ok(validation)
    }

    pub(super) async fn cold_answer(&self, patch: &Patch, haste: Haste) -> Result<Validation, ValidateError> {
        match haste {
            Haste::Batch => self.cold.test_classes(patch).await,
            Haste::One => self.cold.validate(patch).await,
        }
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
impl Judge for WarmJudge {
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
        self.inner.cold.confirm(patch).await
    }

    fn disagreements(&self) -> Vec<Disagreement> {
        let mut own = self.inner.disagreements.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        own.drain(..).chain(self.inner.cold.disagreements()).collect()
    }
}
