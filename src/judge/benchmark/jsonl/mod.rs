//! `jsonl`: bugs that somebody lists in a file `bugs.jsonl`, one JSON object a line.
//!
//! A line names a folder with a buggy project and, outside of it, the developer's repair. How the project is built and
//! tested is found by looking, as for any folder, or said with the keys of `.unidebug.toml`; or it is a program with
//! inputs and the outputs that are expected ([`cases`]). Bugs are named by their id: `jsonl:Lang-1` with
//! `--root path/to/bugs.jsonl`.

mod cases;
mod entry;

use super::copy::io_error;
use super::facts::ProjectFile;
use super::lines::{read_lines, wrong_line};
use super::local::{self, Local, SetUp};
use super::nearest::unknown_bug;
use super::settings::Settings;
use super::{Benchmark, BenchmarkError, Checkout, Summary, repaired, twin};
use crate::benchmark::choose::Day;
use crate::domain::BugId;
use camino::{Utf8Path, Utf8PathBuf};
use entry::Entry;
use std::collections::BTreeSet;

const NAME: &str = "jsonl";
const FILE: &str = "bugs.jsonl";
const ROOT_VARIABLE: &str = "UNIDEBUG_JSONL_ROOT";
const TWIN_ROOT: &str = "UNIDEBUG_TWIN_ROOT";
const HINT: &str = "a line is a JSON object with `id`, `directory`, and `fixed` or `patch` for the repair";

/// The adapter.
pub(super) struct Jsonl {
    name: &'static str,
    /// The file, without links.
    file: Utf8PathBuf,
    entries: Vec<Entry>,
    settings: Settings,
}

impl Jsonl {
    /// The file at `--root` or `UNIDEBUG_JSONL_ROOT`, or the `bugs.jsonl` in that folder.
    ///
    /// # Errors
    /// No root is given, there is no such file, or a line of it cannot be used.
    pub(super) fn new(settings: &Settings) -> Result<Self, BenchmarkError> {
        let hint = format!("pass `--root path/to/{FILE}` or set `{ROOT_VARIABLE}`");
        Self::named(NAME, ROOT_VARIABLE, hint, settings)
    }

    /// The same for the twins that `bench twin` wrote, at `--root` or `UNIDEBUG_TWIN_ROOT`.
    ///
    /// # Errors
    /// As [`Jsonl::new`].
    pub(super) fn of_twins(settings: &Settings) -> Result<Self, BenchmarkError> {
        let hint =
            format!("make twins with `unidebug bench twin SET --out DIR`, then pass `--root DIR` or set `{TWIN_ROOT}`");
        Self::named(twin::NAME, TWIN_ROOT, hint, settings)
    }

    fn named(name: &'static str, variable: &str, hint: String, settings: &Settings) -> Result<Self, BenchmarkError> {
        let Some(root) = settings.root_or_env(variable) else {
            return Err(BenchmarkError::Missing { what: format!("{name} needs a file that lists bugs"), hint });
        };
        let file = if root.is_dir() { root.join(FILE) } else { root };
        if !file.is_file() {
            return Err(wrong(&file, "there is no such file".into()));
        }
        let file =
            file.canonicalize_utf8().map_err(|source| io_error("cannot find the list of bugs", &file, source))?;
        let mut seen = BTreeSet::new();
        let lines = read_lines(&file, HINT, |line| {
            let entry = Entry::read(line)?;
            let is_new = seen.insert(entry.id.clone());
            if is_new { Ok(entry) } else { Err(format!("the id `{}` was there before", entry.id).into()) }
        })?;
        if lines.is_empty() {
            return Err(wrong(&file, "the file lists no bug".into()));
        }
        let entries = lines.into_iter().map(|(line, entry)| Entry { line, ..entry }).collect();
        Ok(Self { name, file, entries, settings: settings.clone() })
    }

    /// Paths of the file are relative to its folder.
    fn folder(&self) -> &Utf8Path {
        self.file.parent().unwrap_or(Utf8Path::new("/"))
    }

    fn wrong(&self, entry: &Entry, what: String) -> BenchmarkError {
        wrong_line(&self.file, entry.line, what, HINT)
    }

    fn entry(&self, id: &BugId) -> Result<&Entry, BenchmarkError> {
        let known = self.entries.iter().find(|entry| entry.id == id.name);
        known.ok_or_else(|| unknown_bug(id, &self.ids()))
    }

    fn ids(&self) -> Vec<BugId> {
        self.entries.iter().map(|entry| BugId { benchmark: self.name.into(), name: entry.id.clone() }).collect()
    }

