//! All modules of a Maven project, compiled and described.

use super::invoke::Maven;
use super::request::{Request, Run};
use super::{Places, describe, effective_poms, find_pom};
use crate::benchmark::BenchmarkError;
use crate::benchmark::local::modules::Module;
use crate::benchmark::local::reactor::{CompilesAll, Described};
use camino::Utf8PathBuf;

/// All modules, with the copy they lie in.
#[derive(Debug)]
pub(super) struct MavenModules {
    pub(super) maven: Maven,
    pub(super) root: Utf8PathBuf,
    pub(super) all: Vec<Module>,
}

#[async_trait::async_trait]
impl CompilesAll for MavenModules {
    async fn compile_all(&self) -> Result<Vec<Described>, BenchmarkError> {
        let request = Request { root: self.root.clone(), only: None, tests: Run::Nothing };
        let prepared = self.maven.prepare(&request).await?;
        tracing::info!("all modules: {}", prepared.note);
        let poms = effective_poms(&self.root)?;
        let mut found = Vec::new();
        for module in &self.all {
            let Some(pom) = find_pom(&poms, &module.name) else { continue };
            let outputs = vec![Places::of(&self.root, module, pom).output];
            match describe(&self.root, &self.all, module, &mut Vec::new()) {
                Ok(project) => found.push(Described { folder: module.folder.clone(), outputs, project }),
                Err(error) => tracing::warn!("module {} is left out: {error}", module.label()),
            }
        }
        super::remove_traces(&self.root, &self.all);
        Ok(found)
    }
}
