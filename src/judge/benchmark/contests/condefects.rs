//! `condefects-java` and `condefects-python`: programs of AtCoder (`appmlk/ConDefects`), from a clone beside which the
//! published tests are unpacked.
//!
//! `Code/<task>/<Java|Python>/<submission>` holds `faultyVersion` and `correctVersion`; inputs and answers of a task lie in
//! `Test/<contest>/<LETTER>/in` and `out`. `date.txt` and `difficulty.txt` tell of tasks.

use super::{Cases, Program, names, words};
use crate::benchmark::nearest::unknown_bug;
use crate::benchmark::settings::Settings;
use crate::benchmark::{Benchmark, BenchmarkError, Checkout, Summary, python};
use crate::domain::BugId;
use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;
use std::collections::BTreeMap;
use std::fs;

const ROOT_VARIABLE: &str = "UNIDEBUG_CONDEFECTS_ROOT";
const HINT: &str = "clone appmlk/ConDefects, unpack its Test.zip inside, and pass the clone with `--root DIR` or \
                    `UNIDEBUG_CONDEFECTS_ROOT`";
/// The folder of the last task of contests that name it so.
const LAST: &str = "Ex";

/// A language of the set.
pub(in crate::benchmark) struct Flavour {
    name: &'static str,
    language: &'static str,
    /// The folder of its programs below a task.
    folder: &'static str,
    extension: &'static str,
}

/// Programs in Java.
pub(in crate::benchmark) const JAVA: Flavour =
    Flavour { name: "condefects-java", language: "java", folder: "Java", extension: "java" };
/// Programs in Python.
pub(in crate::benchmark) const PYTHON: Flavour =
    Flavour { name: "condefects-python", language: "python", folder: "Python", extension: "py" };

/// ConDefects as a benchmark: a checkout with the programs of one language.
pub(in crate::benchmark) struct ConDefects {
    flavour: &'static Flavour,
    root: Utf8PathBuf,
    settings: Settings,
}

impl ConDefects {
    /// The clone at `--root` or `UNIDEBUG_CONDEFECTS_ROOT`, in one language.
    ///
    /// # Errors
    /// No root is given, or it is no clone of ConDefects with its tests.
    pub(in crate::benchmark) fn new(flavour: &'static Flavour, settings: &Settings) -> Result<Self, BenchmarkError> {
        let Some(root) = settings.root_or_env(ROOT_VARIABLE) else {
            let what = format!("{} needs a clone of ConDefects", flavour.name);
            return Err(BenchmarkError::Missing { what, hint: HINT.into() });
        };
        let wrong = |what: &str| BenchmarkError::Root { what: what.into(), path: root.clone(), hint: HINT.into() };
        if !root.join("Code").is_dir() {
            return Err(wrong("this is no clone of ConDefects: it has no folder `Code`"));
        }
        if !root.join("Test").is_dir() {
            return Err(wrong("the clone of ConDefects has no folder `Test` with inputs and answers"));
        }
        Ok(Self { flavour, root, settings: settings.clone() })
    }

    /// `abc221_a-36706818`: a task and a submission.
    fn program(&self, id: &BugId) -> Option<(String, Utf8PathBuf)> {
        let (task, submission) = id.name.rsplit_once('-')?;
        let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let folder = self.root.join("Code").join(task).join(self.flavour.folder).join(submission);
        (is_word(task) && is_word(submission) && self.version(&folder, "faultyVersion").is_file())
            .then(|| (task.to_owned(), folder))
    }

    fn version(&self, folder: &Utf8Path, which: &str) -> Utf8PathBuf {
        folder.join(format!("{which}.{}", self.flavour.extension))
    }

