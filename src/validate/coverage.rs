//! Lines that tests execute, by JaCoCo's agent in one JVM.

use super::clean;
use super::jvm::{Harness, OnCrash, lost};
use super::subject::Subject;
use super::{Baseline, Coverage, Spectrum, SpectrumScope, ValidateError};
use crate::benchmark::jars::{self, Library};
use crate::domain::{RepoPath, TestId, TestReport, TestStatus};
use crate::sandbox::Job;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Tests without end that are run for their coverage: what they loop through is much the same.
const ENDLESS_TESTS: usize = 3;
/// Time for each: a loop shows its lines at once.
const ENDLESS_TIME: Duration = Duration::from_millis(1500);
/// A test that takes longer is too dear for what it says about lines.
const QUICK: Duration = Duration::from_secs(2);

/// Lines of product code the triggering tests execute on the untouched project.
pub(super) async fn of_tests(subject: &Subject, baseline: &Baseline) -> Result<Option<Coverage>, ValidateError> {
    let Some(jars) = jacoco(subject).await else { return Ok(None) };
    let copy = subject.copy()?;
    let data = copy.tree.join("unidebug-coverage.exec");
    let endless: Vec<TestId> = endless(baseline).cloned().collect();
    let ending = baseline.triggering.iter().filter(|id| !endless.contains(id));
    let shown: Vec<TestId> = ending.chain(endless.iter().take(ENDLESS_TESTS)).cloned().collect();
    let mut plan = subject.plan(shown, subject.deadlines(&baseline.report), OnCrash::GoOn);
    // Instrumented code is slower, and a test that is cut too early hides where it hangs.
    plan.deadlines.default *= 2;
    plan.deadlines.own.extend(endless.into_iter().map(|id| (id, ENDLESS_TIME)));
    plan.jvm_args.push(format!("-javaagent:{}=destfile={data},append=true", jars[0]));
    let mut suite = subject.suite(&copy);
    suite.class_path.push(jars[0].clone());
    suite.run(&plan).await?;
    if !data.is_file() {
        tracing::warn!("no coverage: the test process wrote no execution data");
        return Ok(None);
    }
    lines_of(subject, &jars[1..], &data).await.map(Some)
}

/// What each test of a scope executes on the untouched project, all in as few processes as a plain run takes. Measured
/// once for exactly this project and scope, and kept.
pub(super) async fn by_test(
    subject: &Subject,
    baseline: &Baseline,
    scope: &SpectrumScope,
) -> Result<Option<Spectrum>, ValidateError> {
    let (classes, only) = chosen(subject, baseline, scope);
    let file = subject.kept.join(format!("spectrum-{}.json", named(&only)));
    if let Some(kept) = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Spectrum>(&bytes).ok()) {
        return Ok(Some(kept));
    }
    let Some(jars) = jacoco(subject).await else { return Ok(None) };
    let copy = subject.copy()?;
    let mut libraries = subject.class_path.libraries.clone();
    libraries.extend(jars.iter().cloned());
    let harness = Harness::prepare(&subject.sandbox, &subject.jdk, &libraries, &jars::cache_dir()).await?;
    let mut plan = subject.plan(only, subject.deadlines(&baseline.report), OnCrash::GoOn);
    plan.classes = classes;
    plan.deadlines.default *= 2;
    plan.deadlines.total = plan.deadlines.total.min(scope.time);
    plan.deadlines.own.extend(endless(baseline).map(|id| (id.clone(), ENDLESS_TIME)));
    let product: Vec<&str> = subject.classes.iter().map(|folder| folder.as_str()).collect();
    plan.jvm_args.push(format!("-javaagent:{}=output=none", jars[0]));
    plan.jvm_args.push(format!("-Dunidebug.spectrum={}", product.join(":")));
    let mut suite = subject.suite(&copy);
    suite.class_path.extend(jars);
    suite.harness = &harness;
    let mut executed = Vec::new();
    let report = suite.run_with(&plan, &mut executed).await?;
    let spectrum = read(subject, &report, executed);
    if !spectrum.tests.iter().any(|(_, passed, _)| !passed) {
        tracing::warn!("no spectrum: no triggering test told what it executed");
        return Ok(None);
    }
    if let Err(error) = super::baseline::keep(&file, &spectrum) {
        tracing::warn!("the spectrum will be measured again: {error}");
    }
    Ok(Some(spectrum))
}

/// Classes to run, those of the triggering tests first, and the tests in them: the triggering ones, of the endless ones
/// a few, and those that passed and are quick. Flaky tests and those that want the network say nothing about lines.
fn chosen(subject: &Subject, baseline: &Baseline, scope: &SpectrumScope) -> (Vec<String>, Vec<TestId>) {
    let outer = |class: &str| class.split('$').next().unwrap_or(class).to_owned();
    let triggering: BTreeSet<String> = baseline.triggering.iter().map(|id| outer(&id.class)).collect();
    let wanted = |class: &str| {
        let outer = outer(class);
        triggering.contains(&outer) || scope.classes.as_ref().is_none_or(|classes| classes.contains(&outer))
    };
    let mut classes: Vec<String> = subject.tests.iter().filter(|class| wanted(class)).cloned().collect();
    classes.sort_by_key(|class| !triggering.contains(&outer(class)));
    let spared: BTreeSet<&TestId> = endless(baseline).skip(ENDLESS_TESTS).collect();
    let mut only: Vec<TestId> = baseline.triggering.iter().filter(|id| !spared.contains(id)).cloned().collect();
    let quick = |id: &&TestId| {
        baseline.report.results.get(*id).is_some_and(|result| Duration::from_millis(result.millis) <= QUICK)
    };
    let passing = baseline.passing.iter().filter(|id| wanted(&id.class)).filter(quick);
    only.extend(passing.filter(|id| !baseline.set_aside.contains_key(id)).cloned());
    (classes, only)
}

