//! Tests near the failing ones, chosen as soon as it is known what fails. The code is read meanwhile.

use super::Wanted;
use crate::benchmark::Checkout;
use crate::code::CodeIndex;
use crate::domain::FailingTest;
use crate::language::Language;
use crate::localize;
use crate::validate::{Baseline, ChooseScope, SpectrumScope};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
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

/// The tests worth a spectrum beside those of the failing classes. Nobody thinks before it ends, so it is short beside what
/// it took to find the failing tests.
pub(super) fn scope(index: &CodeIndex, failing: &[FailingTest], baseline: &Baseline) -> SpectrumScope {
    const LEAST: f64 = 3.0;
    const MOST: f64 = 6.0;
    let time = Duration::from_secs_f64((baseline.seconds / 2.0).clamp(LEAST, MOST));
    SpectrumScope { classes: Some(localize::covering_classes(index, failing)), time }
}
