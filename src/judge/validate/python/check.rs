//! A look at changed files by the interpreter's own parser, without running anything of them.

use super::Python;
use crate::domain::{Diagnostic, Patch, RepoPath};
use crate::language::{Language, Python as Grammar};
use crate::validate::ValidateError;
use crate::validate::subject::Copy;
use serde::Deserialize;
use std::time::Duration;

const CHECK: &str = include_str!("check.py");
const WALL: Duration = Duration::from_secs(60);

/// What is wrong with the files.
pub(super) struct Checked {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether they are the programs that they were.
    pub(super) same: bool,
    /// What they refer to that the originals do not, as the interpreter's program tells it.
    pub(super) news: Vec<String>,
}

#[derive(Deserialize)]
struct Written {
    errors: Vec<Complaint>,
    warnings: Vec<Complaint>,
    same: bool,
    news: Vec<String>,
}

#[derive(Deserialize)]
struct Complaint {
    file: RepoPath,
    line: u32,
    message: String,
}

impl Complaint {
    fn into_diagnostic(self) -> Diagnostic {
        Diagnostic { file: Some(self.file), line: self.line, message: self.message }
    }
}

impl Python {
    /// The files of a patch in a copy, held against the originals.
    pub(super) async fn check(&self, patch: &Patch, copy: &Copy) -> Result<Checked, ValidateError> {
        let programs =
            patch.files.iter().filter(|file| Grammar.is_source(file.path.as_str().into()) && !file.deletes());
        let files: Vec<_> = programs.map(|file| (file.path.clone(), file.before.is_some())).collect();
        self.look(&files, copy).await
    }

    /// Files of a copy, each with whether there is an original to compare with.
    pub(super) async fn look(&self, files: &[(RepoPath, bool)], copy: &Copy) -> Result<Checked, ValidateError> {
        let mut words = Vec::new();
        for (path, original) in files {
            let old = match original {
                true => path.under(&self.checkout.root).into_string(),
                false if self.is_at_top(path) => "+".to_owned(),
                false => "-".to_owned(),
            };
            words.extend([path.as_str().to_owned(), path.under(&copy.tree).into_string(), old]);
        }
        let job =
            self.interpreter.isolated_job(&copy.tree, CHECK).args(words).read([self.checkout.root.clone()]).wall(WALL);
        let done = self.sandbox.run(job).await?;
        let written: Written = serde_json::from_slice(&done.results).map_err(|_| ValidateError::Tool {
            what: format!("changed files could not be read by the interpreter: {}", last_line(&done.stderr)),
            hint: "report it with the version of your Python".into(),
        })?;
        let all = |list: Vec<Complaint>| list.into_iter().map(Complaint::into_diagnostic).collect();
        Ok(Checked {
            errors: all(written.errors),
            warnings: all(written.warnings),
            same: written.same,
            news: written.news,
        })
    }

    /// Whether a new file brings a module or package that the project does not have.
    fn is_at_top(&self, path: &RepoPath) -> bool {
        let top = path.as_str().split('/').next().unwrap_or_default();
        !self.checkout.root.join(top).exists()
    }
}

fn last_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().lines().last().unwrap_or("it said nothing").to_owned()
}
