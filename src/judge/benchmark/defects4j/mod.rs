//! `defects4j`: the real bugs of Defects4J 2.x and 3.x, through the command line of an installation the user has.
//!
//! The official working directory holds the answer: tags of the repaired version, the project's history, and property
//! files that name what was modified. So it is made in a hidden place and thrown away; a checkout is a private copy of
//! its files, and the repaired ones become the oracle. Candidates are judged by the warm judge under the exported class
//! path, and a plausible patch by the official commands besides (`official.rs`).

mod catalogue;
mod cli;
mod exported;
mod kind;
mod official;
pub mod reports;
pub mod text;

pub use cli::Cli;
pub use kind::kind_of;
pub(crate) use kind::kind_of_repair;

use super::copy::io_error;
use super::settings::Settings;
use super::{Benchmark, BenchmarkError, Checkout, Project, Summary, TestPatterns, private_copy, repaired};
use crate::domain::{BugId, RepoPath};
use crate::sandbox;
use camino::{Utf8Path, Utf8PathBuf};
use catalogue::Catalogue;
use exported::{CachedFacts, Exported};
use official::Official;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

/// The benchmark's name.
pub(super) const NAME: &str = "defects4j";
const ROOT_VARIABLE: &str = "UNIDEBUG_DEFECTS4J_ROOT";
/// Commands that read metadata only.
const QUERY: Duration = Duration::from_secs(60);
/// Its tests are known to pass and fail in this time zone, and without a screen.
const JVM: &[&str] = &["-Duser.timezone=America/Los_Angeles", "-Djava.awt.headless=true"];
/// What Defects4J leaves in a working directory, and no developer would have.
const TRACES: &[&str] = &[".defects4j.config", "defects4j.build.properties", "failing_tests", "all_tests"];
/// Larger sources are data; nobody needs their charset.
const SOURCE_BYTES: u64 = 4 << 20;

/// The adapter.
pub(super) struct Defects4J {
    root: Utf8PathBuf,
    version: String,
    bugs: Catalogue,
    settings: Settings,
}

impl Defects4J {
    /// The installation at `--root` or `UNIDEBUG_DEFECTS4J_ROOT`, else the one whose `defects4j` is on PATH.
    ///
    /// # Errors
    /// There is none, or it is no installation.
    pub(super) fn new(settings: &Settings) -> Result<Self, BenchmarkError> {
        let Some(root) = settings.root_or_env(ROOT_VARIABLE).or_else(on_path) else {
            return Err(BenchmarkError::Missing {
                what: "defects4j needs an installation of Defects4J 2.x or 3.x".into(),
                hint: format!("install rjust/defects4j from GitHub and pass it with `--root DIR` or `{ROOT_VARIABLE}`"),
            });
        };
        let root = root.canonicalize_utf8().map_err(|source| wrong_root(&root, source.to_string()))?;
        if !root.join(cli::PROGRAM).is_file() {
            return Err(wrong_root(&root, format!("this is no Defects4J: it has no file `{}`", cli::PROGRAM)));
        }
        let version = fs::read(root.join("README.md")).ok().and_then(|bytes| text::version(&bytes));
        let version = version.unwrap_or_else(|| "of unknown version".into());
        let bugs = Catalogue::read(&root, &version)?;
        Ok(Self { root, version, bugs, settings: settings.clone() })
    }

    fn cli(&self) -> Result<Cli, BenchmarkError> {
        let jdk = cli::suitable_jdk(&self.root, &self.version, self.settings.java_home.as_deref())?;
        Ok(Cli { root: self.root.clone(), version: self.version.clone(), jdk })
    }
}

/// The installation whose program is on PATH.
fn on_path() -> Option<Utf8PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').filter(|folder| !folder.is_empty());
    let program = folders.map(|folder| Utf8Path::new(folder).join("defects4j")).find(|file| file.is_file())?;
    program.canonicalize_utf8().ok()?.ancestors().nth(3).map(Utf8Path::to_owned)
}

fn wrong_root(path: &Utf8Path, what: String) -> BenchmarkError {
    BenchmarkError::Root {
        what,
        path: path.to_owned(),
        hint: "pass the top folder of an installation of Defects4J, after its `init.sh`".into(),
    }
}

