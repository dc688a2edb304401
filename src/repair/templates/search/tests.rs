//! The search with a judge that reads the text alone.

use super::super::testing::{index_of, ranking_of};
use super::super::{Engine, Options};
use super::*;
use crate::domain::{Failure, FileChange, Frame, RepoPath, RunEnd, TestId, TestReport, TestResult, TestStatus};
use crate::validate::{Baseline, Coverage, Enough, Judge, OnResult, Probe, Spectrum};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const GATE: &str = "class Gate {
    boolean open(int age, int limit) {
        return age > limit;
    }
}
";

/// Judges by the text alone: what it must hold to pass the fast run, and what to be confirmed.
struct ByText {
    baseline: Baseline,
    passes: fn(&str) -> bool,
    confirms: fn(&str) -> bool,
    /// What is cut in the fast run.
    cuts: fn(&str) -> bool,
    /// What leaves another test failing.
    leaves: fn(&str) -> bool,
    /// What the tests run.
    runs: fn(&str) -> bool,
    /// Seconds of a confirmation.
    takes: f64,
}

impl ByText {
    fn new(passes: fn(&str) -> bool, confirms: fn(&str) -> bool) -> Self {
        let triggering = vec![TestId::new("GateTest", "atLimit")];
        let baseline = Baseline { triggering, ..Baseline::default() };
        Self { baseline, passes, confirms, cuts: |_| false, leaves: |_| false, runs: |_| true, takes: 0.0 }
    }
}

#[async_trait::async_trait]
impl Judge for ByText {
    fn baseline(&self) -> &Baseline {
        &self.baseline
    }
    async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let text = String::from_utf8_lossy(&patch.files[0].after).into_owned();
        let outcome = if (self.passes)(&text) { Outcome::PassedWarm } else { Outcome::Failed };
        Ok(Validation::without_tests(outcome, ""))
    }
    async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
        for (at, patch) in patches.iter().enumerate() {
            let text = String::from_utf8_lossy(&patch.files[0].after).into_owned();
            let answer = match (self.cuts)(&text) {
                true => Validation::without_tests(Outcome::Timeout, ""),
                false => self.validate(patch).await?,
            };
            if on_result(at, &answer).is_break() {
                break;
            }
        }
        Ok(())
    }
    async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
        let text = String::from_utf8_lossy(&patch.files[0].after).into_owned();
        let outcome = if (self.confirms)(&text) { Outcome::Plausible } else { Outcome::Regression };
        let still_failing = if (self.leaves)(&text) { vec![TestId::new("DoorTest", "shuts")] } else { Vec::new() };
        Ok(Validation { still_failing, seconds: self.takes, ..Validation::without_tests(outcome, "") })
    }
    fn disagreements(&self) -> Vec<Disagreement> {
        Vec::new()
    }
}

#[async_trait::async_trait]
impl Probe for ByText {
    async fn run_tests(&self, _: &[TestId]) -> Result<TestReport, ValidateError> {
        Ok(TestReport::clone(&self.baseline.report))
    }
    async fn executed(&self, patch: &Patch, _: &Enough<'_>) -> Result<Option<Spectrum>, ValidateError> {
        let file = &patch.files[0];
        let line = if (self.runs)(&String::from_utf8_lossy(&file.after)) { 3 } else { 2 };
        let coverage = Coverage { lines: BTreeMap::from([(file.path.clone(), BTreeSet::from([line]))]) };
        Ok(Some(Spectrum::of([(self.baseline.triggering[0].clone(), true, coverage)])))
    }
}

fn door(judge: ByText) -> Validator {
    let judge = Arc::new(judge);
    Validator::new(judge.clone(), judge, "")
}

fn broken_by(then: &str) -> Options {
    let path = RepoPath::new("src/A.java").unwrap();
    let now = Some(GATE.as_bytes().into());
    let revert = Patch { files: vec![FileChange { path, before: now, after: then.as_bytes().into() }] };
    let (others, texts) = Default::default();
    let change = ProductChange { name: "commit 1a2b3c4".into(), is_committed: true, revert, others, texts };
    Options { broken_by: Some(change), ..Options::default() }
}

/// Searches a gate that a commit broke; `then` is what stood there.
async fn searched_after(then: &str, judge: ByText) -> SearchResult {
    let index = index_of(GATE);
    let mut engine = Engine::new(&index, &ranking_of(&[3]), broken_by(then));
    search(&mut engine, &door(judge), Budget::default(), &mut |_, _| {}).await.unwrap()
}

#[tokio::test]
async fn a_small_part_of_the_last_change_is_taken_back_and_ends_the_search() {
    let then = GATE.replace("> limit", "> limit - 1");
    let passes = |text: &str| text.contains(">= limit") || text.contains("limit - 1");
    let result = searched_after(&then, ByText::new(passes, |_| true)).await;
    let judged: Vec<&str> = result.plausible.iter().map(|judged| &*judged.candidate.note).collect();
    assert_eq!((result.tried, judged), (1, vec!["took back a part of commit 1a2b3c4: `return age > limit;`"]));
    assert!(result.plausible[0].restores);
}

