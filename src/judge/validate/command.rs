//! The judge for projects that only their own commands can build and test: results arrive as JUnit XML, or are what a
//! program prints for its input ([`cases`]).
//!
//! Every run is a full one in a throw-away copy, so `confirm` differs from `validate` only in that it never trusts an
//! earlier outcome. What a language's own tools add stands behind [`Toolchain`].

mod cases;
mod complaints;
mod copy;
mod output;
mod printed;
mod probe;
mod reports;
mod summary;
mod toolchain;

pub use cases::with_input;
pub use copy::on_users_path;
pub use output::output_text;
pub use printed::failure;
pub use toolchain::{Checked, KnownToolchain, Toolchain};

use super::failing::{self, Facts, Selection};
use super::plausible::{self, Judged};
use super::records::Discovered;
use super::refuse::refuse;
use super::{Baseline, Judge, OnResult, Options, ValidateError, clean, cold, lanes, subject};
use crate::benchmark::{Case, Checkout, Runner};
use crate::domain::{Diagnostic, Disagreement, Outcome, Patch, RepoPath, TestId, TestReport, TestResult, Validation};
use crate::sandbox::Sandbox;
use camino::Utf8Path;
use futures::stream::{self, StreamExt};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The kind of a failure that a sanitizer of addresses reports; it ends a process at its first report.
pub const ADDRESSES: &str = "AddressSanitizer";

/// A run with a patch may take this many times what the untouched project took for its first runs.
pub const LONGER: f64 = 5.0;
/// The least time of a candidate.
pub const LEAST_FOR_A_CANDIDATE: Duration = Duration::from_secs(10);
/// The least time of a confirmation.
const LEAST_FOR_A_CONFIRMATION: Duration = Duration::from_secs(60);
/// Build tools that want the network or the user's caches.
const FETCHING: [&str; 4] = ["gradle", "gradlew", "mvn", "mvnw"];

/// Judges by the project's own commands.
pub struct CommandJudge {
    /// The project and where it lies.
    pub checkout: Checkout,
    /// Where its commands run.
    pub sandbox: Sandbox,
    /// Time and memory of a run.
    pub options: Options,
    /// How it is built and tested.
    pub commands: Commands,
    /// What the untouched project's tests do.
    pub baseline: Baseline,
    /// Whether what the test tool says at its end agreed with its reports in the first run.
    says: OnceLock<bool>,
    /// What the language's own tools add, where they are known.
    pub(crate) toolchain: Option<Box<dyn Toolchain>>,
}

/// How the project is built and tested.
pub struct Commands {
    /// What builds it, where that is a step of its own.
    pub build: Option<Vec<String>>,
    /// What tests it.
    pub test: Testing,
}

/// How results come.
pub enum Testing {
    /// As JUnit XML in these folders.
    Reports(Vec<String>, Vec<RepoPath>),
    /// As what the program prints for its input.
    Cases(Vec<String>, Vec<Case>),
}

/// What a run in a copy came to.
pub enum Ran {
    /// The build failed.
    NotBuilt(Vec<Diagnostic>),
    /// The tests ran, or ended somehow.
    Tested(TestReport),
}

impl CommandJudge {
    /// Builds and tests the untouched project, twice when something fails.
    ///
    /// # Errors
    /// The project has no commands, does not build, brings no reports, or no test fails.
    pub async fn open(checkout: &Checkout, sandbox: &Sandbox, options: Options) -> Result<Self, ValidateError> {
        let (build, test) = match checkout.project.runner.clone() {
            Runner::Command { build, test, reports } => (build, Testing::Reports(test, reports)),
            Runner::Cases { build, run, cases } => (build, Testing::Cases(run, cases)),
            Runner::Jvm | Runner::Pytest => {
                return Err(ValidateError::Tool {
                    what: "this project names no test command".into(),
                    hint: "give --build and --test".into(),
                });
            }
        };
        let mut judge = Self {
            checkout: checkout.clone(),
            sandbox: sandbox.clone(),
            options,
            commands: Commands { build, test },
            baseline: Baseline::default(),
            says: OnceLock::new(),
            toolchain: toolchain::open(&checkout.language),
        };
        judge.baseline = judge.first_runs().await?;
        Ok(judge)
    }

