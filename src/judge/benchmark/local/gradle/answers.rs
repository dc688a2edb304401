//! What the init script writes: JSON whose names are those of the script.

use crate::benchmark::BenchmarkError;
use crate::benchmark::copy::io_error;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The whole build, described before anything is compiled.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Build {
    /// The version of Gradle.
    pub gradle: String,
    /// The JDK that runs it.
    pub jdk: Utf8PathBuf,
    /// Modules in Java, in Gradle's order.
    pub modules: Vec<ModuleAnswer>,
}

/// A module in Java.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModuleAnswer {
    pub name: String,
    pub folder: Utf8PathBuf,
    pub build_dir: Utf8PathBuf,
    pub sets: Vec<SourceSet>,
    /// The path of its test task, where it has one.
    pub test: Option<String>,
}

/// Sources that are compiled together.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct SourceSet {
    pub name: String,
    pub sources: Vec<Utf8PathBuf>,
    /// Folders of classes and of resources.
    pub output: Vec<Utf8PathBuf>,
    pub jar: Option<Utf8PathBuf>,
}

/// A module that was compiled.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Compiled {
    pub compiler: Option<CompilerAnswer>,
    pub tests: TestsAnswer,
}

/// How Java is compiled.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompilerAnswer {
    pub class_path: Vec<Utf8PathBuf>,
    pub encoding: Option<String>,
    pub release: Option<String>,
    pub source: Option<String>,
    pub target: Option<String>,
    pub arguments: Vec<String>,
    pub processors: Vec<Utf8PathBuf>,
}

/// How tests are run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestsAnswer {
    pub class_path: Vec<Utf8PathBuf>,
    /// Folders of test classes.
    pub classes: Vec<Utf8PathBuf>,
    /// The class of its options, which names the framework.
    pub framework: String,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub tags: Vec<String>,
    pub not_tags: Vec<String>,
    pub categories: Vec<String>,
    pub filters: Vec<String>,
    pub arguments: Vec<String>,
    /// Arguments that a plug-in gives when the tests start.
    pub provided: Vec<String>,
    pub properties: BTreeMap<String, Option<String>>,
    pub heap: Option<String>,
    pub assertions: bool,
    pub encoding: Option<String>,
    /// Where they run.
    pub folder: Utf8PathBuf,
    pub jdk: Option<Utf8PathBuf>,
}

/// The folder in which the script leaves its answers.
#[derive(Debug)]
pub(super) struct Answers {
    folder: tempfile::TempDir,
}

impl Answers {
    pub(super) fn new() -> Result<Self, BenchmarkError> {
        let made = tempfile::Builder::new().prefix("unidebug-gradle-").tempdir();
        let folder =
            made.map_err(|source| io_error("cannot make a folder for answers", &Utf8PathBuf::from("/tmp"), source))?;
        Ok(Self { folder })
    }

    pub(super) fn folder(&self) -> Result<Utf8PathBuf, BenchmarkError> {
        let folder = Utf8Path::from_path(self.folder.path()).unwrap_or(Utf8Path::new("."));
        folder.canonicalize_utf8().map_err(|source| io_error("cannot find the folder for answers", folder, source))
    }

    /// The build; `None` when Gradle did not come so far.
    pub(super) fn build(&self) -> Option<Build> {
        self.read("modules.json")
    }

    /// A module by its place among all; `None` when it was not compiled.
    pub(super) fn compiled(&self, nth: usize) -> Option<Compiled> {
        self.read(&format!("module-{nth}.json"))
    }

    /// The results of a module's tests, as JUnit XML.
    pub(super) fn results(&self, nth: usize) -> Vec<u8> {
        std::fs::read(self.folder.path().join(format!("results-{nth}.xml"))).unwrap_or_default()
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = std::fs::read(self.folder.path().join(name)).ok()?;
        let read = serde_json::from_slice(&bytes);
        read.map_err(|error| tracing::warn!("Gradle's answer {name} cannot be read: {error}")).ok()
    }
}
