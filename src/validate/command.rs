//! The judge for projects that only their own commands can build and test: results arrive as JUnit XML, or are what a
//! program prints for its input ([`cases`]).
//!
//! Every run is a full one in a throw-away copy, so `confirm` differs from `validate` only in that it never trusts an
//! earlier outcome.

mod cases;
mod complaints;
mod gcc;
mod printed;
mod reports;
mod said;

use super::failing::{self, Asked, Facts};
use super::plausible::{self, Judged};
use super::records::Discovered;
use super::refuse::refuse;
use super::{
    Baseline, Coverage, Judge, OnResult, Options, Probe, Spectrum, ValidateError, clean, cold, io_error, subject,
};
use crate::benchmark::{Case, Checkout, Runner, jars, private_copy};
use crate::domain::{
    Diagnostic, Disagreement, Outcome, Patch, RepoPath, RunEnd, TestId, TestReport, TestResult, Validation,
};
use crate::language::{C, Language};
use crate::sandbox::{Exit, Finished, Job, PROGRAM_PATH, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const MEMORY_MIB: u64 = 4096;
const TAIL_CHARS: usize = 4000;
/// Build tools that want the network or the user's caches.
const FETCHING: [&str; 4] = ["gradle", "gradlew", "mvn", "mvnw"];

/// Judges by the project's own commands.
pub struct CommandJudge {
    checkout: Checkout,
    sandbox: Sandbox,
    options: Options,
    commands: Commands,
    baseline: Baseline,
    /// Whether what the test tool says at its end agreed with its reports in the first run.
    says: OnceLock<bool>,
}

struct Commands {
    build: Option<Vec<String>>,
    test: Testing,
}

/// How results come.
enum Testing {
    /// As JUnit XML in these folders.
    Reports(Vec<String>, Vec<RepoPath>),
    /// As what the program prints for its input.
    Cases(Vec<String>, Vec<Case>),
}

/// What a run in a copy came to.
enum Ran {
    /// The build said no.
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
                    last(&report)
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
        let asked = Asked::new(&self.checkout, &self.options, known.into_iter().collect());
        let seconds = begin.elapsed().as_secs_f64();
        failing::decide(Facts::new(report, flaky, None, Spectrum::default(), true, seconds), &asked, None)
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
                let first = diagnostics.first().map_or("no reason given", |first| &first.message);
                let hint = self.closed_in().map_or_else(String::new, |hint| format!("\nhint: {hint}"));
                Err(ValidateError::BaselineDoesNotCompile { first: format!("{first}{hint}") })
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
        let work = &self.options.work_dir;
        let folder = tempfile::Builder::new().prefix("copy-").tempdir_in(work);
        let folder = folder.map_err(io_error("making a throw-away copy", work))?;
        let tree = Utf8Path::from_path(folder.path()).unwrap_or(work);
        let tree = tree.canonicalize_utf8().map_err(io_error("finding the throw-away copy", tree))?;
        private_copy(&self.checkout.root, &tree)?;
        subject::write_all(patch, &tree)?;
        // Makefiles rarely know which object includes which header.
        if patch.files.iter().any(|file| file.path.as_str().ends_with(".h")) {
            forget_objects(&tree);
        }
        if let Testing::Reports(_, folders) = &self.commands.test {
            // Reports that came with the checkout are not results.
            folders.iter().for_each(|folder| reports::forget(&folder.under(&tree)));
        }
        if let Some(build) = &self.commands.build {
            let done = self.sandbox.run(self.job(build, &tree, wall)?).await?;
            if !done.exit.success() {
                return Ok(Ran::NotBuilt(complaints::read(&done, &tree)));
            }
        }
        Ok(Ran::Tested(match &self.commands.test {
            Testing::Cases(run, cases) => {
                self.run_cases((run, cases), &tree, wall, known, !patch.files.is_empty()).await?
            }
            Testing::Reports(test, folders) => {
                let done = self.sandbox.run(self.job(test, &tree, wall)?).await?;
                // A makefile may build and test in one step.
                let is_one_step = self.commands.build.is_none() && self.checkout.language == C.name();
                if is_one_step && !done.exit.success() {
                    let errors = gcc::diagnostics(&clean::plain(&words_of(&done)), &tree);
                    if !errors.is_empty() {
                        return Ok(Ran::NotBuilt(errors));
                    }
                }
                self.told(&done, test, folders, &tree)
            }
        }))
    }

    /// What a test tool reported.
    fn told(&self, done: &Finished, test: &[String], folders: &[RepoPath], tree: &Utf8Path) -> TestReport {
        let mut report = TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: tail(done) };
        for folder in folders {
            reports::collect(&folder.under(tree), &mut report);
        }
        let said = words_of(done);
        // Tools of C seldom write JUnit XML: what they print tells their results.
        if folders.is_empty() || report.results.is_empty() && self.checkout.language == C.name() {
            let tool = Utf8Path::new(test.first().map_or("", String::as_str)).file_name().unwrap_or("test");
            printed::collect(&said, tool, &mut report);
            // A test that failed and was not told apart is the command as a whole.
            let untold = !done.exit.success() && report.failing().next().is_none();
            if report.results.is_empty() || self.baseline.report.results.contains_key(&whole(test, tool)) || untold {
                let one = printed::as_one(tool, &whole(test, tool).method, done.exit.success(), &said);
                report.results.insert(one.id.clone(), one);
            }
        }
        let failed = report.failing().count();
        let agrees = [&done.stdout, &done.stderr]
            .iter()
            .any(|out| said::failures(&String::from_utf8_lossy(out)) == Some(failed));
        let agreed = *self.says.get_or_init(|| agrees);
        report.end = match done.exit {
            Exit::TimedOut => RunEnd::TimedOut,
            Exit::OutOfMemory => RunEnd::OutOfMemory,
            Exit::Signal(_) | Exit::OutOfDisk => RunEnd::Crashed,
            // Test tools end with a code of their choice when tests fail, and the reports say which. A tool that says no
            // while its reports say yes did not write all of them.
            Exit::Code(code) if code != 0 && report.failing().next().is_none() => RunEnd::Crashed,
            // So does one that said how many failed before, and now says another number than its reports, or none.
            Exit::Code(_) if agreed && !agrees => RunEnd::Crashed,
            Exit::Code(_) => RunEnd::Complete,
        };
        report
    }

    /// A command of the project at work in a copy.
    fn job(&self, words: &[String], tree: &Utf8Path, wall: Duration) -> Result<Job, ValidateError> {
        let Some((program, args)) = words.split_first() else {
            return Err(ValidateError::Tool { what: "an empty command".into(), hint: "give --test a command".into() });
        };
        let found = on_users_path(program, tree);
        let mut job = Job::new(found.as_deref().map_or(program.as_str(), Utf8Path::as_str), self.module(tree))
            .args(args.iter().cloned())
            .write(tree)
            .wall(wall);
        if let Some(home) = found.as_deref().and_then(|path| path.parent()?.parent()) {
            job = job.read([home]);
        }
        if let Some(repository) = jars::local_repository() {
            job.env.push(("MAVEN_OPTS".into(), format!("-Dmaven.repo.local={repository}")));
            job = job.read([repository]);
        }
        job = job.read(self.checkout.project.class_path.iter().cloned());
        let path = std::env::var("PATH").unwrap_or_default();
        job.env.push(("PATH".into(), format!("{path}:{PROGRAM_PATH}")));
        job.env.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        job.limits.memory_mib = MEMORY_MIB;
        Ok(job)
    }

    fn module(&self, tree: &Utf8Path) -> Utf8PathBuf {
        self.checkout.project.module.under(tree)
    }

    /// A full run with a patch. Before a test speaks against it that did not fail before, everything runs once more.
    async fn test(&self, patch: &Patch, wall: Duration) -> Result<Validation, ValidateError> {
        let begin = Instant::now();
        if let Some(refused) = refuse(&self.checkout, patch) {
            return Ok(refused);
        }
        let mut validation = match self.run(patch, wall, None).await? {
            Ran::NotBuilt(diagnostics) => subject::does_not_compile(diagnostics),
            Ran::Tested(report) => {
                let mut judged = self.judged(&report);
                let mut told = report;
                let other = !matches!(judged.outcome, Outcome::PassedWarm | Outcome::Failed);
                if other && let Ran::Tested(again) = self.run(patch, wall, None).await? {
                    judged = self.judged(&again);
                    told = again;
                }
                cold::answer(&told, judged, 0.0)
            }
        };
        validation.seconds = begin.elapsed().as_secs_f64();
        Ok(validation)
    }

    /// The word on a full run.
    fn judged(&self, report: &TestReport) -> Judged {
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
            let count = expected.entry(TestId::new(&id.class, id.bare_method())).or_insert(Some(0));
            *count = count.map(|count| count + 1);
        }
        expected
    }
}

