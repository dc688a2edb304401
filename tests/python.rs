//! Bugs in Python: what the runner tells of every kind of test, a folder of the user's own, and agents behind real HTTP
//! that repair the fixtures on each level.

use crate::support::{Endpoint, Finished, Reply, Trial, unidebug, write_files};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use unidebug::domain::{Outcome, TestStatus};
use unidebug::validate::SpectrumScope;

/// A module whose sum leaves the first number out.
pub const SUM: &str = "def total(numbers):\n    result = 0\n    for number in numbers[1:]:\n        result += number\n    return result\n\n\ndef spin():\n    while True:\n        pass\n";

const TESTS: &str = r#"import unittest

import pytest

from adding.total import spin, total


@pytest.fixture
def broken():
    raise RuntimeError("no set-up")


@pytest.fixture
def untidy():
    yield 1
    raise RuntimeError("no tidying up")


def test_nothing():
    assert total([]) == 0


@pytest.mark.parametrize("numbers, expected", [([5, 1], 6), ([0, 2], 2)])
def test_some(numbers, expected):
    print("x" * 10)
    assert total(numbers) == expected


@pytest.mark.skip(reason="later")
def test_skipped():
    assert False


@pytest.mark.xfail
def test_expected_to_fail():
    assert False


@pytest.mark.xfail
def test_unexpectedly_passes():
    assert True


@pytest.mark.xfail(strict=True)
def test_strictly_expected_to_fail():
    assert True


def test_without_set_up(broken):
    assert broken


def test_untidy(untidy):
    assert untidy


def test_leaves():
    raise SystemExit(0)


def test_spins():
    spin()


class TestClass:
    class TestInner:
        def test_deep(self):
            assert total([0, 1]) == 1


class CaseTest(unittest.TestCase):
    def test_case(self):
        self.assertEqual(total([3]), 3)

    def test_parts(self):
        for number in (1, 2):
            with self.subTest(number=number):
                self.assertEqual(total([0, number]), number)

    def test_a_part(self):
        for number in (1, 2):
            with self.subTest(number=number):
                self.assertEqual(total([0, number]), 1)
"#;

fn statuses(report: &unidebug::domain::TestReport) -> BTreeMap<String, TestStatus> {
    report.results.values().map(|result| (result.id.to_string(), result.status)).collect()
}

