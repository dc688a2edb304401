//! Whether test programs in C run to their end. A patch that ends the process before the tests are over makes any test pass
//! that is judged by its exit status, and no text tells for sure which code ends a process. So the project is built once
//! more: each program says when its main function begins and returns, and when it exits.

use super::built::triggering_only;
use super::compilers::{Added, Compilers};
use super::forget_objects;
use crate::C;
use camino::Utf8PathBuf;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use tokio::sync::OnceCell;
use unidebug_base::domain::{Patch, RepoPath};
use unidebug_base::language::{Language, is_test};
use unidebug_judge::validate::ValidateError;
use unidebug_judge::validate::command::{CommandJudge, Testing};

const SOURCE: &str = include_str!("ends.c");
/// More lines are not read.
const MOST_LINES: usize = 100_000;

/// Calls by which tests end their process themselves.
static EXITS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\bexit\s*\(").ok());
/// Calls by which they end it without a trace.
static VANISHES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:_exit|_Exit|quick_exit|abort|kill|raise|exec\w+|pthread_exit)\s*\(").ok());

/// What the processes of one program did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    began: usize,
    /// Called `exit`, or returned from the main function.
    exited: usize,
    /// Returned from the main function.
    returned: usize,
}

impl Ends {
    fn early(self) -> usize {
        self.exited.saturating_sub(self.returned)
    }

    fn vanished(self) -> usize {
        self.began.saturating_sub(self.exited)
    }
}

/// What each program did.
pub(super) type Programs = BTreeMap<String, Ends>;

/// Why the test programs of a patch that passed did not run to their end, in words that go on after "all tests pass,
/// but"; `None` where they did, or where it cannot be told.
pub(super) async fn end_early(
    judge: &CommandJudge,
    patch: &Patch,
    untouched: &OnceCell<Option<Programs>>,
) -> Result<Option<String>, ValidateError> {
    if !matches!(judge.commands.test, Testing::Reports(..)) {
        return Ok(None);
    }
    let none = Patch::default();
    let Some(before) = untouched.get_or_try_init(|| ends_of(judge, &none)).await? else {
        return Ok(None);
    };
    let Some(after) = ends_of(judge, patch).await? else { return Ok(None) };
    let tests_say = |calls: &LazyLock<Option<Regex>>| tests_say(judge, calls.as_ref());
    Ok(objection(before, &after, tests_say(&EXITS), tests_say(&VANISHES)))
}

/// What the programs of the triggering tests did; `None` where the project cannot be built so.
async fn ends_of(judge: &CommandJudge, patch: &Patch) -> Result<Option<Programs>, ValidateError> {
    let Testing::Reports(test, _) = &judge.commands.test else { return Ok(None) };
    let (_keep, tree) = judge.patched_copy(patch)?;
    forget_objects(&tree);
    let added = Added {
        source: &SOURCE.replace("{tree}", tree.as_str()),
        always: "",
        linked: "-Wl,--wrap=main $here/added.o",
        only_gcc: false,
    };
    let Some(compilers) = Compilers::of(judge, &added).await? else { return Ok(None) };
    if let Some(build) = &judge.commands.build
        && !judge.sandbox.run(compilers.job(judge, build, &tree)?).await?.exit.success()
    {
        tracing::info!("not looked at whether tests run to their end: the project does not build so");
        return Ok(None);
    }
    judge.sandbox.run(compilers.job(judge, &triggering_only(judge, test), &tree)?).await?;
    let record = tree.join(format!(".{}", compilers.folder.file_name().unwrap_or_default()));
    let is_file = std::fs::symlink_metadata(&record).is_ok_and(|meta| meta.is_file());
    let text = if is_file { std::fs::read(record).unwrap_or_default() } else { Vec::new() };
    Ok(Some(programs(&String::from_utf8_lossy(&text))))
}

