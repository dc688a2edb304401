//! `fixtures`: small buggy Java projects written for this program and carried inside it.
//!
//! A bug is a folder: `bug.toml` (what it is), `project/` (the buggy project, all that an agent may see) and `fixed/`
//! (the developer's repair: the changed files only, under their path in the project). Every repaired file holds the
//! bug's canary, so that a test can tell whether a byte of the repair reached an agent.

use super::copy::io_error;
use super::jars::Library;
use super::registry::{Settings, unknown_bug};
use super::{Benchmark, BenchmarkError, Checkout, Oracle, Project, Summary, layout, private_copy};
use crate::domain::{BugId, RepoPath};
use camino::{Utf8Path, Utf8PathBuf};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::fs;

/// A folder of fixtures that replaces the embedded ones.
const ROOT_VARIABLE: &str = "UNIDEBUG_FIXTURES_ROOT";

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/bugs");

/// What a repair takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    SingleLine,
    MultiLine,
    MissingCode,
    MultiFile,
}

impl Kind {
    fn label(self) -> &'static str {
        match self {
            Self::SingleLine => "single-line",
            Self::MultiLine => "multi-line",
            Self::MissingCode => "missing-code",
            Self::MultiFile => "multi-file",
        }
    }
}

/// The least that is expected to find the repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Needs {
    /// A fix template.
    Template,
    /// Reading the bug-located file.
    OneFile,
    /// Reading another file, too.
    AnotherFile,
    /// The levels above the first: the cause lies in other files than the symptom.
    Levels,
}

impl Needs {
    fn label(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::OneFile => "one-file",
            Self::AnotherFile => "another-file",
            Self::Levels => "levels",
        }
    }
}

/// JUnit's major version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u8")]
enum JUnit {
    Three,
    Four,
    Five,
}

impl TryFrom<u8> for JUnit {
    type Error = String;
    fn try_from(major: u8) -> Result<Self, String> {
        match major {
            3 => Ok(Self::Three),
            4 => Ok(Self::Four),
            5 => Ok(Self::Five),
            _ => Err(format!("there is no JUnit {major} here, only 3, 4 and 5")),
        }
    }
}

impl JUnit {
    /// What brings it; the classes of JUnit 3 live on in JUnit 4's jar.
    fn library(self) -> Library {
        match self {
            Self::Three | Self::Four => Library::JUnit4,
            Self::Five => Library::JUnit5,
        }
    }
}

/// `bug.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    title: String,
    kind: Kind,
    junit: JUnit,
    needs: Needs,
    /// Source level as `javac --release` takes it.
    release: String,
    #[serde(default = "utf8")]
    encoding: String,
    /// A text that occurs in every repaired file and nowhere else.
    canary: String,
}

fn utf8() -> String {
    "UTF-8".into()
}

/// Where the bugs lie.
enum Source {
    Embedded,
    Folder(Utf8PathBuf),
}

/// The adapter.
pub(super) struct Fixtures {
    source: Source,
    settings: Settings,
}

impl Fixtures {
    /// The embedded fixtures, or those of `--root` or `UNIDEBUG_FIXTURES_ROOT`.
    ///
    /// # Errors
    /// The folder is missing or is no folder.
    pub(super) fn new(settings: &Settings) -> Result<Self, BenchmarkError> {
        let settings = settings.clone();
        let Some(root) = settings.root_or_env(ROOT_VARIABLE) else {
            return Ok(Self { source: Source::Embedded, settings });
        };
        let bugs = root.join("bugs");
        let root = if bugs.is_dir() { bugs } else { root };
        if !root.is_dir() {
            return Err(wrong_root("the folder of the fixtures does not exist", &root));
        }
        Ok(Self { source: Source::Folder(root), settings })
    }

    /// Names of the folders that hold a `bug.toml`, sorted.
    fn bug_names(&self) -> Result<Vec<String>, BenchmarkError> {
        let mut names = Vec::new();
        match &self.source {
            Source::Embedded => {
                let holds_a_bug = |dir: &&Dir<'_>| dir.get_file(dir.path().join("bug.toml")).is_some();
                let name = |dir: &Dir<'_>| dir.path().to_str().map(str::to_owned);
                names.extend(EMBEDDED.dirs().filter(holds_a_bug).filter_map(name));
            }
            Source::Folder(root) => {
                let failed = |source| io_error("cannot list the fixtures", root, source);
                for entry in root.read_dir_utf8().map_err(failed)? {
                    let entry = entry.map_err(failed)?;
                    if entry.path().join("bug.toml").is_file() {
                        names.push(entry.file_name().to_owned());
                    }
                }
                if names.is_empty() {
                    return Err(wrong_root("no folder here holds a `bug.toml`", root));
                }
            }
        }
        names.sort();
        Ok(names)
    }

