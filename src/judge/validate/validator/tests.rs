//! The door with a judge that lets everything pass.

use super::*;
use crate::benchmark::ProductChange;
use crate::domain::{Diagnostic, FileChange, RepoPath, TestId, TestReport};
use crate::language::Java;

use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets everything pass; warns of one thing.
struct Lenient {
    baseline: Baseline,
    confirmed: AtomicUsize,
}

impl Lenient {
    fn new() -> Arc<Self> {
        let triggering = vec![TestId::new("GateTest", "atLimit")];
        let baseline = Baseline { triggering, ..Baseline::default() };
        Arc::new(Self { baseline, confirmed: AtomicUsize::new(0) })
    }
}

#[async_trait::async_trait]
impl Judge for Lenient {
    fn baseline(&self) -> &Baseline {
        &self.baseline
    }
    async fn validate(&self, _: &Patch) -> Result<Validation, ValidateError> {
        Ok(Validation::without_tests(Outcome::PassedWarm, ""))
    }
    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        let passed = Validation::without_tests(Outcome::PassedWarm, "");
        let _ = (0..patches.len()).try_for_each(|at| on_result(at, &passed));
        Ok(())
    }
    async fn confirm(&self, _: &Patch) -> Result<Validation, ValidateError> {
        self.confirmed.fetch_add(1, Ordering::Relaxed);
        Ok(Validation::without_tests(Outcome::Plausible, ""))
    }
    fn disagreements(&self) -> Vec<Disagreement> {
        Vec::new()
    }
}

#[async_trait::async_trait]
impl Probe for Lenient {
    async fn run_tests(&self, _: &[TestId]) -> Result<TestReport, ValidateError> {
        Ok(TestReport::clone(&self.baseline.report))
    }
    async fn warnings(&self, _: &RepoPath) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        Ok(Some(vec![Diagnostic { file: None, line: 1, message: "a warning".into() }]))
    }
}

/// A door whose candidates are methods of one class.
fn door(judge: Arc<Lenient>) -> Validator {
    Validator::new(judge.clone(), judge, "").doubting(Doubts { tests: Vec::new(), language: &Java })
}

fn candidate(body: &str) -> Patch {
    let text = |body: &str| format!("class Gate {{\n    boolean open(int age) {{\n        {body}\n    }}\n}}\n");
    let path = RepoPath::new("Gate.java").unwrap();
    let before = Some(text("return age > 18;").into_bytes().into());
    Patch { files: vec![FileChange { path, before, after: text(body).into_bytes().into() }] }
}

#[tokio::test]
async fn a_clean_candidate_behind_suspicious_ones_is_not_lost() {
    let judge = Lenient::new();
    let door = door(judge.clone());
    let mut patches: Vec<Patch> = (0..4).map(|n| candidate(&format!("System.exit({n}); return age >= 18;"))).collect();
    patches.push(candidate("return age >= 18;"));
    let mut outcomes = Vec::new();
    let mut keep = |_: usize, answer: &Validation| {
        outcomes.push(answer.outcome);
        ControlFlow::Continue(())
    };
    door.screen(&patches, &mut keep).await.unwrap();
    assert_eq!(outcomes[..4], [Outcome::Suspicious; 4]);
    assert_eq!(outcomes[4], Outcome::PassedWarm);
    assert!(door.verdict(&patches[4]).await.unwrap().validation.is_plausible());
    assert_eq!(door.verdict(&patches[0]).await.unwrap().validation.outcome, Outcome::Duplicate);
    assert_eq!(judge.confirmed.load(Ordering::Relaxed), 1, "nobody pays for the confirmation of a suspicious one");
}

#[tokio::test]
async fn what_only_takes_the_last_change_back_is_not_suspicious() {
    let patch = candidate("System.exit(1); return age >= 18;");
    let (others, texts) = Default::default();
    let name = "commit 1a2b3c4".to_owned();
    let change = ProductChange { name, is_committed: true, revert: patch.clone(), others, texts };
    let mut judge = Lenient::new();
    let baseline = Baseline { broken_by: Some(change), ..judge.baseline.clone() };
    assert_eq!(door(judge).screen_one(&patch).await.unwrap().outcome, Outcome::Suspicious);
    judge = Arc::new(Lenient { baseline, confirmed: AtomicUsize::new(0) });
    assert_eq!(door(judge).screen_one(&patch).await.unwrap().outcome, Outcome::PassedWarm);
}

#[tokio::test]
async fn a_candidate_is_judged_once() {
    let judge = Lenient::new();
    let door = door(judge.clone());
    let patch = candidate("return age >= 18;");
    assert!(door.verdict(&patch).await.unwrap().validation.is_plausible());
    let again = door.verdict(&patch).await.unwrap().validation;
    assert_eq!(again.detail, "equal to an earlier candidate, which was plausible");
    assert_eq!(door.screen_one(&patch).await.unwrap().outcome, Outcome::Plausible, "a pass stays one");
    assert_eq!(judge.confirmed.load(Ordering::Relaxed), 1);
}

/// Stands between the door and a judge, as failpoints do.
struct Between(Arc<dyn Judge>);

#[async_trait::async_trait]
impl Judge for Between {
    fn baseline(&self) -> &Baseline {
        self.0.baseline()
    }
    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        self.0.validate(patch).await
    }
    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        self.0.validate_all(patches, on_result).await
    }
    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        self.0.confirm(patch).await
    }
    fn disagreements(&self) -> Vec<Disagreement> {
        self.0.disagreements()
    }
}

#[tokio::test]
async fn what_stands_around_the_judge_hides_no_fact() {
    let door = door(Lenient::new()).around(|judge| Arc::new(Between(judge)));
    let warnings = door.probe().warnings(&RepoPath::new("Gate.java").unwrap()).await.unwrap();
    assert_eq!(warnings.unwrap().len(), 1, "a debug build tells the warnings that a release tells");
}
