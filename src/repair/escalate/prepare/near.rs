//! Tests near the failing ones, chosen as soon as it is known what fails. The code is read meanwhile.

use super::Wanted;
use crate::benchmark::Checkout;
use crate::code::CodeIndex;
use crate::domain::{FailingTest, RepoPath};
use crate::language::Language;
use crate::localize;
use crate::validate::{Baseline, ChooseScope, SpectrumScope};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The code of a checkout, which is read in the background.
#[derive(Debug)]
pub(super) struct Near {
    pub(super) language: &'static dyn Language,
    reading: Shared<BoxFuture<'static, Arc<CodeIndex>>>,
}

impl Near {
    /// Begins to read.
    pub(super) fn of(checkout: &Checkout, language: &'static dyn Language, wanted: &Wanted) -> Arc<Self> {
        let (root, hidden) = (checkout.root.clone(), wanted.hidden.clone());
        let (sources, tests) = (checkout.project.source_roots.clone(), checkout.project.test_roots.clone());
        let read = move || Arc::new(CodeIndex::without(&hidden, &root, &sources, &tests, language));
        let again = read.clone();
        let background = tokio::task::spawn_blocking(read);
        let reading = async move { background.await.unwrap_or_else(|_| again()) };
        Arc::new(Self { language, reading: reading.boxed().shared() })
    }

    /// The code.
    pub(super) async fn index(&self) -> Arc<CodeIndex> {
        self.reading.clone().await
    }
}

#[async_trait::async_trait]
impl ChooseScope for Near {
    async fn of(&self, baseline: &Baseline) -> SpectrumScope {
        let index = self.index().await;
        scope(&index, &localize::failing_tests(&index, baseline), baseline)
    }
}

/// Passing tests of the failing classes that tell enough.
const ENOUGH: usize = 30;

/// The tests worth a spectrum beside those of the failing classes. Nobody thinks before it ends, so it is short beside what
/// it took to find the failing tests, and left out where many passing tests beside the failing ones run what those run.
pub(super) fn scope(index: &CodeIndex, failing: &[FailingTest], baseline: &Baseline) -> SpectrumScope {
    const LEAST: f64 = 3.0;
    const MOST: f64 = 6.0;
    let seconds = if telling(baseline) < ENOUGH { (baseline.seconds / 2.0).clamp(LEAST, MOST) } else { 0.0 };
    let time = Duration::from_secs_f64(seconds);
    SpectrumScope { classes: Some(localize::covering_classes(index, failing)), time }
}

/// Passing tests that run a line which failing tests run.
fn telling(baseline: &Baseline) -> usize {
    let failing = baseline.spectrum.failing();
    let runs_one = |path: &RepoPath, lines: &BTreeSet<u32>| {
        failing.lines.get(path).is_some_and(|suspects| !suspects.is_disjoint(lines))
    };
    let tests = baseline.spectrum.tests();
    tests
        .filter_map(|(_, passed, mut files)| (passed && files.any(|(path, lines)| runs_one(path, lines))).then_some(()))
        .count()
}
