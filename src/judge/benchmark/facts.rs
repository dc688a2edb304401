//! `.unidebug.toml` in a project: facts that replace what would be guessed by looking, limits, and files that no model
//! may see.
//!
//! It comes with the repository, which is not trusted. It may narrow what is done and nothing else: models, endpoints,
//! keys, prompts and isolation are the user's, and a cap may only be lowered. Its commands run where every command of
//! the project runs, in the sandbox.

use super::BenchmarkError;
use super::copy::io_error;
use super::keyed::{self, Complaint, Entry};
use super::nearest::nearest;
use crate::domain::RepoPath;
use crate::domain::words::on_one_line;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs;

/// The file's name.
pub const FILE: &str = ".unidebug.toml";

/// More than this is no file of settings.
const MAX_BYTES: u64 = 64 << 10;

/// What a project says about itself.
pub(super) const FACTS: &[&str] = &[
    "build",
    "test",
    "reports",
    "sources",
    "tests",
    "resources",
    "class_path",
    "module",
    "java_home",
    "python",
    "release",
    "encoding",
    "jvm_args",
];

/// What such a file may do to a setting of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repository {
    /// Set it: a fact about the project.
    States,
    /// Set it to less than its user allows.
    Lowers,
    /// Add to what its user says.
    Adds,
}

/// A setting that such a file may touch; all others are the user's. They are declared where the program's settings are.
#[derive(Debug)]
pub struct Allowed {
    /// Its name.
    pub key: &'static str,
    /// What may be done to it.
    pub how: Repository,
}

inventory::collect!(Allowed);

/// What the file may set: facts, and settings that it may touch.
fn known() -> Vec<&'static str> {
    let mut settings: Vec<&str> = inventory::iter::<Allowed>().map(|allowed| allowed.key).collect();
    settings.retain(|key| !FACTS.contains(key));
    settings.sort_unstable();
    [FACTS, &settings].concat()
}

/// What the file says about the project. Paths are relative to the project.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Words of the command that builds the project, or one text that is cut into words as a shell cuts it.
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
    pub java_home: Option<Utf8PathBuf>,
    /// The Python interpreter that runs the tests.
    pub python: Option<Utf8PathBuf>,
    /// Source level as `javac --release` takes it.
    pub release: Option<String>,
    /// Charset of the sources.
    pub encoding: Option<String>,
    /// Arguments of the test JVM.
    pub jvm_args: Vec<String>,
}

impl Facts {
    /// These facts where they say something, else the others.
    pub(super) fn or(self, other: Self) -> Self {
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
            java_home: self.java_home.or(other.java_home),
            python: self.python.or(other.python),
            release: self.release.or(other.release),
            encoding: self.encoding.or(other.encoding),
            jvm_args: if self.jvm_args.is_empty() { other.jvm_args } else { self.jvm_args },
        }
    }
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// Words as they are.
    List(Vec<String>),
    /// A text that is cut into words; no shell reads it.
    Text(String),
}

impl Words {
    /// The words; `None` when there is none or a quote is left open.
    pub fn words(&self) -> Option<Vec<String>> {
        let words = match self {
            Self::List(words) => words.clone(),
            Self::Text(text) => shlex::split(text)?,
        };
        (!words.is_empty()).then_some(words)
    }
}

/// The file of a project, checked key by key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectFile {
    /// What it says about the project.
    pub facts: Facts,
    /// Everything it sets, with lines: caps, files to hide, and the facts again.
    pub entries: Vec<Entry>,
}

impl ProjectFile {
    /// Reads the file of a project; a project without one says nothing.
    ///
    /// # Errors
    /// The file cannot be read, is no TOML, sets what a repository may not set, or a value of the wrong kind.
    pub fn read(project: &Utf8Path) -> Result<Self, BenchmarkError> {
        let path = project.join(FILE);
        let failed = |source| io_error("cannot read the project's settings", &path, source);
        let wrong = |complaint: Complaint| BenchmarkError::Root {
            what: complaint.what,
            path: format!("{path}:{}", complaint.line).into(),
            hint: format!("a repository's file may set {}", known().join(", ")),
        };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
            Ok(meta) if !meta.is_file() || meta.len() > MAX_BYTES => {
                return Err(wrong(Complaint { line: 1, what: "this is no plain file of at most 64 kB".into() }));
            }
            Ok(_) => {}
        }
        let bytes = fs::read(&path).map_err(failed)?;
        Self::parse(&bytes).map_err(wrong)
    }

    /// Reads the bytes of such a file.
    ///
    /// # Errors
    /// As [`ProjectFile::read`], with the line.
    pub fn parse(bytes: &[u8]) -> Result<Self, Complaint> {
        let text = str::from_utf8(bytes).map_err(|error| Complaint {
            line: bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1,
            what: "this is not UTF-8".into(),
        })?;
        let entries = keyed::entries(text)?;
        let mut facts = Map::new();
        for entry in &entries {
            let outer = entry.key.first().map_or("", String::as_str);
            if FACTS.contains(&outer) {
                check(entry)?;
                facts.insert(outer.to_owned(), entry.value.clone());
            } else if !known().contains(&outer) {
                return Err(Complaint { line: entry.line, what: refusal(outer) });
            }
        }
        let facts = serde_json::from_value(Value::Object(facts))
            .map_err(|error| Complaint { line: 1, what: on_one_line(&error.to_string()) })?;
        Ok(Self { facts, entries })
    }
}

