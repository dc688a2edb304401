//! A look at changed files by the interpreter's own parser, without running anything of them.

use super::Python;
use crate::domain::{Diagnostic, Patch, RepoPath};
use crate::language::{Language, Python as Grammar};
use crate::sandbox::Job;
use crate::validate::ValidateError;
use crate::validate::copies::write_all;
use camino::Utf8Path;
use serde::Deserialize;
use std::sync::PoisonError;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

const CHECK: &str = include_str!("check.py");
const WALL: Duration = Duration::from_secs(60);
/// Bytes of an answer at most.
const MOST: u64 = 16 << 20;

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
    /// The files of a patch, held against the originals. They are written below a folder for it.
    pub(super) async fn check(&self, patch: &Patch, folder: &Utf8Path) -> Result<Checked, ValidateError> {
        let programs =
            patch.files.iter().filter(|file| Grammar.is_source(file.path.as_str().into()) && !file.deletes());
        let programs = Patch { files: programs.cloned().collect() };
        write_all(&programs, folder)?;
        let files: Vec<_> = programs.files.iter().map(|file| (file.path.clone(), file.before.is_some())).collect();
        self.look(&files, folder).await
    }

    /// Files below a folder, each with whether there is an original to compare with.
    pub(super) async fn look(&self, files: &[(RepoPath, bool)], folder: &Utf8Path) -> Result<Checked, ValidateError> {
        let mut words = Vec::new();
        for (path, original) in files {
            let old = match original {
                true => path.under(&self.checkout.root).into_string(),
                false if self.is_at_top(path) => "+".to_owned(),
                false => "-".to_owned(),
            };
            words.extend([path.as_str().to_owned(), path.under(folder).into_string(), old]);
        }
        let written = match self.ask_checker(&words).await {
            Some(written) => written,
            None => self.check_alone(words, folder).await?,
        };
        let all = |list: Vec<Complaint>| list.into_iter().map(Complaint::into_diagnostic).collect();
        Ok(Checked {
            errors: all(written.errors),
            warnings: all(written.warnings),
            same: written.same,
            news: written.news,
        })
    }

    /// What a process says that waits for such questions; `None` when it does not answer.
    async fn ask_checker(&self, words: &[String]) -> Option<Written> {
        let known = self.checkers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut checker = match known {
            Some(checker) => checker,
            None => self.sandbox.serve(self.check_job(&self.options.work_dir).args(["serve"])).await.ok()?,
        };
        let request = serde_json::to_string(words).ok()?;
        let request = format!("{:010}{request}", request.len());
        let mut answer = Vec::new();
        let exchange = async {
            checker.requests.write_all(request.as_bytes()).await?;
            BufReader::new((&mut checker.answers).take(MOST)).read_until(b'\n', &mut answer).await
        };
        tokio::time::timeout(WALL, exchange).await.ok()?.ok()?;
        let written = serde_json::from_slice(&answer).ok()?;
        self.checkers.lock().unwrap_or_else(PoisonError::into_inner).push(checker);
        Some(written)
    }

    /// The same by a process of its own.
    async fn check_alone(&self, words: Vec<String>, folder: &Utf8Path) -> Result<Written, ValidateError> {
        let done = self.sandbox.run(self.check_job(folder).args(words).wall(WALL)).await?;
        serde_json::from_slice(&done.results).map_err(|_| ValidateError::Tool {
            what: format!("changed files could not be read by the interpreter: {}", last_line(&done.stderr)),
            hint: "report it with the version of your Python".into(),
        })
    }

    fn check_job(&self, folder: &Utf8Path) -> Job {
        self.interpreter
            .isolated_job(folder, CHECK)
            .read([self.checkout.root.clone(), self.options.work_dir.to_path_buf()])
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
