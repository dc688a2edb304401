//! The judge before a bug is known: whether a test that somebody wrote for an issue fails on the untouched code, each
//! time and for the reason that the issue gives.

mod reason;

use super::jvm::Jvm;
use super::plan::Deadlines;
use super::python::Python;
use super::subject::{Build, Subject, does_not_compile};
use super::{Baseline, Judge, OnResult, Options, Probe, ValidateError, clean};
use crate::benchmark::{Checkout, Runner};
use crate::domain::{
    Disagreement, Failure, Loss, Patch, RepoPath, TestId, TestReport, TestResult, TestStatus, Validation, outer_class,
};
use crate::sandbox::Sandbox;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// Runs that a test must fail in, each in a fresh process and a fresh copy.
const RUNS: usize = 3;
/// Time for one test.
const EACH: Duration = Duration::from_secs(10);
/// Time for the class of a test.
const ALL: Duration = Duration::from_secs(120);

/// A test that was written for an issue.
#[derive(Debug, Clone, Copy)]
pub struct NewTest<'a> {
    /// Its file.
    pub file: &'a RepoPath,
    /// The text of the file with the test.
    pub text: &'a str,
    /// Its class and bare method.
    pub id: &'a TestId,
    /// The text of the issue.
    pub issue: &'a str,
}

/// What a new test does on the untouched code.
#[derive(Debug, Clone, PartialEq)]
pub enum Reproduced {
    /// It fails each time as the issue says.
    Yes {
        /// The test as its runner names it.
        test: TestId,
        /// How it fails.
        failure: Failure,
    },
    /// It does not, for this reason.
    No(String),
}

/// Judges no candidate, because no test fails yet; only new tests are tried.
pub struct Untested {
    checkout: Checkout,
    sandbox: Sandbox,
    options: Options,
    baseline: Baseline,
    /// Opened when the first test is tried: a run that is repeated may try none.
    subject: OnceCell<Arc<dyn Subject>>,
}

impl Untested {
    /// A judge of a project whose tests a runner of ours runs.
    ///
    /// # Errors
    /// The project has its own test command.
    pub fn new(checkout: &Checkout, sandbox: &Sandbox, options: Options) -> Result<Self, ValidateError> {
        if matches!(checkout.project.runner, Runner::Command { .. } | Runner::Cases { .. }) {
            return Err(ValidateError::Tool {
                what:
                    "a test for an issue can be written for JUnit, TestNG, pytest and unittest, not for a project with \
                       its own test command"
                        .into(),
                hint: "write a failing test yourself, and run without --issue".into(),
            });
        }
        let (checkout, sandbox) = (checkout.clone(), sandbox.clone());
        let (baseline, subject) = Default::default();
        Ok(Self { checkout, sandbox, options, baseline, subject })
    }

    async fn subject(&self) -> Result<&Arc<dyn Subject>, ValidateError> {
        let (checkout, sandbox, options) = (&self.checkout, &self.sandbox, self.options.clone());
        let open = async || {
            Ok::<_, ValidateError>(match checkout.project.runner {
                Runner::Pytest => Arc::new(Python::prepare(checkout, sandbox, options).await?) as Arc<dyn Subject>,
                _ => Arc::new(Jvm::prepare(checkout, sandbox, options).await?),
            })
        };
        self.subject.get_or_try_init(open).await
    }

    /// Runs the class of the test, or this one test of it, once; or why it cannot be compiled.
    async fn run(
        &self,
        test: &NewTest<'_>,
        only: Option<&TestId>,
    ) -> Result<Result<TestReport, NotShown>, ValidateError> {
        let subject = self.subject().await?;
        let build = Arc::new(Build::new(&self.options.work_dir)?);
        let files = [(test.file.clone(), test.text.as_bytes().to_vec())];
        let copy = match subject.with_tests(&Patch::default(), &build, &files).await? {
            Ok(copy) => copy,
            Err(errors) => return Ok(Err(does_not_compile(errors).detail.into())),
        };
        let classes = vec![outer_class(&test.id.class).to_owned()];
        let plan = subject.plan(classes, Deadlines::of(EACH, ALL)).only(only.cloned().into_iter().collect());
        Ok(Ok(subject.run(&copy, &plan).await?))
    }

