//! The list of benchmarks, and how a text on the command line becomes bugs.

use super::nearest::{nearest, nearest_ids};
use super::sets::named;
use super::settings::Settings;
use super::{
    Benchmark, BenchmarkError, LOCAL, Summary,
    contests::{self, Codeflaws, ConDefects},
    defects4j::Defects4J,
    fixtures::Fixtures,
    gitbug_java::GitBugJava,
    jsonl::Jsonl,
    local::Local,
    quixbugs::{self, QuixBugs},
    twin,
};
use crate::domain::BugId;
use camino::Utf8Path;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Makes an adapter.
type Make = fn(&Settings) -> Result<Box<dyn Benchmark>, BenchmarkError>;

/// Every benchmark; a new one is its file and a line here.
const ALL: &[(&str, Make)] = &[
    ("fixtures", |settings| Ok(Box::new(Fixtures::new(settings)?))),
    ("quixbugs-java", |settings| Ok(Box::new(QuixBugs::new(&quixbugs::JAVA, settings)?))),
    ("quixbugs-python", |settings| Ok(Box::new(QuixBugs::new(&quixbugs::PYTHON, settings)?))),
    ("defects4j", |settings| Ok(Box::new(Defects4J::new(settings)?))),
    ("gitbug-java", |settings| Ok(Box::new(GitBugJava::new(settings)?))),
    ("codeflaws", |settings| Ok(Box::new(Codeflaws::new(settings)?))),
    ("condefects-java", |settings| Ok(Box::new(ConDefects::new(&contests::JAVA, settings)?))),
    ("condefects-python", |settings| Ok(Box::new(ConDefects::new(&contests::PYTHON, settings)?))),
    ("jsonl", |settings| Ok(Box::new(Jsonl::new(settings)?))),
    (twin::NAME, |settings| Ok(Box::new(Jsonl::of_twins(settings)?))),
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

/// The bug as it is typed: a folder by its path alone.
pub fn typed(bug: &BugId) -> String {
    if bug.benchmark == LOCAL { bug.name.clone() } else { bug.to_string() }
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

/// Reads `<SET>`: a bug, a whole benchmark by its name, a glob or a range over ids (`fixtures:r*`,
/// `defects4j:Lang-1..9`), or a set with a name (`d4j-2.0`), without what the installation no longer has; in the list's
/// order.
///
/// # Errors
/// As [`parse_bug`] and [`find`]; a glob that is malformed; nothing matches.
pub fn select(text: &str, settings: &Settings) -> Result<Vec<BugId>, BenchmarkError> {
    if let Some(set) = named(text) {
        let (listed, members) = (find(set.benchmark, settings)?.list()?, set.ids());
        return Ok(listed.into_iter().filter(|id| members.contains(id)).collect());
    }
    let (benchmark, pattern) = match text.split_once(':') {
        Some((benchmark, pattern)) if pattern.contains(['*', '?', '[', '{']) || pattern.contains("..") => {
            (benchmark, pattern)
        }
        None if names().contains(&text) && text != LOCAL => (text, "*"),
        _ => return parse_bug(text).map(|id| vec![id]),
    };
    if looks_like_a_path(text) {
        return parse_bug(text).map(|id| vec![id]);
    }
    let listed = find(benchmark, settings)?.list()?;
    let none = || BenchmarkError::NotABug { text: text.into(), nearest: nearest_ids(pattern, &listed) };
    let matches: Box<dyn Fn(&BugId) -> bool> = match range(pattern) {
        Some((project, numbers)) => Box::new(move |id| {
            let parts = id.name.rsplit_once('-').and_then(|(own, number)| Some((own, number.parse().ok()?)));
            parts.is_some_and(|(own, number)| own == project && numbers.contains(&number))
        }),
        None => {
            let glob = globset::Glob::new(pattern).map_err(|_| none())?.compile_matcher();
            Box::new(move |id| glob.is_match(&id.name))
        }
    };
    let chosen: Vec<_> = listed.iter().filter(|id| matches(id)).cloned().collect();
    if chosen.is_empty() { Err(none()) } else { Ok(chosen) }
}

/// What lists show of these bugs, in their order.
///
/// # Errors
/// As [`find`]; a benchmark has no such bug.
pub fn describe(ids: &[BugId], settings: &Settings) -> Result<Vec<Summary>, BenchmarkError> {
    let mut adapters: BTreeMap<&str, Box<dyn Benchmark>> = BTreeMap::new();
    let mut summaries = Vec::with_capacity(ids.len());
    for id in ids {
        let adapter = match adapters.entry(&id.benchmark) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(find(&id.benchmark, settings)?),
        };
        summaries.push(adapter.describe(id)?);
    }
    Ok(summaries)
}

/// `Lang-1..9`: a project and its numbers, the last one included.
fn range(pattern: &str) -> Option<(&str, std::ops::RangeInclusive<u64>)> {
    let (project, numbers) = pattern.rsplit_once('-')?;
    let (first, last) = numbers.split_once("..")?;
    Some((project, first.parse().ok()?..=last.parse().ok()?))
}

fn looks_like_a_path(text: &str) -> bool {
    text.starts_with(['/', '.', '~']) || (text.contains('/') && !text.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_local_bug_and_an_id_is_an_id() {
        let here = parse_bug("benchmark").unwrap();
        assert_eq!(here.benchmark, "local");
        assert!(here.name.ends_with("/benchmark") && here.name.starts_with('/'));
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
        let nowhere = Settings { root: Some("/no/such/folder".into()), ..Settings::default() };
        assert!(select("d4j-2.0", &nowhere).unwrap_err().hint().contains("installation of Defects4J"));
    }

    #[test]
    fn a_range_is_a_project_with_its_first_and_last_number() {
        assert_eq!(range("Lang-3..12"), Some(("Lang", 3..=12)));
        assert!(range("Lang-3").is_none() && range("Lang-*..4").is_none() && range("..").is_none());
    }
}