/// Whether a file of the tests holds such a call.
pub(super) fn tests_say(judge: &CommandJudge, calls: Option<&Regex>) -> bool {
    let Some(calls) = calls else { return true };
    let project = &judge.checkout.project;
    let walk = ignore::WalkBuilder::new(&judge.checkout.root).standard_filters(false).build().flatten();
    walk.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok()).any(|path| {
        let inside = path.strip_prefix(&judge.checkout.root).ok().and_then(|path| RepoPath::new(path.as_str()).ok());
        let is_test = |inside: RepoPath| is_test(&inside, &project.source_roots, &project.test_roots, &C);
        C.is_source(&path)
            && inside.is_some_and(is_test)
            && std::fs::read(&path).is_ok_and(|text| calls.is_match(&String::from_utf8_lossy(&text)))
    })
}

/// What speaks against a patch. Tests may end their process themselves if they did so before, or if their code says so.
fn objection(before: &Programs, after: &Programs, tests_exit: bool, tests_vanish: bool) -> Option<String> {
    let silent = before
        .iter()
        .find(|(name, _)| !after.contains_key(*name))
        .map(|(name, _)| format!("the test program `{name}` never comes to its main function"));
    let changed = |(name, now): (&String, &Ends)| {
        let then = before.get(name).copied().unwrap_or_default();
        // A program that crashed before ended early, and not by its tests' will.
        let vanishes = now.vanished() > if tests_vanish { usize::MAX } else { 0 };
        let exits = now.early() > if then.began == 0 && tests_exit { usize::MAX } else { then.early() };
        (vanishes || exits).then(|| format!("the test program `{name}` ends before its main function returns"))
    };
    silent.or_else(|| after.iter().find_map(changed))
}

/// Reads what programs told of themselves: `b 4711 test_ring`. Processes that did not begin by themselves are children.
fn programs(text: &str) -> Programs {
    let mut programs = Programs::new();
    let mut begun = BTreeSet::new();
    for line in text.lines().take(MOST_LINES) {
        let mut words = line.splitn(3, ' ');
        let (Some(what), Some(process), Some(name)) = (words.next(), words.next(), words.next()) else { continue };
        if what == "b" {
            begun.insert(process);
        }
        if begun.contains(process) {
            let ends = programs.entry(name.to_owned()).or_default();
            match what {
                "b" => ends.began += 1,
                "x" => ends.exited += 1,
                "e" => ends.returned += 1,
                _ => {}
            }
        }
    }
    programs
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "b 7 test_ring\ne 7 test_ring\nx 7 test_ring\n";

    fn objected(before: &str, after: &str, tests_exit: bool, tests_vanish: bool) -> Option<String> {
        objection(&programs(before), &programs(after), tests_exit, tests_vanish)
    }

    #[test]
    fn who_ends_a_test_program_early_is_told() {
        assert_eq!(objected(WHOLE, WHOLE, false, false), None);
        let exits = "b 7 test_ring\nx 7 test_ring\n";
        let words = "the test program `test_ring` ends before its main function returns";
        assert_eq!(objected(WHOLE, exits, true, false).as_deref(), Some(words), "it returned before");
        assert_eq!(objected("", exits, false, false).as_deref(), Some(words));
        assert_eq!(objected("", exits, true, false), None, "nothing is known, and tests may exit");
        assert_eq!(objected(exits, exits, false, false), None, "it did before");
        let vanishes = "b 7 test_ring\n";
        assert_eq!(objected(vanishes, vanishes, false, false).as_deref(), Some(words), "a crash before is no exit");
        assert_eq!(objected(vanishes, vanishes, false, true), None);
        assert_eq!(
            objected(WHOLE, "b 7 test_ring\ne 7 test_ring\n", false, false).as_deref(),
            Some(words),
            "cut while it exits"
        );
        let silent = objected(WHOLE, "", false, false).unwrap();
        assert!(silent.contains("never comes to its main function"), "{silent}");
    }

    #[test]
    fn children_of_a_program_are_not_the_program() {
        let forks = "b 7 t\nx 8 t\ne 7 t\nx 7 t\nnonsense\nb 9\n";
        assert_eq!(programs(forks)["t"], Ends { began: 1, exited: 1, returned: 1 });
        assert_eq!(objected(WHOLE.replace("test_ring", "t").as_str(), forks, false, false), None);
    }
}