    async fn first_runs(&self) -> Result<Baseline, ValidateError> {
        let begin = Instant::now();
        self.options.watcher.phase("running the project's own test command");
        let report = self.untouched(None).await?;
        if let (true, Testing::Reports(_, folders)) = (report.results.is_empty(), &self.commands.test) {
            let folders: Vec<&str> = folders.iter().map(RepoPath::as_str).collect();
            return Err(ValidateError::Tool {
                what: format!(
                    "no JUnit XML appeared in {}; the command's last words: {}",
                    folders.join(", "),
                    output::last(&report)
                ),
                hint: self.closed_in().unwrap_or("check --test, and where it writes its reports").into(),
            });
        }
        let mut flaky = BTreeSet::new();
        if report.failing().next().is_some() {
            self.options.watcher.phase("running it again, to see which tests fail every time");
            let again = self.untouched(Some(&report)).await?;
            let passes = |result: &&TestResult| again.results.get(&result.id).is_some_and(TestResult::passed);
            flaky = report.failing().filter(passes).map(|result| result.id.clone()).collect();
        }
        let known: BTreeSet<String> = report.results.keys().map(|id| id.class.clone()).collect();
        let selection = Selection::new(&self.checkout, &self.options, known.into_iter().collect());
        let seconds = begin.elapsed().as_secs_f64();
        failing::decide(Facts::new(report, flaky, true, seconds), &selection, None)
            .map_err(|error| self.naming_the_command(error))
    }

    /// Where nothing fails, the command that was found may not be the one that runs the failing test.
    fn naming_the_command(&self, mut error: ValidateError) -> ValidateError {
        if let (ValidateError::NothingFails { command, .. }, Testing::Reports(words, _)) =
            (&mut error, &self.commands.test)
        {
            *command = Some(words.join(" "));
        }
        error
    }

    async fn untouched(&self, known: Option<&TestReport>) -> Result<TestReport, ValidateError> {
        match self.run(&Patch::default(), self.options.max_time, known).await? {
            Ran::Tested(report) => Ok(report),
            Ran::NotBuilt(diagnostics) => {
                let first = diagnostics.first().map_or("no reason given", |first| &first.message).to_owned();
                let hint = self.closed_in().map(str::to_owned);
                Err(ValidateError::BaselineDoesNotCompile { first, hint })
            }
        }
    }

    /// What to do instead of running a build tool that finds neither its network nor its caches in the sandbox.
    fn closed_in(&self) -> Option<&'static str> {
        let test = match &self.commands.test {
            Testing::Reports(words, _) | Testing::Cases(words, _) => words,
        };
        let mut words = self.commands.build.iter().flatten().chain(test);
        let fetches = words.any(|word| Utf8Path::new(word).file_name().is_some_and(|name| FETCHING.contains(&name)));
        (fetches && self.sandbox.name() != "none").then_some(
            "leave --build and --test out: Gradle and Maven projects are set up by themselves; in the sandbox these \
             tools have no network and none of your caches, and `--sandbox none` runs them outside of it",
        )
    }

    /// `known` tells how the same tests ended before, when they are only repeated.
    async fn run(&self, patch: &Patch, wall: Duration, known: Option<&TestReport>) -> Result<Ran, ValidateError> {
        let (_keep, tree) = self.patched_copy(patch)?;
        match &self.commands.test {
            Testing::Cases(run, cases) => {
                if let Some(complaints) = self.build_fails(self.commands.build.as_ref(), &tree, wall).await? {
                    return Ok(Ran::NotBuilt(complaints));
                }
                let is_candidate = !patch.files.is_empty();
                Ok(Ran::Tested(self.run_cases((run, cases), &tree, wall, known, is_candidate).await?))
            }
            Testing::Reports(test, folders) => {
                self.built_and_tested(&tree, self.commands.build.as_ref(), (test, folders), wall).await
            }
        }
    }

    /// The compiler's complaints, where the build of a copy fails.
    async fn build_fails(
        &self,
        build: Option<&Vec<String>>,
        tree: &Utf8Path,
        wall: Duration,
    ) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        let Some(build) = build else { return Ok(None) };
        let done = self.sandbox.run(self.job(build, tree, wall)?).await?;
        Ok((!done.exit.success()).then(|| complaints::read(&done, tree)))
    }

    /// Builds a copy and runs a test command in it.
    pub async fn built_and_tested(
        &self,
        tree: &Utf8Path,
        build: Option<&Vec<String>>,
        (test, folders): (&[String], &[RepoPath]),
        wall: Duration,
    ) -> Result<Ran, ValidateError> {
        // Reports that came with the checkout are not results.
        folders.iter().for_each(|folder| reports::forget(&folder.under(tree)));
        if let Some(complaints) = self.build_fails(build, tree, wall).await? {
            return Ok(Ran::NotBuilt(complaints));
        }
        let done = self.sandbox.run(self.job(test, tree, wall)?).await?;
        // A makefile may build and test in one step.
        let is_one_step = self.commands.build.is_none() && self.toolchain.is_some();
        if is_one_step && !done.exit.success() {
            let errors = toolchain::complaints(&clean::plain(&output::output_text(&done)), tree);
            if !errors.is_empty() {
                return Ok(Ran::NotBuilt(errors));
            }
        }
        Ok(Ran::Tested(self.report_of(&done, test, folders, tree)))
    }

    /// The longest a candidate may take: a part of what the untouched project took, and no less than `least`.
    pub fn wall(&self, least: Duration) -> Duration {
        least.max(Duration::from_secs_f64((self.baseline.seconds * LONGER).min(1e6))).min(self.options.max_time)
    }

    /// A full run with a patch. Before a test speaks against it that did not fail before, everything runs once more.
    async fn test(&self, patch: &Patch, wall: Duration) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        let mut validation = match self.run(patch, wall, None).await? {
            Ran::NotBuilt(diagnostics) => subject::does_not_compile(diagnostics),
            Ran::Tested(report) => {
                let mut judged = self.judged(&report);
                let mut latest = report;
                let other = !matches!(judged.outcome, Outcome::PassedWarm | Outcome::Failed);
                // What is slow once it works gets more time.
                let wall = self.wall(LEAST_FOR_A_CONFIRMATION);
                if other && let Ran::Tested(again) = self.run(patch, wall, None).await? {
                    judged = self.judged(&again);
                    latest = again;
                }
                cold::answer(&latest, judged, 0.0)
            }
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        Ok(validation)
    }

    /// The word on a full run.
    pub fn judged(&self, report: &TestReport) -> Judged {
        let baseline = &self.baseline;
        let first = plausible::triggering(baseline, report);
        if first.outcome != Outcome::PassedWarm {
            return first;
        }
        if let Some((outcome, detail)) = plausible::ended_badly(report.end) {
            return Judged { outcome, detail: detail.into(), ..first };
        }
        let failed_before = |id: &TestId| baseline.report.results.get(id).is_some_and(|result| !result.passed());
        let mut against: Vec<TestId> =
            plausible::not_passed(baseline, report).filter(|id| !failed_before(id)).cloned().collect();
        against.extend(plausible::missing(&self.expected(), report));
        against.retain(|id| !baseline.set_aside.contains_key(id));
        let Some(id) = against.first() else { return first };
        let outcome = plausible::objection(report.results.get(id));
        let detail = format!("{id} passed before and does not pass with the patch ({} such tests)", against.len());
        Judged { outcome, detail, against, fixed: first.fixed }
    }

    /// The tests that passed before, by class and bare method.
    fn expected(&self) -> Discovered {
        let mut expected = Discovered::new();
        for id in &self.baseline.passing {
            let count = expected.entry(id.of_method()).or_insert(Some(0));
            *count = count.map(|count| count + 1);
        }
        expected
    }
}

