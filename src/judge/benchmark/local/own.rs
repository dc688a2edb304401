//! What the test commands of all build tools have in common.

use crate::benchmark::{OwnRun, junit_xml};
use crate::domain::{RunEnd, TestId, TestReport, TestResult, TestStatus};
use crate::sandbox::Exit;
use std::collections::{BTreeMap, BTreeSet};

/// More names do not fit on a command line; then whole classes are asked for.
pub(super) const MOST_NAMES: usize = 200;
const TAIL_CHARS: usize = 4000;

/// Methods by class, without the suffixes of parameterised invocations.
pub(super) fn by_class(tests: &[TestId]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut methods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for id in tests {
        methods.entry(&id.class).or_default().insert(id.bare_method());
    }
    methods
}

/// All results of reports in JUnit XML; a test that is reported twice passed only if it passed both times.
pub(super) fn merged(reports: impl Iterator<Item = Vec<u8>>) -> BTreeMap<TestId, TestResult> {
    let mut results: BTreeMap<TestId, TestResult> = BTreeMap::new();
    for result in reports.flat_map(|bytes| junit_xml::parse(&bytes)) {
        match results.get(&result.id) {
            Some(old) if old.status != TestStatus::Passed => {}
            _ => drop(results.insert(result.id.clone(), result)),
        }
    }
    results
}

/// The word of a command that came to the tests.
pub(super) fn tested(exit: Exit, results: BTreeMap<TestId, TestResult>, output: &str) -> OwnRun {
    let end = match exit {
        Exit::TimedOut => RunEnd::TimedOut,
        Exit::OutOfMemory => RunEnd::OutOfMemory,
        Exit::OutOfDisk => RunEnd::Crashed,
        _ => RunEnd::Complete,
    };
    let output_tail = output.chars().skip(output.chars().count().saturating_sub(TAIL_CHARS)).collect();
    OwnRun::Tested(TestReport { end, results, output_tail })
}
