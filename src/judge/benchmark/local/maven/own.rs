//! `mvn test` as the project's own word on tests.

use super::complaint::{Complaint, complaint};
use super::extension;
use super::invoke::{Maven, repository};
use super::memory::Invocation;
use super::request::{DIRECT, SKIPPED};
use crate::benchmark::local::own::{MOST_NAMES, by_class, merged, tested};
use crate::benchmark::local::store::Store;
use crate::benchmark::{BenchmarkError, OwnCommand, OwnQuestion, OwnRun, copy_files};
use crate::domain::{RepoPath, TestId, TestResult};
use crate::sandbox::{Exit, Job};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Where surefire leaves its reports.
pub(super) const REPORTS: &str = "target/surefire-reports";

/// Lets the compiler plug-in go by the times of files alone. By itself it compiles a whole module in another folder than
/// the one where it was compiled before.
const STALE_ONLY: &str = "-Dmaven.compiler.useIncrementalCompilation=false";

/// Maven as it compiled the project.
#[derive(Debug)]
pub(super) struct MavenTest {
    pub(super) maven: Maven,
    pub(super) store: Store,
    pub(super) invocation: Invocation,
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

    async fn run(
        &self,
        OwnQuestion { tree, is_patched, tests, wall }: OwnQuestion<'_>,
    ) -> Result<OwnRun, BenchmarkError> {
        let Some(there) = repository(self.store)? else {
            return Ok(OwnRun::NotTested("there is no local Maven repository".into()));
        };
        let switches: &[&str] = if is_patched { &[] } else { &[STALE_ONLY] };
        let call = |store, repository: &Utf8Path| {
            let mut args = self.arguments(tests, repository);
            args.extend(["-o"].iter().chain(switches).map(|&switch| switch.to_owned()));
            self.maven.job(tree, store, repository.to_owned(), args)
        };
        let mut ran = self.call(tree, call(self.store, &there)?.wall(wall)).await?;
        if let (Some(Complaint::Missing(_)), Some(own)) = (&ran.complaint, repository(Store::Own)?) {
            self.fetch(tree, tests, &own, wall).await?;
            ran = self.call(tree, call(Store::Own, &own)?.wall(wall)).await?;
        }
        let has_methods = tests.iter().any(|id| !id.method.is_empty());
        if has_methods && ran.results.is_empty() && ran.output.contains("Tests run: 0") {
            // An old surefire knows methods of TestNG's classes by no such names.
            let classes: BTreeSet<&str> = tests.iter().map(|id| id.class.as_str()).collect();
            let classes: Vec<TestId> = classes.into_iter().map(|class| TestId::new(class, "")).collect();
            return self.run(OwnQuestion { tree, is_patched, tests: &classes, wall }).await;
        }
        Ok(ran.result())
    }
}

/// What one call of Maven left.
struct Ran {
    exit: Exit,
    results: BTreeMap<TestId, TestResult>,
    output: String,
    /// Why no test ran.
    complaint: Option<Complaint>,
}

impl Ran {
    fn result(self) -> OwnRun {
        match self.complaint {
            Some(complaint) => OwnRun::NotTested(complaint.into_text()),
            None => tested(self.exit, self.results, &self.output),
        }
    }
}

impl MavenTest {
    /// Fetches what runs the tests: it is not what compiles them, so the first build did not. A call with the network runs
    /// the tests, too; it gets a copy of the tree, since they may leave something behind, and what it says does not count.
    async fn fetch(
        &self,
        tree: &Utf8Path,
        tests: &[TestId],
        repository: &Utf8Path,
        wall: Duration,
    ) -> Result<(), BenchmarkError> {
        let failed =
            |source| BenchmarkError::Io { what: "cannot copy the project".into(), path: tree.to_owned(), source };
        let folder = tempfile::tempdir().map_err(failed)?;
        let copy = Utf8PathBuf::from_path_buf(folder.path().canonicalize().map_err(failed)?)
            .map_err(|_| failed(std::io::Error::other("the path of a private folder is no text")))?;
        copy_files(tree, &copy, |file, target| std::fs::copy(file, target).map(drop)).map_err(failed)?;
        let (job, _fetching) = self.maven.fetching_job(&copy, repository, |own| self.arguments(tests, own)).await?;
        let ran = self.call(&copy, job.wall(wall)).await?;
        if let Some(complaint) = ran.complaint {
            tracing::info!("fetching what runs the tests: {}", complaint.into_text());
        }
        Ok(())
    }

    /// Calls Maven and reads the reports that it leaves.
    async fn call(&self, tree: &Utf8Path, job: Job) -> Result<Ran, BenchmarkError> {
        let reports = self.module.under(tree).join(REPORTS);
        // Reports that came with the copy are not results.
        if reports.is_dir() {
            std::fs::remove_dir_all(&reports).map_err(|source| BenchmarkError::Io {
                what: "cannot remove old reports".into(),
                path: reports.clone(),
                source,
            })?;
        }
        let done = self.maven.sandbox.run(job).await.map_err(|error| BenchmarkError::Setup {
            what: format!("Maven could not be started: {error}"),
            hint: "`unidebug doctor` tells what is missing".into(),
        })?;
        let output = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        let results = read(&reports);
        let complaint = results.is_empty().then(|| complaint(&output, done.exit));
        Ok(Ran { exit: done.exit, results, output, complaint })
    }

    fn arguments(&self, tests: &[TestId], repository: &Utf8Path) -> Vec<String> {
        let mut all: Vec<String> = ["-B", "-Dstyle.color=never"].map(str::to_owned).into();
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
        match &self.invocation {
            Invocation::LifeCycle { without, oldest } => {
                let adjusting = extension::adjusting(without, *oldest);
                all.extend((!adjusting.is_empty()).then(|| extension::loaded(&extension::folder(&self.maven))));
                all.extend(adjusting);
                all.push("test".into());
            }
            Invocation::Direct => {
                all.extend(DIRECT.iter().map(|&goal| goal.to_owned()));
                all.push("surefire:test@default-test".into());
            }
        }
        all
    }
}

/// Tests as surefire takes them: `a.B#one+two,c.D`.
fn names(tests: &[TestId]) -> String {
    let whole = tests.len() > MOST_NAMES;
    let one = |(class, methods): (&str, BTreeSet<&str>)| {
        // A name that is no identifier, such as Spock's, cannot be asked for.
        let plain = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if whole || !methods.iter().all(plain) {
            return class.to_owned();
        }
        format!("{class}#{}", methods.into_iter().map(|name| format!("{name}*")).collect::<Vec<_>>().join("+"))
    };
    by_class(tests).into_iter().map(one).collect::<Vec<_>>().join(",")
}

/// All results of a folder.
fn read(folder: &Utf8Path) -> BTreeMap<TestId, TestResult> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).max_depth(Some(2)).build();
    let files = walk.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "xml"));
    merged(files.map(|entry| std::fs::read(entry.path()).unwrap_or_default()))
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
