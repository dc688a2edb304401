//! What a run of tests is asked to do.

use crate::domain::TestId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Every test gets at least this, whatever it usually takes.
pub(super) const LEAST: Duration = Duration::from_secs(2);

/// How long tests may take.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deadlines {
    /// For tests without their own.
    pub(super) default: Duration,
    /// By test.
    pub(super) own: BTreeMap<TestId, Duration>,
    /// For everything together.
    pub(super) total: Duration,
}

/// What to do when a test ends its process, or is cut, which ends the process too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnCrash {
    /// The test failed; go on with the rest (the untouched bug).
    GoOn,
    /// The run is over (a candidate).
    Stop,
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
    pub(super) on_crash: OnCrash,
    /// Further arguments of the test process.
    pub(super) args: Vec<String>,
    /// Whether a test that only wants memory gets it.
    pub(super) roomy: bool,
}
