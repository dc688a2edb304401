//! Every fixture bug, judged for real: the developer's repair is plausible and correct, the untouched bug is not, and
//! nothing an agent can see holds a byte of the repair.

use crate::support::{repair, sample};
use camino::{Utf8Path, Utf8PathBuf};
use futures::StreamExt;
use std::collections::BTreeMap;
use unidebug::benchmark::{self, Checkout, Settings};
use unidebug::domain::{BugId, Outcome, Patch};
use unidebug::language;
use unidebug::patch::Folder;
use unidebug::patch::compare::correct;
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{Options, Validator, open};

/// The machine has few cores, and a test that is starved looks like one that loops.
const AT_ONCE: usize = 2;

async fn settings() -> Settings {
    Settings { sandbox: Some(Sandbox::detect(Choice::Auto).await.unwrap()), ..Settings::default() }
}

/// Whether any file below a folder holds a text.
fn holds(folder: &Utf8Path, text: &str) -> Option<Utf8PathBuf> {
    let files = folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
    files.into_iter().find_map(|path| {
        if path.is_dir() {
            return holds(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes()).then_some(path)
    })
}

/// What is wrong with a fixture.
async fn examine(id: &BugId, settings: &Settings) -> Vec<String> {
    let temp = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(temp.path()).unwrap().canonicalize_utf8().unwrap();
    let (root, work) = (base.join("checkout"), base.join("work"));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(&work).unwrap();
    let checkout = benchmark::find("fixtures", settings).unwrap().checkout(id, &root).await.unwrap();
    // Nothing is asked of a warm judge here, so none is started.
    let options = Options { cold: true, ..Options::new(work) };
    let judge = match open(&checkout, settings.sandbox.as_ref().unwrap(), options).await {
        Ok(judge) => judge,
        Err(error) => return vec![format!("{id}: {error}; {}", error.hint())],
    };
    let mut wrong = leaks(id, &checkout, &judge);
    if judge.baseline().passing.is_empty() {
        wrong.push(format!("{id}: no test passes before the repair"));
    }
    let untouched = judge.judge().confirm(&Patch::default()).await.unwrap();
    if matches!(untouched.outcome, Outcome::Plausible | Outcome::PassedWarm) {
        wrong.push(format!("{id}: the untouched bug is called {}", untouched.outcome));
    }
    let patch = repair(&checkout);
    let repaired = judge.judge().confirm(&patch).await.unwrap();
    if !repaired.is_plausible() {
        wrong.push(format!("{id}: the developer's repair is {}: {}", repaired.outcome, repaired.detail));
    }
    let language = language::by_name(&checkout.language).unwrap();
    let oracle = &checkout.oracle.as_ref().unwrap().files;
    let originals = Folder::new(checkout.root.clone());
    if correct(&patch, oracle, &originals, language) != Some(true) {
        wrong.push(format!("{id}: the developer's repair does not equal itself"));
    }
    if correct(&Patch::default(), oracle, &originals, language).is_some() {
        wrong.push(format!("{id}: the untouched bug equals the developer's repair"));
    }
    wrong
}

/// Where the canary shows: in the checkout, in what is known of it, or in what the baseline reports.
fn leaks(id: &BugId, checkout: &Checkout, judge: &Validator) -> Vec<String> {
    let canary = checkout.oracle.as_ref().unwrap().canary.clone().unwrap();
    let stripped = Checkout { oracle: None, ..checkout.clone() };
    let text = format!("{stripped:?} {:?}", judge.baseline());
    let mut found: Vec<_> = holds(&checkout.root, &canary).into_iter().map(|path| format!("{id}: {path}")).collect();
    if text.contains(&canary) {
        found.push(format!("{id}: what is told of the checkout holds the repair"));
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_developers_repair_is_plausible_the_bug_is_not_and_nothing_leaks() {
    let settings = settings().await;
    let all = benchmark::select("fixtures:*", &settings).unwrap();
    let wrong: Vec<Vec<String>> = futures::stream::iter(sample(&all, 3))
        .map(|id| examine(id, &settings))
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    assert!(wrong.iter().all(Vec::is_empty), "{:#?}", wrong.concat());
}

#[test]
fn there_are_bugs_of_every_kind_for_every_level() {
    let settings = Settings::default();
    let fixtures = benchmark::find("fixtures", &settings).unwrap();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut needs: BTreeMap<String, usize> = BTreeMap::new();
    for id in fixtures.list().unwrap() {
        let summary = fixtures.describe(&id).unwrap();
        assert!(!summary.title.is_empty() && !summary.title.ends_with('.'), "{id}: {}", summary.title);
        *kinds.entry(summary.kind.unwrap()).or_default() += 1;
        *needs.entry(summary.needs.unwrap()).or_default() += 1;
    }
    assert!(kinds.values().sum::<usize>() >= 14, "{kinds:?}");
    for (kind, least) in [("single-line", 5), ("multi-line", 3), ("missing-code", 3), ("multi-file", 2)] {
        assert!(kinds.get(kind).is_some_and(|count| *count >= least), "{kind}: {kinds:?}");
    }
    for (need, least) in [("template", 5), ("one-file", 3), ("another-file", 1), ("levels", 2)] {
        assert!(needs.get(need).is_some_and(|count| *count >= least), "{need}: {needs:?}");
    }
}
