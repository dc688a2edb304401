//! What the judge needs to know of a project, whatever language its tests are written in: how a patched copy is made and
//! how tests are run in it. Everything else (which tests, how long, what their results mean) is the judge's own.

pub use super::copies::write_all;
pub(super) use super::copies::{Build, Copy, News};
use super::drawn::Draw;
use super::observe::Watch;
use super::plan::{Deadlines, LEAST, Plan, UNKNOWN};
use super::records::{Discovered, Executed};
use super::{Baseline, Options, ValidateError};
use crate::benchmark::Checkout;
use crate::domain::{
    Diagnostic, Outcome, Patch, RepoPath, TestId, TestReport, TestResult, TestStatus, Validation, outer_class,
};
use camino::Utf8Path;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// What a failing test gets at least, once a candidate may let it pass.
const ONCE_IT_PASSES: Duration = Duration::from_secs(10);

/// A project whose tests a runner of ours runs.
#[async_trait::async_trait]
pub(super) trait Subject: Send + Sync {
    /// The project.
    fn checkout(&self) -> &Checkout;
    /// How it was opened.
    fn options(&self) -> &Options;
    /// Classes or modules that may hold tests.
    fn tests(&self) -> &[String];
    /// Where what belongs to exactly this content is kept.
    fn project_cache(&self) -> &Utf8Path;
    /// Further arguments of the test process.
    fn args(&self) -> Vec<String>;

    /// What is made of a patch; or why nothing can be.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn build(&self, patch: &Patch) -> Result<Result<Build, Validation>, ValidateError>;

    /// Runs a plan in fresh processes.
    ///
    /// # Errors
    /// No process can be started.
    async fn run(&self, copy: &Copy, plan: &Plan) -> Result<TestReport, ValidateError>;

    /// Whether [`Self::run_served`] takes less time than a fresh process.
    fn is_quicker_served(&self) -> bool {
        false
    }

    /// Runs a plan with a patch in a child of a process that waits: for candidates of which few are confirmed.
    ///
    /// # Errors
    /// As [`Self::run`].
    async fn run_served(&self, patch: &Patch, build: &Arc<Build>, plan: &Plan) -> Result<TestReport, ValidateError> {
        let copy = Copy::with(self.checkout(), &self.options().work_dir, patch, build.clone())?;
        self.run(&copy, plan).await
    }

    /// The file that holds a class of tests.
    fn test_file(&self, class: &str) -> Option<RepoPath>;

    /// Whether a file of tests is a text with examples.
    fn is_text(&self, _file: &RepoPath) -> bool {
        false
    }

    /// Whether the tests of a file would run, by the project's own patterns.
    fn runs_tests_of(&self, _file: &RepoPath) -> bool {
        true
    }

    /// A copy with a patch, in which some test files have another text; or why that does not compile.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn with_tests(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        files: &[(RepoPath, Vec<u8>)],
    ) -> Result<Result<Copy, Vec<Diagnostic>>, ValidateError>;

    /// Which tests there are in these classes.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn discover(&self, copy: &Copy, plan: &Plan) -> Result<Discovered, ValidateError>;

    /// Runs a plan in a copy and tells what each test executed; `None` with a notice where that cannot be had.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn measured(&self, copy: &Copy, plan: &Plan) -> Result<Option<(TestReport, Executed)>, ValidateError>;

    /// Whether tests take many times as long while it is told what they execute.
    fn is_slow_when_measured(&self) -> bool {
        false
    }

    /// Runs a plan on the untouched code and tells what each test did in the watched places, an event a text; `None` where
    /// that cannot be had.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn observed(&self, plan: &Plan, watch: &Watch) -> Result<Option<Executed>, ValidateError>;

    /// Runs a plan in a copy and tells what functions do with drawn inputs, a call a text; `None` where that cannot be had.
    ///
    /// # Errors
    /// As [`Subject::run`].
    async fn drawn(&self, _copy: &Copy, _plan: &Plan, _draw: &Draw) -> Result<Option<Executed>, ValidateError> {
        Ok(None)
    }

    /// Classes that may hold tests, those first that are nearest to what a patch changes.
    fn order(&self, patch: &Patch, build: &Build) -> Vec<String>;

    /// The product file that a measured name means.
    fn source(&self, name: &str) -> Option<RepoPath>;

    /// What the compiler warns of in a file of the untouched code.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn warnings(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError>;

    /// Whether two patches compile to the same code; `None` where that is unknown.
    ///
    /// # Errors
    /// Faults of the environment.
    async fn same_code(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError>;
}

