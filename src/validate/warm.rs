//! The warm judge: candidates are compiled by a compiler that stays, and tested in a process that stays, each in a class
//! loader of its own. Its pass is only ever `passed_warm`; the confirmation is the cold judge's.
//!
//! The ladder for each candidate, cheapest first: same text, compiler, same byte code, triggering tests, tests that
//! stopped earlier candidates, all tests.

use super::class_shape::shape;
use super::cold::{self, ColdValidator};
use super::jvm::{Answer, Classes, Daemon, DaemonSetup, OnCrash, WorkerSetup, Workers, spelled};
use super::memory::{KILLERS, Memory};
use super::plausible::{Extent, Judged, judge};
use super::refuse::refuse;
use super::resources;
use super::subject::{self, Copy};
use super::{
    Baseline, Coverage, OnResult, Options, Spectrum, SpectrumScope, ValidateError, Validator, clean, coverage,
};
use crate::benchmark::Checkout;
use crate::domain::{Diagnostic, FileChange, Outcome, Patch, RepoPath, TestId, TestReport, TestStatus, Validation};
use crate::sandbox::Sandbox;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, OnceCell};

/// Compilations of a file before the compiler counts as warm.
const WARM_UP: usize = 10;
/// Time of a test without end for a candidate of a batch: an endless candidate must not cost what twenty others do. A
/// candidate that is proposed by itself gets the whole time, and so does every confirmation.
const BRIEF: Duration = Duration::from_millis(1500);

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
    cold: ColdValidator,
    daemon: Mutex<Option<Daemon>>,
    workers: OnceCell<Option<Warm>>,
    memory: Memory,
}

/// The test side, once it has shown that it agrees with the cold baseline.
struct Warm {
    workers: Mutex<Workers>,
    /// The baseline without tests on which warm and cold disagree.
    baseline: Baseline,
    /// Tests that must pass, as the runner spells them.
    must: Vec<String>,
    /// Working directory of the workers.
    _copy: Copy,
}

/// A candidate after the compiler.
enum Compiled {
    /// Its answer is known.
    Answered(Validation),
    /// To be tested.
    Ready(Classes),
    /// Its users must be compiled too, or the warm compiler is not to be had.
    Cold,
}

