//! What did not pass with the patch, asked of the untouched code, and run again before it speaks against the patch.

use super::{Cleared, Confirmation, MORE, Reason};
use crate::domain::words::listed;
use crate::domain::{Outcome, TestId, TestReport, TestStatus};
use crate::validate::plan::{Deadlines, UNKNOWN};
use crate::validate::plausible::{self, Judged, objection};
use crate::validate::records::Discovered;
use crate::validate::subject::Copy;
use crate::validate::untouched::{Before, passes};
use crate::validate::{ValidateError, skips, suite};
use std::collections::{BTreeMap, BTreeSet};

/// Times that a test is run again with the patch before it speaks against it.
const AGAIN: usize = 3;
/// Tests that are looked at first when many do not pass: one that speaks against the patch is enough.
const FIRST: usize = 6;

impl Confirmation<'_> {
    /// Whether tests that did not pass speak against the patch.
    pub(super) async fn examine(
        &self,
        report: &TestReport,
        open: Vec<TestId>,
        cleared: &mut Cleared,
    ) -> Result<Option<Judged>, ValidateError> {
        let counts = |id: &TestId| {
            !self.baseline.set_aside.contains_key(id) && !cleared.contains_key(id) && !self.excused.contains(id)
        };
        let open: Vec<TestId> = open.into_iter().filter(counts).collect();
        let mut rest = open.as_slice();
        let mut size = FIRST;
        while !rest.is_empty() {
            let (some, later) = rest.split_at(size.min(rest.len()));
            if let Some(judged) = self.examine_some(report, some, open.len(), cleared).await? {
                return Ok(Some(judged));
            }
            (rest, size) = (later, size * 4);
        }
        Ok(None)
    }

    async fn examine_some(
        &self,
        report: &TestReport,
        some: &[TestId],
        of: usize,
        cleared: &mut Cleared,
    ) -> Result<Option<Judged>, ValidateError> {
        let names = listed(some, 1);
        self.subject.options().watcher.phase(format!("running {names} without the patch"));
        let before = self.before(report, some).await?;
        let failing = before.iter().filter(|(_, how)| **how == Before::Fails).map(|(id, _)| id.clone()).collect();
        let of_bug = self.unseen_of_bug(report, failing).await?;
        let absent: BTreeSet<TestId> =
            before.iter().filter(|(_, how)| **how == Before::Absent).map(|(id, _)| id.clone()).collect();
        let against = self.not_cleared(report, before, &of_bug, cleared);
        let (against, alone) = self.that_never_pass(against, cleared).await?;
        let (open, broken): (Vec<TestId>, Vec<TestId>) = against.into_iter().partition(|id| of_bug.contains(id));
        if !broken.is_empty() {
            // How one ends by itself, with more time, says more than how it was cut beside others.
            let ends = broken.first().and_then(|id| alone.results.get(id).or_else(|| report.results.get(id)));
            let outcome = objection(ends);
            let is_new = broken.first().is_some_and(|id| absent.contains(id));
            return Ok(Some(self.objects(outcome, broken, is_new, of)));
        }
        Ok((!open.is_empty()).then(|| self.leaves(open)))
    }

    /// How some tests end without the patch.
    async fn before(&self, report: &TestReport, some: &[TestId]) -> Result<BTreeMap<TestId, Before>, ValidateError> {
        let mut before = self.untouched.ask(self.subject, some).await?;
        // What ends with the patch and not without it may be slow by nature.
        let ends = |id: &TestId| report.results.get(id).is_some_and(|result| result.loss.is_none());
        let cut = before.iter().filter(|(id, before)| **before == Before::Cut && ends(id));
        let cut: Vec<TestId> = cut.map(|(id, _)| id.clone()).collect();
        if !cut.is_empty() {
            before.extend(self.untouched.ask_longer(self.subject, &cut).await?);
        }
        Ok(before)
    }

    /// The tests that speak against the patch by how they end without it; the others are cleared.
    fn not_cleared(
        &self,
        report: &TestReport,
        before: BTreeMap<TestId, Before>,
        of_bug: &BTreeSet<TestId>,
        cleared: &mut Cleared,
    ) -> Vec<TestId> {
        let mut against: Vec<TestId> = Vec::new();
        let renamed = self.renamed(report, &before);
        let ends_alike = |id: &TestId, status| {
            let ends = report.results.get(id).filter(|result| result.status == status);
            ends.is_some_and(|result| {
                self.bug.ends_alike(result)
                    || status == TestStatus::Skipped && skips::always(self.subject, &id.class).contains(&id.of_method())
            })
        };
        for (id, before) in before {
            let reason = match before {
                // Its class could not be loaded before.
                Before::Fails | Before::Absent if ends_alike(&id, TestStatus::Skipped) => Some(Reason::Skipped),
                Before::Fails if of_bug.contains(&id) => None,
                Before::Absent if renamed.contains(&id) => Some(Reason::Broken),
                Before::Fails if report.is_cut(&id) => Some(Reason::Cut),
                Before::Fails => Some(Reason::Broken),
                Before::Cut => Some(Reason::Cut),
                Before::Absent if ends_alike(&id, TestStatus::Failed) => Some(Reason::Broken),
                Before::Skipped => Some(Reason::Skipped),
                Before::Flaky => Some(Reason::Flaky),
                // A test that is new under the patch and fails counts as much as any other.
                Before::Passes | Before::Absent => None,
            };
            match reason {
                Some(reason) => drop(cleared.insert(id, reason)),
                None => against.push(id),
            }
        }
        against
    }

    /// Those of some tests that pass in none of several runs by themselves with the patch, and how they ended in the last one;
    /// the others are cleared.
    async fn that_never_pass(
        &self,
        mut against: Vec<TestId>,
        cleared: &mut Cleared,
    ) -> Result<(Vec<TestId>, TestReport), ValidateError> {
        let mut again = suite::empty();
        for _ in 0..AGAIN {
            if against.is_empty() {
                break;
            }
            again = self.alone(&against).await?;
            against.retain(|id| {
                let passed = passes(&again, id) == Some(true) && !self.is_short_of(&again, id);
                if passed {
                    cleared.insert(id.clone(), Reason::Flaky);
                }
                !passed
            });
            // What is cut again with three times the time has no end.
            if against.iter().all(|id| again.is_cut(id)) {
                break;
            }
        }
        Ok((against, again))
    }

    /// Invocations that are new under the patch and do not pass, where as many that do not pass without it are gone: their
    /// names hold a value that the patch changes.
    fn renamed(&self, report: &TestReport, before: &BTreeMap<TestId, Before>) -> BTreeSet<TestId> {
        let new: Vec<&TestId> = before.iter().filter(|(_, how)| **how == Before::Absent).map(|(id, _)| id).collect();
        let is_paid = |id: &&TestId| {
            let same = new.iter().filter(|other| suite::same_group(other, id)).count();
            self.untouched.gone(id, report) >= same
        };
        new.iter().copied().filter(is_paid).cloned().collect()
    }

    /// Whether fewer invocations of a method ran than there are.
    fn is_short_of(&self, report: &TestReport, id: &TestId) -> bool {
        let group = id.of_method();
        let wanted: Discovered = self.expected.get(&group).map(|count| (group, *count)).into_iter().collect();
        !plausible::missing(&wanted, report).is_empty()
    }

    /// Some tests by themselves, in a fresh copy and a fresh process, with more time.
    async fn alone(&self, tests: &[TestId]) -> Result<TestReport, ValidateError> {
        // Where nobody knows how long a test takes, its time is long as it is.
        let mut deadlines = Deadlines { default: UNKNOWN, ..self.deadlines().times(MORE) };
        for id in tests {
            // Beside others it may find done what takes its time here.
            let own = deadlines.own.entry(id.clone()).or_insert(UNKNOWN);
            *own = (*own).max(self.untouched.usual(id));
        }
        let plan = self.subject.plan_of(suite::wanted(tests), deadlines).for_long();
        self.subject.run(&self.copy()?, &plan).await
    }

    pub(super) fn deadlines(&self) -> Deadlines {
        let known = self.subject.deadlines_for(self.baseline);
        Deadlines { default: UNKNOWN, ..known }
    }

    pub(super) fn copy(&self) -> Result<Copy, ValidateError> {
        self.subject.copy_with(self.patch, &self.build)
    }

    /// What tests that the patch breaks say against it; whether the first of them `is_new`, and there is none without the patch.
    fn objects(&self, outcome: Outcome, against: Vec<TestId>, is_new: bool, of: usize) -> Judged {
        let how = match outcome {
            Outcome::Timeout => "is cut",
            Outcome::Crash => "ends its process",
            Outcome::OutOfMemory => "runs out of memory",
            Outcome::MissingTests => "does not run",
            _ => "fails",
        };
        let name = against.first().map_or_else(String::new, TestId::to_string);
        let more = match of.saturating_sub(1) {
            0 => String::new(),
            1 => " (1 other test does not pass either)".to_owned(),
            n => format!(" (nor do {n} other tests pass)"),
        };
        let before = if is_new { "is not seen" } else { "passes" };
        let detail = format!("{name} {how}, and {before} without the patch{more}");
        Judged { outcome, detail, against, fixed: self.baseline.triggering.len() }
    }
}
