//! The test modules of a project.

use super::{Python, original};
use crate::domain::RepoPath;
use crate::language::{Language, Python as Grammar};
use crate::validate::subject::Copy;
use crate::validate::{ValidateError, failing};

impl Python {
    /// Test modules, as pytest or unittest finds them by the project's own rules.
    pub(super) async fn found(&self) -> Result<Vec<(String, String)>, ValidateError> {
        let file = self.project_cache.join("modules-3.json");
        if let Some(known) = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(known);
        }
        let project = &self.checkout.project;
        let inside = |folder: &RepoPath| folder.below(&project.module).map(str::to_owned);
        let mut folders: Vec<String> = project.test_roots.iter().filter_map(inside).collect();
        if folders.iter().any(String::is_empty) {
            // Tests may be anywhere: the project's own settings say where pytest looks.
            folders.clear();
        }
        let copy = Copy::of(&self.checkout, &self.options.work_dir)?;
        let cwd = project.module.under(&copy.tree);
        let (paths, links) = (self.paths(&copy.tree), original::links(&self.checkout, &cwd, &self.interpreter.folders));
        let mut files = self.interpreter.modules(&cwd, &folders, &paths, links, &self.sandbox).await?;
        files.sort();
        files.dedup();
        let named = |path: String| {
            // A text with examples is named as pytest's reports name it.
            let Some(module) = Grammar.module(&RepoPath::new(&path).ok()?) else {
                return Some((path.replace('/', "."), path));
            };
            let name =
                if module.package.is_empty() { module.name } else { format!("{}.{}", module.package, module.name) };
            Some((name, path))
        };
        let found: Vec<(String, String)> = files.into_iter().filter_map(named).collect();
        if !found.is_empty() {
            failing::keep(&file, &found)?;
        }
        Ok(found)
    }
}
