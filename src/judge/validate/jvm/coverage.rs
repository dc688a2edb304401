//! Lines that tests execute, by JaCoCo's agent in one JVM.

use super::Harness;
use super::subject::Jvm;
use crate::benchmark::jars::{self, Library};
use crate::domain::RepoPath;
use crate::validate::plan::Plan;
use crate::validate::records::Executed;
use crate::validate::subject::Copy;
use crate::validate::{ValidateError, suite};
use camino::Utf8PathBuf;

/// Runs a plan in a copy and tells what each test executed.
pub(super) async fn measured(
    subject: &Jvm,
    copy: &Copy,
    mut plan: Plan,
) -> Result<Option<(crate::domain::TestReport, Executed)>, ValidateError> {
    let Some(jars) = jacoco(subject).await else { return Ok(None) };
    let harness = harness(subject, &jars).await?;
    // What the patch made of a class counts, not what it was.
    let product = std::iter::once(&copy.build.overlay).chain(subject.folders.all());
    let product: Vec<&str> = product.map(|folder| folder.as_str()).collect();
    plan.args.push(format!("-javaagent:{}=output=none", jars[0]));
    plan.args.push(format!("-Dunidebug.spectrum={}", product.join(":")));
    let read: Vec<&str> = jars.iter().map(|jar| jar.as_str()).collect();
    plan.args.push(format!("-Dunidebug.spectrum.libraries={}", read.join(":")));
    let mut jvm = subject.suite(copy)?;
    // Projects that measure their own coverage may have another version of the agent, and the first one found counts.
    jvm.class_path.insert(0, jars[0].clone());
    jvm.class_path.extend(jars);
    jvm.harness = &harness;
    let mut executed = Vec::new();
    let report = suite::run(&jvm, &plan, &mut executed).await?;
    Ok(Some((report, executed)))
}

/// Our runner, made with JaCoCo's libraries: they go first, for the project may have others of the same names.
pub(super) async fn harness(subject: &Jvm, jars: &[Utf8PathBuf]) -> Result<Harness, ValidateError> {
    let libraries: Vec<Utf8PathBuf> = jars.iter().chain(&subject.class_path.libraries).cloned().collect();
    let tests = &subject.checkout.project.tests;
    Harness::prepare(&subject.sandbox, &subject.jdk, (tests, &libraries), &jars::cache_dir()).await
}

/// The agent first, then what reads its data; `None` with a notice when they cannot be had.
pub(super) async fn jacoco(subject: &Jvm) -> Option<Vec<Utf8PathBuf>> {
    match jars::find(Library::JaCoCo, &subject.sandbox, &subject.options.watcher).await {
        Ok(jars) => Some(jars),
        Err(missing) => {
            tracing::warn!("no coverage: {missing}; {}", missing.hint());
            None
        }
    }
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