    /// What a file such as `date.txt` says of tasks.
    fn values(&self, file: &str) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.root.join(file)).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.trim().split_once(' '));
        lines.map(|(task, value)| (task.to_owned(), value.trim().to_owned())).collect()
    }

    /// The cases of a task.
    fn cases(&self, task: &str) -> Result<Cases, BenchmarkError> {
        let (contest, letter) = task.split_once('_').unwrap_or((task, ""));
        let contest = self.root.join("Test").join(contest);
        let own = contest.join(letter.to_uppercase());
        let folder = if own.join("in").is_dir() { own } else { contest.join(LAST) };
        let inputs = folder.join("in");
        if !inputs.is_dir() {
            let what = format!("there are no tests of the task `{task}`");
            return Err(BenchmarkError::Root { what, path: inputs, hint: HINT.into() });
        }
        let files = names(&inputs)?.into_iter().map(|name| {
            let (input, output) = (inputs.join(&name), folder.join("out").join(&name));
            let word: String = name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
            (word.strip_suffix(".txt").unwrap_or(&word).to_owned(), input, output)
        });
        let cases = Cases::read(files.collect::<Vec<_>>())?;
        if cases.read.is_empty() {
            let what = format!("no input of the task `{task}` has an answer");
            return Err(BenchmarkError::Root { what, path: folder, hint: HINT.into() });
        }
        Ok(cases)
    }
}

/// The class that a program in Java starts with: its file is named as its public class, if there is one.
fn main_class(text: &str) -> String {
    let named = |pattern: &str| {
        let found = Regex::new(pattern).ok()?.captures(text)?;
        Some(found.get(1)?.as_str().to_owned())
    };
    named(r"(?m)^\s*public\s+(?:(?:final|abstract|strictfp)\s+)*class\s+(\w+)").unwrap_or_else(|| "Main".into())
}

#[async_trait::async_trait]
impl Benchmark for ConDefects {
    fn name(&self) -> &'static str {
        self.flavour.name
    }

    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        let code = self.root.join("Code");
        let mut ids = Vec::new();
        for task in names(&code)? {
            let folder = code.join(&task).join(self.flavour.folder);
            let submissions = if folder.is_dir() { names(&folder)? } else { Vec::new() };
            ids.extend(submissions.into_iter().map(|submission| format!("{task}-{submission}")));
        }
        ids.sort();
        Ok(ids.into_iter().map(|name| BugId { benchmark: self.flavour.name.into(), name }).collect())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        let unknown = || self.list().map_or_else(|error| error, |listed| unknown_bug(id, &listed));
        let (task, _) = self.program(id).ok_or_else(unknown)?;
        let difficulty = self.values("difficulty.txt").remove(&task);
        let rated = difficulty.map_or(String::new(), |rated| format!(" (difficulty {rated})"));
        let title = format!("a program for {task} of AtCoder{rated} gives wrong answers");
        // Programs are not older than the contest.
        let repaired = self.values("date.txt").remove(&task);
        Ok(Summary { repaired, ..Summary::new(id.clone(), title) })
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        self.describe(id)?;
        let Some((task, folder)) = self.program(id) else { return Err(unknown_bug(id, &self.list()?)) };
        let buggy = self.version(&folder, "faultyVersion");
        let (file, build, run) = if self.flavour.language == "java" {
            let class = main_class(&String::from_utf8_lossy(&fs::read(&buggy).unwrap_or_default()));
            let build = words(&format!("javac -encoding UTF-8 -nowarn -d out {class}.java"));
            // Contests run Java with a large stack.
            (format!("{class}.java"), Some(build), words(&format!("java -Xss256m -Xshare:auto -cp out {class}")))
        } else {
            let sandbox = self.settings.sandbox().await?;
            let found = python::find(None, &folder, python::Wants::Either, &sandbox).await?;
            ("main.py".into(), None, vec![found.program.into_string(), "main.py".into()])
        };
        let program = Program {
            language: self.flavour.language,
            file: &file,
            buggy: &buggy,
            accepted: &self.version(&folder, "correctVersion"),
            build,
            run,
        };
        program.checkout(id, into, (self.cases(&task)?, Cases::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_java_lies_in_the_file_of_its_public_class() {
        assert_eq!(main_class("class Pair {}\npublic final class Solve {\n}"), "Solve");
        assert_eq!(main_class("class Main { // public class Other\n}"), "Main");
    }
}
