//! What tests execute: lines of all together, and of each test.

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

    /// Without the failing tests that are none of these: they fail for another reason.
    pub(crate) fn of_failing(&self, is_of_bug: impl Fn(&TestId) -> bool) -> Self {
        let of_bug = |(id, passed, _): &&(TestId, bool, Vec<u32>)| *passed || is_of_bug(id);
        Self { runs: self.runs.clone(), tests: self.tests.iter().filter(of_bug).cloned().collect() }
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

/// Over which tests a spectrum is measured, and how long that may take. The triggering tests always are; of those that
/// never end a few speak for all.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectrumScope {
    /// Outer classes whose passing tests run too; `None` means all.
    pub classes: Option<BTreeSet<String>>,
    /// Wall time at most; what was measured until then counts.
    pub time: Duration,
}
