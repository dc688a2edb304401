//! `.unidebug.toml` in a project: facts that replace what would be guessed by looking.
//!
//! It comes with the repository, which is not trusted, so it says nothing about models, keys, budgets or isolation;
//! its commands run where every command of the project runs, in the sandbox.

use super::super::copy::io_error;
use super::super::registry::nearest;
use crate::benchmark::BenchmarkError;
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use std::fs;

/// The file's name.
pub(super) const FILE: &str = ".unidebug.toml";

/// More than this is no file of settings.
const MAX_BYTES: u64 = 64 << 10;

/// The keys it knows.
pub(in crate::benchmark) const KEYS: &[&str] = &[
    "build",
    "test",
    "reports",
    "sources",
    "tests",
    "resources",
    "class_path",
    "module",
    "jdk",
    "release",
    "encoding",
    "jvm_args",
];

/// What the file may say. Paths are relative to the project.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(in crate::benchmark) struct Facts {
    /// Words of the command that builds the project, or one text that is cut at white space.
    pub build: Option<Words>,
    /// The same for the command that runs the tests.
    pub test: Option<Words>,
    /// Folders in which that command leaves JUnit XML.
    pub reports: Vec<RepoPath>,
    /// Folders of product sources.
    pub sources: Vec<RepoPath>,
    /// Folders of test sources.
    pub tests: Vec<RepoPath>,
    /// Folders that are on the class path as they are.
    pub resources: Vec<RepoPath>,
    /// Jars and folders in the project that are on the class path.
    pub class_path: Vec<RepoPath>,
    /// The Maven module to work in.
    pub module: Option<RepoPath>,
    /// Home of the JDK.
    pub jdk: Option<Utf8PathBuf>,
    /// Source level as `javac --release` takes it.
    pub release: Option<String>,
    /// Charset of the sources.
    pub encoding: Option<String>,
    /// Arguments of the test JVM.
    pub jvm_args: Vec<String>,
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(in crate::benchmark) enum Words {
    /// Words as they are.
    List(Vec<String>),
    /// A text that is cut at white space; no shell reads it.
    Text(String),
}

impl Words {
    /// The words.
    pub(in crate::benchmark) fn words(&self) -> Vec<String> {
        match self {
            Self::List(words) => words.clone(),
            Self::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

impl Facts {
    /// These facts where they say something, else the others.
    pub(in crate::benchmark) fn or(self, other: Self) -> Self {
        let first = |ours: Vec<RepoPath>, theirs| if ours.is_empty() { theirs } else { ours };
        Self {
            build: self.build.or(other.build),
            test: self.test.or(other.test),
            reports: first(self.reports, other.reports),
            sources: first(self.sources, other.sources),
            tests: first(self.tests, other.tests),
            resources: first(self.resources, other.resources),
            class_path: first(self.class_path, other.class_path),
            module: self.module.or(other.module),
            jdk: self.jdk.or(other.jdk),
            release: self.release.or(other.release),
            encoding: self.encoding.or(other.encoding),
            jvm_args: if self.jvm_args.is_empty() { other.jvm_args } else { self.jvm_args },
        }
    }

    /// Reads the file of a project; a project without one has no facts.
    ///
    /// # Errors
    /// The file cannot be read, is no TOML, has an unknown key or a value of the wrong kind.
    pub(in crate::benchmark) fn read(project: &Utf8Path) -> Result<Self, BenchmarkError> {
        let path = project.join(FILE);
        let failed = |source| io_error("cannot read the project's settings", &path, source);
        match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
            Ok(meta) if meta.len() > MAX_BYTES => {
                return Err(wrong(&path, "the project's settings have more than 64 kB".into()));
            }
            Ok(_) => {}
        }
        let bytes = fs::read(&path).map_err(failed)?;
        let text = String::from_utf8(bytes).map_err(|_| wrong(&path, "the project's settings are not UTF-8".into()))?;
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| wrong(&path, format!("no TOML: {}", one_line(error.message()))))?;
        for key in table.keys() {
            if !KEYS.contains(&key.as_str()) {
                let near = nearest(key, KEYS.iter().copied(), 1).join("");
                return Err(wrong(&path, format!("unknown key `{key}`; the nearest known one is `{near}`")));
            }
        }
        table.try_into().map_err(|error: toml::de::Error| wrong(&path, one_line(&error.to_string())))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn wrong(path: &Utf8Path, what: String) -> BenchmarkError {
    BenchmarkError::Root { what, path: path.to_owned(), hint: format!("known keys: {}", KEYS.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Facts, BenchmarkError> {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(FILE), text).unwrap();
        Facts::read(Utf8Path::from_path(temp.path()).unwrap())
    }

    #[test]
    fn facts_replace_guesses() {
        let facts =
            read("test = [\"ant\", \"test\"]\nbuild = \"ant compile\"\nsources = [\"java\"]\nrelease = \"11\"\n")
                .unwrap();
        assert_eq!(facts.test.unwrap().words(), ["ant", "test"]);
        assert_eq!(facts.build.unwrap().words(), ["ant", "compile"]);
        assert_eq!(facts.sources, ["java".parse().unwrap()]);
    }

    #[test]
    fn every_key_is_known_to_the_table() {
        let all = "build=''\ntest=''\nreports=[]\nsources=[]\ntests=[]\nresources=[]\nclass_path=[]\nmodule='m'\n\
                   jdk='/j'\nrelease='8'\nencoding='x'\njvm_args=[]\n";
        let facts = read(all).unwrap();
        assert_eq!((facts.module.is_some(), facts.jdk.is_some(), facts.encoding.is_some()), (true, true, true));
    }

    #[test]
    fn what_is_unknown_or_wrong_is_refused() {
        let error = read("tset = \"ant\"\n").unwrap_err();
        assert!(error.to_string().contains("unknown key `tset`; the nearest known one is `test`"), "{error}");
        assert!(error.hint().contains("class_path"));
        assert!(read("sources = [\"../outside\"]\n").unwrap_err().to_string().contains("not a path inside"));
        assert!(read("sources = 3\n").is_err() && read("= \n").is_err());
    }

    #[test]
    fn a_project_without_the_file_has_no_facts() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(Facts::read(Utf8Path::from_path(temp.path()).unwrap()).unwrap(), Facts::default());
    }
}
