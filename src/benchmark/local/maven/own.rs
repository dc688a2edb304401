//! `mvn test` as the project's own word on tests.

use super::invoke::{DIRECT, Maven, SKIPPED, repository};
use super::memory::{Store, Way};
use crate::benchmark::{BenchmarkError, OwnCommand, OwnRun, junit_xml};
use crate::domain::{RepoPath, RunEnd, TestId, TestReport, TestStatus};
use crate::sandbox::Exit;
use camino::Utf8Path;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const REPORTS: &str = "target/surefire-reports";
/// More names do not fit on a command line; then whole classes are asked for.
const MOST_NAMES: usize = 200;
const TAIL_CHARS: usize = 4000;

/// Maven as it compiled the project.
#[derive(Debug)]
pub(super) struct MavenTest {
    pub(super) maven: Maven,
    pub(super) store: Store,
    pub(super) way: Way,
    /// The module of the bug.
    pub(super) module: RepoPath,
    /// Whether there are others.
    pub(super) is_one_of_many: bool,
}

#[async_trait::async_trait]
impl OwnCommand for MavenTest {
    fn name(&self) -> String {
        "mvn test".into()
    }

    async fn run(&self, tree: &Utf8Path, tests: &[TestId], wall: Duration) -> Result<OwnRun, BenchmarkError> {
        let Some(repository) = repository(self.store)? else {
            return Ok(OwnRun::NotTested("there is no local Maven repository".into()));
        };
        let reports = self.module.under(tree).join(REPORTS);
        // Reports that came with the copy are not results.
        if reports.is_dir() {
            std::fs::remove_dir_all(&reports).map_err(|source| BenchmarkError::Io {
                what: "cannot remove old reports".into(),
                path: reports.clone(),
                source,
            })?;
        }
        let args = self.arguments(tests, &repository);
        let job = self.maven.job(tree, self.store, repository, args).wall(wall);
        let done = self.maven.sandbox.run(job).await.map_err(|error| BenchmarkError::Setup {
            what: format!("Maven could not be started: {error}"),
            hint: "`unidebug doctor` tells what is missing".into(),
        })?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        let results = read(&reports);
        if results.is_empty() {
            let line = said.lines().find(|line| line.contains("ERROR")).unwrap_or("it ran no test").trim();
            return Ok(OwnRun::NotTested(line.to_owned()));
        }
        let end = match done.exit {
            Exit::TimedOut => RunEnd::TimedOut,
            Exit::OutOfMemory => RunEnd::OutOfMemory,
            _ => RunEnd::Complete,
        };
        let tail: String = said.chars().skip(said.chars().count().saturating_sub(TAIL_CHARS)).collect();
        Ok(OwnRun::Tested(TestReport { end, results, output_tail: tail }))
    }
}

impl MavenTest {
    fn arguments(&self, tests: &[TestId], repository: &Utf8Path) -> Vec<String> {
        let mut all: Vec<String> = ["-B", "-o", "-Dstyle.color=never"].map(str::to_owned).into();
        all.push(format!("-Dmaven.repo.local={repository}"));
        if self.is_one_of_many {
            let module = if self.module.as_str().is_empty() { "." } else { self.module.as_str() };
            all.extend(["-pl".into(), module.into(), "-am".into()]);
        }
        all.extend(SKIPPED.iter().map(|switch| format!("-D{switch}=true")));
        all.extend(["-Dmaven.test.failure.ignore=true", "-DfailIfNoTests=false"].map(str::to_owned));
        all.push("-Dsurefire.failIfNoSpecifiedTests=false".into());
        if !tests.is_empty() {
            all.push(format!("-Dtest={}", names(tests)));
        }
        match self.way {
            Way::LifeCycle => all.push("test".into()),
            Way::Direct => {
                all.extend(DIRECT.iter().map(|&goal| goal.to_owned()));
                all.push("surefire:test@default-test".into());
            }
        }
        all
    }
}

/// Tests as surefire takes them: `a.B#one+two,c.D`.
fn names(tests: &[TestId]) -> String {
    let mut methods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for id in tests {
        methods.entry(&id.class).or_default().insert(id.bare_method());
    }
    let whole = tests.len() > MOST_NAMES;
    let one = |(class, methods): (&str, BTreeSet<&str>)| {
        // A name that is no identifier, such as Spock's, cannot be asked for.
        let plain = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if whole || !methods.iter().all(plain) {
            return class.to_owned();
        }
        format!("{class}#{}", methods.into_iter().map(|name| format!("{name}*")).collect::<Vec<_>>().join("+"))
    };
    methods.into_iter().map(one).collect::<Vec<_>>().join(",")
}

/// All results of a folder; a test that is told twice passed only if it passed both times.
fn read(folder: &Utf8Path) -> BTreeMap<TestId, crate::domain::TestResult> {
    let mut results: BTreeMap<TestId, crate::domain::TestResult> = BTreeMap::new();
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).max_depth(Some(2)).build();
    for entry in walk.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "xml")) {
        for result in junit_xml::parse(&std::fs::read(entry.path()).unwrap_or_default()) {
            match results.get(&result.id) {
                Some(old) if old.status != TestStatus::Passed => {}
                _ => drop(results.insert(result.id.clone(), result)),
            }
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_asked_for_as_surefire_takes_them() {
        let ids = ["a.BTest#one", "a.BTest#two[3]", "c.D", "e.Spec#adds two numbers"].map(|text| text.parse().unwrap());
        assert_eq!(names(&ids), "a.BTest#one*+two*,c.D,e.Spec");
    }
}