#[async_trait::async_trait]
impl Benchmark for Defects4J {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        Ok(self.bugs.ids())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        let (project, line) = self.bugs.find(id)?;
        let title = match &line.report {
            Some(report) => format!("{project}, reported as {report}"),
            None => format!("{project}, without a report"),
        };
        let patch =
            self.root.join(catalogue::PROJECTS).join(project).join(format!("patches/{}.src.patch", line.number));
        let kind = fs::read(patch).ok().and_then(|bytes| kind_of(&bytes)).map(str::to_owned);
        Ok(Summary { kind, report: line.address.clone(), ..Summary::new(id.clone(), title) })
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        let (name, line) = self.bugs.find(id)?;
        let (cli, sandbox) = (self.cli()?, self.settings.sandbox().await?);
        let official = Official::new(cli, name, line.number, sandbox.clone());
        let hidden = tempfile::Builder::new().prefix("unidebug-defects4j-").tempdir();
        let hidden = hidden.map_err(|source| io_error("cannot make a hidden folder for", into, source))?;
        let place = Utf8Path::from_path(hidden.path()).unwrap_or(into);
        let tree = official.check_out('b', place).await?;
        let cached = CachedFacts::of(&official.cli, &sandbox, (name, line.number), &tree).await?;
        let mut notes = self.notes(&cached, &official.cli);
        notes.extend(private_copy(&tree, into)?.left_out);
        without_traces(into)?;
        cached.put_built(into)?;
        let mut project = project(&cached.facts, into);
        project.jdk = Some(official.cli.jdk.home.clone());
        let fixed = official.check_out('f', place).await?;
        let oracle = repaired::from_folder(into, &fixed, &project)?;
        Ok(Checkout {
            triggering: Some(cached.facts.trigger.clone()),
            oracle: Some(oracle),
            official: Some(Arc::new(official)),
            notes,
            ..Checkout::new(id.clone(), into.to_owned(), "java", project)
        })
    }

    /// Asks the installation about one of its projects.
    async fn try_out(&self) -> Result<Option<String>, BenchmarkError> {
        let (cli, sandbox) = (self.cli()?, self.settings.sandbox().await?);
        let projects = self.bugs.projects();
        let project = projects.iter().find(|name| **name == "Lang").or(projects.first()).copied().unwrap_or_default();
        let place = tempfile::tempdir().map_err(|source| io_error("cannot make a folder for", &self.root, source))?;
        let place = Utf8Path::from_path(place.path()).unwrap_or(&self.root);
        let words = ["info", "-p", project];
        let done = cli.expect(&sandbox, &words, place).await?;
        let info = text::info(&done.stdout);
        let (Some(program), Some(bugs)) = (info.program, info.bugs) else { return Err(cli.failed(&words, &done)) };
        let listed = self.bugs.count(project);
        if bugs != listed {
            return Err(wrong_root(&self.root, format!("it counts {bugs} bugs of {program}, and lists {listed}")));
        }
        let (version, jdk) = (&cli.version, &cli.jdk);
        Ok(Some(format!(
            "Defects4J {version} answers under JDK {} at {}: {bugs} bugs of {program}",
            jdk.major, jdk.home
        )))
    }
}

impl Defects4J {
    fn notes(&self, cached: &CachedFacts, cli: &Cli) -> Vec<String> {
        let facts = if cached.known { "known from before" } else { "exported now, and kept" };
        let mut notes = vec![format!(
            "Defects4J {} under JDK {}; class path, tests and classes of its build are {facts}; a patch is plausible \
             when `defects4j compile` and `defects4j test` agree",
            cli.version, cli.jdk.version
        )];
        let left = &cached.facts.class_path.left_out;
        if !left.is_empty() {
            notes.push(format!("left out of the class path, because it lies elsewhere: {}", left.join(", ")));
        }
        if sandbox::always_readable(&self.root) {
            notes.push(format!(
                "{} can be read by everything that is tested here, and it holds the developers' patches: move it",
                self.root
            ));
        }
        notes
    }
}

/// Takes out of a copy what Defects4J left in its original: it names what the developers changed.
fn without_traces(copy: &Utf8Path) -> Result<(), BenchmarkError> {
    for trace in TRACES {
        let path = copy.join(trace);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io_error("cannot remove what Defects4J left", &path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// How the private copy of a working directory is built and tested.
fn project(facts: &Exported, into: &Utf8Path) -> Project {
    let outputs = [&facts.test_classes, &facts.classes];
    let inside = facts.class_path.inside.iter().filter(|entry| !outputs.contains(entry)).map(|entry| entry.under(into));
    let class_path = inside.chain(facts.class_path.libraries.iter().cloned());
    Project {
        encoding: encoding(&[&facts.sources, &facts.tests], into),
        source_roots: vec![facts.sources.clone()],
        test_roots: vec![facts.tests.clone()],
        class_path: class_path.filter(|entry| entry.exists()).collect(),
        compiled: vec![facts.classes.clone()],
        compiled_tests: vec![facts.test_classes.clone()],
        jvm_args: JVM.iter().map(|arg| (*arg).to_owned()).collect(),
        release: facts.level.map(|level| level.to_string()),
        tests: TestPatterns {
            include: facts.all.iter().map(|class| format!("{}.java", class.replace('.', "/"))).collect(),
            exclude: Vec::new(),
            platform_only: false,
        },
        ..Project::default()
    }
}

/// The charset of the sources: UTF-8, unless one of them is not.
fn encoding(folders: &[&RepoPath], root: &Utf8Path) -> String {
    let walk = |folder: &&RepoPath| ignore::WalkBuilder::new(folder.under(root)).standard_filters(false).build();
    let mut files = folders.iter().flat_map(walk).flatten().map(ignore::DirEntry::into_path);
    let small = |path: &std::path::Path| path.metadata().is_ok_and(|meta| meta.len() < SOURCE_BYTES);
    let other = files.any(|path| {
        path.extension().is_some_and(|end| end == "java")
            && small(&path)
            && fs::read(&path).is_ok_and(|bytes| str::from_utf8(&bytes).is_err())
    });
    if other { "ISO-8859-1".into() } else { "UTF-8".into() }
}
