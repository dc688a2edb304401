//! The search: candidates stream into the judge, answers steer the engine, and what passes is ranked and confirmed.

mod choice;
mod restored;

use super::{Candidate, Engine};
use crate::domain::{Disagreement, Outcome, Patch, Validation};
use crate::validate::{ValidateError, Validator};
use choice::{confirm, explanation, prefer_what_is_run, rank};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Candidates generated at a time: few enough that answers steer, many enough that choosing costs nothing.
const BATCH: usize = 8;

/// Candidates that were cut and have all their time in the end, where no other passed: a test that fails at once may take
/// long to pass, and most of what is cut never ends.
const MOST_CUT: usize = 2;

/// What a search may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Candidates at most.
    pub candidates: usize,
    /// Wall time at most; a candidate under way is finished.
    pub time: Duration,
    /// Candidates still tried after the first one that passes, within the two limits above.
    pub after_first: usize,
    /// Wall time at most for those: a guard against candidates that never end, generous enough that the number decides.
    pub time_after_first: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            candidates: 10_000,
            time: Duration::from_secs(60),
            after_first: 30,
            time_after_first: Duration::from_secs(15),
        }
    }
}

/// A candidate with the judge's last word on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The candidate.
    pub candidate: Candidate,
    /// The judge's word.
    pub validation: Validation,
    /// Whether it only takes back some of the change that broke the tests; false for what did not pass.
    pub restores: bool,
}

