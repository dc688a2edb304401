//! A project, or one module of it, with what was found out about its tests.

use super::ValidateError;
use super::failing;
use super::lanes;
use super::plan::{Deadlines, Plan, UNKNOWN};
use super::records::Discovered;
use super::subject::Subject;
use super::untouched::Untouched;
use crate::domain::TestId;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// A project whose tests can be run, and what is known of them without any patch.
pub(super) struct Tested {
    pub(super) subject: Arc<dyn Subject>,
    /// How tests end without any patch, as far as that was asked.
    pub(super) untouched: Untouched,
    expected: OnceCell<Discovered>,
}

/// How discovered tests are kept.
type CachedTests = Vec<(TestId, Option<usize>)>;

impl Tested {
    pub(super) fn new(subject: Arc<dyn Subject>) -> Self {
        let untouched = Untouched::of(&*subject);
        Self { subject, untouched, expected: OnceCell::new() }
    }

    /// Which tests there are without any patch; found out once, and kept.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn expected(&self) -> Result<&Discovered, ValidateError> {
        self.expected.get_or_try_init(|| discovered(&*self.subject)).await
    }
}

async fn discovered(subject: &dyn Subject) -> Result<Discovered, ValidateError> {
    let file = subject.project_cache().join("tests-3.json");
    let known = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<CachedTests>(&bytes).ok());
    if let Some(known) = known {
        return Ok(known.into_iter().collect());
    }
    let found = discover(subject).await?;
    let cached: CachedTests = found.iter().map(|(id, count)| (id.clone(), *count)).collect();
    if let Err(error) = failing::keep(&file, &cached) {
        tracing::warn!("the tests will be discovered again: {error}");
    }
    Ok(found)
}

/// All tests of a project, class by class in as many processes as there are lanes.
async fn discover(subject: &dyn Subject) -> Result<Discovered, ValidateError> {
    let copy = subject.copy()?;
    let classes = subject.tests();
    let piece = classes.len().div_ceil(lanes::count()).max(1);
    let runs = classes.chunks(piece).map(|some| {
        let plan = subject.plan(some.to_vec(), Deadlines::of(UNKNOWN, subject.longest()));
        let plan = Plan { discover: true, ..plan };
        let copy = &copy;
        async move { subject.discover(copy, &plan).await }
    });
    Ok(futures::future::try_join_all(runs).await?.into_iter().flatten().collect())
}
