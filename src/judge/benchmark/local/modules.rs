//! The modules of a project, whatever builds them, and which of them the bug is in.

use crate::benchmark::jdk;
use crate::benchmark::nearest::nearest;
use crate::benchmark::xml::Element;
use crate::benchmark::{BenchmarkError, History};
use crate::domain::RepoPath;
use crate::domain::words::counted;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// Languages of tests on the JVM, by the ends of their files.
const LANGUAGES: &[&str] = &["java", "groovy", "kt"];
/// Commits that tell which module was changed last.
const COMMITS: usize = 20;
/// Changes that tell where the bug is likely before any test runs: what is not committed yet, and the newest commits.
const NEWEST: usize = 4;

/// A module of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Module {
    /// Its folder in the project.
    pub folder: RepoPath,
    /// Its name in the build.
    pub name: String,
    /// Its folders of tests, whether they exist or not.
    pub tests: Vec<RepoPath>,
}

impl Module {
    /// Its name for people.
    pub(super) fn label(&self) -> &str {
        if self.folder.as_str().is_empty() { &self.name } else { self.folder.as_str() }
    }

    /// Names of its test files, relative to its folders of tests.
    pub(super) fn test_files(&self, root: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut files = Vec::new();
        for folder in self.tests.iter().map(|folder| folder.under(root)) {
            let walk = ignore::WalkBuilder::new(&folder).standard_filters(false).build();
            let all = walk.flatten().filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
            let all = all.filter(|path| path.extension().is_some_and(|end| LANGUAGES.contains(&end)));
            files.extend(all.filter_map(|path| path.strip_prefix(&folder).ok().map(Utf8Path::to_owned)));
        }
        files
    }
}

/// What is known before the build tool ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// The module is known.
    One(Module),
    /// Several have tests: they are run to see which fails.
    RunAll,
}

