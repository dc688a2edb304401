//! Which tests probably fail, before anything runs: by the reports of the user's last run, and by what was changed last.

use crate::benchmark::{Hint, History, Project, Runner, junit_xml};
use crate::domain::{RepoPath, TestId, TestStatus};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::SystemTime;

/// Where build tools leave JUnit XML, below the folder of a module.
const REPORTS: &[&str] =
    &["target/surefire-reports", "target/failsafe-reports", "build/test-results/test", "test-results", "reports"];
/// Files that say how a module is built.
const BUILD_FILES: &[&str] = &["pom.xml", "build.gradle", "build.gradle.kts"];
/// What pytest leaves of its last run.
const LAST_FAILED: &str = ".pytest_cache/v/cache/lastfailed";
/// Report files read at most.
const MOST_REPORTS: usize = 20_000;
/// Commits whose test files are a hint.
const COMMITS: usize = 3;

/// The hints of a project in the user's folder, the best first; `uncommitted` are the files that are not committed.
pub(super) async fn of(
    folder: &Utf8Path,
    project: &Project,
    history: Option<&History>,
    uncommitted: &[RepoPath],
) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    hints.extend(match project.runner {
        Runner::Jvm => of_reports(folder, project),
        Runner::Pytest => of_pytest(folder),
        Runner::Command { .. } | Runner::Cases { .. } => None,
    });
    let Some(history) = history else { return hints };
    let committed = history.committed(COMMITS).await.unwrap_or_default();
    for (from, files) in [("what is not committed yet", uncommitted), ("the last commits", &committed)] {
        let tests: Vec<TestId> = files.iter().filter_map(|file| test_of(file, project)).collect();
        if !tests.is_empty() {
            hints.push(Hint { from: from.to_owned(), tests, by_own_command: false, is_stale: false });
        }
    }
    hints
}

/// Uncommitted test files that are looked at; who changed more did not write a test for a bug.
const MOST_EDITED: usize = 20;

/// Folders of tools, which some projects forget to leave out of git.
const OF_TOOLS: [&str; 10] =
    [".venv", "venv", ".tox", ".nox", "__pycache__", ".pytest_cache", ".gradle", "node_modules", "target", "build"];

/// Whether a file that is not committed was written by somebody, as far as its place tells.
pub(super) fn is_written(file: &RepoPath) -> bool {
    !file.as_str().split('/').any(|part| OF_TOOLS.contains(&part))
}

/// Test files that differ from the last commit, with what they were there; none where more than tests differs.
pub(super) async fn edited_tests(
    project: &Project,
    history: Option<&History>,
    uncommitted: &[RepoPath],
) -> Vec<(RepoPath, Option<Vec<u8>>)> {
    let files: Vec<&RepoPath> = uncommitted.iter().filter(|file| !file.is_for_people()).collect();
    let Some(history) = history.filter(|_| files.len() <= MOST_EDITED) else { return Vec::new() };
    let mut edited = Vec::new();
    if files.iter().all(|file| is_test(file, project)) {
        for file in files {
            edited.push((file.clone(), history.at("HEAD", file).await));
        }
    }
    edited
}

/// Whether a file holds tests and nothing that others use.
fn is_test(file: &RepoPath, project: &Project) -> bool {
    let own = |root: &RepoPath| file.is_within(root) && !project.source_roots.iter().any(|own| own.is_within(root));
    match (file.as_str().rsplit_once('.'), &project.runner) {
        (Some((_, "java")), Runner::Jvm) => project.test_roots.iter().any(own),
        (Some((_, "py")), Runner::Pytest) => is_test_module(file, project),
        _ => false,
    }
}

/// Whether a module of Python is named as tests are, by custom or by the project's settings.
fn is_test_module(file: &RepoPath, project: &Project) -> bool {
    let name = file.stem();
    name.starts_with("test_") || name.ends_with("_test") || project.test_roots.contains(file)
}

/// Failing tests in the reports of the last run; the project's own word where no source is newer than they are.
fn of_reports(folder: &Utf8Path, project: &Project) -> Option<Hint> {
    let module = project.module.under(folder);
    let mut tests: Vec<TestId> = Vec::new();
    let mut oldest: Option<SystemTime> = None;
    for place in REPORTS {
        for file in xml_files(&module.join(place)) {
            let written = file.metadata().ok()?.modified().ok()?;
            let failing = junit_xml::parse(&std::fs::read(&file).unwrap_or_default()).into_iter().filter(|result| {
                matches!(result.status, TestStatus::Failed | TestStatus::TimedOut) && !result.id.class.is_empty()
            });
            let before = tests.len();
            tests.extend(failing.map(|result| result.id));
            if tests.len() > before {
                oldest = Some(oldest.map_or(written, |oldest| oldest.min(written)));
            }
        }
    }
    let oldest = oldest?;
    let by_own_command = newest_source(folder, project).is_some_and(|newest| newest < oldest);
    let from = "the reports of the last test run".to_owned();
    Some(Hint { from, tests, by_own_command, is_stale: !by_own_command })
}

fn xml_files(folder: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).max_depth(Some(2)).build();
    let paths = walk.flatten().filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
    paths.filter(|path| path.extension() == Some("xml") && path.is_file()).take(MOST_REPORTS)
}

