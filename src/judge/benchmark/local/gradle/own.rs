//! `gradle test --tests …` as the project's own word on tests.

use super::answers::Answers;
use super::complaint::complaint;
use super::invoke::{Gradle, was_cut};
use super::launch::Launch;
use crate::benchmark::local::own::{MOST_NAMES, by_class, merged, tested};
use crate::benchmark::local::store::Store;
use crate::benchmark::{BenchmarkError, OwnCommand, OwnQuestion, OwnRun};
use crate::domain::{RepoPath, TestId};
use camino::Utf8Path;
use std::time::Duration;

/// Gradle as it compiled the project.
#[derive(Debug)]
pub(super) struct GradleTest {
    pub(super) gradle: Gradle,
    pub(super) launch: Launch,
    pub(super) store: Store,
    /// The folder of the bug's module.
    pub(super) module: RepoPath,
    /// Its place among all modules.
    pub(super) nth: usize,
    /// The path of its test task.
    pub(super) task: String,
}

#[async_trait::async_trait]
impl OwnCommand for GradleTest {
    fn name(&self) -> String {
        format!("gradle {}", self.task.trim_start_matches(':'))
    }

    async fn run(&self, question: OwnQuestion<'_>) -> Result<OwnRun, BenchmarkError> {
        // Gradle itself knows what is up to date, by content.
        let OwnQuestion { tree, tests, wall, .. } = question;
        match self.run_named(tree, names(tests), wall).await? {
            // An old TestNG takes no names from Gradle: no test of any name runs, and nothing fails.
            None => Ok(self.run_named(tree, Vec::new(), wall).await?.unwrap_or_else(|| OwnRun::NotTested(NONE.into()))),
            Some(run) => Ok(run),
        }
    }
}

/// Why there is no word where all goes well and no test runs.
const NONE: &str = "no test runs";

impl GradleTest {
    /// Runs tests of these names, all without names; `None` where all goes well and none runs.
    async fn run_named(
        &self,
        tree: &Utf8Path,
        names: Vec<String>,
        wall: Duration,
    ) -> Result<Option<OwnRun>, BenchmarkError> {
        let answers = Answers::new()?;
        let mut args = vec![self.task.clone(), format!("-Dunidebug.only={}", self.module)];
        args.extend(["-Dunidebug.test=named".into(), format!("-Dunidebug.seconds={}", wall.as_secs().max(1))]);
        args.extend(names.into_iter().flat_map(|name| ["--tests".to_owned(), name]));
        let tree = tree.canonicalize_utf8().unwrap_or_else(|_| tree.to_owned());
        let (done, output) = self.gradle.call(&tree, (&self.launch, self.store), &answers, args, wall).await?;
        let results = merged(std::iter::once(answers.results(self.nth)));
        if !results.is_empty() {
            return Ok(Some(tested(done.exit, results, &output)));
        }
        if done.exit.success() {
            return Ok(None);
        }
        let why = if was_cut(done.exit) { done.exit.to_string() } else { complaint(&output, done.exit).text().into() };
        Ok(Some(OwnRun::NotTested(why)))
    }
}

/// Tests as Gradle takes them: `a.B.one*`, `c.D`.
fn names(tests: &[TestId]) -> Vec<String> {
    let whole = tests.len() > MOST_NAMES;
    let mut names = Vec::new();
    for (class, methods) in by_class(tests) {
        // A name with an asterisk in it would mean others.
        if whole || methods.iter().any(|name| name.is_empty() || name.contains('*')) {
            names.push(class.to_owned());
        } else {
            names.extend(methods.into_iter().map(|method| format!("{class}.{method}*")));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_asked_for_as_gradle_takes_them() {
        let ids = ["a.BTest#one", "a.BTest#two[3]", "c.D", "e.Spec#adds two numbers"].map(|text| text.parse().unwrap());
        assert_eq!(names(&ids), ["a.BTest.one*", "a.BTest.two*", "c.D", "e.Spec.adds two numbers*"]);
    }
}