    async fn tried(&self, test: &NewTest<'_>) -> Result<Result<TestResult, NotShown>, ValidateError> {
        self.options.watcher.phase(format!("running {}", test.id));
        if !self.subject().await?.runs_tests_of(test.file) {
            let why = "the project's build does not look for tests in a file of this name; name it as the others are";
            return Ok(Err(why.into()));
        }
        let mut known: Option<TestResult> = None;
        for _ in 0..RUNS {
            let report = match self.run(test, known.as_ref().map(|result| &result.id)).await? {
                Ok(report) => report,
                Err(complaints) => return Ok(Err(format!("it does not compile: {complaints}").into())),
            };
            let result = match fails(&report, test.id) {
                Ok(result) => result,
                Err(_) if known.is_some() => return Ok(Err(NOT_EACH_TIME.into())),
                Err(why) => return Ok(Err(why)),
            };
            if known.as_ref().is_some_and(|known| !reason::is_same(known, &result)) {
                return Ok(Err(NOT_EACH_TIME.into()));
            }
            if let Some(why) = reason::against(&self.checkout, result.failure.as_ref(), test.issue) {
                return Ok(Err(why.into()));
            }
            known = known.or(Some(result));
        }
        Ok(known.ok_or_else(|| "it did not run".into()))
    }
}

unidebug_base::reasons! {
    /// Why a test does not show what an issue reports.
    struct NotShown;
}

/// The reason against a test that is flaky.
const NOT_EACH_TIME: &str =
    "it does not fail each time in the same way: leave time, chance, threads and files out of it";

/// The result of a test that ran and failed by itself; else what it did.
fn fails(report: &TestReport, id: &TestId) -> Result<TestResult, NotShown> {
    let own = |result: &&TestResult| result.id.class == id.class && result.id.bare_method() == id.method;
    let results: Vec<&TestResult> = report.results.values().filter(own).collect();
    let Some(result) = results.iter().find(|result| result.status != TestStatus::Passed).or(results.first()) else {
        let loaded = report.results.values().find(|result| result.id.method.is_empty() && result.failure.is_some());
        let why = loaded.and_then(|result| result.failure.as_ref()).map(|failure| clean::text(&clean::clean(failure)));
        return Err(match why {
            Some(why) => format!("the file of the test cannot be loaded: {why}").into(),
            None => format!("no test {id} ran; check its name, its annotation and its class").into(),
        });
    };
    match (result.status, result.loss) {
        (TestStatus::Passed, _) => {
            Err("it passes on the present code, so it does not show what the issue reports".into())
        }
        (TestStatus::Skipped, _) => Err("it is skipped".into()),
        (TestStatus::TimedOut, _) | (_, Some(Loss::Cut)) => {
            Err("it does not end in time; an issue is shown by an assertion or an exception".into())
        }
        (_, Some(Loss::Exit | Loss::Memory)) => Err("it ends the test process".into()),
        (TestStatus::Failed, None) => {
            let failure = result.failure.as_ref().map(clean::clean);
            Ok(TestResult { failure, ..(*result).clone() })
        }
    }
}

#[async_trait::async_trait]
impl Probe for Untested {
    async fn run_tests(&self, _: &[TestId]) -> Result<TestReport, ValidateError> {
        Err(no_test_yet())
    }

    async fn reproduces(&self, test: &NewTest<'_>) -> Result<Reproduced, ValidateError> {
        Ok(match self.tried(test).await? {
            Ok(TestResult { id, failure, .. }) => Reproduced::Yes { test: id, failure: failure.unwrap_or_default() },
            Err(why) => Reproduced::No(why.to_string()),
        })
    }
}

#[async_trait::async_trait]
impl Judge for Untested {
    fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    async fn validate(&self, _: &Patch) -> Result<Validation, ValidateError> {
        Err(no_test_yet())
    }

    async fn validate_all(&self, _: &[Patch], _: &mut OnResult<'_>) -> Result<(), ValidateError> {
        Err(no_test_yet())
    }

    async fn confirm(&self, _: &Patch) -> Result<Validation, ValidateError> {
        Err(no_test_yet())
    }

    fn disagreements(&self) -> Vec<Disagreement> {
        Vec::new()
    }
}

fn no_test_yet() -> ValidateError {
    ValidateError::Tool {
        what: "no test fails yet: nothing can be judged".into(),
        hint: "a test that reproduces the issue comes first".into(),
    }
}