/// When a source or build file of the project was written last.
fn newest_source(folder: &Utf8Path, project: &Project) -> Option<SystemTime> {
    let roots = project.source_roots.iter().chain(&project.test_roots).chain(&project.resources);
    let walks = roots.map(|root| ignore::WalkBuilder::new(root.under(folder)).standard_filters(false).build());
    let sources = walks.flatten().flatten().filter_map(|entry| entry.metadata().ok()?.modified().ok());
    let builds = BUILD_FILES.iter().map(|name| project.module.under(folder).join(name));
    let builds = builds.filter_map(|file| file.metadata().ok()?.modified().ok());
    sources.chain(builds).max()
}

/// What pytest says failed the last time.
fn of_pytest(folder: &Utf8Path) -> Option<Hint> {
    let file = folder.join(LAST_FAILED);
    let bytes = std::fs::read(&file).ok()?;
    let failed: std::collections::BTreeMap<String, bool> = serde_json::from_slice(&bytes).ok()?;
    let tests: Vec<TestId> = failed.keys().filter_map(|id| id.parse().ok()).collect();
    let from = "pytest's last run".to_owned();
    let written = file.metadata().ok()?.modified().ok()?;
    let is_stale = newest_module(folder).is_some_and(|newest| newest > written);
    (!tests.is_empty()).then_some(Hint { from, tests, by_own_command: false, is_stale })
}

/// When a module of the project was written last.
fn newest_module(folder: &Utf8Path) -> Option<SystemTime> {
    let is_of_tools = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| OF_TOOLS.contains(&name));
    let walk = ignore::WalkBuilder::new(folder).filter_entry(move |entry| !is_of_tools(entry.file_name())).build();
    let modules = walk.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "py"));
    modules.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()
}

/// The test class or module that a changed file is, or that is named after it.
fn test_of(file: &RepoPath, project: &Project) -> Option<TestId> {
    let inside = |roots: &[RepoPath]| -> Option<String> {
        let all = roots.iter().filter_map(|root| file.below(root));
        all.min_by_key(|inside| inside.len()).map(str::to_owned)
    };
    let (path, extension) = file.as_str().rsplit_once('.')?;
    match (extension, &project.runner) {
        ("java" | "kt" | "groovy", Runner::Jvm) => {
            let stem = |inside: String| inside.rsplit_once('.').map(|(stem, _)| stem.replace('/', "."));
            match (inside(&project.test_roots).and_then(stem), inside(&project.source_roots).and_then(stem)) {
                (Some(test), _) => Some(TestId::new(test, "")),
                (None, Some(product)) => Some(TestId::new(format!("{product}Test"), "")),
                (None, None) => None,
            }
        }
        ("py", Runner::Pytest) => {
            let name = path.rsplit('/').next().unwrap_or(path);
            let is_test = is_test_module(file, project);
            let below = path.strip_prefix(project.module.as_str()).unwrap_or(path).trim_start_matches('/');
            let module = if is_test { below.replace('/', ".") } else { format!("test_{name}") };
            Some(TestId::new(module, ""))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn project() -> Project {
        let path = |text: &str| RepoPath::new(text).unwrap();
        Project {
            source_roots: vec![path("src/main/java")],
            test_roots: vec![path("src/test/java")],
            ..Project::default()
        }
    }

    #[test]
    fn what_tools_leave_behind_was_not_written() {
        let written = |file: &str| is_written(&RepoPath::new(file).unwrap());
        assert!(written("tests/test_cart.py") && written("src/venv.py"));
        assert!(!written(".venv/lib/python3.13/site-packages/x/test_x.py") && !written("shop/target/A.java"));
    }

    #[test]
    fn a_changed_file_names_its_test() {
        let named = |file: &str| test_of(&RepoPath::new(file).unwrap(), &project()).map(|id| id.to_string());
        assert_eq!(named("src/test/java/a/CartTest.java").as_deref(), Some("a.CartTest"));
        assert_eq!(named("src/main/java/a/Cart.java").as_deref(), Some("a.CartTest"));
        assert_eq!(named("README.md"), None);
    }

    #[test]
    fn reports_name_what_failed_and_are_the_own_word_while_no_source_is_newer() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        let source = root.join("src/main/java/a/Cart.java");
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, "class Cart {}").unwrap();
        let reports = root.join("target/surefire-reports");
        fs::create_dir_all(&reports).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let text = "<testsuite><testcase classname=\"a.CartTest\" name=\"sums\"><failure/></testcase>\
                    <testcase classname=\"a.CartTest\" name=\"adds\"/></testsuite>";
        fs::write(reports.join("TEST-a.CartTest.xml"), text).unwrap();
        let hint = of_reports(root, &project()).unwrap();
        let names: Vec<String> = hint.tests.iter().map(TestId::to_string).collect();
        assert_eq!((names.as_slice(), hint.by_own_command), (["a.CartTest#sums".to_owned()].as_slice(), true));
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&source, "class Cart { int x; }").unwrap();
        let hint = of_reports(root, &project()).unwrap();
        assert!(!hint.by_own_command && hint.is_stale);
    }

    #[test]
    fn what_pytest_said_is_stale_when_a_module_was_written_since() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        let write = |path: &str, text: &str| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        };
        write("cart.py", "ITEMS = 1\n");
        write(LAST_FAILED, "{\"test_cart.py::test_items\": true}");
        write("venv/lib/x.py", "");
        assert!(!of_pytest(root).unwrap().is_stale);
        write("cart.py", "ITEMS = 2\n");
        assert!(of_pytest(root).unwrap().is_stale);
    }
}