#[tokio::test]
async fn the_search_goes_on_where_what_was_taken_back_is_refuted() {
    let then = GATE.replace("> limit", "> limit - 1");
    let passes = |text: &str| text.contains(">= limit") || text.contains("limit - 1");
    let result = searched_after(&then, ByText::new(passes, |text| text.contains(">= limit"))).await;
    assert!(result.plausible[0].candidate.note.contains("replaced `>` by `>=`"), "{}", result.explanation);
    assert_eq!(result.refuted[0].candidate.template, TAKE_BACK);
}

#[tokio::test]
async fn what_brings_back_a_line_of_a_large_part_comes_first() {
    let comments = "// one\n        // two\n        // three\n        ";
    let then = GATE.replace("return age > limit;", &format!("{comments}return age > limit - 1;"));
    let passes = |text: &str| text.contains(">= limit") || text.contains("limit - 1");
    let result = searched_after(&then, ByText::new(passes, |_| true)).await;
    assert!(result.plausible[0].candidate.note.contains("limit - 1"), "{}", result.explanation);
    assert!(result.explanation.contains("which brings back what stood there before: "), "{}", result.explanation);
}

async fn searched(validator: &Validator, budget: Budget) -> (SearchResult, usize) {
    let index = index_of(GATE);
    let mut engine = Engine::new(&index, &ranking_of(&[3]), Options::default());
    let mut reports = 0;
    let result = search(&mut engine, validator, budget, &mut |_, _| reports += 1).await.unwrap();
    (result, reports)
}

#[tokio::test]
async fn goes_on_a_little_and_chooses_the_smallest() {
    let judge = door(ByText::new(|text| text.contains(">= limit") || text.contains("limit - 1"), |_| true));
    let (result, reports) = searched(&judge, Budget { after_first: 30, ..Budget::default() }).await;
    assert!(result.plausible.len() >= 2, "{}", result.explanation);
    assert!(result.plausible[0].candidate.note.contains("replaced `>` by `>=`"), "{}", result.explanation);
    assert_eq!(result.tried, reports);
    assert!(result.tried <= result.first_passed.unwrap() + 30);
    assert!(result.explanation.starts_with("chosen as the smallest likely change of"), "{}", result.explanation);
}

#[tokio::test]
async fn only_a_confirmed_candidate_is_plausible() {
    let judge = door(ByText::new(|text| text.contains("limit"), |text| text.contains("age >= limit")));
    let (result, _) = searched(&judge, Budget { after_first: 60, ..Budget::default() }).await;
    assert_eq!(result.plausible.len(), 1);
    assert_eq!(result.plausible[0].validation.outcome, Outcome::Plausible);
    assert!(!result.refuted.is_empty(), "the others are told, not dropped");
    assert!(result.refuted.iter().all(|judged| judged.validation.outcome == Outcome::Regression));
}

#[tokio::test]
async fn a_candidate_that_repairs_more_tests_comes_first() {
    let judge = ByText::new(|text| text.contains(">= limit") || text.contains("limit - 1"), |_| true);
    let judge = door(ByText { leaves: |text| text.contains(">= limit"), ..judge });
    let (result, _) = searched(&judge, Budget { after_first: 60, ..Budget::default() }).await;
    assert!(result.plausible[0].candidate.note.contains("limit - 1"), "{}", result.explanation);
    assert!(result.explanation.contains("fewest tests still fail"), "{}", result.explanation);
}

#[tokio::test]
async fn where_a_confirmation_takes_long_one_is_enough() {
    let found = async |takes| {
        let judge = ByText::new(|text| text.contains(">= limit") || text.contains("limit - 1"), |_| true);
        let judge = door(ByText { takes, ..judge });
        let (result, _) = searched(&judge, Budget { after_first: 60, ..Budget::default() }).await;
        (result.plausible.len(), result.unconfirmed.len())
    };
    assert_eq!(found(1.0).await, (2, 0));
    assert_eq!(found(70.0).await, (1, 1), "a second one would end after the time of the search");
}

#[tokio::test]
async fn a_candidate_of_which_no_test_runs_a_part_comes_last() {
    let judge = ByText::new(|text| text.contains(">= limit") || text.contains("limit - 1"), |_| true);
    let judge = door(ByText { runs: |text| !text.contains(">= limit"), ..judge });
    let (result, _) = searched(&judge, Budget { after_first: 60, ..Budget::default() }).await;
    assert!(result.plausible[0].candidate.note.contains("limit - 1"), "{}", result.explanation);
    assert!(result.plausible.iter().any(|judged| judged.candidate.note.contains("`>` by `>=`")));
    assert!(result.explanation.contains("of which the tests run every side"), "{}", result.explanation);
}

/// A gate that refuses by a check; the failing test is refused.
const GUARDED: &str = "class Gate {
    void enter(int age, int limit) {
        if (age > limit) {
            if (age > 18) {
                throw new IllegalArgumentException();
            }
        }
    }
}
";

