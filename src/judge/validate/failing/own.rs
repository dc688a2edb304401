//! The project's own command, asked about tests that fail here.

use crate::benchmark::{BenchmarkError, OwnQuestion, OwnRun};
use crate::domain::{Patch, TestId, TestReport};
use crate::validate::copies::Copy;
use crate::validate::subject::Subject;
use crate::validate::{ValidateError, untouched};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::task::JoinSet;

/// Classes that are asked about before it is known what fails in them.
const EARLY: usize = 3;
/// Time for the command to start, to look at what is compiled, and to load the tests.
const START: Duration = Duration::from_secs(180);
/// How much longer than here tests may take there.
const SLOWER: u32 = 20;

/// A question that is under way. Who drops it ends the command.
pub(super) struct Asked {
    name: String,
    run: JoinSet<Result<OwnRun, BenchmarkError>>,
}

impl Asked {
    /// Asks about whole classes while they run here for the first time; `None` where there is no such command, and where a
    /// hint names many classes.
    pub(super) fn early(subject: &dyn Subject, classes: &[String]) -> Result<Option<Self>, ValidateError> {
        if classes.len() > EARLY {
            return Ok(None);
        }
        Self::about(subject, classes.iter().map(|class| TestId::new(class, "")).collect())
    }

    fn about(subject: &dyn Subject, tests: Vec<TestId>) -> Result<Option<Self>, ValidateError> {
        let Some(own) = subject.checkout().own.clone() else { return Ok(None) };
        let copy = Copy::for_build(subject.checkout(), &subject.options().work_dir, &Patch::default())?;
        let (name, wall) = (own.name(), subject.longest());
        let mut run = JoinSet::new();
        run.spawn(async move {
            // All of the copy stays until the answer is there.
            let copy = copy;
            own.run(OwnQuestion { tree: &copy.tree, is_patched: false, tests: &tests, wall }).await
        });
        Ok(Some(Self { name, run }))
    }

    /// What it says, as far as it can tell within a time.
    async fn report(mut self, time: Duration) -> Result<Option<TestReport>, ValidateError> {
        let own = match tokio::time::timeout(time, self.run.join_next()).await {
            Ok(Some(Ok(own))) => own?,
            Ok(Some(Err(error))) => OwnRun::NotTested(error.to_string()),
            Ok(None) => return Ok(None),
            Err(_) => OwnRun::NotTested(format!("it did not end within {} s", time.as_secs())),
        };
        Ok(match own {
            OwnRun::Tested(report) => Some(report),
            OwnRun::NotTested(why) => {
                tracing::info!("`{}` does not tell whether the failing tests fail there: {why}", self.name);
                None
            }
        })
    }
}

/// The failing tests that pass by the project's own command, as far as it can tell. `early` is what it was asked about their
/// classes already. It is not asked about tests that have no end here: it would wait for them.
pub(super) async fn passing(
    subject: &dyn Subject,
    early: Option<Asked>,
    report: &TestReport,
) -> Result<BTreeSet<TestId>, ValidateError> {
    let (endless, failing): (Vec<_>, Vec<_>) = report.failing().partition(|result| result.is_cut());
    let tests: Vec<TestId> = failing.iter().map(|result| result.id.clone()).collect();
    if tests.is_empty() {
        return Ok(BTreeSet::new());
    }
    let took: u64 = report.results.values().map(|result| result.millis).sum();
    let time = START + SLOWER * Duration::from_millis(took);
    let answer = async |asked: Option<Asked>| {
        let Some(asked) = asked else { return Ok(None) };
        subject.options().watcher.phase(format!("asking `{}` about the failing tests", asked.name));
        let own = asked.report(time).await;
        tracing::debug!("the project's own command said what it knows");
        own
    };
    let early = early.filter(|_| endless.is_empty());
    let is_early = early.is_some();
    let asked = if is_early { early } else { Asked::about(subject, tests.clone())? };
    let Some(mut own) = answer(asked).await? else { return Ok(BTreeSet::new()) };
    let open: Vec<TestId> = tests.iter().filter(|id| untouched::passes(&own, id).is_none()).cloned().collect();
    // A class that is named does not always bring those that are nested in it.
    if is_early && !open.is_empty() {
        let more = answer(Asked::about(subject, open)?).await?;
        own.results.extend(more.into_iter().flat_map(|more| more.results));
    }
    Ok(tests.into_iter().filter(|id| untouched::passes(&own, id) == Some(true)).collect())
}
