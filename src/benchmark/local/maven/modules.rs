//! The modules of a Maven project, and which of them the bug is in.

use crate::benchmark::BenchmarkError;
use crate::benchmark::copy::io_error;
use crate::benchmark::nearest::nearest;
use crate::benchmark::xml::Element;
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// A reactor of more modules than this is not read further.
const MAX_MODULES: usize = 500;

/// Larger poms are no poms.
const MAX_POM_BYTES: usize = 8 << 20;

/// Where surefire leaves its reports.
const REPORTS: &str = "target/surefire-reports";

/// A module as its own pom describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Module {
    /// Its folder in the project.
    pub folder: RepoPath,
    /// Its artifact id.
    pub artifact: String,
    /// Its folder of tests, whether it exists or not.
    tests: RepoPath,
}

impl Module {
    /// Its name for people.
    pub(super) fn label(&self) -> &str {
        if self.folder.as_str().is_empty() { &self.artifact } else { self.folder.as_str() }
    }

    /// Names of its test files, relative to its folder of tests.
    fn test_files(&self, root: &Utf8Path) -> Vec<Utf8PathBuf> {
        let folder = self.tests.under(root);
        let walk = ignore::WalkBuilder::new(&folder).standard_filters(false).build();
        walk.flatten()
            .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
            .filter(|path| path.extension() == Some("java"))
            .filter_map(|path| path.strip_prefix(&folder).ok().map(Utf8Path::to_owned))
            .collect()
    }
}

/// What is known before Maven ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// The module is known.
    One(Module),
    /// Several have tests: they are run to see which fails.
    RunAll,
}

/// The module at `root` and, below it, all that the poms list, parents first.
///
/// # Errors
/// The pom at the root cannot be read or is no pom.
pub(super) fn read(root: &Utf8Path) -> Result<Vec<Module>, BenchmarkError> {
    let mut found: Vec<Module> = Vec::new();
    let mut open = vec![RepoPath::default()];
    while let Some(folder) = open.pop() {
        let path = folder.under(root).join("pom.xml");
        let bytes = match fs::read(&path) {
            Ok(bytes) if bytes.len() <= MAX_POM_BYTES => bytes,
            Ok(_) => continue,
            Err(source) if found.is_empty() => return Err(io_error("cannot read the pom", &path, source)),
            Err(_) => continue,
        };
        let document = Element::parse(&String::from_utf8_lossy(&bytes));
        let Some((pom, artifact)) =
            document.child("project").and_then(|pom| Some((pom, pom.child_text("artifactId")?.to_owned())))
        else {
            if found.is_empty() {
                return Err(not_a_pom(path));
            }
            continue;
        };
        let listed = pom.child("modules").into_iter().flat_map(|modules| modules.all("module"));
        let below: Vec<_> = listed.filter_map(|module| folder.join(module.text()?).ok()).collect();
        open.extend(below.into_iter().rev());
        let said = pom.child("build").and_then(|build| build.child_text("testSourceDirectory"));
        let tests = said.filter(|text| !text.contains("${")).unwrap_or("src/test/java");
        let tests = folder.join(tests).unwrap_or_default();
        let module = Module { folder, artifact, tests };
        if found.len() < MAX_MODULES && !found.contains(&module) {
            found.push(module);
        }
    }
    Ok(found)
}

fn not_a_pom(path: Utf8PathBuf) -> BenchmarkError {
    BenchmarkError::Root {
        what: "the pom names no project".into(),
        path,
        hint: "see what `mvn validate` says in the project".into(),
    }
}

/// The module of the bug: the one that was said, the one that holds the failing test, or the only one with tests.
///
/// # Errors
/// No such module, no module holds the failing test, or none has tests.
pub(super) fn choose(
    root: &Utf8Path,
    all: &[Module],
    said: Option<&RepoPath>,
    failing: &[String],
) -> Result<Choice, BenchmarkError> {
    let refuse = |what: String, hint: String| BenchmarkError::Root { what, path: root.to_owned(), hint };
    if let Some(said) = said {
        let known = all.iter().map(Module::label);
        return all.iter().find(|module| module.folder == *said).cloned().map(Choice::One).ok_or_else(|| {
            refuse(format!("no module `{said}`"), format!("modules: {}", nearest(said.as_str(), known, 6).join(", ")))
        });
    }
    let mut tested: Vec<&Module> = all.iter().filter(|module| !module.test_files(root).is_empty()).collect();
    if tested.is_empty() {
        let hint = "the folder of tests is src/test/java unless the pom says another".into();
        return Err(refuse(format!("none of {} modules has a test", all.len()), hint));
    }
    if tested.len() > 1 && !failing.is_empty() {
        let holds = |module: &&Module| {
            let files = module.test_files(root);
            failing.iter().any(|test| files.iter().any(|file| is_file_of(file, test)))
        };
        tested.retain(holds);
        if tested.is_empty() {
            let hint = "`--failing` takes CLASS or CLASS#METHOD, with or without the package".into();
            return Err(refuse(format!("no module holds the test {}", failing.join(", ")), hint));
        }
        tested.truncate(1);
    }
    match tested.as_slice() {
        [only] => Ok(Choice::One((*only).clone())),
        _ => Ok(Choice::RunAll),
    }
}

/// Whether a file, relative to its root, is the source of a test's class.
fn is_file_of(file: &Utf8Path, test: &str) -> bool {
    let class = test.split(['#', ':', '$']).next().unwrap_or(test);
    let path = Utf8PathBuf::from(class.replace('.', "/")).with_extension("java");
    file.ends_with(&path)
}