fn last(report: &TestReport) -> &str {
    report.output_tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("none")
}

/// The test that a command as a whole is: `make#check`.
fn whole(test: &[String], tool: &str) -> TestId {
    TestId::new(
        tool,
        test.get(1..).unwrap_or_default().iter().rfind(|word| !word.starts_with('-')).map_or("exit", |w| w),
    )
}

/// A program of the project itself (`./gradlew`), or of the user's PATH, as an absolute path.
fn on_users_path(program: &str, tree: &Utf8Path) -> Option<Utf8PathBuf> {
    if program.contains('/') {
        return Some(tree.join(program));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let mut folders = path.split(':').chain(PROGRAM_PATH.split(':')).filter(|folder| !folder.is_empty());
    folders.find_map(|folder| Some(Utf8Path::new(folder).join(program)).filter(|path| path.is_file()))
}

/// All that a command printed.
fn words_of(done: &Finished) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

/// Removes what was compiled before; the build makes it again.
fn forget_objects(tree: &Utf8Path) {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).build().flatten();
    let known = ["o", "a", "lo", "so"];
    let is_object = |path: &std::path::Path| path.extension().is_some_and(|end| known.iter().any(|one| end == *one));
    walk.filter(|entry| is_object(entry.path())).for_each(|entry| drop(std::fs::remove_file(entry.path())));
}

