//! Settings that every adapter may get from outside.

use super::BenchmarkError;
use super::jars::{self, Library};
use crate::domain::{RepoPath, Watcher};
use crate::sandbox::{Choice, Sandbox};
use camino::Utf8PathBuf;
use std::sync::Arc;

/// What the command line and the configuration say about where bugs come from.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The benchmark's folder; without it `UNIDEBUG_<NAME>_ROOT`, then what the program carries.
    pub root: Option<Utf8PathBuf>,
    /// Words of the command that builds a local project.
    pub build: Option<Vec<String>>,
    /// Words of the command that runs the tests of a local project.
    pub test: Option<Vec<String>>,
    /// Folders in which that command leaves JUnit XML; empty means the usual ones.
    pub reports: Vec<RepoPath>,
    /// Files of tests that are added to the copy of a local project, before it is built.
    pub added: Vec<(RepoPath, Arc<[u8]>)>,
    /// Triggering tests the user named, as typed; they choose the module of a project that has several.
    pub failing: Vec<String>,
    /// Whether the tests of all modules of a local project run to see which fails, where else those of the likeliest do.
    pub all_modules: bool,
    /// The JDK the user chose.
    pub java_home: Option<Utf8PathBuf>,
    /// Whether what a project loads into its build tool is loaded, too.
    pub trust_build: bool,
    /// Hears how far the set-up is.
    pub watcher: Watcher,
    /// Where set-up runs what it must run; without it the strongest isolation that works here is looked for.
    pub sandbox: Option<Sandbox>,
}

impl Settings {
    /// The benchmark's folder: `--root`, else the environment variable.
    pub(super) fn root_or_env(&self, variable: &str) -> Option<Utf8PathBuf> {
        let set = |value: String| (!value.is_empty()).then(|| Utf8PathBuf::from(value));
        self.root.clone().or_else(|| std::env::var(variable).ok().and_then(set))
    }

    /// The sandbox to set up in.
    pub(super) async fn sandbox(&self) -> Result<Sandbox, BenchmarkError> {
        if let Some(sandbox) = &self.sandbox {
            return Ok(sandbox.clone());
        }
        Sandbox::detect(Choice::Auto).await.map_err(|error| BenchmarkError::Missing {
            what: error.to_string(),
            hint: "install bubblewrap, or accept none with `--sandbox none`".into(),
        })
    }

    /// The jars of a test library.
    pub(super) async fn library(&self, library: Library) -> Result<Vec<Utf8PathBuf>, BenchmarkError> {
        jars::find(library, &self.sandbox().await?, &self.watcher).await
    }
}