/// What every subject can do with what it has.
impl dyn Subject + '_ {
    /// A fresh copy of the untouched checkout.
    pub(super) fn copy(&self) -> Result<Copy, ValidateError> {
        Copy::of(self.checkout(), &self.options().work_dir)
    }

    /// A fresh copy with a patch.
    pub(super) fn copy_with(&self, patch: &Patch, build: &Arc<Build>) -> Result<Copy, ValidateError> {
        Copy::with(self.checkout(), &self.options().work_dir, patch, build.clone())
    }

    /// The same in a folder whose names say nothing of tests.
    pub(super) fn plain_copy_with(&self, patch: &Patch, build: &Arc<Build>) -> Result<Copy, ValidateError> {
        Copy::plain(self.checkout(), &self.options().work_dir, patch, build.clone())
    }

    /// A plan over some classes.
    pub(super) fn plan(&self, classes: Vec<String>, deadlines: Deadlines) -> Plan {
        Plan { args: self.args(), ..Plan::of(classes, deadlines) }
    }

    /// A plan of these tests alone.
    pub(super) fn plan_of(&self, tests: Vec<TestId>, deadlines: Deadlines) -> Plan {
        self.plan(self.classes_of(&tests), deadlines).only(tests)
    }

    /// The classes that hold these tests, in their order.
    pub(super) fn classes_of(&self, tests: &[TestId]) -> Vec<String> {
        let wanted: BTreeSet<&str> = tests.iter().map(TestId::outer_class).collect();
        self.tests().iter().filter(|class| wanted.contains(outer_class(class))).cloned().collect()
    }

    /// Wall time that a run of tests may take.
    pub(super) fn longest(&self) -> Duration {
        const SUITE: Duration = Duration::from_secs(15 * 60);
        self.options().max_time.max(SUITE)
    }

    /// Deadlines by what tests took; a test that nobody saw end has [`UNKNOWN`].
    pub(super) fn deadlines(&self, report: &TestReport) -> Deadlines {
        let mut own = BTreeMap::new();
        for result in report.results.values().filter(|result| result.loss.is_none()) {
            let limit = Deadlines::usual(result.millis);
            // How long a failing test takes says little of how long it takes once it passes.
            let failed = result.status != TestStatus::Passed;
            own.insert(result.id.clone(), if failed { limit.max(ONCE_IT_PASSES) } else { limit });
        }
        // What was cut gets no more than it had, until it runs by itself.
        let lost = report.results.values().filter(|result| result.loss.is_some());
        own.extend(lost.map(|result| (result.id.clone(), ONCE_IT_PASSES)));
        Deadlines { own, ..Deadlines::of(UNKNOWN, self.longest()) }
    }

    /// The same for candidates: a failing test of which it is known how long it takes to pass has that time.
    pub(super) fn deadlines_for(&self, baseline: &Baseline) -> Deadlines {
        let mut deadlines = self.deadlines(&baseline.report);
        for (id, millis) in &baseline.took {
            let ended = baseline.report.results.get(id).is_some_and(|result| result.loss.is_none());
            if let Some(limit) = deadlines.own.get_mut(id).filter(|_| ended) {
                *limit = (*limit).max(Deadlines::usual(*millis));
            }
        }
        deadlines
    }

    /// Deadlines for quick looks, where a candidate that never ends must not cost what twenty others do: by what tests
    /// took, one that fails by a slow one that passes beside it.
    pub(super) fn quick_deadlines(&self, baseline: &Baseline) -> Deadlines {
        let own = quick_limits(baseline);
        Deadlines { default: LEAST * 5, own, between: LEAST * 5, total: self.longest() }
    }
}

/// What each test that ended may take in a quick look. The very slowest of many tests beside a failing one say nothing of it.
fn quick_limits(baseline: &Baseline) -> BTreeMap<TestId, Duration> {
    let finished = || baseline.report.results.values().filter(|result| result.loss.is_none());
    let mut passing: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for result in finished().filter(|result| result.status == TestStatus::Passed) {
        passing.entry(&result.id.class).or_default().push(result.millis);
    }
    passing.values_mut().for_each(|times| times.sort_unstable());
    let slow = |times: &Vec<u64>| times.get(times.len() * 9 / 10).copied();
    let limit = |result: &TestResult| {
        let beside = passing.get(result.id.class.as_str()).filter(|_| result.status != TestStatus::Passed);
        let known = baseline.took.get(&result.id).copied();
        let longest = beside.and_then(slow).max(known).unwrap_or_default();
        (result.id.clone(), Deadlines::usual(result.millis.max(longest)))
    };
    finished().map(limit).collect()
}

/// The outcome of a candidate that changes nothing for the machine.
pub(super) fn same_code(detail: &str) -> Validation {
    Validation::without_tests(Outcome::Duplicate, detail)
}

/// The outcome of a candidate with these errors.
pub fn does_not_compile(diagnostics: Vec<Diagnostic>) -> Validation {
    let lines = diagnostics.iter().take(5).map(|diagnostic| match &diagnostic.file {
        Some(file) => format!("{file}:{}: {}", diagnostic.line, diagnostic.message),
        None => diagnostic.message.clone(),
    });
    let detail = lines.collect::<Vec<_>>().join("\n");
    Validation { diagnostics, ..Validation::without_tests(Outcome::CompileError, detail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_test_gets_what_slow_tests_beside_it_take_but_for_the_very_slowest_of_many() {
        let limit = |beside: &[u64]| {
            let result = |name: String, status, millis| TestResult {
                id: TestId::new("PoolTest", name),
                status,
                failure: None,
                millis,
                loss: None,
            };
            let passing =
                beside.iter().enumerate().map(|(n, millis)| result(format!("t{n}"), TestStatus::Passed, *millis));
            let results = passing.chain([result("fails".into(), TestStatus::Failed, 1)]);
            let mut report = crate::validate::suite::empty();
            report.results = results.map(|result| (result.id.clone(), result)).collect();
            let baseline = Baseline { report: report.into(), ..Baseline::default() };
            quick_limits(&baseline)[&TestId::new("PoolTest", "fails")].as_millis()
        };
        assert_eq!(limit(&[5, 700, 20]), 7_000);
        let many: Vec<u64> = (0..19).map(|_| 20).chain([9_000]).collect();
        assert_eq!(limit(&many), LEAST.as_millis());
        assert_eq!(limit(&[]), LEAST.as_millis());
    }
}