fn tail(done: &Finished) -> String {
    let text = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    text.chars().skip(text.chars().count().saturating_sub(TAIL_CHARS)).collect()
}

#[async_trait::async_trait]
impl Judge for CommandJudge {
    fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        self.test(patch, self.options.max_time).await
    }

    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        cold::one_by_one(self, patches, on_result).await
    }

    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let wall = Duration::from_secs_f64((self.baseline.seconds * 5.0).clamp(60.0, 1e6)).min(self.options.max_time);
        let mut validation = self.test(patch, wall).await?;
        if validation.outcome == Outcome::PassedWarm {
            validation.outcome = Outcome::Plausible;
            let others = self.baseline.passing.len();
            let weaker = match self.commands.test {
                Testing::Reports(..) => "; by the reports of the project's own command, which its code could write too",
                Testing::Cases(..) => "",
            };
            validation.detail = format!("{}, and so do the other {others} tests{weaker}", validation.detail);
        }
        Ok(validation)
    }

    fn disagreements(&self) -> Vec<Disagreement> {
        Vec::new()
    }
}

#[async_trait::async_trait]
impl Probe for CommandJudge {
    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError> {
        let mut report = self.untouched(None).await?;
        if !tests.is_empty() {
            report.results.retain(|id, _| tests.iter().any(|name| failing::matches(name, id)));
        }
        Ok(report)
    }

    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError> {
        tracing::info!("no coverage: the project's own test command is used as it is");
        Ok(None)
    }
}
