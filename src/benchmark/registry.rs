//! The list of benchmarks, and how a text on the command line becomes bugs.

use super::jars::{self, Library};
use super::{Benchmark, BenchmarkError, fixtures::Fixtures, jsonl::Jsonl, local::Local, quixbugs::QuixBugsJava};
use crate::domain::{BugId, RepoPath};
use crate::sandbox::{Choice, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};

/// The benchmark that a directory belongs to.
pub(super) const LOCAL: &str = "local";

/// How many names a message proposes.
const PROPOSED: usize = 4;

/// What the command line and the configuration say about where bugs come from.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The benchmark's folder; without it `UNIDEBUG_<NAME>_ROOT`, then what the program carries.
    pub root: Option<Utf8PathBuf>,
    /// Words of the command that builds a local project.
    pub build: Option<Vec<String>>,
    /// Words of the command that runs the tests of a local project.
    pub test: Option<Vec<String>>,
    /// Folders in which that command leaves JUnit XML; empty means the usual ones.
    pub reports: Vec<RepoPath>,
    /// Triggering tests the user named, as typed; they choose the module of a project that has several.
    pub failing: Vec<String>,
    /// Where set-up runs what it must run; without it the strongest isolation that works here is looked for.
    pub sandbox: Option<Sandbox>,
}

impl Settings {
    /// The benchmark's folder: `--root`, else the environment variable.
    pub(super) fn root_or_env(&self, variable: &str) -> Option<Utf8PathBuf> {
        let set = |value: String| (!value.is_empty()).then(|| Utf8PathBuf::from(value));
        self.root.clone().or_else(|| std::env::var(variable).ok().and_then(set))
    }

    /// The sandbox to set up in.
    pub(super) async fn sandbox(&self) -> Result<Sandbox, BenchmarkError> {
        if let Some(sandbox) = &self.sandbox {
            return Ok(sandbox.clone());
        }
        Sandbox::detect(Choice::Auto).await.map_err(|error| BenchmarkError::Missing {
            what: error.to_string(),
            hint: "install bubblewrap, or accept none with `--sandbox none`".into(),
        })
    }

    /// The jars of a test library.
    pub(super) async fn library(&self, library: Library) -> Result<Vec<Utf8PathBuf>, BenchmarkError> {
        jars::find(library, &self.sandbox().await?).await
    }
}

/// Makes an adapter.
type Make = fn(&Settings) -> Result<Box<dyn Benchmark>, BenchmarkError>;

/// Every benchmark; a new one is its file and a line here.
const ALL: &[(&str, Make)] = &[
    ("fixtures", |settings| Ok(Box::new(Fixtures::new(settings)?))),
    ("quixbugs-java", |settings| Ok(Box::new(QuixBugsJava::new(settings)?))),
    ("jsonl", |settings| Ok(Box::new(Jsonl::new(settings)?))),
    (LOCAL, |settings| Ok(Box::new(Local::new(settings)))),
];

/// The names of all benchmarks.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|(name, _)| *name).collect()
}

/// The adapter of that name.
///
/// # Errors
/// No such benchmark, or its root cannot be used.
pub fn find(name: &str, settings: &Settings) -> Result<Box<dyn Benchmark>, BenchmarkError> {
    match ALL.iter().find(|(known, _)| *known == name) {
        Some((_, make)) => make(settings),
        None => Err(BenchmarkError::UnknownBenchmark { name: name.into(), known: nearest(name, names(), usize::MAX) }),
    }
}

/// Reads `<BUG>`: `benchmark:id`, or a directory, which is then a bug of the benchmark `local`.
///
/// # Errors
/// The text is neither; the nearest ids of the fixtures are proposed.
pub fn parse_bug(text: &str) -> Result<BugId, BenchmarkError> {
    let path = Utf8Path::new(text);
    if path.is_dir() {
        let real =
            path.canonicalize_utf8().map_err(|source| super::copy::io_error("cannot open the folder", path, source))?;
        return Ok(BugId { benchmark: LOCAL.into(), name: real.into() });
    }
    if !looks_like_a_path(text)
        && let Ok(id) = text.parse()
    {
        return Ok(id);
    }
    if path.exists() {
        return Err(BenchmarkError::Root {
            what: "a file is no project".into(),
            path: path.to_owned(),
            hint: "name the folder of the project".into(),
        });
    }
    if looks_like_a_path(text) {
        return Err(BenchmarkError::Root {
            what: "no such directory".into(),
            path: path.to_owned(),
            hint: "name the folder of a project, or a bug id of the form `benchmark:id`".into(),
        });
    }
    let listed = Fixtures::new(&Settings::default()).and_then(|fixtures| fixtures.list()).unwrap_or_default();
    Err(BenchmarkError::NotABug { text: text.into(), nearest: nearest_ids(text, &listed) })
}

