//! The other modules of a project: those whose tests a patch may break are compiled when the first one needs it.

use super::modules::Module;
use crate::benchmark::{BenchmarkError, Project, Reactor};
use crate::domain::RepoPath;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// A module that compiles.
#[derive(Debug)]
pub(super) struct Described {
    pub folder: RepoPath,
    /// Where its product classes lie.
    pub outputs: Vec<RepoPath>,
    pub project: Project,
}

/// A build tool that compiles all modules.
#[async_trait::async_trait]
pub(super) trait CompilesAll: Send + Sync + std::fmt::Debug {
    /// Compiles all modules of a project, and describes those that compile.
    ///
    /// # Errors
    /// The build tool cannot be started.
    async fn compile_all(&self) -> Result<Vec<Described>, BenchmarkError>;
}

/// All modules of a project, with what compiles them.
#[derive(Debug)]
pub(super) struct Modules<T> {
    tool: T,
    folders: Vec<RepoPath>,
    /// The module of the bug, which is set up already.
    own: RepoPath,
    described: OnceCell<Arc<Vec<Described>>>,
}

impl<T: CompilesAll> Modules<T> {
    pub(super) fn new(tool: T, all: &[Module], own: &Module) -> Self {
        let folders = all.iter().map(|module| module.folder.clone()).collect();
        Self { tool, folders, own: own.folder.clone(), described: OnceCell::new() }
    }

    async fn described(&self) -> Result<Arc<Vec<Described>>, BenchmarkError> {
        let make = || async { self.tool.compile_all().await.map(Arc::new) };
        self.described.get_or_try_init(make).await.cloned()
    }

    /// The module that a file lies in: the one with the longest path.
    fn module_of(&self, file: &RepoPath) -> Option<&RepoPath> {
        let folders = self.folders.iter().filter(|folder| file.is_within(folder));
        folders.max_by_key(|folder| folder.as_str().len())
    }
}

#[async_trait::async_trait]
impl<T: CompilesAll> Reactor for Modules<T> {
    async fn affected(&self, changed: &[RepoPath]) -> Result<Vec<Project>, BenchmarkError> {
        let all = self.described().await?;
        let touched: Vec<&RepoPath> = changed.iter().filter_map(|file| self.module_of(file)).collect();
        let is_touched = |module: &Described| touched.contains(&&module.folder);
        let outputs: Vec<&RepoPath> =
            all.iter().filter(|module| is_touched(module)).flat_map(|module| &module.outputs).collect();
        let is_affected = |module: &&Described| {
            let uses = module.project.compiled.iter().any(|folder| outputs.contains(&folder));
            module.folder != self.own && (is_touched(module) || uses)
        };
        let has_tests = |project: &Project| !project.compiled_tests.is_empty();
        Ok(all.iter().filter(is_affected).map(|module| module.project.clone()).filter(has_tests).collect())
    }
}
