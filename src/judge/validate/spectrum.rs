//! What tests execute: lines of all together, and of each test.

use super::{Baseline, suite};
use crate::domain::{RepoPath, TestId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Lines of product code that ran under some tests.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Coverage {
    /// For each file the lines that were executed, counted from 1.
    pub lines: BTreeMap<RepoPath, BTreeSet<u32>>,
}

/// What every single test executed. Tests repeat each other: the same lines of a file are held once.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spectrum {
    /// Lines of a file, counted from 1, as one test or several ran them.
    runs: Vec<(RepoPath, BTreeSet<u32>)>,
    /// Each test with whether it passed, and which of the runs are its own.
    tests: Vec<(TestId, bool, Vec<u32>)>,
}

impl Spectrum {
    /// Of tests, each with whether it passed and the lines it ran.
    pub fn of(tests: impl IntoIterator<Item = (TestId, bool, Coverage)>) -> Self {
        let mut known: BTreeMap<(RepoPath, BTreeSet<u32>), u32> = BTreeMap::new();
        let mut number = |run| {
            let next = known.len() as u32;
            *known.entry(run).or_insert(next)
        };
        let tests =
            tests.into_iter().map(|(id, passed, ran)| (id, passed, ran.lines.into_iter().map(&mut number).collect()));
        let tests = tests.collect();
        let mut runs: Vec<_> = known.into_iter().collect();
        runs.sort_by_key(|(_, number)| *number);
        Self { runs: runs.into_iter().map(|(run, _)| run).collect(), tests }
    }

    /// This one and another of other tests.
    pub(crate) fn with(&self, more: Self) -> Self {
        let coverage = |ran: &mut dyn Iterator<Item = (&RepoPath, &BTreeSet<u32>)>| {
            let mut lines: BTreeMap<RepoPath, BTreeSet<u32>> = BTreeMap::new();
            ran.for_each(|(file, own)| lines.entry(file.clone()).or_default().extend(own));
            Coverage { lines }
        };
        let mut tests: Vec<(TestId, bool, Coverage)> = Vec::new();
        for (id, passed, mut ran) in self.tests().chain(more.tests()) {
            tests.push((id.clone(), passed, coverage(&mut ran)));
        }
        Self::of(tests)
    }

    /// Each test with whether it passed, and the files it ran with their lines.
    pub fn tests(&self) -> impl Iterator<Item = (&TestId, bool, impl Iterator<Item = (&RepoPath, &BTreeSet<u32>)>)> {
        let run = |number: &u32| self.runs.get(*number as usize).map(|(file, lines)| (file, lines));
        self.tests.iter().map(move |(id, passed, own)| (id, *passed, own.iter().filter_map(run)))
    }

    /// Without failing tests that do not trigger this bug, which say nothing of where it is. Where none of the triggering
    /// ones was measured, all stay.
    pub(crate) fn of_bug(self, triggering: &[TestId]) -> Self {
        let triggers = |id: &TestId| triggering.iter().any(|name| suite::same_group(id, name));
        let (of_bug, other): (Vec<_>, Vec<_>) =
            self.tests.into_iter().partition(|(id, passed, _)| *passed || triggers(id));
        let is_known = of_bug.iter().any(|(_, passed, _)| !passed);
        let tests = if is_known { of_bug } else { of_bug.into_iter().chain(other).collect() };
        Self { tests, ..self }
    }

    /// Without tests of which no line is known.
    pub(crate) fn of_known_lines(self) -> Self {
        let Self { runs, mut tests } = self;
        let is_known = |number: &u32| runs.get(*number as usize).is_some_and(|(_, lines)| !lines.is_empty());
        tests.retain(|(.., own)| own.iter().any(is_known));
        Self { runs, tests }
    }

    /// Lines that the failing tests ran, all together.
    pub fn failing(&self) -> Coverage {
        let mut coverage = Coverage::default();
        for (file, lines) in self.tests().filter(|(_, passed, _)| !passed).flat_map(|(.., ran)| ran) {
            coverage.lines.entry(file.clone()).or_default().extend(lines);
        }
        coverage
    }
}

/// Whether a spectrum says enough, so that no more tests need be run.
pub type Enough<'e> = dyn Fn(&Spectrum) -> bool + Send + Sync + 'e;

/// Over which tests a spectrum is measured, and how long that may take. The triggering tests always are; of those that
/// never end a few speak for all.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectrumScope {
    /// Outer classes whose passing tests run too; `None` means all.
    pub classes: Option<BTreeSet<String>>,
    /// Wall time at most; what was measured until then counts.
    pub time: Duration,
}

/// Chooses the tests that are worth a spectrum, as soon as it is known what fails.
#[async_trait::async_trait]
pub trait ChooseScope: Send + Sync + std::fmt::Debug {
    /// The tests for the bug of a baseline.
    async fn of(&self, baseline: &Baseline) -> SpectrumScope;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_tests_of_another_bug_say_nothing_of_this_one() {
        let id = |name: &str| name.parse::<TestId>().unwrap();
        let ran = [("A#sums[1]", false), ("B#other", false), ("A#empty", true)];
        let spectrum = Spectrum::of(ran.map(|(name, passed)| (id(name), passed, Coverage::default())));
        let left = |triggering: &[&str]| {
            let triggering: Vec<TestId> = triggering.iter().map(|name| id(name)).collect();
            spectrum.clone().of_bug(&triggering).tests().map(|(id, ..)| id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(left(&["A#sums"]), ["A#sums[1]", "A#empty"]);
        assert_eq!(left(&["B"]), ["B#other", "A#empty"]);
        assert_eq!(left(&["C#unmeasured"]).len(), 3, "nothing of this bug was measured");
    }
}