impl WarmValidator {
    /// Opens the cold judge, with its baseline, and starts the warm processes in the background.
    ///
    /// # Errors
    /// As [`ColdValidator::open`].
    pub async fn open(checkout: &Checkout, sandbox: &Sandbox, options: Options) -> Result<Self, ValidateError> {
        let cold = ColdValidator::open(checkout, sandbox, options).await?;
        let inner =
            Arc::new(Inner { cold, daemon: Mutex::default(), workers: OnceCell::new(), memory: Memory::default() });
        let starting = tokio::spawn({
            let inner = inner.clone();
            async move {
                inner.warm_up_compiler().await;
                inner.warm().await;
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
    /// Compiles the files the failing tests point at, as they are, until the compiler is warm or somebody asks.
    async fn warm_up_compiler(&self) {
        let subject = &self.cold.subject;
        if subject.class_path.has_processors() {
            return;
        }
        for path in self.suspected_files() {
            let Ok(bytes) = std::fs::read(path.under(&subject.checkout.root)) else { continue };
            let same = FileChange { path, before: None, after: bytes.into() };
            for _ in 0..WARM_UP {
                if self.ask_compiler(&Patch { files: vec![same.clone()] }).await.is_err() {
                    return;
                }
            }
        }
    }

    /// Product files named in the traces of triggering tests, at most two.
    fn suspected_files(&self) -> Vec<RepoPath> {
        let baseline = self.cold.baseline();
        let results = baseline.triggering.iter().filter_map(|id| baseline.report.results.get(id));
        let frames = results.filter_map(|result| result.failure.as_ref()).flat_map(|failure| &failure.frames);
        let folders = coverage::SourceFolders::of(&self.cold.subject);
        let mut found: Vec<RepoPath> = Vec::new();
        for frame in frames.filter(|frame| clean::is_project_frame(frame)) {
            let Some(file) = &frame.file else { continue };
            let package =
                frame.class.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/") + "/");
            let path = folders.find(&format!("{package}{file}"));
            found.extend(path.filter(|path| !found.contains(path)));
            if found.len() == 2 {
                break;
            }
        }
        found
    }

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

    async fn start_workers(&self) -> Result<Warm, ValidateError> {
        let subject = &self.cold.subject;
        let copy = subject.copy()?;
        let suite = subject.suite(&copy);
        let resources = subject.checkout.project.resources.iter().map(|folder| folder.under(&copy.tree));
        let beside = resources::beside(&subject.classes, &copy.scratch)?;
        let libraries = resources.chain(beside).chain(subject.class_path.libraries.iter().cloned()).collect();
        let plan = subject.plan(Vec::new(), subject.deadlines(&self.cold.baseline().report), OnCrash::GoOn);
        let mut workers = Workers::new(WorkerSetup {
            sandbox: subject.sandbox.clone(),
            jdk: subject.jdk.clone(),
            runner: subject.harness.classes.clone(),
            classes: subject.classes.clone(),
            libraries,
            cwd: suite.cwd.clone(),
            writable: suite.writable.clone(),
            heap_mib: subject.options.heap_mib,
            jvm_args: plan.jvm_args.clone(),
        });
        // What passes in a process of its own must pass here too, before anything here is believed.
        let cold = self.cold.baseline();
        let mut trial: Vec<TestId> = cold.passing.iter().cloned().collect();
        trial.extend(quick_failures(cold));
        let report = if trial.is_empty() {
            cold.report.clone()
        } else {
            let plan = subject.plan(trial, subject.deadlines(&cold.report), OnCrash::Stop);
            workers.run(&Classes::new(), &plan, &[]).await?
        };
        let baseline = agreed(cold, &report)?;
        let must = baseline.passing.iter().map(spelled).collect();
        Ok(Warm { workers: Mutex::new(workers), baseline, must, _copy: copy })
    }

    /// The ladder up to byte code.
    async fn compile(&self, patch: &Patch) -> Result<Compiled, ValidateError> {
        let subject = &self.cold.subject;
        if let Some(refused) = refuse(&subject.checkout, patch) {
            return Ok(Compiled::Answered(refused));
        }
        if let Some(known) = self.memory.of_text(patch) {
            return Ok(Compiled::Answered(known));
        }
        if subject.class_path.has_processors() {
            return Ok(Compiled::Cold);
        }
        let classes = match self.ask_compiler(patch).await {
            Ok(Ok(classes)) => classes,
            Ok(Err(diagnostics)) => return Ok(Compiled::Answered(subject::does_not_compile(diagnostics))),
            Err(error) => {
                tracing::warn!("compiled in a cold process: {error}");
                return Ok(Compiled::Cold);
            }
        };
        if subject.untouched_differs(&classes) {
            return Ok(Compiled::Cold);
        }
        if classes.iter().all(|(name, bytes)| subject.untouched(name).is_some_and(|old| old == *bytes)) {
            let detail = "it compiles to the same byte code as the original";
            return Ok(Compiled::Answered(Validation::without_tests(Outcome::Duplicate, detail)));
        }
        Ok(match self.memory.of_code(&classes) {
            Some(known) => Compiled::Answered(known),
            None => Compiled::Ready(classes),
        })
    }

    /// Asks the daemon, and a new one once when it is gone.
    async fn ask_compiler(&self, patch: &Patch) -> Result<Answer, ValidateError> {
        let files: Vec<_> = patch.files.iter().map(|file| (file.path.clone(), &*file.after)).collect();
        let mut daemon = self.daemon.lock().await;
        if let Some(running) = daemon.as_mut()
            && let Ok(answer) = running.compile(&files).await
        {
            return Ok(answer);
        }
        let subject = &self.cold.subject;
        let setup = DaemonSetup {
            sandbox: &subject.sandbox,
            jdk: &subject.jdk,
            runner: &subject.harness.classes,
            level: subject.level(),
            class_path: subject.class_path_with(&[]),
            scratch: &subject.options.work_dir,
        };
        let answer = daemon.insert(Daemon::start(&setup).await?).compile(&files).await;
        if answer.is_err() {
            *daemon = None;
        }
        Ok(answer?)
    }

    /// The ladder from the tests on.
    async fn test(&self, warm: &Warm, classes: &Classes, haste: Haste) -> Result<(TestReport, Judged), ValidateError> {
        let subject = &self.cold.subject;
        let mut workers = warm.workers.lock().await;
        let deadlines = subject.deadlines(&warm.baseline.report);
        let mut first = deadlines.clone();
        if haste == Haste::Batch {
            first.own.extend(coverage::endless(&warm.baseline).map(|id| (id.clone(), brief(&warm.baseline, id))));
        }
        let triggering = subject.plan(warm.baseline.triggering.clone(), first, OnCrash::Stop);
        let report = workers.run(classes, &triggering, &[]).await?;
        let judged = judge(&warm.baseline, &report, Extent::Triggering);
        if judged.outcome != Outcome::PassedWarm {
            return Ok((report, judged));
        }
        let killers = self.memory.killers();
        if !killers.is_empty() && warm.baseline.passing.len() > 2 * KILLERS {
            let plan = subject.plan(killers, deadlines.clone(), OnCrash::Stop);
            let mut first = workers.run(classes, &plan, &warm.must).await?;
            first.results.extend(report.results.clone());
            let judged = judge(&warm.baseline, &first, Extent::Full);
            if matches!(judged.outcome, Outcome::Regression | Outcome::Crash | Outcome::OutOfMemory) {
                return Ok((first, judged));
            }
        }
        let all = subject.plan(Vec::new(), deadlines, OnCrash::Stop);
        let mut rest = workers.run(classes, &all, &warm.must).await?;
        for (id, result) in report.results {
            // A run that was stopped early may not have come to them again.
            rest.results.entry(id).or_insert(result);
        }
        let report = rest;
        let judged = judge(&warm.baseline, &report, Extent::Full);
        Ok((report, judged))
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
                            self.memory.learn(&judged, &warm.baseline);
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
            Some(first) => Some((Instant::now(), self.compile(first).await?)),
            None => None,
        };
        for (at, patch) in patches.iter().enumerate() {
            let Some((begin, compiled)) = next.take() else { break };
            let ahead = async {
                let begin = Instant::now();
                match patches.get(at + 1) {
                    Some(patch) => self.compile(patch).await.map(|compiled| Some((begin, compiled))),
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

/// What a test without end gets in a batch: where its neighbours are quick, so should it be.
fn brief(baseline: &Baseline, id: &TestId) -> Duration {
    let neighbours = baseline.report.results.values().filter(|result| result.id.class == id.class);
    let slowest = neighbours.filter(|result| result.status == TestStatus::Passed).map(|result| result.millis).max();
    slowest.map_or(BRIEF, |millis| Duration::from_millis(20 * millis).clamp(BRIEF / 2, BRIEF))
}

/// Triggering tests that fail by themselves and soon: cheap to see fail once more.
fn quick_failures(cold: &Baseline) -> impl Iterator<Item = TestId> + '_ {
    let quick = |id: &&TestId| {
        cold.report.results.get(*id).is_some_and(|result| {
            let by_itself = result.failure.as_ref().is_some_and(|why| why.kind.contains('.'));
            result.status == TestStatus::Failed && by_itself && result.millis < 300
        })
    };
    cold.triggering.iter().filter(quick).cloned()
}

/// The cold baseline without the tests that do not pass warm.
fn agreed(cold: &Baseline, warm: &TestReport) -> Result<Baseline, ValidateError> {
    let passes = |id: &TestId| warm.results.get(id).is_some_and(|result| result.status == TestStatus::Passed);
    let (passing, differ): (BTreeSet<TestId>, BTreeSet<TestId>) =
        cold.passing.iter().cloned().partition(|id| passes(id));
    if differ.len() * 2 > cold.passing.len() {
        return Err(ValidateError::Tool {
            what: format!("{} of {} tests do not pass in a warm process", differ.len(), cold.passing.len()),
            hint: "nothing to do; the cold judge is slower and right".into(),
        });
    }
    if let Some(id) = quick_failures(cold).find(|id| passes(id)) {
        return Err(ValidateError::Tool {
            what: format!("{id} fails in a process of its own and passes in a warm one"),
            hint: "nothing to do; the cold judge is slower and right".into(),
        });
    }
    if !differ.is_empty() {
        tracing::info!("{} tests are judged in cold processes only, {:?} among them", differ.len(), differ.first());
    }
    Ok(Baseline { passing, ..cold.clone() })
}

impl super::subject::Subject {
    /// The untouched class of that name.
    fn untouched(&self, name: &str) -> Option<Vec<u8>> {
        let inside = format!("{}.class", name.replace('.', "/"));
        self.classes.iter().find_map(|folder| std::fs::read(folder.join(&inside)).ok())
    }

    /// Whether what others see of these classes differs from before.
    fn untouched_differs(&self, classes: &Classes) -> bool {
        classes.iter().filter(|(name, _)| !subject::is_local(name)).any(|(name, bytes)| {
            let before = self.untouched(name).and_then(|old| shape(&old));
            before.is_none() || before != shape(bytes)
        })
    }
}

#[async_trait::async_trait]
impl Validator for WarmValidator {
    fn baseline(&self) -> &Baseline {
        self.inner.cold.baseline()
    }

    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let compiled = self.inner.compile(patch).await?;
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

    async fn warnings(&self, file: &RepoPath) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        self.inner.cold.warnings(file).await
    }
}
