//! The confirmation, with a project whose tests are scripted.

use super::*;
use crate::benchmark::{Checkout, Project};
use crate::domain::{BugId, Diagnostic, FileChange, Loss, RepoPath, RunEnd, TestResult, TestStatus};
use crate::validate::Options;
use crate::validate::observe::Watch;
use crate::validate::plan::Plan;
use crate::validate::records::Executed;
use camino::{Utf8Path, Utf8PathBuf};

/// What a run tells: by whether the patch is there, and how often that was asked before.
type Script = fn(patched: bool, nth: usize) -> Vec<(&'static str, TestStatus)>;

/// A project whose tests are scripted.
struct Scripted {
    _folder: tempfile::TempDir,
    checkout: Checkout,
    options: Options,
    tests: Vec<String>,
    script: Script,
    /// What `U#good` takes by itself, in milliseconds, whatever it takes beside others.
    alone: u64,
    runs: Mutex<[usize; 2]>,
}

impl Scripted {
    fn new(script: Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let (root, work) = (base.join("root"), base.join("work"));
        for each in [&root, &work] {
            std::fs::create_dir_all(each).unwrap();
        }
        let bug = BugId { benchmark: crate::benchmark::LOCAL.into(), name: "x".into() };
        let checkout = Checkout::new(bug, root, "java", Project::default());
        let tests = ["T", "U"].map(String::from).to_vec();
        Self { _folder: folder, checkout, options: Options::new(work), tests, script, alone: 1, runs: Mutex::default() }
    }
}

#[async_trait::async_trait]
impl Subject for Scripted {
    fn checkout(&self) -> &Checkout {
        &self.checkout
    }
    fn options(&self) -> &Options {
        &self.options
    }
    fn tests(&self) -> &[String] {
        &self.tests
    }
    fn project_cache(&self) -> &Utf8Path {
        &self.options.work_dir
    }
    fn args(&self) -> Vec<String> {
        Vec::new()
    }
    async fn build(&self, _: &Patch) -> Result<Result<Build, Validation>, ValidateError> {
        Build::new(&self.options.work_dir).map(Ok)
    }
    async fn run(&self, copy: &Copy, plan: &Plan) -> Result<TestReport, ValidateError> {
        let patched = copy.tree.join("patched").is_file();
        let nth = {
            let mut runs = self.runs.lock().unwrap();
            runs[usize::from(patched)] += 1;
            runs[usize::from(patched)] - 1
        };
        let mut report = suite::empty();
        for (name, status) in (self.script)(patched, nth) {
            let id: TestId = name.parse().unwrap();
            let meant = |only: &TestId| suite::same_group(&id, only);
            let wanted = plan.only.is_empty() || plan.only.iter().any(meant);
            if !wanted || !plan.classes.contains(&id.class) || plan.skip.contains(&id) {
                continue;
            }
            let is_alone = plan.only.contains(&id) && name == "U#good";
            let millis = if is_alone { self.alone } else { 1 };
            let limit = plan.deadlines.own.get(&id).copied().unwrap_or(plan.deadlines.default);
            let status = if u128::from(millis) > limit.as_millis() { TimedOut } else { status };
            let loss = (status == TestStatus::TimedOut).then_some(Loss::Cut);
            report.results.insert(id.clone(), TestResult { id, status, failure: None, millis, loss });
            if loss.is_some() && plan.losses == 1 {
                report.end = RunEnd::TimedOut;
                break;
            }
        }
        Ok(report)
    }
    fn test_file(&self, _: &str) -> Option<RepoPath> {
        None
    }
    async fn with_tests(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        _: &[(RepoPath, Vec<u8>)],
    ) -> Result<Result<Copy, Vec<Diagnostic>>, ValidateError> {
        Copy::with(&self.checkout, &self.options.work_dir, patch, build.clone()).map(Ok)
    }
    async fn discover(&self, _: &Copy, _: &Plan) -> Result<Discovered, ValidateError> {
        Ok(Discovered::new())
    }
    async fn measured(&self, _: &Copy, _: &Plan) -> Result<Option<(TestReport, Executed)>, ValidateError> {
        Ok(None)
    }
    async fn observed(&self, _: &Plan, _: &Watch) -> Result<Option<Executed>, ValidateError> {
        Ok(None)
    }
    fn order(&self, _: &Patch, _: &Build) -> Vec<String> {
        self.tests.clone()
    }
    fn source(&self, _: &str) -> Option<RepoPath> {
        None
    }
    async fn warnings(&self, _: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError> {
        Ok(Vec::new())
    }
    async fn same_code(&self, _: &Patch, _: &Patch) -> Result<Option<bool>, ValidateError> {
        Ok(None)
    }
}

async fn confirmed(script: Script) -> Validation {
    confirmed_of(Scripted::new(script)).await
}

async fn confirmed_of(subject: Scripted) -> Validation {
    let good: TestId = "U#good".parse().unwrap();
    let known = TestResult { id: good.clone(), status: Passed, failure: None, millis: 1, loss: None };
    let report = TestReport { results: [(good, known)].into(), ..suite::empty() }.into();
    let baseline = Baseline { triggering: vec!["T#bug".parse().unwrap()], report, ..Baseline::default() };
    let expected = [("T#bug", Some(1)), ("U#good", Some(1)), ("U#many", Some(2))];
    let expected: Discovered = expected.map(|(name, count)| (name.parse().unwrap(), count)).into();
    let path = RepoPath::new("patched").unwrap();
    let patch = Patch { files: vec![FileChange { path, before: None, after: b"x".as_slice().into() }] };
    let build = Arc::new(Build::new(&subject.options.work_dir).unwrap());
    let untouched = Untouched::of(&subject);
    let confirmation = Confirmation {
        subject: &subject,
        baseline: &baseline,
        bug: &baseline,
        untouched: &untouched,
        expected: &expected,
        patch: &patch,
        build,
        order: subject.tests.clone(),
        excused: &BTreeSet::new(),
    };
    confirmation.run().await.unwrap()
}

use TestStatus::{Failed, Passed, Skipped, TimedOut};

/// All tests, with the one of interest as it is said.
fn all(good: TestStatus) -> Vec<(&'static str, TestStatus)> {
    vec![("T#bug", Passed), ("U#many[1]", Passed), ("U#many[2]", Passed), ("U#good", good)]
}

#[tokio::test]
async fn what_passes_needs_no_baseline() {
    let validation = confirmed(|patched, _| if patched { all(Passed) } else { panic!("nobody asks") }).await;
    assert_eq!(validation.outcome, Outcome::Plausible, "{validation:?}");
    assert_eq!(validation.detail, "1 of 1 triggering tests pass, and so do the other 3 tests");
}

#[tokio::test]
async fn what_fails_without_the_patch_speaks_against_nobody() {
    for (before, with) in [(Failed, Failed), (TimedOut, TimedOut), (Failed, TimedOut), (Skipped, Skipped)] {
        let validation = match (before, with) {
            (Failed, Failed) => confirmed(|_, _| all(Failed)).await,
            (TimedOut, TimedOut) => confirmed(|_, _| all(TimedOut)).await,
            (Failed, _) => confirmed(|patched, _| all(if patched { TimedOut } else { Failed })).await,
            _ => confirmed(|_, _| all(Skipped)).await,
        };
        assert_eq!(validation.outcome, Outcome::Plausible, "{before:?} {with:?}: {validation:?}");
    }
}

#[tokio::test]
async fn what_passes_without_the_patch_and_never_with_it_is_a_regression() {
    let rows: [(Script, Outcome); 4] = [
        (|patched, _| all(if patched { Failed } else { Passed }), Outcome::Regression),
        (|patched, _| all(if patched { TimedOut } else { Passed }), Outcome::Timeout),
        (|patched, _| all(if patched { Skipped } else { Passed }), Outcome::MissingTests),
        (
            |patched, _| all(Passed).into_iter().filter(|(name, _)| !patched || *name != "U#many[2]").collect(),
            Outcome::MissingTests,
        ),
    ];
    for (script, wanted) in rows {
        let validation = confirmed(script).await;
        assert_eq!(validation.outcome, wanted, "{validation:?}");
        assert!(validation.detail.contains("passes without the patch"), "{validation:?}");
    }
}

#[tokio::test]
async fn a_test_that_is_cut_without_the_patch_gets_more_time_where_it_ends_with_it() {
    let slow: Script = |patched, nth| {
        all(if patched {
            Failed
        } else if nth == 0 {
            TimedOut
        } else {
            Passed
        })
    };
    assert_eq!(confirmed(slow).await.outcome, Outcome::Regression);
    let endless: Script = |patched, _| all(if patched { Failed } else { TimedOut });
    let validation = confirmed(endless).await;
    assert_eq!(validation.outcome, Outcome::Plausible, "{validation:?}");
    assert!(validation.detail.ends_with("; cut, which says nothing: U#good"), "{validation:?}");
}

#[tokio::test]
async fn a_test_that_finds_its_work_done_beside_others_has_its_time_alone() {
    let script: Script = |patched, nth| all(if patched && nth < 3 { TimedOut } else { Passed });
    let validation = confirmed_of(Scripted { alone: 9_000, ..Scripted::new(script) }).await;
    assert_eq!(validation.outcome, Outcome::Plausible, "{validation:?}");
    assert!(validation.detail.ends_with("not every time, and not counted: U#good"), "{}", validation.detail);
}

#[tokio::test]
async fn a_test_that_is_cut_and_ends_with_more_time_passes() {
    let validation = confirmed(|patched, nth| all(if patched && nth == 1 { TimedOut } else { Passed })).await;
    assert_eq!(validation.outcome, Outcome::Plausible, "{validation:?}");
    assert!(validation.detail.ends_with("and so do the other 3 tests"), "{}", validation.detail);
}

#[tokio::test]
async fn a_test_that_is_new_with_the_patch_and_fails_counts() {
    let validation = confirmed(|patched, _| {
        let mut tests = all(Passed);
        if patched {
            tests.push(("U#many[3]", Failed));
        }
        tests
    })
    .await;
    assert_eq!(validation.outcome, Outcome::Regression, "{validation:?}");
}

#[tokio::test]
async fn a_flaky_test_makes_no_no() {
    // It fails the first time with the patch, and passes when it runs by itself.
    let validation = confirmed(|patched, nth| all(if patched && nth <= 1 { Failed } else { Passed })).await;
    assert_eq!(validation.outcome, Outcome::Plausible, "{validation:?}");
    assert!(validation.detail.contains("not every time, and not counted: U#good"), "{validation:?}");
    // It fails now and then without the patch.
    let validation = confirmed(|patched, nth| all(if patched || nth == 1 { Failed } else { Passed })).await;
    assert_eq!(validation.outcome, Outcome::Plausible, "{validation:?}");
}

#[tokio::test]
async fn a_triggering_test_that_fails_once_gets_a_fresh_process() {
    let validation = confirmed(|_, nth| {
        let mut tests = all(Passed);
        tests[0].1 = if nth == 0 { Failed } else { Passed };
        tests
    })
    .await;
    assert_eq!(validation.outcome, Outcome::Plausible, "{validation:?}");
    let validation = confirmed(|_, _| vec![("T#bug", Failed)]).await;
    assert_eq!(validation.outcome, Outcome::Failed, "{validation:?}");
}

#[test]
fn lanes_share_one_folder_for_classes() {
    let subject = Scripted::new(|_, _| Vec::new());
    let build = Arc::new(Build::new(&subject.options.work_dir).unwrap());
    let any: &dyn Subject = &subject;
    let copies = [0, 1].map(|_| any.copy_with(&Patch::default(), &build).unwrap());
    assert_eq!(copies[0].build.overlay, copies[1].build.overlay);
    let trees: BTreeSet<&Utf8PathBuf> = copies.iter().map(|copy| &copy.tree).collect();
    assert_eq!(trees.len(), 2);
}
