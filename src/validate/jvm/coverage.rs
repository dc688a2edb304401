//! Lines that tests execute, by JaCoCo's agent in one JVM.

use super::Harness;
use super::subject::Jvm;
use crate::benchmark::jars::{self, Library};
use crate::domain::RepoPath;
use crate::sandbox::Job;
use crate::validate::plan::Plan;
use crate::validate::records::Executed;
use crate::validate::subject::Subject;
use crate::validate::{Baseline, Coverage, ValidateError, coverage, suite};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;
use std::time::Duration;

/// Lines of product code the triggering tests execute on the untouched project.
pub(super) async fn of_tests(subject: &Jvm, baseline: &Baseline) -> Result<Option<Coverage>, ValidateError> {
    let Some(jars) = jacoco(subject).await else { return Ok(None) };
    let any: &dyn Subject = subject;
    let copy = any.copy()?;
    let data = copy.tree.join("unidebug-coverage.exec");
    let mut plan = any.shown_plan(baseline);
    plan.args.push(format!("-javaagent:{}=destfile={data},append=true", jars[0]));
    let mut jvm = subject.suite(&copy);
    jvm.class_path.push(jars[0].clone());
    suite::run(&jvm, &plan, &mut Vec::new()).await?;
    if !data.is_file() {
        tracing::warn!("no coverage: the test process wrote no execution data");
        return Ok(None);
    }
    lines_of(subject, &jars[1..], &data).await.map(Some)
}

/// What is told of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::validate) enum Grain {
    /// Files with the numbers of executed lines.
    Lines,
    /// Names of classes of which something was executed.
    Classes,
}

/// Runs a plan and tells what each test executed.
pub(in crate::validate) async fn measured(
    subject: &Jvm,
    mut plan: Plan,
    grain: Grain,
) -> Result<Option<(crate::domain::TestReport, Executed)>, ValidateError> {
    let Some(jars) = jacoco(subject).await else { return Ok(None) };
    let copy = subject.copy()?;
    let mut libraries = subject.class_path.libraries.clone();
    libraries.extend(jars.iter().cloned());
    let harness = Harness::prepare(&subject.sandbox, &subject.jdk, &libraries, &jars::cache_dir()).await?;
    let product: Vec<&str> = subject.classes.iter().map(|folder| folder.as_str()).collect();
    plan.args.push(format!("-javaagent:{}=output=none", jars[0]));
    plan.args.push(format!("-Dunidebug.spectrum={}", product.join(":")));
    plan.args.push(format!("-Dunidebug.spectrum.classes={}", grain == Grain::Classes));
    let mut jvm = subject.suite(&copy);
    jvm.class_path.extend(jars);
    jvm.harness = &harness;
    let mut executed = Vec::new();
    let report = suite::run(&jvm, &plan, &mut executed).await?;
    Ok(Some((report, executed)))
}

/// The agent first, then what reads its data; `None` with a notice when they cannot be had.
async fn jacoco(subject: &Jvm) -> Option<Vec<Utf8PathBuf>> {
    match jars::find(Library::JaCoCo, &subject.sandbox).await {
        Ok(jars) => Some(jars),
        Err(missing) => {
            tracing::warn!("no coverage: {missing}; {}", missing.hint());
            None
        }
    }
}

async fn lines_of(subject: &Jvm, core: &[Utf8PathBuf], data: &Utf8Path) -> Result<Coverage, ValidateError> {
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
    let folders = SourceFolders::of(subject);
    Ok(coverage::parse(text.lines(), &mut BTreeMap::new(), &|name| folders.find(name)))
}

/// Finds the file of the checkout that a class file's package and source name mean.
pub(in crate::validate) struct SourceFolders {
    root: Utf8PathBuf,
    product: Vec<RepoPath>,
    tests: Vec<RepoPath>,
}

impl SourceFolders {
    pub(in crate::validate) fn of(subject: &Jvm) -> Self {
        let project = &subject.checkout.project;
        Self {
            root: subject.checkout.root.clone(),
            product: project.source_roots.clone(),
            tests: project.test_roots.clone(),
        }
    }

    pub(in crate::validate) fn find(&self, name: &str) -> Option<RepoPath> {
        let bare = name.rsplit('/').next().unwrap_or(name);
        // Folders do not always follow packages: then the file lies in the root itself.
        let candidates = self.product.iter().flat_map(|folder| [folder.join(name), folder.join(bare)]);
        let mut found = candidates.flatten().filter(|path| path.under(&self.root).is_file());
        found.find(|path| !self.tests.iter().any(|folder| path.is_within(folder)))
    }
}