    /// A path of an entry, which must exist and lie beside or below the list: a list may come from anybody, and what it
    /// names is read, shown to models and put on class paths.
    fn place(&self, entry: &Entry, what: &str, path: &Utf8Path) -> Result<Utf8PathBuf, BenchmarkError> {
        let place = self.found(entry, what, path)?;
        if place.starts_with(self.folder()) {
            return Ok(place);
        }
        let what = format!("{what} `{path}` lies outside the folder of the list");
        Err(wrong_line(&self.file, entry.line, what, "move the list to a folder that holds all that it names"))
    }

    fn found(&self, entry: &Entry, what: &str, path: &Utf8Path) -> Result<Utf8PathBuf, BenchmarkError> {
        let found = self.folder().join(path).canonicalize_utf8();
        found.map_err(|error| self.wrong(entry, format!("{what} `{path}` cannot be opened: {error}")))
    }

    /// A jar, which may lie anywhere, or a folder of classes.
    fn on_class_path(&self, entry: &Entry, path: &Utf8Path) -> Result<Utf8PathBuf, BenchmarkError> {
        let what = "what is on the class path,";
        let found = self.found(entry, what, path)?;
        if found.is_file() && found.extension() == Some("jar") { Ok(found) } else { self.place(entry, what, path) }
    }

    /// The repair's place: never inside the project, where agents would see it.
    fn repair_at(
        &self,
        entry: &Entry,
        what: &str,
        path: &Utf8Path,
        project: &Utf8Path,
    ) -> Result<Utf8PathBuf, BenchmarkError> {
        let place = self.place(entry, what, path)?;
        if place.starts_with(project) {
            let what = format!("{what} lies inside the buggy project, where it would be seen");
            return Err(wrong_line(&self.file, entry.line, what, "move it out of `directory`"));
        }
        Ok(place)
    }
}

fn wrong(path: &Utf8Path, what: String) -> BenchmarkError {
    BenchmarkError::Root { what, path: path.to_owned(), hint: HINT.into() }
}