/// The module of the bug: the one that was named, the one that holds the failing test, or the only one with tests.
///
/// # Errors
/// No such module, no module holds the failing test, or none has tests.
pub(super) fn choose(
    root: &Utf8Path,
    all: &[Module],
    named: Option<&RepoPath>,
    failing: &[String],
) -> Result<Choice, BenchmarkError> {
    let refuse = |what: String, hint: String| BenchmarkError::Root { what, path: root.to_owned(), hint };
    if let Some(named) = named {
        let known = all.iter().map(Module::label);
        return all.iter().find(|module| module.folder == *named).cloned().map(Choice::One).ok_or_else(|| {
            refuse(format!("no module `{named}`"), format!("modules: {}", nearest(named.as_str(), known, 6).join(", ")))
        });
    }
    let mut tested: Vec<&Module> = all.iter().filter(|module| !module.test_files(root).is_empty()).collect();
    if tested.is_empty() {
        let hint = "tests are looked for in src/test/java unless the build says another".into();
        return Err(refuse(format!("no test was found in {}", counted(all.len() as u64, "module")), hint));
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

/// The folder of the module that the bug of a user's project is likely in: one whose tests failed in the user's last run,
/// as its `reports` below the module say, of several the one that was changed last; where none failed, the one that was
/// changed last. `None` where fewer than two modules have tests, or nothing tells.
pub(super) fn likeliest(
    folder: &Utf8Path,
    all: &[Module],
    reports: &str,
    changes: &[Vec<RepoPath>],
) -> Option<RepoPath> {
    let tested: Vec<&Module> = all.iter().filter(|module| !module.test_files(folder).is_empty()).collect();
    if tested.len() < 2 {
        return None;
    }
    let failed = |module: &&&Module| {
        let reports = module.folder.under(folder).join(reports);
        reports.is_dir() && ModuleOutcome::by_reports(&reports) != ModuleOutcome::Passed
    };
    let failed: Vec<&Module> = tested.iter().filter(failed).copied().collect();
    // A change of all modules, as the first commit of a copy, tells of none.
    let tells_of_all = |change: &Vec<RepoPath>| {
        tested.iter().all(|module| changed_last(&[module], all, std::slice::from_ref(change)).is_some())
    };
    let newest: Vec<Vec<RepoPath>> =
        changes.iter().take(NEWEST).filter(|change| !tells_of_all(change)).cloned().collect();
    let chosen = match failed.as_slice() {
        [] => *tested.get(changed_last(&tested, all, &newest)?)?,
        some => *some.get(changed_last(some, all, changes).unwrap_or(0))?,
    };
    Some(chosen.folder.clone())
}

/// What a build tool does for the set-up, for people.
pub(super) fn building(tool: &str, is_tested: bool) -> String {
    let tests = if is_tested { ", and running the tests of all modules to see which fail" } else { "" };
    format!("compiling with {tool}{tests}")
}

/// Whether a file, relative to its root, is the source of a test's class.
fn is_file_of(file: &Utf8Path, test: &str) -> bool {
    let class = test.split(['#', ':', '$']).next().unwrap_or(test);
    file.with_extension("").ends_with(class.replace('.', "/"))
}

/// The changes of a project by its history, the newest first, each by its files: what is not committed yet, then the
/// newest commits. Nothing where no history tells.
pub(super) async fn last_changes(history: Option<&History>) -> Vec<Vec<RepoPath>> {
    let Some(history) = history else { return Vec::new() };
    let mut changes = vec![history.uncommitted().await.unwrap_or_default()];
    changes[0].retain(super::hints::is_written);
    changes.extend(history.newest(COMMITS).await.unwrap_or_default().into_iter().map(|(_, files)| files));
    changes
}

/// The place of the module that was changed last among some of a project's, by its `changes`; `None` where no change is in
/// any of them. A module that always fails, for it asks a network, comes before that of the bug in many projects.
pub(super) fn changed_last(some: &[&Module], all: &[Module], changes: &[Vec<RepoPath>]) -> Option<usize> {
    let owner = |file: &RepoPath| {
        all.iter().filter(|module| file.is_within(&module.folder)).max_by_key(|module| module.folder.as_str().len())
    };
    let files = changes.iter().flatten().filter(|file| !file.is_for_people());
    files.filter_map(owner).find_map(|owner| some.iter().position(|module| *module == owner))
}

/// What is known of a module's tests after those of all modules ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModuleOutcome {
    /// All that ended passed.
    Passed,
    /// Some failed.
    Failed,
    /// They were cut, or left no report.
    Silent,
}

/// The module whose tests failed when all ran, and the others like it; where none failed, one that is silent. Of several
/// the one that was changed last. `ran` tells it of the modules that were compiled, and `left_out` why others were not;
/// `command` is what developers type.
///
/// # Errors
/// None failed.
pub(super) fn those_that_fail(
    root: &Utf8Path,
    (all, changes): (&[Module], &[Vec<RepoPath>]),
    ran: impl Fn(&Module) -> Option<ModuleOutcome>,
    left_out: Option<&str>,
    command: &str,
) -> Result<(Module, Vec<Module>), BenchmarkError> {
    let tested = all.iter().filter(|module| !module.test_files(root).is_empty());
    let tested: Vec<(&Module, Option<ModuleOutcome>)> = tested.map(|module| (module, ran(module))).collect();
    let with = |wanted: Option<ModuleOutcome>| -> Vec<&Module> {
        tested.iter().filter(|(_, outcome)| *outcome == wanted).map(|(module, _)| *module).collect()
    };
    let (mut failed, silent) = (with(Some(ModuleOutcome::Failed)), with(Some(ModuleOutcome::Silent)));
    if !failed.is_empty() {
        let chosen = failed.remove(changed_last(&failed, all, changes).unwrap_or(0));
        return Ok((chosen.clone(), failed.into_iter().cloned().collect()));
    }
    if let Some(chosen) = silent.get(changed_last(&silent, all, changes).unwrap_or(0)) {
        return Ok(((*chosen).clone(), Vec::new()));
    }
    let others: Vec<&str> = with(None).into_iter().map(Module::label).collect();
    Err(match left_out.filter(|_| !others.is_empty()) {
        None => BenchmarkError::Root {
            what: format!("nothing to repair: the tests of all {} modules with tests pass", tested.len()),
            path: root.to_owned(),
            hint: "name a failing test with `--failing CLASS#METHOD`".into(),
        },
        Some(why) => BenchmarkError::Root {
            what: match others.len() == tested.len() {
                true => format!("none of the {} modules with tests compiles ({why})", tested.len()),
                false => format!(
                    "no test fails in the modules that compile; left out, because they do not: {} ({why})",
                    others.join(", ")
                ),
            },
            path: root.to_owned(),
            hint: jdk::refused_level(why).map_or_else(
                || format!("see what `{command}` says of them, or use `--build` and `--test`"),
                str::to_owned,
            ),
        },
    })
}

/// Tells a user, whose project is in `original`, of the modules that fail and are not worked on.
pub(super) fn tell_of(others: &[Module], original: &Utf8Path, notes: &mut Vec<String>) {
    if !others.is_empty() {
        let folders: Vec<String> = others.iter().map(|module| module.folder.under(original).to_string()).collect();
        let folders = folders.join(", ");
        notes.push(format!("tests fail in other modules too; to work on another, run it on that folder: {folders}"));
    }
}

/// The notice about the module that is worked on.
pub(super) fn note(root: &Utf8Path, all: &[Module], module: &Module) -> String {
    let tested = all.iter().filter(|module| !module.test_files(root).is_empty()).count();
    format!("module {}, 1 of {tested} with tests", module.label())
}

impl ModuleOutcome {
    /// By the reports of surefire in a folder: those in XML, and those for people where a project turns the others off.
    pub(super) fn by_reports(folder: &Utf8Path) -> Self {
        let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
        let is_report = |name: &str| {
            name.starts_with("TEST-") && name.ends_with(".xml")
                || name.ends_with(".txt") && !name.ends_with("-output.txt")
        };
        let reports: Vec<_> = entries.filter(|entry| is_report(entry.file_name())).collect();
        let fails = |path: &Utf8Path| {
            let text = fs::read(path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            if path.extension() == Some("txt") { summary_fails(&text) } else { suite_fails(&text) }
        };
        match reports.is_empty() {
            true => Self::Silent,
            false if reports.iter().any(|report| fails(report.path())) => Self::Failed,
            false => Self::Passed,
        }
    }
}

fn suite_fails(xml: &str) -> bool {
    let document = Element::parse(xml);
    let count = |name| document.child("testsuite").and_then(|suite| suite.attribute(name)?.parse::<u64>().ok());
    count("failures").unwrap_or(0) + count("errors").unwrap_or(0) > 0
}

/// Whether a report for people counts failures: `Tests run: 7, Failures: 1, Errors: 0`.
fn summary_fails(text: &str) -> bool {
    let mut counts = text.lines().filter(|line| line.starts_with("Tests run: "));
    let above_zero = |line: &str, word: &str| line.split_once(word).is_some_and(|(_, rest)| !rest.starts_with("0,"));
    counts.any(|line| ["Failures: ", "Errors: "].iter().any(|word| above_zero(line, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::benchmark::testing::project;

    fn two_modules() -> (tempfile::TempDir, Utf8PathBuf, Vec<Module>) {
        let (keep, root) =
            project(&[("core/src/test/java/a/CoreTest.java", ""), ("app/src/test/java/a/b/AppTest.java", "")]);
        let path = |text: &str| RepoPath::new(text).unwrap();
        let module = |name: &str| Module {
            folder: path(name),
            name: name.into(),
            tests: vec![path(&format!("{name}/src/test/java"))],
        };
        let top = Module { folder: RepoPath::default(), name: "top".into(), tests: vec![path("src/test/java")] };
        (keep, root, vec![top, module("core"), module("app")])
    }

    #[test]
    fn reports_and_changes_tell_the_likeliest_module() {
        let (_keep, root, all) = two_modules();
        let path = |text: &str| RepoPath::new(text).unwrap();
        let in_core = vec![path("pom.xml"), path("core/README.md"), path("core/src/main/java/a/Core.java")];
        let found =
            |changes: &[Vec<RepoPath>]| likeliest(&root, &all, "reports", changes).map(|found| found.to_string());
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[vec![], vec![path("pom.xml")], in_core.clone()]).as_deref(), Some("core"));
        let older = vec![vec![path("README.md")]; NEWEST];
        assert_eq!(found(&[older, vec![in_core.clone()]].concat()), None, "too old to tell");
        let in_both = [in_core.clone(), vec![path("app/src/main/java/a/b/App.java")]].concat();
        assert_eq!(found(&[vec![], in_both.clone()]), None, "a change of all tells of none");
        assert_eq!(found(&[vec![], in_both, in_core.clone()]).as_deref(), Some("core"));
        let reports = root.join("app/reports");
        fs::create_dir_all(&reports).unwrap();
        fs::write(reports.join("TEST-a.xml"), "<testsuite failures=\"1\" errors=\"0\"/>").unwrap();
        assert_eq!(found(&[in_core]).as_deref(), Some("app"), "what failed says more than what was changed");
    }

    #[test]
    fn the_failing_test_chooses_the_module() {
        let (_keep, root, all) = two_modules();
        assert_eq!(choose(&root, &all, None, &[]).unwrap(), Choice::RunAll);
        for name in ["AppTest", "a.b.AppTest#works", "a.b.AppTest$Inner"] {
            let chosen = choose(&root, &all, None, &[name.to_owned()]).unwrap();
            assert_eq!(chosen, Choice::One(all[2].clone()), "{name}");
        }
        assert!(choose(&root, &all, None, &["a.AppTest".into()]).is_err());
        let named = RepoPath::new("cor").unwrap();
        assert!(choose(&root, &all, Some(&named), &[]).unwrap_err().hint().contains("core"));
    }

    #[test]
    fn the_reports_tell_which_module_fails() {
        let (_keep, root, all) = two_modules();
        let reports = |module: &Module| module.folder.under(&root).join("reports");
        let report = |module: &Module, failures: u32| {
            fs::create_dir_all(reports(module)).unwrap();
            let text = format!("<testsuite tests=\"3\" errors=\"0\" failures=\"{failures}\"/>");
            fs::write(reports(module).join("TEST-x.xml"), text).unwrap();
        };
        let failing_of = |ran: &dyn Fn(&Module) -> bool, changes: &[Vec<RepoPath>], left_out| {
            let ran = |module: &Module| ran(module).then(|| ModuleOutcome::by_reports(&reports(module)));
            those_that_fail(&root, (&all, changes), ran, left_out, "mvn test")
        };
        let failing = |ran: &dyn Fn(&Module) -> bool, left_out| failing_of(ran, &[], left_out);
        report(&all[1], 0);
        report(&all[2], 0);
        assert!(failing(&|_| true, None).unwrap_err().to_string().contains("nothing to repair"));
        report(&all[2], 1);
        assert_eq!(failing(&|_| true, None).unwrap(), (all[2].clone(), vec![]));
        let error = failing(&|module| module.label() != "app", Some("no antlr")).unwrap_err().to_string();
        assert!(error.contains("because they do not: app (no antlr)"), "{error}");
        let newer = "Fatal error compiling: error: release version 99 not supported";
        let error = failing(&|_| false, Some(newer)).unwrap_err();
        assert!(error.to_string().contains("none of the 2 modules with tests compiles (Fatal error"), "{error}");
        assert!(error.hint().ends_with("name another JDK with --java-home"), "{error}");
        report(&all[1], 2);
        let (chosen, others) = failing(&|_| true, None).unwrap();
        assert_eq!(chosen, all[1]);
        let mut notes = Vec::new();
        tell_of(&others, Utf8Path::new("/home/me/shop"), &mut notes);
        assert!(notes[0].ends_with("on that folder: /home/me/shop/app"), "{notes:?}");
        assert_eq!(note(&root, &all, &all[1]), "module core, 1 of 2 with tests");
        let path = |text: &str| RepoPath::new(text).unwrap();
        let changes = [
            vec![path("README.md"), path("core/README.md"), path("pom.xml")],
            vec![path("app/src/main/java/a/App.java"), path("core/src/main/java/a/Core.java")],
        ];
        let (chosen, others) = failing_of(&|_| true, &changes, None).unwrap();
        assert_eq!((chosen, others), (all[2].clone(), vec![all[1].clone()]), "changed before core");
        fs::remove_dir_all(reports(&all[1])).unwrap();
        assert_eq!(failing(&|_| true, None).unwrap(), (all[2].clone(), vec![]), "who is silent does not fail");
        report(&all[2], 0);
        assert_eq!(failing(&|_| true, None).unwrap(), (all[1].clone(), vec![]), "its tests may have no end");
        let in_words = |failures: u32| {
            fs::create_dir_all(reports(&all[1])).unwrap();
            let text = format!("Test set: a.T\nTests run: 7, Failures: {failures}, Errors: 0, Skipped: 0\n");
            fs::write(reports(&all[1]).join("a.T.txt"), text).unwrap();
        };
        in_words(0);
        assert!(failing(&|_| true, None).is_err(), "nothing fails");
        in_words(1);
        assert_eq!(failing(&|_| true, None).unwrap(), (all[1].clone(), vec![]));
    }
}
