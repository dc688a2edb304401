//! The project's own test command: the last instance where our runner and the project may differ.

use super::{BenchmarkError, Project};
use crate::domain::{RepoPath, TestId, TestReport};
use camino::Utf8Path;
use std::time::Duration;

/// What the project's own command says of some tests.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnRun {
    /// The tests ran; the results are those of its reports, and the command's last words stand in the tail.
    Tested(TestReport),
    /// It did not come to the tests: the line that says most.
    NotTested(String),
}

/// What the project's own command is asked.
#[derive(Debug, Clone, Copy)]
pub struct OwnQuestion<'q> {
    /// A copy of the checkout, with what was compiled before.
    pub tree: &'q Utf8Path,
    /// Whether a patch was written into the copy. Otherwise what was compiled before is up to date.
    pub is_patched: bool,
    /// The tests; all when empty.
    pub tests: &'q [TestId],
    /// Time for all of it.
    pub wall: Duration,
}

/// Runs tests as the project's developers do.
#[async_trait::async_trait]
pub trait OwnCommand: Send + Sync + std::fmt::Debug {
    /// The command for people: `mvn test`.
    fn name(&self) -> String;

    /// Builds the copy and runs the tests in it, sandboxed and without network.
    ///
    /// # Errors
    /// The command cannot be started.
    async fn run(&self, question: OwnQuestion<'_>) -> Result<OwnRun, BenchmarkError>;
}

/// The other modules of a project, whose tests a patch may break.
#[async_trait::async_trait]
pub trait Reactor: Send + Sync + std::fmt::Debug {
    /// The modules that hold one of these files or depend on a module that does, the module of the bug aside; each as a
    /// project of its own with its class path. Modules that do not compile are left out, by name in the notices.
    ///
    /// # Errors
    /// The build tool cannot be started.
    async fn affected(&self, changed: &[RepoPath]) -> Result<Vec<Project>, BenchmarkError>;
}

/// Tests that fail or failed, as somebody or something says before anything ran here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Where it comes from, for people: `the reports of the last mvn test`.
    pub from: String,
    /// The tests; a method may be left out to mean its class.
    pub tests: Vec<TestId>,
    /// Whether the project's own command ran exactly these sources.
    pub by_own_command: bool,
    /// Whether a source was written since: what else fails may be the bug as well.
    pub is_stale: bool,
}
