//! What a run of tests is asked to do.

use super::Baseline;
use crate::domain::{RepoPath, TestId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Every test gets at least this, whatever it usually takes.
pub(super) const LEAST: Duration = Duration::from_secs(2);
/// Milliseconds of a test that takes long.
pub(super) const LONG: u64 = 2_000;
/// A test of which nobody knows how long it takes.
pub(super) const UNKNOWN: Duration = Duration::from_secs(30);
/// Times its usual time that a quick test gets.
const SLACK: u64 = 10;
/// Times its usual time that a slow test gets, and time beside: it has had its share of warming up.
const SLOW: (u64, Duration) = (3, Duration::from_secs(5));

/// Variables that a user's shell sets, for processes that do not look like those of tests.
pub(super) const PLAIN_VARIABLES: [(&str, &str); 5] =
    [("SHELL", "/bin/bash"), ("USER", "app"), ("LOGNAME", "app"), ("TERM", "xterm"), ("SHLVL", "1")];

/// How long tests may take. While a test wants a processor, its processor time counts, else the time that passes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deadlines {
    /// For tests without their own.
    pub(super) default: Duration,
    /// By test.
    pub(super) own: BTreeMap<TestId, Duration>,
    /// For what lies between two tests, such as the loading of a class.
    pub(super) between: Duration,
    /// For everything together.
    pub(super) total: Duration,
}

impl Deadlines {
    /// The same time for all tests.
    pub(super) fn of(each: Duration, total: Duration) -> Self {
        Self { default: each, own: BTreeMap::new(), between: UNKNOWN, total }
    }

    /// The same with this much more time for each test and for all.
    pub(super) fn times(&self, factor: u32) -> Self {
        let own = self.own.iter().map(|(id, limit)| (id.clone(), *limit * factor)).collect();
        let total = self.total.saturating_mul(factor);
        Self { default: self.default * factor, own, between: self.between, total }
    }

    /// What a test that usually takes this long may take.
    pub(super) fn usual(millis: u64) -> Duration {
        let times = |factor| Duration::from_millis(millis.saturating_mul(factor));
        times(SLACK).min(times(SLOW.0).saturating_add(SLOW.1)).max(LEAST)
    }
}

/// What the process of a run looks like to the code in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::validate) enum Look {
    /// A process that runs tests.
    #[default]
    Test,
    /// One with other names of folders, libraries, threads, arguments and variables, without assertions, and without the
    /// test framework between the process and the test as far as the test allows that. It is reordered, too.
    Plain,
    /// One of tests, where objects have other identity hashes (Java) and texts other hashes (Python), so that sets have another order.
    Reordered,
    /// One of tests, in another language, time zone and charset, with other ends of lines.
    Settings,
    /// All of these at once.
    Elsewhere,
}

impl Look {
    /// Whether hashes are others than in a usual run.
    pub(super) fn reorders(self) -> bool {
        matches!(self, Self::Plain | Self::Reordered | Self::Elsewhere)
    }

    /// Whether nothing in it looks like tests.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Plain | Self::Elsewhere)
    }

    /// Whether its language, zone, charset and ends of lines are others.
    pub(super) fn has_other_settings(self) -> bool {
        matches!(self, Self::Settings | Self::Elsewhere)
    }
}

/// What to run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    /// Classes or modules that may hold tests, in order.
    pub(super) classes: Vec<String>,
    /// Only these tests; all when empty.
    pub(super) only: Vec<TestId>,
    /// Not these tests.
    pub(super) skip: Vec<TestId>,
    pub(super) deadlines: Deadlines,
    /// Losses (tests that were cut or ended their process) after which the run is over.
    pub(super) losses: usize,
    /// Whether tests are only listed, and none runs.
    pub(super) discover: bool,
    /// Whether the run is long enough to be worth the slower and better compiler.
    pub(super) long: bool,
    /// Further arguments of the test process.
    pub(super) args: Vec<String>,
    /// Files whose executed lines are wanted where lines are measured; all of the product when empty. More may be told.
    pub(super) files: Vec<RepoPath>,
    /// What the process looks like.
    pub(super) look: Look,
}

impl Plan {
    /// Some classes, whatever is lost on the way.
    pub(super) fn of(classes: Vec<String>, deadlines: Deadlines) -> Self {
        let (only, skip, args, files) = Default::default();
        Self {
            classes,
            only,
            skip,
            deadlines,
            losses: usize::MAX,
            discover: false,
            long: false,
            args,
            files,
            look: Look::Test,
        }
    }

    /// The same with these tests alone.
    pub(super) fn only(self, only: Vec<TestId>) -> Self {
        Self { only, ..self }
    }

    /// The same but for these tests.
    pub(super) fn without(mut self, tests: &BTreeSet<TestId>) -> Self {
        self.skip.extend(tests.iter().cloned());
        self
    }

    /// The same in a process that looks otherwise.
    pub(super) fn looking(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// The same for tests that were cut: they are worth the slower and better compiler, without which those that calculate
    /// with large numbers take many times as long.
    pub(super) fn for_long(self) -> Self {
        Self { long: true, ..self }
    }

    /// The same, where triggering tests of a baseline take long, or are known to when they pass, or where others of their
    /// classes, which run with them, were cut.
    pub(super) fn for_times_of(self, baseline: &Baseline) -> Self {
        let millis = |id: &TestId| baseline.report.results.get(id).map_or(0, |result| result.millis);
        let known = |id: &TestId| baseline.took.get(id).copied().unwrap_or_default();
        let is_long = baseline.triggering.iter().any(|id| millis(id).max(known(id)) >= LONG);
        let is_beside = |id: &&TestId| baseline.triggering.iter().any(|own| own.outer_class() == id.outer_class());
        let cut = baseline.report.results.values().filter(|result| result.is_cut()).map(|result| &result.id);
        let is_slow_beside = baseline.unended.iter().chain(cut).any(|id| is_beside(&id));
        if is_long || is_slow_beside { self.for_long() } else { self }
    }

    /// The same that is over after the first loss.
    pub(super) fn until_lost(self) -> Self {
        Self { losses: 1, ..self }
    }
}
