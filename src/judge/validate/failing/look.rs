//! What a look at some classes finds.

use super::Selection;
use super::earlier::FailedBefore;
use super::own::Asked;
use crate::domain::{TestId, TestReport};
use crate::validate::records::Executed;
use crate::validate::suite;
use std::collections::BTreeSet;

/// What one look at some classes found.
pub(super) struct LookResult {
    pub(super) report: TestReport,
    /// What the tests execute, where that was told while they ran.
    pub(super) executed: Option<Executed>,
    /// Tests that were cut again when they had more time.
    pub(super) endless: BTreeSet<TestId>,
    /// Whether all tests of the project ran.
    pub(super) whole: bool,
    /// Whether the project's own command is known to fail the same tests.
    pub(super) by_own_command: bool,
    /// Whether a hint named what fails, so that nothing else ran.
    pub(super) by_hint: bool,
    /// Whether that hint is older than the sources.
    pub(super) is_stale: bool,
    /// What the project's own command was asked meanwhile.
    pub(super) asked: Option<Asked>,
    /// What fails without the last change too, where that is known already.
    pub(super) before: Option<FailedBefore>,
}

impl LookResult {
    /// Without a hint, and before the project's own command was asked.
    pub(super) fn of(report: TestReport, executed: Option<Executed>, whole: bool) -> Self {
        let (endless, by_own_command, by_hint, is_stale, asked, before) = Default::default();
        Self { report, executed, endless, whole, by_own_command, by_hint, is_stale, asked, before }
    }

    /// The same with what an earlier look found, all of which fails without the last change too.
    pub(super) fn after(mut self, earlier: Option<Self>) -> Self {
        if let Some(Self { mut report, executed, endless, .. }) = earlier {
            if let Some(before) = &mut self.before {
                before.tests.extend(report.failing().map(|result| result.id.clone()));
            }
            suite::join(&mut report, self.report);
            self.report = report;
            self.executed = match (executed, self.executed) {
                (Some(executed), Some(own)) => Some([executed, own].concat()),
                (one, other) => one.or(other),
            };
            self.endless.extend(endless);
        }
        self
    }

    /// Whether the project's own command is still to say what fails there.
    pub(super) fn is_unasked(&self, selection: &Selection) -> bool {
        selection.is_open() && !self.by_own_command
    }

    pub(super) fn failing(&self) -> Vec<TestId> {
        self.report.failing().map(|result| result.id.clone()).collect()
    }
}
