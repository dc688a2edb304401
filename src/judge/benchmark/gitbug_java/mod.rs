//! `gitbug-java`: the real bugs of GitBug-Java, from a clone of `gitbugactions/gitbug-java` that the user has.
//!
//! Its own commands need Docker, and images of some hundred gigabytes. Here only its metadata is used: a checkout is the
//! commit before the repair with the developer's new tests, built and tested by the project's own Maven. Nobody has seen
//! its runner agree yet, so every report says *unverified*. The file `gitbug.json` that its checkouts hold is the repair;
//! none is made here, and no private copy takes one along.

mod record;
mod repository;

use super::copy::io_error;
use super::defects4j::kind_of_repair;
use super::facts::ProjectFile;
use super::lines::read_lines;
use super::local::{Local, SetUp};
use super::nearest::unknown_bug;
use super::settings::Settings;
use super::{Benchmark, BenchmarkError, Checkout, Summary, repaired};
use crate::domain::{BugId, TestId};
use crate::sandbox;
use camino::{Utf8Path, Utf8PathBuf};
use record::Record;
use repository::Git;
use std::collections::BTreeSet;
use std::fs;

const NAME: &str = "gitbug-java";
const ROOT_VARIABLE: &str = "UNIDEBUG_GITBUG_JAVA_ROOT";
/// Folder of the metadata: a file for each project, a line for each bug.
const BUGS: &str = "data/bugs";
const HINT: &str = "pass the top folder of a clone of gitbugactions/gitbug-java";
/// Why a patch's word is the program's own.
const UNVERIFIED: &str = "GitBug-Java's own runner was not seen to agree";

/// The adapter.
pub(super) struct GitBugJava {
    root: Utf8PathBuf,
    records: Vec<Record>,
    settings: Settings,
}

impl GitBugJava {
    /// The clone at `--root` or `UNIDEBUG_GITBUG_JAVA_ROOT`.
    ///
    /// # Errors
    /// No root is given, it is no clone of GitBug-Java, or a line of its metadata cannot be used.
    pub(super) fn new(settings: &Settings) -> Result<Self, BenchmarkError> {
        let Some(root) = settings.root_or_env(ROOT_VARIABLE) else {
            return Err(BenchmarkError::Missing {
                what: format!("{NAME} needs a clone of GitBug-Java"),
                hint: format!(
                    "clone gitbugactions/gitbug-java from GitHub and pass it with `--root DIR` or `{ROOT_VARIABLE}`"
                ),
            });
        };
        let folder = root.join(BUGS);
        if !folder.is_dir() {
            return Err(wrong(&root, format!("this is no clone of GitBug-Java: it has no folder `{BUGS}`")));
        }
        let (mut records, mut seen) = (Vec::new(), BTreeSet::new());
        let failed = |source| io_error("cannot list the projects of GitBug-Java", &folder, source);
        for entry in folder.read_dir_utf8().map_err(failed)? {
            let file = entry.map_err(failed)?.into_path();
            if file.extension() == Some("json") {
                let lines = read_lines(&file, HINT, |line| {
                    let record = Record::read(line)?;
                    let is_new = seen.insert(record.name());
                    if is_new {
                        Ok(record)
                    } else {
                        Err(format!("the bug `{}` was there before", record.name()).into())
                    }
                })?;
                records.extend(lines.into_iter().map(|(_, record)| record));
            }
        }
        if records.is_empty() {
            return Err(wrong(&folder, "no bug is described here".into()));
        }
        // Commits have no order; a list needs one.
        records.sort_by_cached_key(|record| (record.project().to_lowercase(), record.name()));
        Ok(Self { root, records, settings: settings.clone() })
    }

    fn record(&self, id: &BugId) -> Result<&Record, BenchmarkError> {
        let found = self.records.iter().find(|record| record.name() == id.name);
        found.ok_or_else(|| unknown_bug(id, &self.ids()))
    }

    fn ids(&self) -> Vec<BugId> {
        self.records.iter().map(|record| BugId { benchmark: NAME.into(), name: record.name() }).collect()
    }
}

fn wrong(path: &Utf8Path, what: String) -> BenchmarkError {
    BenchmarkError::Root { what, path: path.to_owned(), hint: HINT.into() }
}

#[async_trait::async_trait]
impl Benchmark for GitBugJava {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        Ok(self.ids())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        let record = self.record(id)?;
        let issue =
            record.issue.as_deref().map_or_else(|| "without an issue".to_owned(), |title| format!("\"{title}\""));
        let title = format!("{}, {}, {issue}", record.repository, record.build_tool);
        let kind = kind_of_repair(record.bug_patch.as_bytes()).map(str::to_owned);
        Ok(Summary { kind, repaired: record.repaired.clone(), ..Summary::new(id.clone(), title) })
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        let record = self.record(id)?;
        let sandbox = self.settings.sandbox().await?;
        let hidden = tempfile::Builder::new().prefix("unidebug-gitbug-").tempdir();
        let hidden = hidden.map_err(|source| io_error("cannot make a hidden folder for", into, source))?;
        let place = Utf8Path::from_path(hidden.path()).unwrap_or(into);
        let tree = place.join("project");
        fs::create_dir(&tree).map_err(|source| io_error("cannot make the folder", &tree, source))?;
        let git = Git::new(&sandbox, record);
        git.take_buggy(&self.root, &tree).await?;
        // Where only files besides the code were repaired, they are the repair.
        if !record.bug_patch.is_empty() {
            git.apply(&record.other_patch, "a change besides the code", &tree).await?;
        }
        git.apply(&record.test_patch, "a change of the tests", &tree).await?;

        let triggering = record.triggering();
        let mut settings = self.settings.clone();
        settings.failing.extend(triggering.iter().flatten().map(TestId::to_string));
        let facts = ProjectFile::read(&tree)?.facts;
        let SetUp { mut project, own, reactor, mut notes, .. } =
            Local::new(&settings).set_up(&tree, into, &facts, false).await?;
        project.unverified = Some(UNVERIFIED.to_owned());
        notes.insert(0, format!("unverified: {UNVERIFIED}; what is plausible is this program's word alone"));
        if sandbox::always_readable(&self.root) {
            notes.push(format!(
                "{} can be read by everything that is tested here, and it holds the developers' patches: move it",
                self.root
            ));
        }
        let patch = place.join("repair.patch");
        fs::write(&patch, &record.bug_patch).map_err(|source| io_error("cannot write the patch", &patch, source))?;
        let oracle = repaired::from_patch(into, &patch, &project, &sandbox).await?;
        if oracle.files.is_empty() {
            return Err(BenchmarkError::Absent {
                what: format!("the repair of {id} changes no source file of the product"),
                hint: format!("`unidebug bugs {NAME} --kind single-line` lists bugs whose repair does"),
            });
        }
        Ok(Checkout {
            triggering,
            oracle: Some(oracle),
            own,
            reactor,
            notes,
            requirements: record.issue.as_ref().map(|title| format!("A user reported: {title}")),
            ..Checkout::new(id.clone(), into.to_owned(), "java", project)
        })
    }
}
