//! Failing tests that nobody saw before the first query: those of a long suite, of another module, and slow ones.
//!
//! Where the last change broke the triggering tests, it may have broken these, too: what passes without that change, and fails
//! for the reason for which they fail, is of the bug. A patch that leaves it failing is no repair.

use super::Confirmation;
use crate::domain::words::listed;
use crate::domain::{Outcome, TestId, TestReport, TestStatus};
use crate::validate::plan::{Deadlines, UNKNOWN};
use crate::validate::plausible::Judged;
use crate::validate::{Spectrum, ValidateError, coverage, failing, suite};
use std::collections::BTreeSet;

/// Tests that an objection names.
const NAMED: usize = 3;

impl Confirmation<'_> {
    /// Which of some tests that fail with the patch, as told by `report`, and without it are of the bug.
    pub(super) async fn unseen_of_bug(
        &self,
        report: &TestReport,
        tests: Vec<TestId>,
    ) -> Result<BTreeSet<TestId>, ValidateError> {
        let is_seen = |id: &TestId| self.bug.report.results.get(id).is_some_and(|seen| !seen.is_cut());
        let unseen: Vec<TestId> = tests.into_iter().filter(|id| !is_seen(id)).collect();
        if unseen.is_empty() || self.bug.broken_by.is_none() {
            return Ok(BTreeSet::new());
        }
        let broken = self.untouched.broken_by_change(self.subject, report, &unseen).await?;
        let is_one = self.bug.broken_by.as_ref().is_some_and(failing::breaks_as_one);
        if broken.is_empty() || is_one {
            return Ok(broken);
        }
        let (mut seen, spectrum) = self.measured(&broken).await?;
        seen.results.retain(|id, result| broken.contains(id) && result.status != TestStatus::Passed);
        Ok(failing::of_bug(self.bug, &seen, spectrum))
    }

    /// What tests of the bug say against a patch that leaves them failing.
    pub(super) fn leaves(&self, open: Vec<TestId>) -> Judged {
        let change = self.bug.broken_by.as_ref().map_or("the last change", |change| &change.name);
        let (fail, pass) = if open.len() == 1 { ("fails", "passes") } else { ("fail", "pass") };
        let names = listed(&open, NAMED);
        let detail = format!("{names} still {fail}, which {pass} without {change}, as the triggering tests do");
        Judged { outcome: Outcome::Failed, detail, against: open, fixed: self.bug.triggering.len() }
    }

    /// How some tests end without the patch, and what they execute.
    async fn measured(&self, tests: &BTreeSet<TestId>) -> Result<(TestReport, Spectrum), ValidateError> {
        let wanted: Vec<TestId> = tests.iter().cloned().collect();
        let plan = self.subject.plan_of(suite::wanted(&wanted), Deadlines::of(UNKNOWN, self.subject.longest()));
        let copy = self.subject.copy()?;
        match self.subject.measured(&copy, &plan).await? {
            Some((report, executed)) => {
                let spectrum = coverage::read(self.subject, &report, executed);
                // It runs what the change broke, seen or not.
                Ok((report, spectrum.of_known_lines()))
            }
            None => Ok((self.subject.run(&copy, &plan).await?, Spectrum::default())),
        }
    }
}
