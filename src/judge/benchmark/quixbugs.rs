//! `quixbugs-java` and `quixbugs-python`: the 40 programs of QuixBugs (`jkoppel/QuixBugs`) in two languages, from a clone
//! the user has.
//!
//! A checkout holds one program with what it shares with others, its tests and what these need, under their paths in the
//! clone: one broken candidate must not break 39 others, and the class files that are checked in beside the Java sources
//! are stale. The repaired program becomes the oracle and is never written to the checkout.

mod flavour;

pub(super) use flavour::{JAVA, PYTHON};

use super::copy::io_error;
use super::nearest::unknown_bug;
use super::settings::Settings;
use super::{Benchmark, BenchmarkError, Checkout, Oracle, Summary};
use crate::domain::{BugId, RepoPath};
use camino::{Utf8Path, Utf8PathBuf};
use flavour::Flavour;
use std::fs;

const ROOT_VARIABLE: &str = "UNIDEBUG_QUIXBUGS_ROOT";
/// Folder of the Python programs, below each of which stands what it is to do.
const PYTHON_PROGRAMS: &str = "python_programs";
const DOCSTRING: &str = "\"\"\"";

/// The adapter.
pub(super) struct QuixBugs {
    flavour: &'static Flavour,
    root: Utf8PathBuf,
    settings: Settings,
}

impl QuixBugs {
    /// The clone at `--root` or `UNIDEBUG_QUIXBUGS_ROOT`, in one language.
    ///
    /// # Errors
    /// No root is given, or it is no clone of QuixBugs.
    pub(super) fn new(flavour: &'static Flavour, settings: &Settings) -> Result<Self, BenchmarkError> {
        let Some(root) = settings.root_or_env(ROOT_VARIABLE) else {
            return Err(BenchmarkError::Missing {
                what: format!("{} needs a clone of QuixBugs", flavour.name),
                hint: format!("clone jkoppel/QuixBugs from GitHub and pass it with `--root DIR` or `{ROOT_VARIABLE}`"),
            });
        };
        let wrong = |what: String| BenchmarkError::Root {
            what,
            path: root.clone(),
            hint: "pass the top folder of a clone of jkoppel/QuixBugs".into(),
        };
        if !root.is_dir() {
            return Err(wrong("the folder of QuixBugs does not exist".into()));
        }
        let folders = [flavour.buggy, flavour.correct, flavour.tests];
        if let Some(missing) = folders.into_iter().find(|folder| !root.join(folder).is_dir()) {
            return Err(wrong(format!("this is no clone of QuixBugs: it has no folder `{missing}`")));
        }
        Ok(Self { flavour, root, settings: settings.clone() })
    }

    fn known(&self, id: &BugId) -> Result<(), BenchmarkError> {
        let listed = self.list()?;
        if listed.contains(id) { Ok(()) } else { Err(unknown_bug(id, &listed)) }
    }

    /// The files of a checkout, by their path in the clone.
    fn files(&self, program: &str) -> Vec<String> {
        let flavour = self.flavour;
        let mut files = vec![flavour.program(flavour.buggy, program), (flavour.test)(program)];
        let support = flavour.shared.iter().map(|file| (*file).to_owned()).chain((flavour.data)(program));
        files.extend(support.filter(|file| self.root.join(file).is_file()));
        files
    }

    fn oracle(&self, program: &str) -> Result<Oracle, BenchmarkError> {
        let flavour = self.flavour;
        let path = self.root.join(flavour.program(flavour.correct, program));
        let bytes = fs::read(&path).map_err(|source| io_error("cannot read the repaired program", &path, source))?;
        let Ok(place) = RepoPath::new(&flavour.program(flavour.buggy, program)) else {
            return Ok(Oracle::default());
        };
        Ok(Oracle { files: vec![(place, (flavour.in_place)(&bytes))], canary: None })
    }
}

impl QuixBugs {
    /// What the program is to do. The collection says it once, below the Python program; who repairs that one sees it in
    /// the file.
    fn requirements(&self, name: &str) -> Option<String> {
        let file = self.root.join(PYTHON_PROGRAMS).join(format!("{}.py", name.to_lowercase()));
        let text = fs::read_to_string(file).ok().filter(|_| self.flavour.buggy != PYTHON_PROGRAMS)?;
        let docstring = text.rsplit(DOCSTRING).nth(1)?.trim();
        (!docstring.is_empty()).then(|| docstring.to_owned())
    }
}