/// Triggering tests that end by being cut, by us or by their framework's own time limit.
pub(super) fn endless(baseline: &Baseline) -> impl Iterator<Item = &TestId> {
    // A slow test that fails by itself is none: with the repair it may be as slow, and pass.
    let is_cut = |id: &&TestId| {
        baseline
            .report
            .results
            .get(*id)
            .is_some_and(|result| lost(result) || result.failure.as_ref().is_some_and(clean::gave_up))
    };
    baseline.triggering.iter().filter(is_cut)
}

/// A name for a choice of tests.
fn named(only: &[TestId]) -> String {
    let mut digest = Sha256::new();
    for id in only {
        digest.update(format!("{id}\n"));
    }
    super::jvm::short_hash(digest)
}

fn read(subject: &Subject, report: &TestReport, executed: Vec<(TestId, Vec<String>)>) -> Spectrum {
    let folders = SourceFolders::of(subject);
    let mut known: BTreeMap<String, Option<RepoPath>> = BTreeMap::new();
    let mut tests = Vec::new();
    for (id, files) in executed {
        let Some(result) = report.results.get(&id) else { continue };
        let passed = result.status == TestStatus::Passed;
        if passed || matches!(result.status, TestStatus::Failed | TestStatus::TimedOut) {
            tests.push((id, passed, parse(files.iter().map(String::as_str), &mut known, &folders)));
        }
    }
    Spectrum { tests }
}

/// The agent first, then what reads its data; `None` with a notice when they cannot be had.
async fn jacoco(subject: &Subject) -> Option<Vec<Utf8PathBuf>> {
    match jars::find(Library::JaCoCo, &subject.sandbox).await {
        Ok(jars) => Some(jars),
        Err(missing) => {
            tracing::warn!("no coverage: {missing}; {}", missing.hint());
            None
        }
    }
}

async fn lines_of(subject: &Subject, core: &[Utf8PathBuf], data: &Utf8Path) -> Result<Coverage, ValidateError> {
    let analyser = Harness::prepare(&subject.sandbox, &subject.jdk, core, &jars::cache_dir()).await?;
    let mut class_path = vec![analyser.classes.clone()];
    class_path.extend(core.iter().cloned());
    let joined = class_path.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
    let folder = data.parent().unwrap_or(data);
    let mut job = Job::new(subject.jdk.java(), folder)
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-cp", &joined, "unidebug.runner.Lines"])
        .args([data.as_str()])
        .args(subject.classes.iter().map(ToString::to_string))
        .read(class_path)
        .read(subject.classes.iter().cloned())
        .read([subject.jdk.home.clone()])
        .wall(Duration::from_secs(120));
    job.results = true;
    let done = subject.sandbox.run(job).await?;
    if !done.exit.success() {
        let said = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or("no reason given").to_owned();
        return Err(ValidateError::Tool {
            what: format!("execution data could not be read: {said}"),
            hint: "report it with the version of your JDK".into(),
        });
    }
    let text = String::from_utf8_lossy(&done.results);
    Ok(parse(text.lines(), &mut BTreeMap::new(), &SourceFolders::of(subject)))
}

/// Finds the file of the checkout that a class file's package and source name mean.
pub(super) struct SourceFolders {
    root: Utf8PathBuf,
    product: Vec<RepoPath>,
    tests: Vec<RepoPath>,
}

impl SourceFolders {
    pub(super) fn of(subject: &Subject) -> Self {
        let project = &subject.checkout.project;
        Self {
            root: subject.checkout.root.clone(),
            product: project.source_roots.clone(),
            tests: project.test_roots.clone(),
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<RepoPath> {
        let bare = name.rsplit('/').next().unwrap_or(name);
        // Folders do not always follow packages: then the file lies in the root itself.
        let candidates = self.product.iter().flat_map(|folder| [folder.join(name), folder.join(bare)]);
        let mut found = candidates.flatten().filter(|path| path.under(&self.root).is_file());
        found.find(|path| !self.tests.iter().any(|folder| path.is_within(folder)))
    }
}

/// Reads `package/File.java 3 4 9` lines; `known` keeps what was found on disk.
fn parse<'a>(
    lines: impl Iterator<Item = &'a str>,
    known: &mut BTreeMap<String, Option<RepoPath>>,
    folders: &SourceFolders,
) -> Coverage {
    let mut coverage = Coverage::default();
    for line in lines {
        // Numbers stand at the end; a file name may hold spaces.
        let name = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let numbers = line[name.len()..].split(' ').filter_map(|word| word.parse::<u32>().ok());
        let path = known.entry(name.to_owned()).or_insert_with(|| folders.find(name));
        if let Some(path) = path {
            coverage.lines.entry(path.clone()).or_default().extend(numbers);
        }
    }
    coverage
}