impl Judged {
    fn of(candidate: &Candidate, validation: &Validation) -> Self {
        Self { candidate: candidate.clone(), validation: validation.clone(), restores: false }
    }
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct SearchResult {
    /// Plausible candidates, the chosen one first.
    pub plausible: Vec<Judged>,
    /// Candidates that passed the fast run and were not confirmed, best first.
    pub unconfirmed: Vec<Judged>,
    /// Candidates that passed the quick look and not their confirmation, with the word of the latter.
    pub refuted: Vec<Judged>,
    /// Candidates on which two judges disagree.
    pub disagreements: Vec<Disagreement>,
    /// The failing candidate that came nearest: most triggering tests fixed, nothing else broken.
    pub nearest: Option<Judged>,
    /// Candidates judged.
    pub tried: usize,
    /// How many had been judged when the first one passed, itself included.
    pub first_passed: Option<usize>,
    /// Of these, how many compiled.
    pub compiled: usize,
    /// Time spent on making candidates.
    pub generating: Duration,
    /// Time of the whole search.
    pub total: Duration,
    /// One sentence: why the first plausible one was chosen, or how near the others came.
    pub explanation: String,
}

/// Tries candidates until the budget ends, or a little longer than the first that passes; then confirms what passed,
/// best first.
///
/// # Errors
/// Faults of the environment, as the validator reports them.
pub async fn search(
    engine: &mut Engine<'_>,
    validator: &Validator,
    budget: Budget,
    on_result: &mut (dyn FnMut(&Candidate, &Validation) + Send),
) -> Result<SearchResult, ValidateError> {
    let started = Instant::now();
    let mut result = SearchResult::default();
    let (mut passed, mut cut): (Vec<Judged>, Vec<Judged>) = Default::default();
    let (mut over, mut passed_at) = (false, None::<Instant>);
    while !over {
        let begin = Instant::now();
        let batch = engine.next_batch(BATCH.min(budget.candidates.saturating_sub(result.tried)));
        result.generating += begin.elapsed();
        over = batch.is_empty();
        let mut judged = 0;
        let patches: Vec<Patch> = batch.iter().map(|candidate| candidate.patch.clone()).collect();
        let mut on_judged = |at: usize, validation: &Validation| {
            let Some(candidate) = batch.get(at) else { return ControlFlow::Break(()) };
            judged = at + 1;
            engine.learn(candidate, validation);
            on_result(candidate, validation);
            take(&mut result, &mut passed, candidate, validation);
            if validation.outcome == Outcome::Timeout && cut.len() < MOST_CUT {
                cut.push(Judged::of(candidate, validation));
            }
            if result.first_passed.is_some() {
                passed_at.get_or_insert_with(Instant::now);
            }
            let late = passed_at.is_some_and(|at| at.elapsed() >= budget.time_after_first);
            over = started.elapsed() >= budget.time || late || is_enough(&result, budget);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        validator.screen(&patches, &mut on_judged).await?;
        engine.put_back(batch.into_iter().skip(judged));
    }
    if passed.is_empty() && started.elapsed() < budget.time {
        passed = cut;
    }
    rank(&mut passed, engine.broken_by());
    confirm(&mut result, passed, validator, started, budget.time).await?;
    let is_preferred = prefer_what_is_run(&mut result.plausible, validator, engine.language()).await;
    result.disagreements.extend(validator.disagreements());
    result.total = started.elapsed();
    result.explanation = explanation(&result, is_preferred);
    Ok(result)
}

/// Brings an engine to where an earlier search left it: it makes the same candidates and learns the same answers,
/// without the judge. Stops where the candidates are not those that were judged.
pub fn catch_up<'j>(engine: &mut Engine<'_>, judged: impl IntoIterator<Item = (&'j Patch, &'j Validation)>) {
    let mut judged = judged.into_iter().peekable();
    while judged.peek().is_some() {
        let batch = engine.next_batch(BATCH);
        if batch.is_empty() {
            return;
        }
        let mut batch = batch.into_iter();
        while let Some((patch, validation)) = judged.peek().copied() {
            let Some(candidate) = batch.next() else { break };
            if *patch != candidate.patch {
                return;
            }
            engine.learn(&candidate, validation);
            judged.next();
        }
        engine.put_back(batch);
    }
}

/// Whether the search went on long enough after the first candidate that passed.
fn is_enough(result: &SearchResult, budget: Budget) -> bool {
    result.first_passed.is_some_and(|first| result.tried >= first + budget.after_first)
}

fn take(result: &mut SearchResult, passed: &mut Vec<Judged>, candidate: &Candidate, validation: &Validation) {
    let judged = Judged::of(candidate, validation);
    result.tried += 1;
    result.compiled += usize::from(judged.validation.outcome.compiled());
    match judged.validation.outcome {
        outcome if outcome.passes() => {
            result.first_passed.get_or_insert(result.tried);
            passed.push(judged);
        }
        Outcome::Failed | Outcome::Regression => {
            let worth = |judged: &Judged| (judged.validation.fixed, std::cmp::Reverse(judged.validation.failing.len()));
            if judged.validation.fixed > 0 && result.nearest.as_ref().is_none_or(|best| worth(&judged) > worth(best)) {
                result.nearest = Some(judged);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{index_of, ranking_of};
    use super::super::{Engine, Options};
    use super::*;
    use crate::benchmark::ProductChange;
    use crate::domain::{TestId, TestReport};
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
    }

    impl ByText {
        fn new(passes: fn(&str) -> bool, confirms: fn(&str) -> bool) -> Self {
            let triggering = vec![TestId::new("GateTest", "atLimit")];
            let baseline = Baseline { triggering, ..Baseline::default() };
            Self { baseline, passes, confirms, cuts: |_| false, leaves: |_| false, runs: |_| true }
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
            Ok(Validation { still_failing, ..Validation::without_tests(outcome, "") })
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

    #[tokio::test]
    async fn what_stood_there_before_comes_first() {
        let judge = door(ByText::new(|text| text.contains(">= limit") || text.contains("limit - 1"), |_| true));
        let index = index_of(GATE);
        let mut engine = Engine::new(&index, &ranking_of(&[3]), Options::default());
        let budget = Budget { after_first: 30, ..Budget::default() };
        let usual = search(&mut engine, &judge, budget, &mut |_, _| {}).await.unwrap();
        let other = usual.plausible[1].candidate.patch.clone();
        assert_ne!(usual.plausible[0].candidate.patch, other);
        let (others, texts) = Default::default();
        let change = ProductChange { name: "commit 1a2b3c4".into(), is_committed: true, revert: other, others, texts };
        let options = Options { broken_by: Some(change.clone()), ..Options::default() };
        let mut engine = Engine::new(&index, &ranking_of(&[3]), options);
        let result = search(&mut engine, &judge, budget, &mut |_, _| {}).await.unwrap();
        assert_eq!(result.plausible[0].candidate.patch, change.revert);
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
    async fn a_candidate_of_which_no_test_runs_a_part_comes_last() {
        let judge = ByText::new(|text| text.contains(">= limit") || text.contains("limit - 1"), |_| true);
        let judge = door(ByText { runs: |text| !text.contains(">= limit"), ..judge });
        let (result, _) = searched(&judge, Budget { after_first: 60, ..Budget::default() }).await;
        assert!(result.plausible[0].candidate.note.contains("limit - 1"), "{}", result.explanation);
        assert!(result.plausible.iter().any(|judged| judged.candidate.note.contains("`>` by `>=`")));
        assert!(result.explanation.contains("of which the tests run every side"), "{}", result.explanation);
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
    async fn budgets_end_a_search() {
        let judge = door(ByText::new(|_| false, |_| true));
        let (result, reports) = searched(&judge, Budget { candidates: 5, ..Budget::default() }).await;
        assert_eq!((result.tried, reports), (5, 5));
        assert!(result.plausible.is_empty() && result.explanation.contains("none of 5 candidates"));
        let (result, _) = searched(&judge, Budget { time: Duration::ZERO, ..Budget::default() }).await;
        assert!(result.tried <= 1, "at most the candidate under way");
    }
}