#[tokio::test]
async fn a_patch_that_lets_every_assertion_pass_is_refused_by_a_control_in_python() {
    let quiet = "import functools\n\n\ndef twice(test):\n    @functools.wraps(test)\n    def run(*args):\n        \
                 test(*args)\n        test(*args)\n\n    return run\n";
    let test = "from adding.quiet import twice\nfrom adding.total import total\n\n\n@twice\ndef test_some():\n    \
                assert total([5, 1]) == 6\n    assert total([1]) == 1\n";
    let files = [
        ("adding/__init__.py", ""),
        ("adding/total.py", SUM),
        ("adding/quiet.py", quiet),
        ("tests/test_quiet.py", test),
    ];
    let trial = Trial::python(&files).await;
    let judge = trial.open().await;
    let silenced = trial.patch("adding/quiet.py", "        test(*args)\n        test(*args)\n", "        pass\n");
    let refused = judge.judge().confirm(&silenced).await.unwrap();
    assert_eq!(refused.outcome, Outcome::Refused, "{}", refused.detail);
    assert!(refused.detail.contains("test_some passes even when line"), "{}", refused.detail);
    let right = judge.judge().confirm(&trial.patch("adding/total.py", "numbers[1:]", "numbers")).await.unwrap();
    assert!(right.is_plausible(), "{}", right.detail);
    assert!(right.detail.ends_with("reversed, 1 of the 1 triggering tests fail, as they must"), "{}", right.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_test_ends_as_pytest_means_it() {
    use TestStatus::{Failed, Passed, Skipped, TimedOut};
    let trial = Trial::python(&[
        ("adding/__init__.py", ""),
        ("adding/total.py", SUM),
        ("tests/test_total.py", TESTS),
        ("tests/test_gone.py", "from adding.gone import nothing\n\n\ndef test_it():\n    assert nothing\n"),
    ])
    .await;
    let judge = trial.open().await;
    let ends = statuses(&judge.baseline().report);
    let wanted = [
        ("tests.test_total#test_nothing", Passed),
        ("tests.test_total#test_some[numbers0-6]", Failed),
        ("tests.test_total#test_some[numbers1-2]", Passed),
        ("tests.test_total#test_skipped", Skipped),
        ("tests.test_total#test_expected_to_fail", Skipped),
        ("tests.test_total#test_unexpectedly_passes", Skipped),
        ("tests.test_total#test_strictly_expected_to_fail", Failed),
        ("tests.test_total#test_without_set_up", Failed),
        ("tests.test_total#test_untidy", Failed),
        ("tests.test_total#test_leaves", Failed),
        ("tests.test_total#test_spins", TimedOut),
        ("tests.test_total$TestClass$TestInner#test_deep", Passed),
        ("tests.test_total$CaseTest#test_case", Failed),
        ("tests.test_total$CaseTest#test_parts", Passed),
        ("tests.test_total$CaseTest#test_a_part", Failed),
        ("tests.test_gone", Failed),
    ];
    let wanted: BTreeMap<String, TestStatus> = wanted.map(|(id, status)| (id.to_owned(), status)).into();
    assert_eq!(ends, wanted);
    let failure = |id: &str| judge.baseline().report.results[&id.parse().unwrap()].failure.clone().unwrap();
    let assertion = failure("tests.test_total#test_some[numbers0-6]");
    assert_eq!(assertion.kind, "AssertionError");
    assert!(assertion.message.starts_with("assert 1 == 6"), "{}", assertion.message);
    assert_eq!((assertion.frames[0].class.as_str(), assertion.frames[0].line), ("tests.test_total", Some(26)));
    // pytest hands the errors of `unittest` over later than all others.
    let line = TESTS.lines().position(|line| line.contains("total([3])")).map(|at| at as u32 + 1);
    let case = failure("tests.test_total$CaseTest#test_case");
    assert_eq!((case.kind.as_str(), case.message.as_str()), ("AssertionError", "0 != 3"));
    assert_eq!((case.frames[0].class.as_str(), case.frames[0].line), ("tests.test_total", line));
    let hang = failure("tests.test_total#test_spins");
    assert_eq!((hang.frames[0].class.as_str(), hang.frames[0].method.as_str()), ("adding.total", "spin"));
    assert!(failure("tests.test_gone").message.contains("adding.gone"), "{:?}", failure("tests.test_gone"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spectrum_holds_the_lines_of_the_product_that_each_test_ran() {
    let trial = Trial::python(&[
        ("src/adding.py", SUM),
        ("tests/test_total.py", "from src.adding import total\n\n\ndef test_nothing():\n    assert total([]) == 0\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n"),
    ])
    .await;
    let judge = trial.open().await;
    let scope = SpectrumScope { classes: None, time: std::time::Duration::from_secs(60) };
    let spectrum = judge.probe().spectrum(&scope).await.unwrap().unwrap();
    let lines = |name: &str| {
        let (_, passed, ran) = spectrum.tests().find(|(id, ..)| id.method == name).unwrap();
        (passed, ran.map(|(file, lines)| (file.to_string(), lines.len())).collect::<Vec<_>>())
    };
    let file = "src/adding.py".to_owned();
    // Two lines define functions when the module is loaded; a loop without a round is entered all the same.
    assert_eq!(lines("test_nothing"), (true, vec![(file.clone(), 5)]));
    assert_eq!(lines("test_some"), (false, vec![(file, 6)]));
    assert_eq!(judge.probe().failing_coverage().await.unwrap().unwrap(), spectrum.failing());
    let repaired = judge.judge().confirm(&trial.patch("src/adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!(repaired.outcome, Outcome::Plausible, "{}", repaired.detail);
    let broken = judge.screen_one(&trial.patch("src/adding.py", "return result", "return result if")).await.unwrap();
    assert_eq!(broken.outcome, Outcome::CompileError);
    assert_eq!((broken.diagnostics[0].line, broken.detail.contains("SyntaxError")), (5, true), "{}", broken.detail);
}

/// A failed assertion asks values for their texts, which no passing test does: that is not where the fault lies.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_words_a_failure_is_no_line_of_the_failing_test() {
    let cart = "class Cart:\n    def __init__(self, price):\n        self.price = price\n\n    def __eq__(self, other):\n        \
                return self.price == other.price\n\n    def __repr__(self):\n        return f'a cart of {self.price}'\n\n\n\
                def twice(cart):\n    return Cart(3 * cart.price)\n";
    let test = "import unittest\n\nfrom cart import Cart, twice\n\n\ndef test_twice():\n    assert twice(Cart(1)) == Cart(2)\n\n\n\
                class CartTest(unittest.TestCase):\n    def test_twice(self):\n        self.assertEqual(twice(Cart(1)), Cart(2))\n";
    let trial = Trial::python(&[("cart.py", cart), ("test_cart.py", test)]).await;
    let judge = trial.open().await;
    let failing = judge.probe().failing_coverage().await.unwrap().unwrap();
    let lines: Vec<u32> = failing.lines.into_values().flatten().collect();
    assert!(lines.contains(&6) && lines.contains(&13) && !lines.contains(&9), "{lines:?}");
    let messages = judge.baseline().report.failing().map(|result| result.failure.clone().unwrap().message);
    assert!(
        messages.into_iter().all(|message| message.contains("a cart of 3")),
        "the texts are asked for all the same"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_a_spectrum_ends_between_tests() {
    let further = "from adding import total\n\n\ndef test_none():\n    assert total([]) == 0\n\n\ndef test_no_number():\n    \
                   assert total([]) == 0\n";
    let fails = "from adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n";
    let trial = Trial::python(&[("adding.py", SUM), ("test_some.py", fails), ("test_further.py", further)]).await;
    let judge = trial.open().await;
    let scope = SpectrumScope { classes: None, time: std::time::Duration::from_millis(1) };
    let measured = judge.probe().spectrum(&scope).await.unwrap().unwrap().tests().count();
    assert_eq!(measured, 2, "the failing one, and the first of the others");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tests_in_packages_are_found_and_guard_what_passed() {
    let test = "import unittest\n\nfrom adding import total\n\n\nclass TotalTest(unittest.TestCase):\n    def test_none(self):\n        \
                self.assertEqual(total([]), 0)\n\n    def test_some(self):\n        self.assertEqual(total([5, 1]), 6)\n";
    let trial = Trial::python(&[
        ("adding.py", SUM),
        ("tests/__init__.py", ""),
        ("tests/test_total.py", test),
        ("tests/deep/__init__.py", ""),
        ("tests/deep/test_more.py", test),
    ])
    .await;
    let judge = trial.open().await;
    let passing: Vec<String> = judge.baseline().passing.iter().map(ToString::to_string).collect();
    assert_eq!(passing, ["tests.deep.test_more$TotalTest#test_none", "tests.test_total$TotalTest#test_none"]);
    assert_eq!(judge.baseline().triggering.len(), 2);
    let broken =
        judge.screen_one(&trial.patch("adding.py", "result = 0", "result = (numbers or [1])[0]")).await.unwrap();
    assert_eq!(broken.outcome, Outcome::Regression, "{}", broken.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tests_and_settings_may_ask_for_the_cache_of_pytest() {
    let test = "from adding import total\n\n\ndef test_cached(cache):\n    cache.set('adding/none', total([]))\n    \
                assert cache.get('adding/none', 1) == 0\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n";
    let settings = "[tool.pytest.ini_options]\naddopts = '--ff --nf'\n";
    let trial = Trial::python(&[("adding.py", SUM), ("test_adding.py", test), ("pyproject.toml", settings)]).await;
    let judge = trial.open().await;
    assert_eq!(judge.baseline().passing, ["test_adding#test_cached".parse().unwrap()].into());
    assert_eq!(judge.baseline().triggering, ["test_adding#test_some".parse().unwrap()]);
    let right = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!(right.outcome, Outcome::PassedWarm, "{}", right.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_may_name_plugins_that_measure_and_are_not_installed() {
    let test = "from adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n";
    let settings = "[pytest]\naddopts = --cov=adding --cov-report=term --cov-append -n 2 --timeout=60\n  \
                    --benchmark-sort=name --benchmark-warmup --benchmark-disable-gc\n";
    // The project has an option of its own that a plugin has, too.
    let own = "def pytest_addoption(parser):\n    parser.addoption('--timeout', type=int)\n    \
               parser.addoption('--reruns')\n";
    let files = [("adding.py", SUM), ("test_adding.py", test), ("pytest.ini", settings), ("conftest.py", own)];
    let trial = Trial::python(&files).await;
    let judge = trial.open().await;
    assert_eq!(judge.baseline().triggering, ["test_adding#test_some".parse().unwrap()]);
    let right = judge.judge().confirm(&trial.patch("adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!(right.outcome, Outcome::Plausible, "{}", right.detail);
}

#[test]
fn a_plugin_may_wrap_the_assertions_of_mocks_when_it_is_set_up() {
    let plugin = "import unittest.mock\n\nbefore = unittest.mock.NonCallableMock.assert_not_called\n\n\n\
                  def wrapped(*args, **named):\n    return before(*args, **named)\n\n\n\
                  def pytest_configure(config):\n    unittest.mock.NonCallableMock.assert_not_called = wrapped\n";
    let tests = "from adding import total\n\n\ndef test_some():\n    assert total([5]) == 5\n";
    let folder = tempfile::tempdir().unwrap();
    let settings = "[pytest]\naddopts = -p wraps_mocks\n";
    let files = [("adding.py", SUM), ("test_adding.py", tests), ("pytest.ini", settings), ("wraps_mocks.py", plugin)];
    write_files(folder.path(), &files);
    let done = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin"]);
    done.expect_code(0);
}

#[test]
fn a_module_of_the_project_may_be_named_as_one_of_pythons_own() {
    let folder = tempfile::tempdir().unwrap();
    let tests = "from adding import total\n\n\ndef test_some():\n    assert total([5]) == 5\n";
    let named = "VERSION = 1\n";
    write_files(folder.path(), &[("adding.py", SUM), ("test_adding.py", tests), ("json.py", named), ("ast.py", named)]);
    let path = folder.path().to_str().unwrap();
    let done = unidebug(&["run", path, "--model", "builtin"]);
    done.expect_code(0);
}

#[test]
fn a_folder_with_pytest_tests_is_a_project_that_the_engine_repairs() {
    let folder = tempfile::tempdir().unwrap();
    write_files(
        folder.path(),
        &[
            ("adding.py", SUM),
            (
                "test_adding.py",
                "from adding import total\n\n\ndef test_none():\n    assert total([]) == 0\n\n\ndef test_some():\n    assert total([5]) == 5\n",
            ),
        ],
    );
    let path = folder.path().to_str().unwrap();
    let done = unidebug(&["run", path, "--model", "builtin", "--failing", "test_adding.py::test_some", "--json"]);
    done.expect_code(0);
    let report = done.json();
    assert_eq!((&report["verdict"], &report["usage"]["requests"]), (&json!("plausible"), &json!(0)), "{done}");
    assert!(report["patch"].as_str().unwrap().contains("+    for number in numbers:"), "{done}");
    assert!(done.stderr.contains("Python project: pytest"), "{done}");
    let first_run = |done: &Finished| {
        let said = done.stdout.split(" s first test run").next().unwrap();
        said.rsplit(' ').next().unwrap().parse::<f64>().unwrap_or_else(|_| panic!("{done}"))
    };
    let again = unidebug(&["run", path, "--model", "builtin", "--failing", "test_adding.py::test_some"]);
    again.expect_code(0);
    assert!(first_run(&again) < report["seconds"]["tests"].as_f64().unwrap() / 4.0, "known: {again}{done}");
    let triaged = unidebug(&["triage", path]);
    triaged.expect_code(0);
    assert!(triaged.stdout.contains("adding.py:3"), "{triaged}");
    let missing = unidebug(&["run", path, "--model", "builtin", "--failing", "test_adding.py::test_gone"]);
    missing.expect_code(3);
    assert!(missing.stderr.contains("test_adding#test_gone did not run"), "{missing}");
}

fn command(name: &str, args: Value) -> Reply {
    Reply::command(name, args)
}

/// What the agents answer about a fixture, as a rule: usable, but repairers give up.
pub fn usual(agent: &str, file: &str, line: &str, class: &str, method: &str) -> Reply {
    command(
        "goal_accomplished",
        match agent {
            "Locator" => json!({"marked_code": format!("{line}  # buggy line"), "explanation": "it decides"}),
            "Slicer" => json!({"first_line": line, "last_line": line, "file_path": file, "explanation": "it decides"}),
            "Summarizer" => {
                json!({"summary": [{"class": class, "method": method, "description": "decides"}], "explanation": "x"})
            }
            "Helper" => json!({"reference": "compare as asked", "sources": ["none"], "explanation": "x"}),
            "RepoFocus" => json!({"files": [file], "explanation": "the cause"}),
            _ => json!({"explanation": "not found", "analysis": "not found"}),
        },
    )
}

struct Script {
    bug: &'static str,
    level: u32,
    file: &'static str,
    line: &'static str,
    class: &'static str,
    method: &'static str,
    fix: Value,
}

fn repair(script: Script) -> (Finished, Endpoint) {
    let Script { bug, level, file, line, class, method, fix } = script;
    let endpoint = Endpoint::start(move |agent, nth, body| {
        let shown = body["messages"].to_string();
        assert!(!shown.contains("unidebug-oracle"), "the repair was shown");
        // The repairer of the wanted level is the one who finds it.
        if agent == "Fixer" && nth == level as usize {
            return Reply::command("write_fix", fix.clone());
        }
        usual(agent, file, line, class, method)
    });
    let url = endpoint.base_url();
    let mut args = vec!["run", bug, "--model", "scripted", "--base-url", &url, "--no-review", "--levels", "L1..L3"];
    args.extend(["--no-first", "--json", "--without", "skipping"]);
    (unidebug(&args), endpoint)
}

fn repaired(done: &Finished, level: u32) {
    done.expect_code(0);
    let report = done.json();
    assert_eq!((&report["verdict"], &report["level"]), (&json!("plausible"), &json!(level)), "{done}");
}

#[test]
fn a_model_repairs_on_level_1_with_a_diff() {
    let (done, endpoint) = repair(Script {
        bug: "fixtures:playlist",
        level: 1,
        file: "player/playlist.py",
        line: "        if self.repeat and self.at + 1 == len(self.songs):",
        class: "Playlist",
        method: "next",
        fix: json!({"diff": "--- a/player/playlist.py\n+++ b/player/playlist.py\n@@\n             self.at += 1\n-        if self.repeat and self.at + 1 == len(self.songs):\n+        elif self.repeat:\n             self.at = 0\n", "explanation": "kept the mark"}),
    });
    repaired(&done, 1);
    let prompt = endpoint.served_to("Locator")[0].prompt();
    for part in ["for Python", "# buggy line", "```python", "tests.test_playlist#test_begins_anew", "# <-- fails here"]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!prompt.contains("// buggy") && !prompt.contains(".java"), "{prompt}");
    assert_eq!(done.json()["correct"], json!(true), "{done}");
}

#[test]
fn a_model_repairs_on_level_2_with_a_whole_method() {
    let (done, endpoint) = repair(Script {
        bug: "fixtures:word-index",
        level: 2,
        file: "search/index.py",
        line: "        self.documents.pop(name, None)",
        class: "Index",
        method: "remove",
        fix: json!({"methods": [{"file_path": "search/index.py", "method": "Index.remove(name)",
            "code": "def remove(self, name):\n    \"\"\"Removes a document and what points to it.\"\"\"\n    for word in counts(self.documents.pop(name, \"\")):\n        del self.postings[word][name]"}], "explanation": "x"}),
    });
    repaired(&done, 2);
    assert!(endpoint.served_to("Slicer").len() == 1 && endpoint.served_to("Summarizer").len() == 1);
    let patch = done.json()["patch"].as_str().unwrap().to_owned();
    assert!(
        patch.contains("+        for word in counts(self.documents.pop(name, \"\")):\n+            del"),
        "{patch}"
    );
}

#[test]
fn a_model_repairs_on_level_3_in_two_files_by_line_numbers() {
    let (done, endpoint) = repair(Script {
        bug: "fixtures:seat-plan",
        level: 3,
        file: "hall/plan.py",
        line: "            fitting = [block for block in row.blocks() if block[1] > count]",
        class: "Plan",
        method: "seat",
        fix: json!({"edits": [
            {"file_path": "hall/plan.py", "modifications": [{"line_number": 14, "modified_line": "            fitting = [block for block in row.blocks() if block[1] >= count]"}]},
            {"file_path": "hall/rows.py", "modifications": [{"line_number": 20, "modified_line": "            if first is None or seat - 1 in self.aisles:"}]}
        ], "explanation": "x"}),
    });
    repaired(&done, 3);
    assert!(!endpoint.served_to("RepoFocus").is_empty() && !endpoint.served_to("Helper").is_empty());
    assert_eq!(done.json()["files"].as_array().unwrap().len(), 2, "{done}");
}

#[test]
fn a_plugin_that_the_settings_name_is_closed_to_patches() {
    let folder = tempfile::tempdir().unwrap();
    let tests = "import adding\n\n\ndef test_some():\n    assert adding.total([5]) == 5\n";
    let plugin = "def pytest_configure(config):\n    pass\n";
    let settings = "[pytest]\naddopts = -p wraps\n";
    let files = [("adding.py", SUM), ("test_adding.py", tests), ("pytest.ini", settings), ("wraps.py", plugin)];
    write_files(folder.path(), &files);
    let patch = "--- a/wraps.py\n+++ b/wraps.py\n@@ -1,2 +1,5 @@\n+import adding\n+\n def pytest_configure(config):\n-    pass\n\
                 +    adding.total = sum\n";
    let file = folder.path().join("a.patch");
    std::fs::write(&file, patch).unwrap();
    let done = unidebug(&["judge", folder.path().to_str().unwrap(), "--patch", file.to_str().unwrap()]);
    done.expect_code(1);
    assert!(done.stdout.contains("loaded by pytest as a plugin"), "{done}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_candidate_does_to_its_process_stays_there() {
    let tests = "import json\nimport sys\nimport threading\n\nfrom adding import total\n\n\ndef test_clean():\n    \
                 assert not hasattr(json, 'left') and 'adding.left' not in sys.argv and threading.active_count() < 9\n\n\n\
                 def test_some():\n    assert total([5, 1]) == 6\n";
    let trial = Trial::python(&[("adding.py", SUM), ("test_adding.py", tests)]).await;
    let judge = trial.open().await;
    let ends = |to: &str| trial.patch("adding.py", "    result = 0", to);
    let row = [
        ("    import json\n    json.left = True\n    result = 0", Outcome::Failed),
        ("    while True:\n        pass\n    result = 0", Outcome::Timeout),
        ("    import os\n    os._exit(0)\n    result = 0", Outcome::Crash),
        ("    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)\n    result = 0", Outcome::Crash),
        ("    result = 4", Outcome::Failed),
        ("    result = (numbers or [0])[0]", Outcome::PassedWarm),
    ];
    for (to, wanted) in row {
        let answer = judge.screen_one(&ends(to)).await.unwrap();
        assert_eq!(answer.outcome, wanted, "{to}: {}", answer.detail);
    }
}
