//! A line of `bugs.jsonl`: one bug.

use super::cases::{self, CaseEntry};
use crate::benchmark::choose::Day;
use crate::benchmark::error::Malformed;
use crate::benchmark::facts::{FACTS as KEYS, Facts, Words};
use crate::benchmark::nearest::nearest;
use crate::domain::TestId;
use camino::Utf8PathBuf;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Keys beside those that say how a project is built and tested.
const OWN_KEYS: &[&str] = &[
    "id",
    "title",
    "repaired",
    "directory",
    "jars",
    "javac_args",
    "failing",
    "requirements",
    "fixed",
    "patch",
    "compile",
    "run",
    "cases",
    "tolerance",
];

/// What a line says. Paths of its own are relative to the file the line stands in; those of [`Facts`] to the project.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(super) struct Entry {
    /// The bug's name, unique in the file.
    pub id: String,
    /// What is wrong, in one line.
    #[serde(default)]
    pub title: Option<String>,
    /// The day on which it was repaired, `2024-05-31`.
    #[serde(default)]
    pub repaired: Option<Day>,
    /// The buggy project.
    pub directory: Utf8PathBuf,
    /// Jars and folders of classes outside the project that are on its class path. With `sources` and `tests` they say
    /// all there is to know of the build, so that no build tool is asked.
    #[serde(default)]
    pub jars: Vec<Utf8PathBuf>,
    /// Further arguments of the compiler.
    #[serde(default)]
    pub javac_args: Vec<String>,
    /// Triggering tests, `Class#method` or `Class::method`; without them the baseline decides.
    #[serde(default)]
    pub failing: Vec<String>,
    /// Requirements in natural language.
    #[serde(default)]
    pub requirements: Option<String>,
    /// The repaired project, outside the buggy one.
    #[serde(default)]
    pub fixed: Option<Utf8PathBuf>,
    /// The developer's patch as a unified diff with paths below `a/` and `b/`, outside the buggy project.
    #[serde(default)]
    pub patch: Option<Utf8PathBuf>,
    /// Builds a program that is tested by cases.
    #[serde(default)]
    pub compile: Option<Words>,
    /// Runs that program, once for each case.
    #[serde(default)]
    pub run: Option<Words>,
    /// What it must print for which input.
    #[serde(default)]
    pub cases: Vec<CaseEntry>,
    /// By how much numbers in its output may differ, absolutely or relatively.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// How the project is built and tested, with the keys of `.unidebug.toml`.
    #[serde(skip)]
    pub facts: Facts,
    /// Its line in the file, from 1.
    #[serde(skip)]
    pub line: usize,
}

impl Entry {
    /// Reads one line.
    ///
    /// # Errors
    /// One line on what is wrong: no JSON object, an unknown key, a value of the wrong kind.
    pub(super) fn read(line: &str) -> Result<Self, Malformed> {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| format!("no JSON object: {error}"))?;
        let known = || OWN_KEYS.iter().chain(KEYS).copied();
        if let Some(key) = object.keys().find(|key| known().all(|known| known != key.as_str())) {
            let near = nearest(key, known(), 1).join("");
            return Err(format!("unknown key `{key}`; the nearest known one is `{near}`").into());
        }
        let named = |error: serde_json::Error| match object.iter().find(|(key, value)| !fits(key, value)) {
            Some((key, _)) => format!("`{key}`: {error}"),
            None => error.to_string(),
        };
        let facts = serde_json::from_value(Value::Object(object.clone())).map_err(named)?;
        let entry: Self = serde_json::from_value(Value::Object(object.clone())).map_err(named)?;
        if entry.id.is_empty() || entry.id.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(format!("`{}` is no id: it must be a word", entry.id.escape_debug()).into());
        }
        if entry.fixed.is_some() && entry.patch.is_some() {
            return Err("both `fixed` and `patch` are given; one of them says the repair".into());
        }
        entry.triggering()?;
        let entry = Self { facts, ..entry };
        cases::complaint(&entry).map_or(Ok(entry), |what| Err(what.into()))
    }

    /// The triggering tests, when the line names some.
    ///
    /// # Errors
    /// A name is none.
    pub(super) fn triggering(&self) -> Result<Option<Vec<TestId>>, Malformed> {
        let read = |name: &String| {
            let test = name.parse();
            test.map_err(|why| Malformed::from(format!("`{name}`: {why}")))
        };
        let tests: Vec<TestId> = self.failing.iter().map(read).collect::<Result<_, _>>()?;
        Ok((!tests.is_empty()).then_some(tests))
    }

    /// Whether the line says everything about the build.
    pub(super) fn is_plain(&self) -> bool {
        !self.facts.sources.is_empty() && !self.facts.tests.is_empty() && self.facts.test.is_none()
    }
}

