//! What differs between the languages of QuixBugs: folders, names, and how a program is tested.

use crate::benchmark::jars::Library;
use crate::benchmark::settings::Settings;
use crate::benchmark::{BenchmarkError, Project, Runner};
use crate::domain::RepoPath;

/// The programs in one language.
pub(in crate::benchmark) struct Flavour {
    /// Name of the benchmark.
    pub(super) name: &'static str,
    pub(super) language: &'static str,
    /// End of a program's file name.
    pub(super) extension: &'static str,
    /// Folder of the buggy programs.
    pub(super) buggy: &'static str,
    /// Folder of the repaired ones, which no agent may see.
    pub(super) correct: &'static str,
    /// Folder of the tests.
    pub(super) tests: &'static str,
    /// Files that belong to several programs, where they are.
    pub(super) shared: &'static [&'static str],
    /// The file of a program's tests.
    pub(super) test: fn(&str) -> String,
    /// The file of a program's test data, which some have.
    pub(super) data: fn(&str) -> Option<String>,
    /// The repaired program as it would stand in the place of the buggy one.
    pub(super) in_place: fn(&[u8]) -> Vec<u8>,
    library: Option<Library>,
    runner: Runner,
}

/// `quixbugs-java`, tested with JUnit 4. Compiled classes of another time lie beside the sources of the clone.
pub(in crate::benchmark) static JAVA: Flavour = Flavour {
    name: "quixbugs-java",
    language: "java",
    extension: ".java",
    buggy: "java_programs",
    correct: "correct_java_programs",
    tests: "java_testcases",
    shared: &[
        "java_programs/Node.java",
        "java_programs/WeightedEdge.java",
        "java_testcases/junit/QuixFixOracleHelper.java",
    ],
    test: |program| format!("java_testcases/junit/{program}_TEST.java"),
    data: |_| None,
    in_place: into_buggy_package,
    library: Some(Library::JUnit4),
    runner: Runner::Jvm,
};

/// `quixbugs-python`, tested with pytest. Without the option `--correct` the tests import the buggy program.
pub(in crate::benchmark) static PYTHON: Flavour = Flavour {
    name: "quixbugs-python",
    language: "python",
    extension: ".py",
    buggy: "python_programs",
    correct: "correct_python_programs",
    tests: "python_testcases",
    shared: &[
        "conftest.py",
        "python_programs/node.py",
        "python_testcases/node.py",
        "python_testcases/load_testdata.py",
    ],
    test: |program| format!("python_testcases/test_{program}.py"),
    data: |program| Some(format!("json_testcases/{program}.json")),
    in_place: <[u8]>::to_vec,
    library: None,
    runner: Runner::Pytest,
};

impl Flavour {
    /// A program's file in a folder.
    pub(super) fn program(&self, folder: &str, program: &str) -> String {
        format!("{folder}/{program}{}", self.extension)
    }

    /// How a checkout is built and tested.
    pub(super) async fn project(&self, settings: &Settings) -> Result<Project, BenchmarkError> {
        let roots = |folder: &str| RepoPath::new(folder).into_iter().collect::<Vec<_>>();
        let class_path = match self.library {
            Some(library) => settings.library(library).await?,
            None => Vec::new(),
        };
        Ok(Project {
            source_roots: roots(self.buggy),
            test_roots: roots(self.tests),
            encoding: "UTF-8".into(),
            class_path,
            runner: self.runner.clone(),
            ..Project::default()
        })
    }
}

/// The repaired program as it would stand in the buggy package: the package line is renamed, and imports from that
/// package go, because a class needs none for its own.
fn into_buggy_package(bytes: &[u8]) -> Vec<u8> {
    let own_import = format!("import {}.", JAVA.buggy);
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii_start().starts_with(own_import.as_bytes()) {
            continue;
        }
        match line.strip_prefix(format!("package {}", JAVA.correct).as_bytes()) {
            Some(rest) => {
                out.extend_from_slice(format!("package {}", JAVA.buggy).as_bytes());
                out.extend_from_slice(rest);
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}