#[async_trait::async_trait]
impl Judge for CommandJudge {
    fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        if let Some(refused) = refuse(&self.checkout, patch) {
            return Ok(refused);
        }
        let wall = self.wall(LEAST_FOR_A_CANDIDATE);
        if let Some(toolchain) = &self.toolchain
            && let Some(word) = toolchain.judge_built(self, patch, wall).await?
        {
            return Ok(word);
        }
        self.test(patch, wall).await
    }

    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        // Copies that a known toolchain builds know nothing of each other; other commands may share a port or a folder.
        let at_once = if self.toolchain.is_some() { lanes::count() } else { 1 };
        let candidates: Vec<_> = patches.iter().map(|patch| self.validate(patch)).collect();
        let mut validations = stream::iter(candidates).buffered(at_once).enumerate();
        while let Some((at, validation)) = validations.next().await {
            if on_result(at, &validation?).is_break() {
                break;
            }
        }
        Ok(())
    }

    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        if let Some(refused) = refuse(&self.checkout, patch) {
            return Ok(refused);
        }
        let mut validation = self.test(patch, self.wall(LEAST_FOR_A_CONFIRMATION)).await?;
        if validation.outcome != Outcome::PassedWarm {
            return Ok(validation);
        }
        if let Some(toolchain) = self.toolchain.as_ref().filter(|_| !self.options.accept_suspicious)
            && let Some(why) = toolchain.objection(self, patch).await?
        {
            (validation.outcome, validation.detail) = (Outcome::Suspicious, format!("all tests pass, but {why}"));
            return Ok(validation);
        }
        validation.outcome = Outcome::Plausible;
        let others = self.baseline.passing.len();
        let weaker = match self.commands.test {
            Testing::Reports(..) => "; by the reports of the project's own command, which its code could write too",
            Testing::Cases(..) => "",
        };
        validation.detail = format!("{}, and so do the other {others} tests{weaker}", validation.detail);
        Ok(validation)
    }

    fn disagreements(&self) -> Vec<Disagreement> {
        Vec::new()
    }
}