#[tokio::test]
async fn where_the_check_that_failed_does_not_run_any_more_the_search_goes_on_longer() {
    let tried_after_first = async |is_thrown: bool| {
        let mut judge = ByText::new(|text| text.contains("age >= limit"), |_| true);
        let test = judge.baseline.triggering[0].clone();
        let path = RepoPath::new("src/A.java").unwrap();
        let lines = BTreeMap::from([(path, BTreeSet::from([3, 4, 5]))]);
        judge.baseline.spectrum = Spectrum::of([(test.clone(), false, Coverage { lines })]).into();
        let frame = Frame { class: "A".into(), method: "enter".into(), file: Some("A.java".into()), line: Some(5) };
        let frames = if is_thrown { vec![frame] } else { Vec::new() };
        let failure = Some(Failure { frames, ..Failure::default() });
        let result = TestResult { id: test.clone(), status: TestStatus::Failed, failure, millis: 1, loss: None };
        judge.baseline.report =
            TestReport { end: RunEnd::Complete, results: [(test, result)].into(), output_tail: String::new() }.into();
        let index = index_of(GUARDED);
        let mut engine = Engine::new(&index, &ranking_of(&[3, 4]), Options::default());
        let budget = Budget { after_first: 2, ..Budget::default() };
        let result = search(&mut engine, &door(judge), budget, &mut |_, _| {}).await.unwrap();
        result.tried - result.first_passed.unwrap()
    };
    assert_eq!(tried_after_first(false).await, 2);
    assert_eq!(tried_after_first(true).await, 2 * LONGER);
}

#[tokio::test]
async fn a_candidate_that_was_cut_has_its_time_where_no_other_passes() {
    let judge = ByText::new(|text| text.contains("age >= limit"), |_| true);
    let judge = door(ByText { cuts: |text| text.contains(">= limit"), ..judge });
    let (result, _) = searched(&judge, Budget::default()).await;
    assert!(result.plausible[0].candidate.note.contains("replaced `>` by `>=`"), "{}", result.explanation);
    assert_eq!(result.first_passed, None);
}

#[tokio::test]
async fn an_engine_that_caught_up_goes_on_where_the_search_ended() {
    let judge = door(ByText::new(|_| false, |_| true));
    let index = index_of(GATE);
    let engine = || Engine::new(&index, &ranking_of(&[3]), Options::default());
    let mut first = engine();
    let mut judged = Vec::new();
    let budget = Budget { candidates: 24, ..Budget::default() };
    let mut keep = |c: &Candidate, v: &Validation| judged.push((c.patch.clone(), v.clone()));
    search(&mut first, &judge, budget, &mut keep).await.unwrap();
    assert_eq!(judged.len(), 24);
    let after = |count: usize| {
        let mut later = engine();
        catch_up(&mut later, judged[..count].iter().map(|(patch, validation)| (patch, validation)));
        later.next_batch(8)
    };
    assert_eq!(after(24), first.next_batch(8));
    let cut: Vec<Patch> = after(20).into_iter().map(|candidate| candidate.patch).collect();
    let rest: Vec<Patch> = judged[20..].iter().map(|(patch, _)| patch.clone()).collect();
    assert_eq!(cut[..4], rest, "what was made and not judged comes next");
}

#[tokio::test]
async fn rivals_of_a_plausible_candidate_are_found_beside_it() {
    let judge = door(ByText::new(|text| text.contains(">= limit") || text.contains("limit - 1"), |_| true));
    let index = index_of(GATE);
    let mut engine = Engine::new(&index, &ranking_of(&[3]), Options::default());
    let first = engine.next_batch(1).remove(0);
    let validation = judge.verdict(&first.patch).await.unwrap().validation;
    assert!(validation.is_plausible(), "{}", first.note);
    let mut judged = Vec::new();
    let mut keep = |candidate: &Candidate, _: &Validation| judged.push(candidate.note.clone());
    let budget = Budget::default();
    let result = search_beside(&first, &validation, &mut engine, &judge, budget, &mut keep).await.unwrap();
    let plausible: Vec<&str> = result.plausible.iter().map(|judged| &*judged.candidate.note).collect();
    assert!(plausible.len() > 1 && plausible.contains(&&*first.note), "{plausible:?}");
    assert_eq!((result.tried, judged.contains(&first.note)), (judged.len(), false), "it was judged before");
}

#[tokio::test]
async fn budgets_end_a_search() {
    let judge = door(ByText::new(|_| false, |_| true));
    let (result, reports) = searched(&judge, Budget { candidates: 5, ..Budget::default() }).await;
    assert_eq!((result.tried, reports), (5, 5));
    assert!(result.plausible.is_empty() && result.explanation.contains("none of 5 candidates"));
    let (result, _) = searched(&judge, Budget { time: Duration::ZERO, ..Budget::default() }).await;
    assert!(result.tried <= 1, "at most the candidate under way");
}