/// One fact on its own, so that what is wrong with it is reported with its line.
fn check(entry: &Entry) -> Result<(), Complaint> {
    let at = |what: String| Complaint { line: entry.line, what };
    let [name] = entry.key.as_slice() else { return Err(at(format!("`{}` is no table", entry.key[0]))) };
    let alone = Map::from_iter([(name.clone(), entry.value.clone())]);
    let facts: Facts = serde_json::from_value(Value::Object(alone))
        .map_err(|error| at(format!("`{name}`: {}", on_one_line(&error.to_string()))))?;
    match facts.build.iter().chain(&facts.test).find(|words| words.words().is_none()) {
        Some(_) => Err(at(format!("`{name}` is no command"))),
        None => Ok(()),
    }
}

/// Why a key is refused: it is the user's alone, or nobody knows it.
fn refusal(key: &str) -> String {
    let near = nearest(key, known(), 1).join("");
    if strsim::damerau_levenshtein(key, &near) * 3 <= near.len() {
        format!("unknown key `{key}`; did you mean `{near}`?")
    } else {
        format!("a repository may not set `{key}`: it is the user's to set, if it is a setting at all")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Facts, BenchmarkError> {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(FILE), text).unwrap();
        ProjectFile::read(Utf8Path::from_path(temp.path()).unwrap()).map(|file| file.facts)
    }

    #[test]
    fn facts_replace_guesses() {
        let facts =
            read("test = [\"ant\", \"test\"]\nbuild = \"ant compile\"\nsources = [\"java\"]\nrelease = \"11\"\n")
                .unwrap();
        assert_eq!(facts.test.unwrap().words().unwrap(), ["ant", "test"]);
        assert_eq!(facts.build.unwrap().words().unwrap(), ["ant", "compile"]);
        assert_eq!(facts.sources, ["java".parse().unwrap()]);
    }

    #[test]
    fn every_key_is_known_to_the_table() {
        let all = "build='b'\ntest='t'\nreports=[]\nsources=[]\ntests=[]\nresources=[]\nclass_path=[]\nmodule='m'\n\
                   java_home='/j'\npython='/p'\nrelease='8'\nencoding='x'\njvm_args=[]\n";
        let facts = read(all).unwrap();
        assert_eq!((facts.module.is_some(), facts.java_home.is_some(), facts.encoding.is_some()), (true, true, true));
    }

    #[test]
    fn what_is_unknown_or_wrong_is_refused() {
        let error = read("tset = \"ant\"\n").unwrap_err();
        assert!(error.to_string().contains("unknown key `tset`; did you mean `test`?"), "{error}");
        assert!(error.hint().contains("class_path") && error.to_string().contains(".unidebug.toml:1"), "{error}");
        let refused = read("build = \"ant\"\n\nbase_url = \"http://evil.example\"\n").unwrap_err().to_string();
        assert!(refused.contains("may not set `base_url`") && refused.contains(".unidebug.toml:3"), "{refused}");
        assert!(read("test = \"a 'b\"\n").unwrap_err().to_string().contains("`test` is no command"));
        assert!(read("test.a = 1\n").unwrap_err().to_string().contains("`test` is no table"));
        assert!(read("sources = [\"../outside\"]\n").unwrap_err().to_string().contains("not a path inside"));
        assert!(read("sources = 3\n").is_err() && read("= \n").is_err());
    }

    #[test]
    fn a_project_without_the_file_has_no_facts() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(ProjectFile::read(Utf8Path::from_path(temp.path()).unwrap()).unwrap(), ProjectFile::default());
    }
}