    fn known(&self, id: &BugId) -> Result<(), BenchmarkError> {
        let listed = self.list()?;
        if listed.contains(id) { Ok(()) } else { Err(unknown_bug(id, &listed)) }
    }

    fn manifest(&self, name: &str) -> Result<Manifest, BenchmarkError> {
        let path = Utf8Path::new(name).join("bug.toml");
        let (shown, bytes) = match &self.source {
            Source::Embedded => {
                (path.clone(), EMBEDDED.get_file(&path).map(|f| f.contents().to_vec()).unwrap_or_default())
            }
            Source::Folder(root) => {
                let full = root.join(&path);
                let bytes = fs::read(&full).map_err(|source| io_error("cannot read the bug", &full, source))?;
                (full, bytes)
            }
        };
        toml::from_slice(&bytes).map_err(|cause| BenchmarkError::Root {
            what: format!("the bug's description cannot be read: {}", cause.message()),
            path: shown,
            hint: "compare it with the description of another fixture".into(),
        })
    }

    /// Writes the buggy project.
    fn project(&self, name: &str, into: &Utf8Path) -> Result<Vec<String>, BenchmarkError> {
        match &self.source {
            Source::Embedded => {
                for (path, bytes) in embedded_part(name, "project") {
                    let target = path.under(into);
                    let written =
                        target.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&target, bytes));
                    written.map_err(|source| io_error("cannot write the file", &target, source))?;
                }
                Ok(Vec::new())
            }
            Source::Folder(root) => Ok(private_copy(&root.join(name).join("project"), into)?.left_out),
        }
    }

    /// The developer's repair.
    fn oracle(&self, name: &str, canary: String) -> Result<Oracle, BenchmarkError> {
        let files = match &self.source {
            Source::Embedded => {
                embedded_part(name, "fixed").into_iter().map(|(path, bytes)| (path, bytes.to_vec())).collect()
            }
            Source::Folder(root) => files_below(&root.join(name).join("fixed"))?,
        };
        Ok(Oracle { files, canary: Some(canary) })
    }
}

/// The embedded files of a part of a bug, with their path in it.
fn embedded_part(bug: &str, part: &str) -> Vec<(RepoPath, &'static [u8])> {
    EMBEDDED.get_dir(format!("{bug}/{part}")).map(embedded_files).unwrap_or_default()
}

/// The embedded files below a folder, with their path in it.
fn embedded_files(folder: &'static Dir<'static>) -> Vec<(RepoPath, &'static [u8])> {
    let mut open = vec![folder];
    let mut files = Vec::new();
    while let Some(dir) = open.pop() {
        open.extend(dir.dirs());
        files.extend(dir.files().filter_map(|file| {
            let inside = file.path().strip_prefix(folder.path()).ok()?.to_str()?;
            Some((RepoPath::new(inside).ok()?, file.contents()))
        }));
    }
    files.sort();
    files
}

