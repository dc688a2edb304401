//! Make: a target of the makefile that runs tests.

use super::{Commands, needs, words};
use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;
use unidebug_judge::benchmark::BenchmarkError;

/// Files that make reads, in its own order.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
/// Targets that run tests, the usual one first.
const TARGETS: &[&str] = &["check", "test", "tests"];

/// The commands of a makefile.
///
/// # Errors
/// No target runs tests, or a program is missing.
pub(super) fn commands(file: &Utf8Path) -> Result<Commands, BenchmarkError> {
    needs(&[("make", "make"), ("cc", "gcc")])?;
    let target = target(file).ok_or_else(|| BenchmarkError::Root {
        what: format!("no target of the makefile runs tests ({})", TARGETS.join(", ")),
        path: file.to_owned(),
        hint: "give the target `check` a rule that runs the tests, or name a command with `--test`".into(),
    })?;
    // Where `make` runs the tests, too, a failing test would look like a failing build.
    let build = (!tests_by_default(&file_text(file), target)).then(|| words(&["make"]));
    // All tests run, whichever fails first.
    Ok((build, words(&["make", "-k", target]), Vec::new()))
}

/// The makefile of a folder.
pub(super) fn makefile(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    MAKEFILES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// The target of a makefile that runs tests.
pub(super) fn target(file: &Utf8Path) -> Option<&'static str> {
    let rules = rules(&file_text(file));
    TARGETS.iter().copied().find(|target| rules.iter().any(|(name, _)| name == target))
}

/// Whether `make` without a target makes that one.
fn tests_by_default(makefile: &str, target: &str) -> bool {
    let rules = rules(makefile);
    let first = rules.iter().map(|(name, _)| name.as_str()).find(|name| !name.starts_with('.'));
    let mut reached: Vec<&str> = first.into_iter().collect();
    let mut at = 0;
    while let Some(name) = reached.get(at).copied() {
        let needed = rules.iter().filter(|(known, _)| known == name).flat_map(|(_, needed)| needed);
        let new: Vec<&str> = needed.map(String::as_str).filter(|needed| !reached.contains(needed)).collect();
        reached.extend(new);
        at += 1;
    }
    reached.contains(&target)
}

fn file_text(file: &Utf8Path) -> String {
    std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Targets in their order, each with what it needs.
fn rules(makefile: &str) -> Vec<(String, Vec<String>)> {
    let joined = makefile.replace("\\\n", " ");
    let Ok(rule) = Regex::new(r"(?m)^([A-Za-z.][\w ./-]*?)[ \t]*::?(?:[ \t]+([^=\n]*)|[ \t]*)$") else {
        return Vec::new();
    };
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut found = Vec::new();
    for rule in rule.captures_iter(&joined) {
        let needed =
            rule.get(2).map_or(Vec::new(), |needed| words(needed.as_str().split([';', '#']).next().unwrap_or("")));
        found.extend(words(&rule[1]).into_iter().map(|name| (name, needed.clone())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::project;
    use super::*;

    #[test]
    fn a_makefile_names_its_target_of_tests() {
        for (text, wanted) in [
            ("all: a\ncheck: a\n\t./a\n", Some("check")),
            (".PHONY: test\ntest: a\n\t./a\n", Some("test")),
            ("all test: a\n", Some("test")),
            ("check := 3\ntested: a\n", None),
        ] {
            let (_keep, root) = project(&[("Makefile", text), ("a.c", ""), ("tests/test_a.c", "")]);
            assert!(super::super::builds(&root));
            assert_eq!(target(&root.join("Makefile")), wanted, "{text}");
        }
    }

    #[test]
    fn a_makefile_that_tests_by_default_needs_no_build() {
        for (text, wanted) in [
            ("test: a b\n\t./a\na:\n\tcc a.c\n", true),
            (".PHONY: all test\nall: lib \\\n  more\nmore: test\ntest:\n\t./t\n", true),
            ("-include config.mk\nCFLAGS = -g\nall: lib.a\n\nlib.a: a.o\n\ttest -f a.o\ntest: lib.a\n\t./t\n", false),
        ] {
            assert_eq!(tests_by_default(text, "test"), wanted, "{text}");
        }
    }
}