/// Reads `<SET>`: a bug, a whole benchmark by its name, or a glob over ids (`fixtures:r*`); in the list's order.
///
/// # Errors
/// As [`parse_bug`] and [`find`]; a glob that is malformed or matches nothing.
pub fn select(text: &str, settings: &Settings) -> Result<Vec<BugId>, BenchmarkError> {
    let (benchmark, pattern) = match text.split_once(':') {
        Some((benchmark, pattern)) if pattern.contains(['*', '?', '[', '{']) => (benchmark, pattern),
        None if names().contains(&text) && text != LOCAL => (text, "*"),
        _ => return parse_bug(text).map(|id| vec![id]),
    };
    let listed = find(benchmark, settings)?.list()?;
    let none = || BenchmarkError::NotABug { text: text.into(), nearest: nearest_ids(pattern, &listed) };
    let glob = globset::Glob::new(pattern).map_err(|_| none())?.compile_matcher();
    let chosen: Vec<_> = listed.iter().filter(|id| glob.is_match(&id.name)).cloned().collect();
    if chosen.is_empty() { Err(none()) } else { Ok(chosen) }
}

fn looks_like_a_path(text: &str) -> bool {
    text.starts_with(['/', '.', '~']) || (text.contains('/') && !text.contains(':'))
}

/// The candidates that look most like what was typed, nearest first, whatever the case.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut scored: Vec<(f64, &str)> =
        known.into_iter().map(|name| (strsim::jaro_winkler(&typed, &name.to_lowercase()), name)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

/// The nearest of listed ids, in full.
pub(super) fn nearest_ids(typed: &str, listed: &[BugId]) -> Vec<String> {
    let name = |id: &BugId| id.name.clone();
    let names: Vec<String> = listed.iter().map(name).collect();
    let near = nearest(typed, names.iter().map(String::as_str), PROPOSED);
    near.iter().filter_map(|near| listed.iter().find(|id| id.name == *near)).map(BugId::to_string).collect()
}

/// The error for an id that a benchmark does not have.
pub(super) fn unknown_bug(id: &BugId, listed: &[BugId]) -> BenchmarkError {
    BenchmarkError::UnknownBug { id: id.clone(), nearest: nearest_ids(&id.name, listed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_local_bug_and_an_id_is_an_id() {
        let here = parse_bug("src").unwrap();
        assert_eq!(here.benchmark, "local");
        assert!(here.name.ends_with("/src") && here.name.starts_with('/'));
        assert_eq!(parse_bug("quixbugs-java:GCD").unwrap().name, "GCD");
    }

    #[test]
    fn what_is_neither_is_refused_with_what_looks_like_it() {
        let error = parse_bug("ring-bufer").unwrap_err().to_string();
        assert!(error.contains("fixtures:ring-buffer"), "{error}");
        assert!(parse_bug("./no/such/folder").unwrap_err().to_string().contains("no such directory"));
        assert!(parse_bug("Cargo.toml").unwrap_err().to_string().contains("a file is no project"));
    }

    #[test]
    fn an_unknown_benchmark_proposes_the_nearest_first() {
        let Err(error) = find("fixture", &Settings::default()) else { panic!("there is no such benchmark") };
        assert!(error.to_string().starts_with("no benchmark `fixture`; known: fixtures"), "{error}");
    }

    #[test]
    fn a_set_is_a_glob_a_benchmark_or_one_bug() {
        let settings = Settings::default();
        let all = select("fixtures", &settings).unwrap();
        assert_eq!(all, select("fixtures:*", &settings).unwrap());
        assert_eq!(select("fixtures:ring-*", &settings).unwrap().len(), 1);
        assert_eq!(select("fixtures:ring-buffer", &settings).unwrap().len(), 1);
        assert!(select("fixtures:zzz*", &settings).is_err());
        assert!(select("fixtures:[", &settings).is_err());
    }
}
