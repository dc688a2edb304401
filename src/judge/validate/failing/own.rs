//! The project's own command, asked about tests that fail here.

use crate::benchmark::{BenchmarkError, OwnQuestion, OwnRun};
use crate::domain::{Loss, Patch, TestId, TestReport};
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

    /// Those of some failing tests that pass there; `None` where the command cannot tell.
    async fn passing(mut self, failing: &[TestId]) -> Result<Option<BTreeSet<TestId>>, ValidateError> {
        let own = match self.run.join_next().await {
            Some(Ok(own)) => own?,
            Some(Err(error)) => OwnRun::NotTested(error.to_string()),
            None => return Ok(None),
        };
        match own {
            OwnRun::NotTested(why) => {
                tracing::info!("`{}` does not tell whether the failing tests fail there: {why}", self.name);
                Ok(None)
            }
            OwnRun::Tested(report) => {
                let passes = |id: &&TestId| untouched::passes(&report, id) == Some(true);
                Ok(Some(failing.iter().filter(passes).cloned().collect()))
            }
        }
    }
}

/// The failing tests that pass by the project's own command; `None` where it cannot tell. `early` is what it was asked
/// about their classes already. It is not asked about tests that have no end here: it would wait for them.
pub(super) async fn passing(
    subject: &dyn Subject,
    early: Option<Asked>,
    report: &TestReport,
) -> Result<Option<BTreeSet<TestId>>, ValidateError> {
    let (endless, failing): (Vec<_>, Vec<_>) = report.failing().partition(|result| result.loss == Some(Loss::Cut));
    let tests: Vec<TestId> = failing.iter().map(|result| result.id.clone()).collect();
    if tests.is_empty() {
        return Ok(None);
    }
    let asked = match early.filter(|_| endless.is_empty()) {
        None => Asked::about(subject, tests.clone())?,
        early => early,
    };
    let Some(asked) = asked else { return Ok(None) };
    subject.options().watcher.phase(format!("asking `{}` about the failing tests", asked.name));
    let took: u64 = report.results.values().map(|result| result.millis).sum();
    let name = asked.name.clone();
    let answer = tokio::time::timeout(START + SLOWER * Duration::from_millis(took), asked.passing(&tests)).await;
    answer.unwrap_or_else(|_| {
        tracing::warn!("`{name}` does not end with the failing tests; what fails here counts");
        Ok(None)
    })
}
