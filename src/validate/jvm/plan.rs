//! What a run of tests is asked to do.

use crate::domain::TestId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Every test gets at least this, whatever it usually takes.
pub(in crate::validate) const LEAST: Duration = Duration::from_secs(2);

/// How long tests may take.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::validate) struct Deadlines {
    /// For tests without their own.
    pub(in crate::validate) default: Duration,
    /// By test.
    pub(in crate::validate) own: BTreeMap<TestId, Duration>,
    /// For everything together.
    pub(in crate::validate) total: Duration,
}

/// What to do when a test ends its process, or is cut, which ends the process too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::validate) enum OnCrash {
    /// The test failed; go on with the rest (the untouched bug).
    GoOn,
    /// The run is over (a candidate).
    Stop,
}

/// What to run.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::validate) struct Plan {
    /// Classes that may hold tests, in order.
    pub(in crate::validate) classes: Vec<String>,
    /// Only these tests; all when empty.
    pub(in crate::validate) only: Vec<TestId>,
    /// Not these tests.
    pub(in crate::validate) skip: Vec<TestId>,
    pub(in crate::validate) deadlines: Deadlines,
    pub(in crate::validate) on_crash: OnCrash,
    /// Further arguments of the JVM.
    pub(in crate::validate) jvm_args: Vec<String>,
}
