//! Test modules as pytest rewrites their assertions, kept between processes and runs: that takes longer than many a suite.
//!
//! Processes of tests can only read what is kept. It is written by a program that runs nothing of the project.

use super::Python;
use crate::benchmark::python::Interpreter;
use crate::benchmark::{age, jars};
use crate::domain::Fingerprint;
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The program that writes.
const REWRITE: &str = include_str!("runner/rewrite.py");
/// A module with fewer assertions is rewritten as quickly as a process starts.
const MANY: usize = 100;
const WALL: Duration = Duration::from_secs(60);

/// What is kept for an interpreter with its pytest, whatever the project.
pub(super) struct Rewritten {
    folder: Utf8PathBuf,
    /// Modules that need no look any more.
    known: Mutex<BTreeSet<String>>,
}

impl Rewritten {
    /// Opens the folder for an interpreter.
    pub(super) fn of(interpreter: &Interpreter) -> Result<Self, ValidateError> {
        let Interpreter { program, version, pytest, .. } = interpreter;
        let all = jars::cache_dir().join("rewritten");
        let name = Fingerprint::default().add(format!("{program} {version} {pytest:?}")).add(REWRITE).name();
        let folder = all.join(name);
        std::fs::create_dir_all(&folder).map_err(io_error("making the cache of test modules", &folder))?;
        age::used(&folder);
        age::forget_old(&all);
        Ok(Self { folder, known: Mutex::default() })
    }

    /// Where it is kept.
    pub(super) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// Whether nobody looked at a module so far.
    fn is_new(&self, module: &str) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(module.to_owned())
    }

    /// Whether a text has many assertions and is not kept yet.
    fn is_wanted(&self, file: &Utf8Path) -> bool {
        let text = std::fs::read(file).unwrap_or_default();
        let are_many = String::from_utf8_lossy(&text).matches("assert ").nth(MANY - 1).is_some();
        are_many && !self.folder.join(HEXLOWER.encode(&Sha256::digest(&text))).exists()
    }
}

impl Python {
    /// Has those of some test modules kept that are worth it. What cannot be rewritten so is left to pytest.
    pub(super) async fn rewrite(&self, modules: &[String]) {
        let Some(rewritten) = &self.rewritten else { return };
        let root = self.checkout.project.module.under(&self.checkout.root);
        let files = self.files.iter().filter(|(module, _)| modules.contains(module) && rewritten.is_new(module));
        let files = files.map(|(_, file)| root.join(file)).filter(|file| rewritten.is_wanted(file));
        let files: Vec<String> = files.map(Utf8PathBuf::into_string).collect();
        if files.is_empty() {
            return;
        }
        let words = std::iter::once(rewritten.folder.to_string()).chain(files);
        let job = self.interpreter.isolated_job(&root, REWRITE).args(words).write(&rewritten.folder).wall(WALL);
        if let Err(error) = self.sandbox.run(job).await {
            tracing::debug!("test modules could not be rewritten: {error}");
        }
    }
}
