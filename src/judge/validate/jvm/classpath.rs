//! The class path of a subject's tests, and which classes hold tests.

use super::harness::holds;
use crate::benchmark::Project;
use crate::benchmark::jars::{self, Library};
use crate::domain::{RepoPath, Watcher};
use crate::sandbox::Sandbox;
use crate::validate::ValidateError;
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Libraries of the subject, test libraries first where we had to bring them.
#[derive(Debug, Clone)]
pub(in crate::validate) struct ClassPath {
    /// Jars and folders that are not made by us.
    pub(in crate::validate) libraries: Vec<Utf8PathBuf>,
    /// Whether an annotation processor registers itself among them.
    pub(in crate::validate) has_processors: bool,
}

impl ClassPath {
    /// The project's class path; JUnit is added when the test sources use a generation that is not on it.
    pub(in crate::validate) async fn of(
        project: &Project,
        root: &Utf8Path,
        (sandbox, watcher): (&Sandbox, &Watcher),
    ) -> Result<Self, ValidateError> {
        let mut libraries = project.class_path.clone();
        let tests = java_files(root, test_roots(project), &[]);
        let mut uses_4 = false;
        let mut uses_5 = false;
        let mut uses_testng = false;
        for file in &tests {
            let text = std::fs::read(file).unwrap_or_default();
            let has = |word: &str| memchr::memmem::find(&text, word.as_bytes()).is_some();
            uses_5 |= has("org.junit.jupiter");
            uses_testng |= has("org.testng.annotations");
            uses_4 |= has("org.junit.Test") || has("org.junit.*") || has("junit.framework") || has("org.junit.runner");
        }
        if uses_4 && !on(&libraries, "org/junit/runner/Description.class") {
            libraries.splice(0..0, jars::find(Library::JUnit4, sandbox, watcher).await?);
        }
        // Build tools add the engine by themselves, so a class path with the annotations alone is common.
        if uses_5 && !on(&libraries, "org/junit/jupiter/engine/JupiterTestEngine.class") {
            libraries.splice(0..0, jars::find(Library::JUnit5, sandbox, watcher).await?);
        }
        let has_testng = on(&libraries, "org/testng/TestNG.class");
        if uses_testng && has_testng && !on(&libraries, "org/junit/support/testng/engine/TestNGTestEngine.class") {
            // The engine knows TestNG from 6.14 on; tests for an older one run on that, too.
            if !on(&libraries, "org/testng/annotations/Ignore.class") {
                libraries.splice(0..0, jars::find(Library::TestNg6, sandbox, watcher).await?);
            }
            // Behind what the project has: its own platform, where it has one, comes first.
            libraries.extend(jars::find(Library::TestNg, sandbox, watcher).await?);
        }
        let has_processors = on(&libraries, "META-INF/services/javax.annotation.processing.Processor");
        Ok(Self { libraries, has_processors })
    }
}

fn on(libraries: &[Utf8PathBuf], entry: &str) -> bool {
    libraries.iter().any(|path| holds(path, entry))
}

/// Folders of test sources; where a project does not tell them apart, all sources.
fn test_roots(project: &Project) -> &[RepoPath] {
    if project.test_roots.is_empty() { &project.source_roots } else { &project.test_roots }
}

/// All Java files below these folders but not below `except`, sorted.
pub(in crate::validate) fn java_files(root: &Utf8Path, folders: &[RepoPath], except: &[RepoPath]) -> Vec<Utf8PathBuf> {
    let mut files = Vec::new();
    for folder in folders {
        let walk = ignore::WalkBuilder::new(folder.under(root)).standard_filters(false).build();
        for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
            let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
            let below = |folder: &RepoPath| folder.as_str() != "" && path.starts_with(folder.under(root));
            let name = path.file_name().unwrap_or("");
            let special = matches!(name, "package-info.java" | "module-info.java") && name.starts_with("module");
            if path.extension() == Some("java") && !special && !except.iter().any(below) {
                files.push(path.to_owned());
            }
        }
    }
    files.sort();
    files.dedup();
    files
}

/// Names of the top-level classes that may hold tests, by the build tool's patterns; our runner looks inside them. Where
/// the build tool makes the test classes, these count, whatever language they come from: sources may be those of another
/// module whose tests this one uses.
pub(in crate::validate) fn test_classes(project: &Project, root: &Utf8Path, compiled: &[Utf8PathBuf]) -> Vec<String> {
    let is_made_by_tool = !project.compiled.is_empty() && !project.compiled_tests.is_empty();
    let mut names = if is_made_by_tool { of_classes(project, compiled) } else { of_sources(project, root) };
    names.sort();
    names.dedup();
    names
}

/// Whether a test file or class, given by its path without extension, counts by the patterns.
fn chosen(project: &Project) -> impl Fn(&str) -> bool {
    let (include, exclude) = (patterns(&project.tests.include), patterns(&project.tests.exclude));
    let all = project.tests.include.is_empty();
    move |inside| {
        let file = format!("{inside}.java");
        (all || include.is_match(&file)) && !exclude.is_match(&file)
    }
}