#[async_trait::async_trait]
impl Benchmark for QuixBugs {
    fn name(&self) -> &'static str {
        self.flavour.name
    }

    /// Programs that have a repaired version and a test.
    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        let flavour = self.flavour;
        let folder = self.root.join(flavour.buggy);
        let failed = |source| io_error("cannot list the programs", &folder, source);
        let mut names = Vec::new();
        for entry in folder.read_dir_utf8().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Some(name) = entry.file_name().strip_suffix(flavour.extension) else { continue };
            let counterpart = self.root.join(flavour.correct).join(entry.file_name()).is_file();
            let test = self.root.join((flavour.test)(name)).is_file();
            let shared = flavour.shared.contains(&flavour.program(flavour.buggy, name).as_str());
            if counterpart && test && !shared {
                names.push(name.to_owned());
            }
        }
        if names.is_empty() {
            return Err(BenchmarkError::Root {
                what: "the folder of QuixBugs holds no program with a test and a repair".into(),
                path: folder,
                hint: "pass the top folder of a complete clone of jkoppel/QuixBugs".into(),
            });
        }
        names.sort();
        Ok(names.into_iter().map(|name| BugId { benchmark: self.name().into(), name }).collect())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        self.known(id)?;
        let title = format!("the program `{}` fails its tests", id.name.to_lowercase());
        Ok(Summary::new(id.clone(), title))
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        self.known(id)?;
        for file in self.files(&id.name) {
            let (from, target) = (self.root.join(&file), into.join(&file));
            let folder = target.parent().map_or(Ok(()), fs::create_dir_all);
            folder.map_err(|source| io_error("cannot make the folder of", &target, source))?;
            fs::copy(&from, &target).map_err(|source| io_error("cannot copy the file", &from, source))?;
        }
        let test = (self.flavour.test)(&id.name);
        let project = self.flavour.project(&self.settings).await?;
        Ok(Checkout {
            oracle: Some(self.oracle(&id.name)?),
            notes: vec![format!("one program of {} and its test, {test}", self.root)],
            requirements: self.requirements(&id.name),
            ..Checkout::new(id.clone(), into.to_owned(), self.flavour.language, project)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clone in small: one program with everything that must not come along.
    fn clone() -> (tempfile::TempDir, Settings) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
        let correct = "package correct_java_programs;\nimport java_programs.Node;\npublic class GCD { int a; }\n";
        for (path, text) in [
            ("java_programs/GCD.java", "package java_programs;\npublic class GCD {}\n"),
            ("java_programs/GCD.class", "stale"),
            ("java_programs/Node.java", "package java_programs;\npublic class Node {}\n"),
            ("java_programs/SQRT.java", "package java_programs;\npublic class SQRT {}\n"),
            ("correct_java_programs/GCD.java", correct),
            ("java_testcases/junit/GCD_TEST.java", "package java_testcases.junit;\npublic class GCD_TEST {}\n"),
            ("java_testcases/junit/QuixFixOracleHelper.java", "package java_testcases.junit;\n"),
            ("java_testcases/Main.java", "import com.google.gson.Gson;\n"),
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        (temp, Settings { root: Some(root), ..Settings::default() })
    }

    #[tokio::test]
    async fn a_checkout_holds_one_program_and_no_repair() {
        let (keep, settings) = clone();
        let described = "def gcd(a, b):\n    pass\n\n\"\"\"\nThe greatest common divisor\n\"\"\"\n";
        fs::create_dir_all(keep.path().join(PYTHON_PROGRAMS)).unwrap();
        fs::write(keep.path().join(PYTHON_PROGRAMS).join("gcd.py"), described).unwrap();
        let benchmark = QuixBugs::new(&JAVA, &settings).unwrap();
        let ids = benchmark.list().unwrap();
        assert_eq!(ids.iter().map(BugId::to_string).collect::<Vec<_>>(), ["quixbugs-java:GCD"]);
        let temp = tempfile::tempdir().unwrap();
        let into = Utf8Path::from_path(temp.path()).unwrap();
        let checkout = benchmark.checkout(&ids[0], into).await.unwrap();
        assert!(into.join("java_programs/GCD.java").is_file() && into.join("java_programs/Node.java").is_file());
        assert!(into.join("java_testcases/junit/QuixFixOracleHelper.java").is_file());
        for absent in
            ["java_programs/GCD.class", "java_programs/SQRT.java", "correct_java_programs", "java_testcases/Main.java"]
        {
            assert!(!into.join(absent).exists(), "{absent} was copied");
        }
        assert_eq!(checkout.requirements.as_deref(), Some("The greatest common divisor"));
        let (path, bytes) = &checkout.oracle.unwrap().files[0];
        assert_eq!(path.as_str(), "java_programs/GCD.java");
        assert_eq!(String::from_utf8_lossy(bytes), "package java_programs;\npublic class GCD { int a; }\n");
    }

    #[tokio::test]
    async fn an_unknown_program_proposes_the_nearest() {
        let (_keep, settings) = clone();
        let benchmark = QuixBugs::new(&JAVA, &settings).unwrap();
        let error = benchmark.describe(&"quixbugs-java:gdc".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "no bug `quixbugs-java:gdc`; nearest: quixbugs-java:GCD");
    }

    #[test]
    fn a_folder_that_is_no_clone_is_refused() {
        let empty = tempfile::tempdir().unwrap();
        for (root, wanted) in
            [(empty.path().to_str().unwrap(), "no folder `java_programs`"), ("/none", "does not exist")]
        {
            let settings = Settings { root: Some(root.into()), ..Settings::default() };
            let Err(error) = QuixBugs::new(&JAVA, &settings) else { panic!("{root} was taken for a clone") };
            assert!(error.to_string().contains(wanted) && error.hint().contains("jkoppel/QuixBugs"), "{error}");
        }
    }
}