/// Whether a key can have this value.
fn fits(key: &str, value: &Value) -> bool {
    let mut alone = Map::from_iter(["id", "directory"].map(|key| (key.to_owned(), key.into())));
    alone.insert(key.to_owned(), value.clone());
    let alone = Value::Object(alone);
    serde_json::from_value::<Facts>(alone.clone()).is_ok() && serde_json::from_value::<Entry>(alone).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_read_with_the_keys_of_a_project() {
        let line = r#"{"id":"A-1","directory":"a/buggy","fixed":"a/fixed","failing":["p.ATest::one"],
            "sources":["src"],"tests":["test"],"release":"8","jars":["lib/x.jar"],"repaired":"2024-05-31"}"#;
        let entry = Entry::read(line).unwrap();
        assert_eq!(entry.triggering().unwrap().unwrap(), [TestId::new("p.ATest", "one")]);
        assert_eq!((entry.facts.release.as_deref(), entry.jars.len()), (Some("8"), 1));
        assert!(entry.is_plain() && entry.repaired.is_some());
        assert_eq!(Entry::read(r#"{"id":"B","directory":"b"}"#).unwrap().triggering(), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |line: &str| Entry::read(line).unwrap_err();
        assert!(wrong(r#"{"id":"A","directory":"a","fialing":[]}"#).contains("nearest known one is `failing`"));
        assert!(wrong(r#"{"id":"A"}"#).contains("directory"));
        assert!(wrong(r#"{"id":"A B","directory":"a"}"#).contains("must be a word"));
        assert!(wrong(r#"{"id":"A","directory":"a","fixed":"f","patch":"p"}"#).contains("both"));
        assert!(wrong(r#"{"id":"A","directory":"a","sources":["../x"]}"#).contains("not a path inside"));
        assert!(wrong(r#"{"id":3,"directory":"a"}"#).starts_with("`id`: invalid type: integer `3`"));
        assert!(wrong(r#"{"id":"A","directory":"a","failing":"x"}"#).starts_with("`failing`: "));
        assert!(wrong(r#"{"id":"A","directory":"a","release":1e999}"#).contains("number out of range"));
        assert!(wrong("{\"id\":\"A\\u001b[2J\",\"directory\":\"a\"}").contains("`A\\u{1b}[2J` is no id"));
        assert!(wrong("[1]").contains("no JSON object"));
    }

    #[test]
    fn a_program_has_a_command_and_clear_cases() {
        let read = |more: &str| Entry::read(&format!(r#"{{"id":"A","directory":"a",{more}}}"#));
        let entry = read(r#""run":"python3 a.py","cases":[{"input":"1","output":"2"},{"name":"x","output_file":"o"}]"#);
        assert_eq!(entry.unwrap().cases.len(), 2);
        for (more, wanted) in [
            (r#""cases":[{"output":"2"}]"#, "`cases` is given without `run`"),
            (r#""compile":"javac A.java""#, "`compile` is given without `run`"),
            (r#""run":"x","cases":[]"#, "without `cases`"),
            (r#""run":"x","cases":[{"output":"2"}],"tolerance":2"#, "`tolerance` is no number from 0 to below 1"),
            (r#""run":"x 'y","cases":[{"output":"2"}]"#, "no command"),
            (r#""run":"x","test":"y","cases":[{"output":"2"}]"#, "beside `build` or `test`"),
            (r#""run":"x","cases":[{"input":"1"}]"#, "case `1` needs one of `output`"),
            (r#""run":"x","cases":[{"name":"2","output":""},{"output":""}]"#, "case `2` must have a name of its own"),
            (r#""run":"x","cases":[{"in":"1","output":""}]"#, "unknown field `in`"),
        ] {
            let error = read(more).unwrap_err();
            assert!(error.contains(wanted), "{more}: {error}");
        }
    }

    proptest! {
        #[test]
        fn foreign_lines_are_refused_and_never_break_anything(line in "\\PC*") {
            let _ = Entry::read(&line);
        }
    }
}