/// Whether the build tool runs the tests of a file, given by its path below its test folder.
pub(in crate::validate) fn runs_tests_of(project: &Project, inside: &str) -> bool {
    chosen(project)(inside.strip_suffix(".java").unwrap_or(inside))
}

fn of_sources(project: &Project, root: &Utf8Path) -> Vec<String> {
    let is_chosen = chosen(project);
    let mut names = Vec::new();
    for folder in test_roots(project) {
        let folder_path = folder.under(root);
        for file in java_files(root, std::slice::from_ref(folder), &[]) {
            let inside = file.strip_prefix(&folder_path).map(|path| path.with_extension("")).unwrap_or_default();
            if is_chosen(inside.as_str()) {
                names.push(class_name(&file));
            }
        }
    }
    names
}

fn of_classes(project: &Project, compiled: &[Utf8PathBuf]) -> Vec<String> {
    let is_chosen = chosen(project);
    let mut names = Vec::new();
    for folder in compiled {
        let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build();
        for entry in walk.flatten() {
            let inside = Utf8Path::from_path(entry.path()).and_then(|path| path.strip_prefix(folder).ok());
            let Some(name) = inside.and_then(|path| path.as_str().strip_suffix(".class")) else { continue };
            // Nested classes run with the one around them.
            if !name.contains('$') && is_chosen(name) {
                names.push(name.replace('/', "."));
            }
        }
    }
    names
}

/// Patterns as surefire writes them; what is no pattern matches nothing.
fn patterns(texts: &[String]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for text in texts {
        let text = text.trim().trim_start_matches("%ant[").trim_end_matches(']');
        let stem = text.trim_end_matches(".java").trim_end_matches(".class").trim_end_matches(".*");
        let path = if stem.contains('/') { stem.to_owned() } else { format!("**/{}", stem.replace('.', "/")) };
        if let Ok(glob) = GlobBuilder::new(&format!("{path}.java")).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_default()
}

/// The class a file is named after, with the package its text declares: folders do not always follow packages.
fn class_name(file: &Utf8Path) -> String {
    let stem = file.file_stem().unwrap_or("");
    let text = std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    match package_of(&text) {
        Some(package) => format!("{package}.{stem}"),
        None => stem.to_owned(),
    }
}

/// The declared package: the first statement that begins a line with the word, outside comments.
fn package_of(text: &str) -> Option<String> {
    let mut in_comment = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let mut rest = line.trim();
        if in_comment {
            let Some(end) = rest.find("*/") else { continue };
            rest = rest[end + 2..].trim();
            in_comment = false;
        }
        while rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => rest = rest[end + 2..].trim(),
                None => {
                    in_comment = true;
                    rest = "";
                }
            }
        }
        if let Some(name) = rest.strip_prefix("package").filter(|name| name.starts_with(char::is_whitespace)) {
            let name: String = name.split(';').next()?.split_whitespace().collect();
            return Some(name);
        }
        if ["import ", "class ", "public ", "final ", "abstract ", "interface "]
            .iter()
            .any(|word| rest.starts_with(word))
        {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_read_from_the_text() {
        assert_eq!(package_of("/* package no;\n */\n// x\npackage a . b ;\n").as_deref(), Some("a.b"));
        assert_eq!(package_of("\u{feff}package a;").as_deref(), Some("a"));
        assert_eq!(package_of("import x;\npackage a;"), None);
    }

    #[test]
    fn a_module_without_tests_does_not_run_those_that_it_uses() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let path = |text: &str| RepoPath::new(text).unwrap();
        std::fs::create_dir_all(root.join("core/src/test/java")).unwrap();
        std::fs::write(root.join("core/src/test/java/PoolTest.java"), "class PoolTest {}").unwrap();
        let mut project = Project {
            module: path("app"),
            test_roots: vec![path("core/src/test/java")],
            compiled: vec![path("app/target/classes")],
            compiled_tests: vec![path("app/target/test-classes")],
            ..Project::default()
        };
        assert!(test_classes(&project, root, &[]).is_empty());
        project.compiled.clear();
        assert_eq!(test_classes(&project, root, &[]), ["PoolTest"], "nothing is compiled yet");
    }

    #[test]
    fn patterns_of_the_build_tool_choose_classes() {
        let set = patterns(&["**/Test*.java".into(), "**/*Test.java".into()]);
        for (path, wanted) in [("a/b/CodecTest.java", true), ("TestX.java", true), ("a/Helper.java", false)] {
            assert_eq!(set.is_match(path), wanted, "{path}");
        }
        assert!(patterns(&["a/b/*Case.java".into()]).is_match("a/b/XCase.java"));
        assert!(!patterns(&["a/b/*Case.java".into()]).is_match("c/a/b/XCase.java"));
    }
}
