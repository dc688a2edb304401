//! The other modules of a Maven project: those whose tests a patch may break are compiled when the first one needs it.

use super::invoke::{Maven, Request};
use super::modules::Module;
use super::{Places, describe, effective_poms, find_pom};
use crate::benchmark::{BenchmarkError, Project, Reactor};
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// All modules, with the copy they lie in.
#[derive(Debug)]
pub(super) struct MavenReactor {
    maven: Maven,
    root: Utf8PathBuf,
    all: Vec<Module>,
    /// The module of the bug, which is set up already.
    own: Module,
    described: OnceCell<Arc<Vec<Described>>>,
}

/// A module that compiles.
#[derive(Debug)]
struct Described {
    folder: RepoPath,
    /// Where its product classes lie.
    output: Utf8PathBuf,
    project: Project,
}

impl MavenReactor {
    pub(super) fn new(maven: Maven, root: &Utf8Path, all: Vec<Module>, own: Module) -> Self {
        Self { maven, root: root.to_owned(), all, own, described: OnceCell::new() }
    }

    /// Compiles all modules, and describes those that compile.
    async fn described(&self) -> Result<Arc<Vec<Described>>, BenchmarkError> {
        let make = || async {
            let request = Request { root: self.root.clone(), only: None, run_tests: false };
            let prepared = self.maven.prepare(&request).await?;
            tracing::info!("all modules: {}", prepared.note);
            let poms = effective_poms(&self.root)?;
            let mut found = Vec::new();
            for module in &self.all {
                let Some(pom) = find_pom(&poms, &module.artifact) else { continue };
                let output = Places::of(&self.root, module, pom).output.under(&self.root);
                match describe(&self.root, &self.all, module, &mut Vec::new()) {
                    Ok(project) => found.push(Described { folder: module.folder.clone(), output, project }),
                    Err(error) => tracing::warn!("module {} is left out: {error}", module.label()),
                }
            }
            super::remove_traces(&self.root, &self.all);
            Ok(Arc::new(found))
        };
        self.described.get_or_try_init(make).await.cloned()
    }

    /// The module that a file lies in: the one with the longest path.
    fn module_of(&self, file: &RepoPath) -> Option<&RepoPath> {
        let folders = self.all.iter().map(|module| &module.folder).filter(|folder| file.is_within(folder));
        folders.max_by_key(|folder| folder.as_str().len())
    }
}

#[async_trait::async_trait]
impl Reactor for MavenReactor {
    async fn affected(&self, changed: &[RepoPath]) -> Result<Vec<Project>, BenchmarkError> {
        let all = self.described().await?;
        let touched: Vec<&RepoPath> = changed.iter().filter_map(|file| self.module_of(file)).collect();
        let outputs: Vec<&Utf8PathBuf> =
            all.iter().filter(|module| touched.contains(&&module.folder)).map(|module| &module.output).collect();
        let is_affected = |module: &&Described| {
            let uses = |output: &&Utf8PathBuf| {
                module.project.compiled.iter().any(|folder| folder.under(&self.root) == **output)
            };
            module.folder != self.own.folder && (touched.contains(&&module.folder) || outputs.iter().any(uses))
        };
        let has_tests = |project: &Project| !project.compiled_tests.is_empty();
        Ok(all.iter().filter(is_affected).map(|module| module.project.clone()).filter(has_tests).collect())
    }
}