#[async_trait::async_trait]
impl Benchmark for Jsonl {
    fn name(&self) -> &'static str {
        self.name
    }

    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        Ok(self.ids())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        let entry = self.entry(id)?;
        let title = entry.title.clone().unwrap_or_else(|| format!("the project in {}", entry.directory));
        let repaired = entry.repaired.as_ref().map(Day::to_string);
        Ok(Summary { repaired, ..Summary::new(id.clone(), title) })
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        let entry = self.entry(id)?;
        let project_folder = self.place(entry, "the buggy project", &entry.directory)?;
        let repair = |what: &str, path: &Option<Utf8PathBuf>| {
            path.as_ref().map(|path| self.repair_at(entry, what, path, &project_folder)).transpose()
        };
        let fixed = repair("the repaired project", &entry.fixed)?;
        let patch = repair("the developer's patch", &entry.patch)?;
        let facts = entry.facts.clone().or(ProjectFile::read(&project_folder)?.facts);
        let mut settings = self.settings.clone();
        settings.failing.extend_from_slice(&entry.failing);
        let SetUp { mut project, own, reactor, notes, .. } = match &entry.run {
            Some(run) => {
                let (project, notes) = self.program(entry, run, &project_folder, into)?;
                SetUp { project, own: None, reactor: None, is_tested: false, notes }
            }
            None => Local::new(&settings).set_up(&project_folder, into, &facts, entry.is_plain()).await?,
        };
        for jar in &entry.jars {
            project.class_path.push(self.on_class_path(entry, jar)?);
        }
        project.javac_args.extend(entry.javac_args.iter().cloned());
        let oracle = match (fixed, patch) {
            (Some(fixed), _) => Some(repaired::from_folder(into, &fixed, &project)?),
            (None, Some(patch)) => {
                Some(repaired::from_patch(into, &patch, &project, &self.settings.sandbox().await?).await?)
            }
            (None, None) => None,
        };
        if oracle.as_ref().is_some_and(|oracle| oracle.files.is_empty()) {
            return Err(self.wrong(entry, "its repair changes no product file".into()));
        }
        let language = local::kind::language_of(&project, into).name();
        Ok(Checkout {
            triggering: entry.triggering().map_err(|why| self.wrong(entry, why.to_string()))?,
            requirements: entry.requirements.clone(),
            oracle,
            own,
            reactor,
            notes,
            ..Checkout::new(id.clone(), into.to_owned(), language, project)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const BUGGY: &str = "public class Sum { static int of(int a, int b) { return a - b; } }\n";
    const FIXED: &str = "public class Sum { static int of(int a, int b) { return a + b; } }\n";
    const PATCH: &str = "--- a/src/Sum.java\n+++ b/src/Sum.java\n@@ -1 +1 @@\n\
        -public class Sum { static int of(int a, int b) { return a - b; } }\n\
        +public class Sum { static int of(int a, int b) { return a + b; } }\n";

    fn set(lines: &str) -> (tempfile::TempDir, Settings) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        for (path, text) in [
            ("one/buggy/src/Sum.java", BUGGY),
            ("one/buggy/test/SumTest.java", "import org.junit.Test;\npublic class SumTest {}\n"),
            ("one/fixed/src/Sum.java", FIXED),
            ("one/fixed/test/SumTest.java", "changed"),
            ("one/fix.diff", PATCH),
            (FILE, lines),
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        (temp, Settings { root: Some(root), ..Settings::default() })
    }

    async fn checked_out(line: &str) -> Result<(Checkout, Vec<String>), BenchmarkError> {
        let (_keep, settings) = set(line);
        let bugs = Jsonl::new(&settings)?;
        let temp = tempfile::tempdir().unwrap();
        let into = Utf8Path::from_path(temp.path()).unwrap();
        let checkout = bugs.checkout(&bugs.list()?[0], into).await?;
        let files = ignore::WalkBuilder::new(into).standard_filters(false).build().flatten();
        let texts = files.filter_map(|entry| fs::read_to_string(entry.path()).ok()).collect();
        Ok((checkout, texts))
    }

    #[tokio::test]
    async fn the_repair_is_an_oracle_and_no_agent_can_see_it() {
        for repair in [r#""fixed":"one/fixed""#, r#""patch":"one/fix.diff""#] {
            let line = format!(r#"{{"id":"Sum-1","directory":"one/buggy",{repair},"failing":["SumTest::adds"]}}"#);
            let (checkout, texts) = checked_out(&line).await.unwrap();
            let oracle = checkout.oracle.unwrap();
            assert_eq!(oracle.files, [("src/Sum.java".parse().unwrap(), FIXED.as_bytes().to_vec())]);
            assert!(texts.iter().any(|text| text == BUGGY));
            assert!(!texts.iter().any(|text| text.contains("a + b") || text == "changed"), "the repair was copied");
            assert_eq!(checkout.triggering.unwrap()[0].to_string(), "SumTest#adds");
        }
    }

    #[tokio::test]
    async fn a_repair_inside_the_project_or_one_that_changes_nothing_is_refused() {
        let inside = r#"{"id":"Sum-1","directory":".","fixed":"one/fixed"}"#;
        let error = checked_out(inside).await.unwrap_err();
        assert!(error.to_string().contains("inside the buggy project"), "{error}");
        let same = r#"{"id":"Sum-1","directory":"one/buggy","fixed":"one"}"#;
        assert!(checked_out(same).await.unwrap_err().to_string().contains("changes no product file"));
    }

    #[tokio::test]
    async fn nothing_outside_the_folder_of_the_list_is_touched() {
        let cases = r#""run":"x","cases":[{"input_file":"/etc/passwd","output":""}]"#;
        let plain = r#""sources":["src"],"tests":["test"]"#;
        for (line, wanted) in [
            (r#"{"id":"A","directory":"/etc"}"#.to_owned(), "the buggy project `/etc` lies outside"),
            (r#"{"id":"A","directory":"one/../../"}"#.to_owned(), "lies outside the folder of the list"),
            (r#"{"id":"A","directory":"one/buggy","patch":"/etc/passwd"}"#.to_owned(), "`/etc/passwd` lies outside"),
            (format!(r#"{{"id":"A","directory":"one/buggy",{cases}}}"#), "a file of a case `/etc/passwd` lies outside"),
            (format!(r#"{{"id":"A","directory":"one/buggy",{plain},"jars":["/etc"]}}"#), "`/etc` lies outside"),
            (r#"{"id":"A","directory":"gone"}"#.to_owned(), "the buggy project `gone` cannot be opened"),
        ] {
            let error = checked_out(&format!("\n{line}")).await.unwrap_err();
            let message = error.to_string();
            assert!(
                message.contains(wanted) && message.contains("bugs.jsonl:2") && !error.hint().is_empty(),
                "{message}"
            );
        }
    }

    #[test]
    fn lines_that_cannot_be_used_are_named() {
        let error = |lines: &str| {
            let (_keep, settings) = set(lines);
            Jsonl::new(&settings).err().unwrap().to_string()
        };
        let good = r#"{"id":"A","directory":"one/buggy"}"#;
        assert!(error(&format!("{good}\n\n{{\"id\":3}}")).contains("bugs.jsonl:3"));
        assert!(error(&format!("{good}\n{good}")).contains("`A` was there before"));
        assert!(error("\n").contains("lists no bug"));
        let (_keep, settings) = set(good);
        let nearest = Jsonl::new(&settings).unwrap().describe(&"jsonl:B".parse().unwrap()).unwrap_err();
        assert!(nearest.to_string().contains("nearest: jsonl:A"), "{nearest}");
    }
}