/// The first module whose tests failed when all ran, or never ended. `left_out` is why others were not compiled.
///
/// # Errors
/// None failed.
pub(super) fn first_that_fails(
    root: &Utf8Path,
    all: &[Module],
    left_out: Option<&str>,
) -> Result<Module, BenchmarkError> {
    let tested = || all.iter().filter(|module| !module.test_files(root).is_empty());
    // A module that does not compile has no class path, and no tests that could fail by running.
    let ran = |module: &&Module| module.folder.under(root).join(super::invoke::CLASS_PATH).is_file();
    let failed = tested().filter(ran).find(|module| reports_failure(&module.folder.under(root).join(REPORTS)));
    let others: Vec<&str> = tested().filter(|module| !ran(module)).map(Module::label).collect();
    failed.cloned().ok_or_else(|| match left_out.filter(|_| !others.is_empty()) {
        None => BenchmarkError::Root {
            what: format!("nothing to repair: the tests of all {} modules with tests pass", tested().count()),
            path: root.to_owned(),
            hint: "name a failing test with `--failing CLASS#METHOD`".into(),
        },
        Some(why) => BenchmarkError::Root {
            what: format!("no test fails in the modules that compile; {} do not: {why}", others.join(", ")),
            path: root.to_owned(),
            hint: "see what `mvn test` says of them, or use `--build` and `--test`".into(),
        },
    })
}

/// Whether reports tell of a failure. A module without any report was cut by its deadline.
fn reports_failure(folder: &Utf8Path) -> bool {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let mut reports =
        entries.filter(|e| e.file_name().starts_with("TEST-") && e.file_name().ends_with(".xml")).peekable();
    let fails = |path: &Utf8Path| {
        let text = fs::read(path).unwrap_or_default();
        let document = Element::parse(&String::from_utf8_lossy(&text));
        let count = |name| document.child("testsuite").and_then(|suite| suite.attribute(name)?.parse::<u64>().ok());
        count("failures").unwrap_or(0) + count("errors").unwrap_or(0) > 0
    };
    reports.peek().is_none() || reports.any(|report| fails(report.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
        for (path, text) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        (temp, root)
    }

    fn two_modules() -> (tempfile::TempDir, Utf8PathBuf) {
        let top = "<project><artifactId>top</artifactId><modules><module>core</module><module>../out</module>\
                   <module>app</module><module>gone</module></modules></project>";
        let part = |name: &str| format!("<project><parent/><artifactId>{name}</artifactId></project>");
        project(&[
            ("pom.xml", top),
            ("core/pom.xml", &part("core")),
            ("core/src/test/java/a/CoreTest.java", ""),
            ("app/pom.xml", &part("app")),
            ("app/src/test/java/a/b/AppTest.java", ""),
        ])
    }

    #[test]
    fn modules_are_read_from_the_poms_and_stay_inside() {
        let (_keep, root) = two_modules();
        let labels: Vec<_> = read(&root).unwrap().iter().map(|m| m.label().to_owned()).collect();
        assert_eq!(labels, ["top", "core", "app"]);
    }

    #[test]
    fn the_failing_test_chooses_the_module() {
        let (_keep, root) = two_modules();
        let all = read(&root).unwrap();
        assert_eq!(choose(&root, &all, None, &[]).unwrap(), Choice::RunAll);
        for name in ["AppTest", "a.b.AppTest#works", "a.b.AppTest$Inner"] {
            let chosen = choose(&root, &all, None, &[name.to_owned()]).unwrap();
            assert_eq!(chosen, Choice::One(all[2].clone()), "{name}");
        }
        assert!(choose(&root, &all, None, &["a.AppTest".into()]).is_err());
        let said = RepoPath::new("cor").unwrap();
        assert!(choose(&root, &all, Some(&said), &[]).unwrap_err().hint().contains("core"));
    }

    #[test]
    fn the_reports_tell_which_module_fails() {
        let (_keep, root) = two_modules();
        let all = read(&root).unwrap();
        let report = |module: &str, failures: u32| {
            let folder = root.join(module).join(REPORTS);
            fs::create_dir_all(&folder).unwrap();
            let text = format!("<testsuite tests=\"3\" errors=\"0\" failures=\"{failures}\"/>");
            fs::write(folder.join("TEST-x.xml"), text).unwrap();
            let class_path = root.join(module).join(super::super::invoke::CLASS_PATH);
            fs::create_dir_all(class_path.parent().unwrap()).unwrap();
            fs::write(class_path, "").unwrap();
        };
        report("core", 0);
        report("app", 0);
        assert!(first_that_fails(&root, &all, None).unwrap_err().to_string().contains("nothing to repair"));
        report("app", 1);
        assert_eq!(first_that_fails(&root, &all, None).unwrap().label(), "app");
        fs::remove_file(root.join("app").join(super::super::invoke::CLASS_PATH)).unwrap();
        let said = first_that_fails(&root, &all, Some("no antlr")).unwrap_err().to_string();
        assert!(said.contains("app do not: no antlr"), "{said}");
    }

    #[test]
    fn what_is_no_pom_is_refused() {
        let (_keep, root) = project(&[("pom.xml", "<html/>")]);
        assert!(read(&root).unwrap_err().to_string().contains("names no project"));
    }
}
