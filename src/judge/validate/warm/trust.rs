//! How far a process that stays is believed: what it says of the untouched code, and of candidates that fail in a way that
//! the triggering tests do not explain, must be what a process of its own says.

use super::testing::Warm;
use super::{Haste, Inner};
use crate::domain::{Disagreement, Outcome, Patch, SurerJudge, TestId, TestReport, Validation};
use crate::validate::jvm::{Classes, Workers};
use crate::validate::untouched::passes;
use crate::validate::{Baseline, Judge, ValidateError, clean};
use std::collections::BTreeSet;

/// Candidates that fail in a new way, of which a fresh process has seen as many fail before the others are believed to.
const SECONDED: usize = 2;
/// Candidates that mend most of the triggering tests and of which a fresh process has its word, until one passes there: the
/// others may load the product's classes by themselves, from where the build put them.
const NEARLY: usize = 2;
/// Tests near the triggering ones that show whether this process is like others: so many, within such a time.
const SHOWING: (usize, u64) = (40, 2_000);

/// How far this project's tests can be believed in a process that stays.
#[derive(Default)]
pub(super) struct Trust {
    /// Whether a test that passes in a process of its own did not pass here without any patch, or with a right one.
    is_unlike: bool,
    /// Candidates that fail in a new way here, and in a fresh process, too.
    seconded: usize,
    /// Candidates that mend most of the triggering tests here, and not all in a fresh process either.
    nearly: usize,
    /// Tests that pass here without any patch.
    pub(super) passing: BTreeSet<TestId>,
    /// Tests that do not pass here without any patch, or that fresh processes judge otherwise.
    pub(super) aside: BTreeSet<TestId>,
    /// Tests whose failure with some patch a fresh process has seen, too; the most recent last.
    pub(super) agreed: Vec<TestId>,
}

impl Inner {
    /// What tests that pass beside the triggering ones tell of a process that stays.
    pub(super) async fn trust(&self, workers: &mut Workers) -> Result<Trust, ValidateError> {
        let showing: Vec<TestId> = beside(self.cold.baseline()).collect();
        let mut trust = Trust::default();
        self.ask_untouched(&mut trust, workers, &showing).await?;
        trust.is_unlike = !trust.aside.is_empty();
        if let Some(id) = trust.aside.first() {
            tracing::info!("{id} passes in a process of its own and not in a warm one, which is believed less");
        }
        Ok(trust)
    }

    /// What counts of an answer: a candidate that fails in a new way may do so for how it is run here, so that a fresh process
    /// has its word, until it said the same some times.
    pub(super) async fn seconded(
        &self,
        warm: &Warm,
        patch: &Patch,
        haste: Haste,
        answer: Validation,
    ) -> Result<Validation, ValidateError> {
        let mut trust = warm.trust.lock().await;
        let has_failed = answer.outcome == Outcome::Failed;
        let is_nearly = has_failed && answer.fixed * 2 >= warm.asked.len() && trust.nearly < NEARLY;
        let is_new = has_failed && self.fails_elsewhere(&answer) && (trust.seconded < SECONDED || trust.is_unlike);
        if !is_nearly && !is_new {
            return Ok(answer);
        }
        let surer = self.cold_answer(patch, haste).await?;
        self.note(&answer, &surer);
        match surer.outcome {
            Outcome::Failed => {
                trust.seconded += usize::from(is_new);
                trust.nearly += usize::from(is_nearly);
            }
            // The triggering tests pass there.
            Outcome::PassedWarm | Outcome::Regression => trust.is_unlike = true,
            _ => {}
        }
        Ok(surer)
    }

    /// Whether triggering tests fail at another place or in another way than without the candidate.
    pub(super) fn fails_elsewhere(&self, answer: &Validation) -> bool {
        let before = |id: &TestId| self.cold.baseline().report.results.get(id)?.failure.as_ref();
        answer.failing.iter().any(|(id, now)| before(id).is_none_or(|before| !clean::fail_alike(before, now)))
    }

    /// Whether a test fails otherwise than in the baseline; the code is untouched.
    pub(super) fn fails_otherwise(&self, report: &TestReport, id: &TestId) -> bool {
        let [before, now] = [&self.cold.baseline().report, report]
            .map(|report| report.results.get(id).and_then(|result| result.failure.as_ref()));
        before.is_some_and(|before| now.is_none_or(|now| !clean::fail_alike(before, now)))
    }

    /// Finds out which tests pass here without any patch.
    pub(super) async fn ask_untouched(
        &self,
        trust: &mut Trust,
        workers: &mut Workers,
        tests: &[TestId],
    ) -> Result<(), ValidateError> {
        let open: Vec<TestId> = tests.iter().filter(|id| !trust.passing.contains(*id)).cloned().collect();
        if open.is_empty() {
            return Ok(());
        }
        let report = workers.run(&Classes::new(), &self.plan(open.clone()), &[]).await?;
        for id in open {
            let known = if passes(&report, &id) == Some(true) { &mut trust.passing } else { &mut trust.aside };
            known.insert(id);
        }
        Ok(())
    }

    /// Notes where the cold judge disagreed.
    pub(super) fn note(&self, warm: &Validation, surer: &Validation) {
        if warm.outcome != surer.outcome {
            self.disagree(warm.outcome, surer.outcome, surer.detail.clone());
        }
    }

    pub(super) fn disagree(&self, first: Outcome, then: Outcome, detail: String) {
        let disagreement = Disagreement { judge: SurerJudge::Cold, first, then, detail };
        tracing::info!("{disagreement}");
        self.disagreements.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(disagreement);
    }
}

/// Tests in the classes of the triggering ones that pass soon. All invocations of a method run together, so that those of a
/// method of which others fail, which may take long, are none.
fn beside(baseline: &Baseline) -> impl Iterator<Item = TestId> + '_ {
    let classes: BTreeSet<&str> = baseline.triggering.iter().map(|id| id.class.as_str()).collect();
    let failing: BTreeSet<_> = baseline.triggering.iter().map(|id| (id.class.as_str(), id.bare_method())).collect();
    let mut took = 0;
    let passing = baseline.report.results.values().filter(move |result| {
        let id = &result.id;
        let is_beside = classes.contains(id.class.as_str()) && !failing.contains(&(&*id.class, id.bare_method()));
        result.passed() && is_beside && !baseline.set_aside.contains_key(id)
    });
    let soon = passing.take_while(move |result| {
        took += result.millis;
        took <= SHOWING.1
    });
    soon.take(SHOWING.0).map(|result| result.id.clone())
}
