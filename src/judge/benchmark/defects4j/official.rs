//! The official judge: `defects4j compile` and `defects4j test` in a fresh working directory.
//!
//! A patch is plausible only when it and our own judge agree. Ours alone has a positive list of what passed; the
//! official command alone decides what counts in the benchmark's tables.

use super::super::copy::io_error;
use super::cli::{Cli, PATIENCE, complaint};
use super::reports;
use crate::benchmark::{BenchmarkError, OfficialJudge, OfficialVerdict};
use crate::domain::words::listed;
use crate::domain::{Failure, Outcome, Patch, TestId};
use crate::sandbox::{Exit, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;
use tokio::sync::OnceCell;

const TEST: Duration = Duration::from_secs(3600);
const FAILING: &str = "failing_tests";
const ALL: &str = "all_tests";
/// Tests that a sentence names.
const NAMED: usize = 5;

/// How a bug's patch is judged by the benchmark's own commands.
#[derive(Debug)]
pub(super) struct Official {
    /// The installation.
    pub(super) cli: Cli,
    /// The project: `Lang`.
    project: String,
    /// The bug's number in it.
    number: u32,
    sandbox: Sandbox,
    /// What fails officially without any patch; asked when it matters.
    untouched: OnceCell<Tested>,
}

/// What `defects4j test` reports of a tree.
#[derive(Debug, Default)]
struct Tested {
    failing: Vec<(TestId, Failure)>,
    started: BTreeSet<TestId>,
}

/// Why there are no official results.
struct Rejected {
    outcome: Outcome,
    why: String,
}

impl Official {
    pub(super) fn new(cli: Cli, project: &str, number: u32, sandbox: Sandbox) -> Self {
        Self { cli, project: project.to_owned(), number, sandbox, untouched: OnceCell::new() }
    }

    /// Checks the bug out below `work`, without its history, writes the patch, compiles and tests. Nothing of it is
    /// left afterwards.
    async fn run(&self, patch: &Patch, work: &Utf8Path) -> Result<Result<Tested, Rejected>, BenchmarkError> {
        let folder = tempfile::Builder::new().prefix("official-").tempdir_in(work);
        let folder = folder.map_err(|source| io_error("cannot make a folder for Defects4J", work, source))?;
        let place = Utf8Path::from_path(folder.path()).unwrap_or(work);
        let tree = self.check_out('b', place).await?;
        // Code under test could read the repaired version out of it; compiling and testing do without.
        let history = tree.join(".git");
        fs::remove_dir_all(&history).map_err(|source| io_error("cannot remove the history", &history, source))?;
        write(patch, &tree)?;
        let done = self.cli.run(&self.sandbox, &["compile", "-w", tree.as_str()], &tree, PATIENCE).await?;
        if !done.exit.success() {
            let complaint = complaint(&done).replace(tree.as_str(), "");
            let why = format!("`defects4j compile` rejects it: {complaint}");
            return Ok(Err(Rejected { outcome: Outcome::CompileError, why }));
        }
        let words = ["test", "-w", tree.as_str()];
        let done = self.cli.run(&self.sandbox, &words, &tree, TEST).await?;
        match done.exit {
            Exit::Code(0) => {}
            Exit::TimedOut => {
                let why = format!("`defects4j test` did not end in {} s", TEST.as_secs());
                return Ok(Err(Rejected { outcome: Outcome::Timeout, why }));
            }
            _ => return Err(self.cli.failed(&words, &done)),
        }
        let read = |name: &str| {
            let path = tree.join(name);
            fs::read(&path).map_err(|source| io_error("cannot read what `defects4j test` left", &path, source))
        };
        Ok(Ok(Tested { failing: reports::failing(&read(FAILING)?), started: reports::all(&read(ALL)?) }))
    }

    async fn untouched(&self, work: &Utf8Path) -> Result<&Tested, BenchmarkError> {
        let ask = || async {
            self.run(&Patch::default(), work).await?.map_err(|rejected| BenchmarkError::Setup {
                what: format!("the official commands do not work on the untouched bug: {}", rejected.why),
                hint: "`unidebug doctor` looks at what Defects4J needs".into(),
            })
        };
        self.untouched.get_or_try_init(ask).await
    }

    /// Checks a version out below an existing folder: `b` is the buggy one, `f` the repaired one. Where the other one
    /// is there already, it takes its place.
    pub(super) async fn check_out(&self, version: char, place: &Utf8Path) -> Result<Utf8PathBuf, BenchmarkError> {
        let place = place.canonicalize_utf8().map_err(|source| io_error("cannot find the folder", place, source))?;
        let tree = place.join(format!("{}-{}", self.project, self.number));
        let version = format!("{}{version}", self.number);
        let words = ["checkout", "-p", &self.project, "-v", &version, "-w", tree.as_str()];
        self.cli.expect(&self.sandbox, &words, &place).await?;
        Ok(tree)
    }
}

#[async_trait::async_trait]
impl OfficialJudge for Official {
    fn name(&self) -> String {
        format!("Defects4J {}", self.cli.version)
    }

    async fn verdict(
        &self,
        patch: &Patch,
        triggering: &[TestId],
        work: &Utf8Path,
    ) -> Result<OfficialVerdict, BenchmarkError> {
        let tested = match self.run(patch, work).await? {
            Ok(tested) => tested,
            Err(Rejected { outcome, why }) => {
                return Ok(OfficialVerdict::Rejects { outcome, why, failing: Vec::new() });
            }
        };
        let triggers = |id: &TestId| triggering.iter().any(|ours| reports::means(id, ours));
        let (open, other): (Vec<_>, Vec<_>) = tested.failing.iter().partition(|(id, _)| triggers(id));
        if !open.is_empty() {
            return Ok(rejects(Outcome::Failed, "fails the triggering", &open));
        }
        if !other.is_empty() {
            let known = &self.untouched(work).await?.failing;
            let new: Vec<_> = other.into_iter().filter(|(id, _)| known.iter().all(|(known, _)| known != id)).collect();
            if !new.is_empty() {
                return Ok(rejects(Outcome::Regression, "fails, which it does not without the patch,", &new));
            }
        }
        let ran = |ours: &&TestId| tested.started.iter().any(|id| reports::means(id, ours));
        let missing = triggering.iter().filter(|id| !id.method.is_empty()).find(|ours| !ran(ours));
        Ok(match missing {
            Some(id) => OfficialVerdict::Rejects {
                outcome: Outcome::MissingTests,
                why: format!("`defects4j test` did not start the triggering {id}"),
                failing: Vec::new(),
            },
            None => {
                OfficialVerdict::Agrees { how: format!("`defects4j test` agrees on {} tests", tested.started.len()) }
            }
        })
    }
}

fn rejects(outcome: Outcome, how: &str, against: &[&(TestId, Failure)]) -> OfficialVerdict {
    let names: Vec<&TestId> = against.iter().map(|(id, _)| id).collect();
    let why = format!("`defects4j test` {how} {}", listed(&names, NAMED));
    OfficialVerdict::Rejects { outcome, why, failing: against.iter().map(|&one| one.clone()).collect() }
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