/// The plain files below a folder, in order.
fn files_below(folder: &Utf8Path) -> Result<Vec<(RepoPath, Vec<u8>)>, BenchmarkError> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        let failed = |source| io_error("cannot list the folder", &dir, source);
        for entry in dir.read_dir_utf8().map_err(failed)? {
            let path = entry.map_err(failed)?.into_path();
            let meta =
                fs::symlink_metadata(&path).map_err(|source| io_error("cannot look at the file", &path, source))?;
            if meta.is_dir() {
                open.push(path);
            } else if meta.is_file()
                && let Some(inside) = path.strip_prefix(folder).ok().and_then(|p| RepoPath::new(p.as_str()).ok())
            {
                let bytes = fs::read(&path).map_err(|source| io_error("cannot read the file", &path, source))?;
                files.push((inside, bytes));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn wrong_root(what: &str, path: &Utf8Path) -> BenchmarkError {
    BenchmarkError::Root {
        what: what.into(),
        path: path.to_owned(),
        hint: format!("leave out `--root` and `{ROOT_VARIABLE}` to use the fixtures the program carries"),
    }
}

#[async_trait::async_trait]
impl Benchmark for Fixtures {
    fn name(&self) -> &'static str {
        "fixtures"
    }

    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        let id = |name| BugId { benchmark: self.name().into(), name };
        Ok(self.bug_names()?.into_iter().map(id).collect())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        self.known(id)?;
        let manifest = self.manifest(&id.name)?;
        Ok(Summary {
            id: id.clone(),
            title: manifest.title,
            kind: Some(manifest.kind.label().into()),
            needs: Some(manifest.needs.label().into()),
        })
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        self.known(id)?;
        let manifest = self.manifest(&id.name)?;
        let mut notes = self.project(&id.name, into)?;
        let Some((project, layout)) = layout::plain(into) else {
            return Err(BenchmarkError::Root {
                what: format!("the bug's project follows no known layout ({})", layout::known()),
                path: into.to_owned(),
                hint: "put its sources and tests into the folders of one of these layouts".into(),
            });
        };
        notes.push(format!("layout: {layout}; JUnit {:?}; Java {}", manifest.junit, manifest.release));
        let project = Project {
            release: Some(manifest.release),
            encoding: manifest.encoding,
            class_path: self.settings.library(manifest.junit.library()).await?,
            ..project
        };
        Ok(Checkout {
            bug: id.clone(),
            root: into.to_owned(),
            language: "java".into(),
            project,
            triggering: None,
            requirements: None,
            oracle: Some(self.oracle(&id.name, manifest.canary)?),
            notes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn embedded() -> Fixtures {
        Fixtures { source: Source::Embedded, settings: Settings::default() }
    }

    fn contains(bytes: &[u8], text: &str) -> bool {
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    }

    /// The macro that embeds does not notice new files, so a stale build is told apart from a broken fixture.
    #[test]
    fn what_is_embedded_is_what_lies_on_disk() {
        let root = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/bugs"));
        let disk = files_below(&root).unwrap();
        let embedded: Vec<_> =
            embedded_files(&EMBEDDED).into_iter().map(|(path, bytes)| (path, bytes.to_vec())).collect();
        assert!(disk == embedded, "fixtures changed since they were embedded: touch src/benchmark/fixtures.rs");
    }

    #[test]
    fn the_canary_is_in_every_repaired_file_and_in_no_other() {
        let mut seen = BTreeSet::new();
        for name in embedded().bug_names().unwrap() {
            let canary = embedded().manifest(&name).unwrap().canary;
            assert!(canary.starts_with("unidebug-oracle-") && canary.ends_with(&name), "{canary}");
            assert!(seen.insert(canary.clone()), "{canary} is used twice");
            let fixed = embedded().oracle(&name, String::new()).unwrap().files;
            assert!(!fixed.is_empty(), "{name} has no repair");
            for (path, bytes) in &fixed {
                assert!(contains(bytes, &canary), "{name}: {path} lacks the canary");
            }
            for (path, bytes) in embedded_part(&name, "project") {
                assert!(!contains(bytes, &canary), "{name}: {path} holds the canary");
            }
        }
    }

    #[test]
    fn a_repair_changes_files_of_the_project_and_no_test() {
        for name in embedded().bug_names().unwrap() {
            let project = embedded_part(&name, "project");
            for (path, bytes) in embedded().oracle(&name, String::new()).unwrap().files {
                let (_, before) = project.iter().find(|(p, _)| *p == path).expect("a repaired file exists before");
                assert_ne!(*before, bytes, "{name}: {path} is unchanged");
                assert!(!path.as_str().contains("test"), "{name}: {path} is a test");
            }
        }
    }

    #[tokio::test]
    async fn a_checkout_holds_the_project_and_nothing_of_the_repair() {
        let temp = tempfile::tempdir().unwrap();
        let into = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
        let id: BugId = "fixtures:ring-buffer".parse().unwrap();
        let checkout = embedded().checkout(&id, &into).await.unwrap();
        let paths: Vec<_> = files_below(&into).unwrap().into_iter().map(|(path, _)| path.to_string()).collect();
        assert_eq!(paths, ["src/buffers/RingBuffer.java", "test/buffers/RingBufferTest.java"]);
        assert_eq!(checkout.project.release.as_deref(), Some("8"));
        assert_eq!(checkout.oracle.unwrap().files.len(), 1);
    }

    #[tokio::test]
    async fn a_folder_of_fixtures_serves_the_same_bugs() {
        let root = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
        let settings = Settings { root: Some(root), ..Settings::default() };
        let folder = Fixtures::new(&settings).unwrap();
        assert_eq!(folder.list().unwrap(), embedded().list().unwrap());
        let id: BugId = "fixtures:ring-buffer".parse().unwrap();
        assert_eq!(folder.describe(&id).unwrap(), embedded().describe(&id).unwrap());
        assert_eq!(folder.oracle(&id.name, "x".into()).unwrap(), embedded().oracle(&id.name, "x".into()).unwrap());
    }

    #[test]
    fn unknown_ids_and_wrong_roots_are_refused_with_a_hint() {
        let error = embedded().describe(&"fixtures:ring-bufer".parse().unwrap()).unwrap_err();
        assert!(error.to_string().contains("nearest: fixtures:ring-buffer"), "{error}");
        let empty = tempfile::tempdir().unwrap();
        for root in [empty.path().to_str().unwrap(), "/no/such/root"] {
            let settings = Settings { root: Some(root.into()), ..Settings::default() };
            let error = Fixtures::new(&settings).and_then(|fixtures| fixtures.list()).unwrap_err();
            assert!(error.to_string().contains(root) && error.hint().contains("--root"), "{error}");
        }
    }
}
