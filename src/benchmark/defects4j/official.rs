//! The official word on a patch: `defects4j compile` and `defects4j test` in a fresh working directory.

use super::super::copy::io_error;
use super::cli::{Cli, PATIENCE, complaint};
use crate::benchmark::BenchmarkError;
use crate::domain::Patch;
use crate::sandbox::{Exit, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::time::Duration;

const TEST: Duration = Duration::from_secs(3600);
const FAILING: &str = "failing_tests";
const ALL: &str = "all_tests";

/// How a bug's patch is judged by the benchmark's own command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Official {
    /// The installation.
    pub cli: Cli,
    /// The project: `Lang`.
    pub project: String,
    /// The bug's number in it.
    pub number: u32,
}

/// What the official commands said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfficialRun {
    /// `compile` refused, with the line that says most.
    NotCompiled(String),
    /// `test` did not end in its time.
    Cut(Duration),
    /// `test` ran: the files it leaves, as they are.
    Tested {
        /// The failing tests with their traces.
        failing: Vec<u8>,
        /// The tests that were started.
        all: Vec<u8>,
    },
}

impl Official {
    /// Whose word it is: `Defects4J 3.0.1`.
    pub fn name(&self) -> String {
        format!("Defects4J {}", self.cli.version)
    }

    /// Checks the bug out below `work`, without its history, writes the patch, compiles and tests. Nothing of it is
    /// left afterwards.
    ///
    /// # Errors
    /// A command that should work without any patch did not, or the patch was made for other files.
    pub async fn run(&self, sandbox: &Sandbox, patch: &Patch, work: &Utf8Path) -> Result<OfficialRun, BenchmarkError> {
        let folder = tempfile::Builder::new().prefix("official-").tempdir_in(work);
        let folder = folder.map_err(|source| io_error("cannot make a folder for Defects4J", work, source))?;
        let place = Utf8Path::from_path(folder.path()).unwrap_or(work);
        let tree = self.check_out(sandbox, 'b', place).await?;
        // Code under test could read the repaired version out of it; compiling and testing do without.
        let history = tree.join(".git");
        fs::remove_dir_all(&history).map_err(|source| io_error("cannot remove the history", &history, source))?;
        write(patch, &tree)?;
        let done = self.cli.run(sandbox, &["compile", "-w", tree.as_str()], &tree, PATIENCE).await?;
        if !done.exit.success() {
            return Ok(OfficialRun::NotCompiled(complaint(&done).replace(tree.as_str(), "")));
        }
        let words = ["test", "-w", tree.as_str()];
        let done = self.cli.run(sandbox, &words, &tree, TEST).await?;
        match done.exit {
            Exit::Code(0) => {}
            Exit::TimedOut => return Ok(OfficialRun::Cut(TEST)),
            _ => return Err(self.cli.failed(&words, &done)),
        }
        let read = |name: &str| {
            let path = tree.join(name);
            fs::read(&path).map_err(|source| io_error("cannot read what `defects4j test` left", &path, source))
        };
        Ok(OfficialRun::Tested { failing: read(FAILING)?, all: read(ALL)? })
    }

    /// Checks a version out below an existing folder: `b` is the buggy one, `f` the repaired one. Where the other one
    /// is there already, it takes its place.
    pub(super) async fn check_out(
        &self,
        sandbox: &Sandbox,
        version: char,
        place: &Utf8Path,
    ) -> Result<Utf8PathBuf, BenchmarkError> {
        let place = place.canonicalize_utf8().map_err(|source| io_error("cannot find the folder", place, source))?;
        let tree = place.join(format!("{}-{}", self.project, self.number));
        let version = format!("{}{version}", self.number);
        let words = ["checkout", "-p", &self.project, "-v", &version, "-w", tree.as_str()];
        self.cli.expect(sandbox, &words, &place).await?;
        Ok(tree)
    }
}

/// Writes a patch into plain files that are what it was made for.
fn write(patch: &Patch, tree: &Utf8Path) -> Result<(), BenchmarkError> {
    for file in &patch.files {
        let path = file.path.under(tree);
        let plain = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
        let now = plain.then(|| fs::read(&path).ok()).flatten();
        if now.as_deref() != file.before.as_deref() {
            return Err(BenchmarkError::Setup {
                what: format!("{} differs between two checkouts of Defects4J", file.path),
                hint: "the installation was changed meanwhile; run the bug again".into(),
            });
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|source| io_error("cannot make the folder", folder, source))?;
        }
        fs::write(&path, &*file.after).map_err(|source| io_error("cannot write the patch", &path, source))?;
    }
    Ok(())
}
