//! The benchmark's own word: before a patch is called plausible, the official commands are asked besides the cold judge.
//!
//! Both must agree. The cold judge alone has a positive list of what passed; the official command alone decides what
//! counts in the benchmark's tables. Where they differ the patch is not plausible, and the difference is told.

use super::{
    Baseline, Coverage, OnResult, Options, Spectrum, SpectrumScope, ValidateError, Validator, clean, defects4j_tests,
};
use crate::benchmark::defects4j::{Official, OfficialRun};
use crate::domain::{Diagnostic, Failure, Outcome, Patch, RepoPath, TestId, TestReport, Validation};
use crate::sandbox::Sandbox;
use camino::Utf8PathBuf;
use std::time::Instant;
use tokio::sync::OnceCell;

/// Tests that a sentence names.
const NAMED: usize = 5;

/// What the official commands told of a tree.
#[derive(Debug, Clone, Default)]
struct Told {
    failing: Vec<(TestId, Failure)>,
    started: std::collections::BTreeSet<TestId>,
}

/// A judge whose confirmation the official commands must share.
pub(super) struct WithOfficial {
    inner: Box<dyn Validator>,
    official: Official,
    sandbox: Sandbox,
    work_dir: Utf8PathBuf,
    /// What fails officially without any patch; asked when it matters.
    untouched: OnceCell<Told>,
}

impl WithOfficial {
    pub(super) fn new(inner: Box<dyn Validator>, official: Official, sandbox: &Sandbox, options: &Options) -> Self {
        let work_dir = options.work_dir.clone();
        Self { inner, official, sandbox: sandbox.clone(), work_dir, untouched: OnceCell::new() }
    }

    async fn ask(&self, patch: &Patch) -> Result<Result<Told, Validation>, ValidateError> {
        let run = self.official.run(&self.sandbox, patch, &self.work_dir).await?;
        let differs = |outcome, what: String| Err(Validation::without_tests(outcome, format!("{PASSES}, and {what}")));
        Ok(match run {
            OfficialRun::NotCompiled(said) => {
                differs(Outcome::CompileError, format!("`defects4j compile` refuses it: {said}"))
            }
            OfficialRun::Cut(after) => {
                differs(Outcome::Timeout, format!("`defects4j test` did not end in {} s", after.as_secs()))
            }
            OfficialRun::Tested { failing, all } => {
                Ok(Told { failing: defects4j_tests::failing(&failing), started: defects4j_tests::all(&all) })
            }
        })
    }

    /// What fails officially on the untouched code.
    async fn untouched(&self) -> Result<&Told, ValidateError> {
        let ask = || async {
            self.ask(&Patch::default()).await?.map_err(|refused| ValidateError::Tool {
                what: format!("the official commands do not work on the untouched bug: {}", refused.detail),
                hint: "`unidebug doctor` looks at what Defects4J needs".into(),
            })
        };
        self.untouched.get_or_try_init(ask).await
    }

    /// Why the official word is another, when it is.
    async fn objection(&self, told: &Told) -> Result<Option<Validation>, ValidateError> {
        let baseline = self.inner.baseline();
        let triggers = |id: &TestId| baseline.triggering.iter().any(|ours| defects4j_tests::means(id, ours));
        let (open, other): (Vec<_>, Vec<_>) = told.failing.iter().partition(|(id, _)| triggers(id));
        if !open.is_empty() {
            return Ok(Some(differs(Outcome::Failed, "fails the triggering", &open)));
        }
        if !other.is_empty() {
            let known = &self.untouched().await?.failing;
            let new: Vec<_> = other.into_iter().filter(|(id, _)| known.iter().all(|(known, _)| known != id)).collect();
            if !new.is_empty() {
                return Ok(Some(differs(Outcome::Regression, "fails, which it does not without the patch,", &new)));
            }
        }
        let ran = |ours: &&TestId| told.started.iter().any(|id| defects4j_tests::means(id, ours));
        let missing = baseline.triggering.iter().filter(|id| !id.method.is_empty()).find(|ours| !ran(ours));
        Ok(missing.map(|id| {
            let detail = format!("{PASSES}, and `defects4j test` did not start the triggering {id}");
            Validation::without_tests(Outcome::MissingTests, detail)
        }))
    }
}

const PASSES: &str = "it passes in a fresh process";

fn differs(outcome: Outcome, how: &str, against: &[&(TestId, Failure)]) -> Validation {
    let names: Vec<String> = against.iter().take(NAMED).map(|(id, _)| id.to_string()).collect();
    let more = against.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let detail = format!("{PASSES}, and `defects4j test` {how} {}{more}", names.join(", "));
    let failing = against.iter().map(|(id, failure)| (id.clone(), clean::clean(failure))).collect();
    Validation { failing, ..Validation::without_tests(outcome, detail) }
}

#[async_trait::async_trait]
impl Validator for WithOfficial {
    fn baseline(&self) -> &Baseline {
        self.inner.baseline()
    }

    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        self.inner.validate(patch).await
    }

    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        self.inner.validate_all(patches, on_result).await
    }

    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let cold = self.inner.confirm(patch).await?;
        if !cold.is_plausible() {
            return Ok(cold);
        }
        let begin = Instant::now();
        let mut word = match self.ask(patch).await? {
            Err(refused) => refused,
            Ok(told) => match self.objection(&told).await? {
                Some(objection) => objection,
                None => {
                    let started = told.started.len();
                    let detail = format!("{}; `defects4j test` agrees on {started} tests", cold.detail);
                    Validation { detail, ..cold.clone() }
                }
            },
        };
        if !word.is_plausible() {
            tracing::warn!("the official word on a patch is {}: {}", word.outcome, word.detail);
        }
        word.seconds = cold.seconds + begin.elapsed().as_secs_f64();
        Ok(word)
    }

    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError> {
        self.inner.run_tests(tests).await
    }

    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError> {
        self.inner.failing_coverage().await
    }

    async fn spectrum(&self, scope: &SpectrumScope) -> Result<Option<Spectrum>, ValidateError> {
        self.inner.spectrum(scope).await
    }

    async fn same_code(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError> {
        self.inner.same_code(a, b).await
    }

    async fn warnings(&self, file: &RepoPath) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        self.inner.warnings(file).await
    }
}
