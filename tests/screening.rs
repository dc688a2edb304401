//! The first look at candidates in Python: in children of a process that waits, and not by more tests than it takes.

use crate::support::{Trial, python_environment, write_files};
use unidebug::domain::Outcome;

const SUM: &str = "def total(numbers):\n    return sum(numbers[1:])\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_candidate_that_fails_one_of_many_slow_tests_is_not_tried_by_all() {
    let test =
        |n: usize| format!("\n\ndef test_{n}():\n    time.sleep(0.6)\n    assert total([5, {n}]) == {}\n", 5 + n);
    let tests: String = (0..7).map(test).collect();
    let tests = format!("import time\n\nfrom adding import total\n{tests}");
    let trial = Trial::python(&[("adding.py", SUM), ("test_adding.py", &tests)]).await;
    let judge = trial.open().await;
    assert_eq!(judge.baseline().triggering.len(), 7);
    let wrong = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", "numbers[:1]")).await.unwrap();
    assert_eq!(wrong.outcome, Outcome::Failed, "{}", wrong.detail);
    assert!(wrong.detail.ends_with(" did not run"), "{}", wrong.detail);
    let right = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!((right.outcome, right.fixed), (Outcome::PassedWarm, 7), "{}", right.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_candidate_that_mends_none_of_a_few_tests_is_not_tried_by_all() {
    let test = |n: usize| format!("\n\ndef test_{n:02}():\n    assert total([{}, {n}]) == {}\n", 1 + n, 1 + 2 * n);
    let tests: String = (0..20).map(test).collect();
    let tests = format!("from adding import total\n{tests}");
    let trial = Trial::python(&[("adding.py", SUM), ("test_adding.py", &tests)]).await;
    let judge = trial.open().await;
    assert_eq!(judge.baseline().triggering.len(), 20);
    for (to, outcome, fixed, detail) in [
        ("numbers[:0]", Outcome::Failed, 0, "7 of 20 triggering tests still fail, and 13 did not run"),
        ("numbers[numbers[0] < 6 :]", Outcome::Failed, 15, "5 of 20 triggering tests still fail"),
        ("numbers", Outcome::PassedWarm, 20, "20 of 20 triggering tests pass"),
    ] {
        let judged = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", to)).await.unwrap();
        assert_eq!((judged.outcome, judged.fixed, judged.detail.as_str()), (outcome, fixed, detail), "{to}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_that_failed_at_once_may_take_its_time_to_pass() {
    let tests = "import time\n\nfrom adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n\n\n\
                 def test_slow():\n    assert total([5, 2]) == 7\n    time.sleep(4)\n";
    let trial = Trial::python(&[("adding.py", SUM), ("test_adding.py", tests)]).await;
    let judge = trial.open().await;
    let right = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!((right.outcome, right.fixed), (Outcome::PassedWarm, 2), "{}", right.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_that_fails_in_children_of_a_process_alone_stops_no_repair() {
    let tests = "import os\n\nfrom adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n\n\n\
                 def test_leads_no_session():\n    assert os.getsid(0) != os.getpid()\n";
    let trial = Trial::python(&[("adding.py", SUM), ("test_adding.py", tests)]).await;
    let judge = trial.open().await;
    assert_eq!(judge.baseline().passing.len(), 1, "{:?}", judge.baseline().report);
    let right = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!(right.outcome, Outcome::PassedWarm, "{}", right.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_submodule_that_another_test_module_imports_is_there() {
    let tests = "import xml\n\nfrom adding import total\n\n\ndef test_some():\n    \
                 assert xml.dom.minidom.parseString('<a/>')\n    assert total([5, 1]) == 6\n";
    let last = "from xml.dom import minidom\n\n\ndef test_document():\n    assert minidom.Document()\n";
    // Enough modules that the first and the last one run in two processes.
    let others: Vec<String> = (0..40).map(|n| format!("test_other_{n}.py")).collect();
    let mut files = vec![("adding.py", SUM), ("test_adding.py", tests), ("test_words.py", last)];
    files.extend(others.iter().map(|name| (name.as_str(), "def test_none():\n    pass\n")));
    let trial = Trial::python(&files).await;
    let judge = trial.open().await;
    let failure = judge.baseline().report.failing().next().and_then(|result| result.failure.clone()).unwrap();
    assert_eq!(failure.kind, "AssertionError", "{}", failure.message);
    let right = trial.patch("adding.py", "numbers[1:]", "numbers");
    let judged = judge.screen_one(&right).await.unwrap();
    assert_eq!(judged.outcome, Outcome::PassedWarm, "{}", judged.detail);
    let confirmed = judge.verdict(&right).await.unwrap().validation;
    assert_eq!(confirmed.outcome, Outcome::Plausible, "{}", confirmed.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_that_passes_after_those_of_another_module_alone_stops_no_repair() {
    let before = "import words\n\n\ndef test_words():\n    assert words.of(2) == 'two'\n";
    let tests = "import sys\n\nfrom adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n\n\n\
                 def test_after_words():\n    assert 'words' in sys.modules\n";
    let words = "def of(n):\n    return {1: 'one', 2: 'two'}[n]\n";
    // Enough modules that the first ones run in one process, whatever the number of processors.
    let others: Vec<String> = (0..40).map(|n| format!("test_other_{n}.py")).collect();
    let mut files =
        vec![("adding.py", SUM), ("words.py", words), ("test_a_words.py", before), ("test_adding.py", tests)];
    files.extend(others.iter().map(|name| (name.as_str(), "def test_none():\n    pass\n")));
    let trial = Trial::python(&files).await;
    let judge = trial.open().await;
    assert_eq!(judge.baseline().passing.len(), 42, "{:?}", judge.baseline().report);
    let right = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!(right.outcome, Outcome::PassedWarm, "{}", right.detail);
}

/// A library that starts a thread as it is loaded, unless it is asked not to, one that always does, and one that has much to
/// get ready.
const FAST: &str = "import os\nimport threading\n\nif os.environ.get('OPENBLAS_NUM_THREADS') != '1':\n    \
                    threading.Thread(target=threading.Event().wait, daemon=True).start()\n";
const LOUD: &str = "import threading\n\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n";
const DRAWS: &str = "class text:\n    ready = False\n\n    def validate(self):\n        text.ready = True\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn libraries_that_start_threads_or_make_tables_keep_no_others_from_being_loaded_once() {
    let tests = "import os\n\nimport fast\nimport hypothesis\nimport loud\nfrom adding import total\n\n\ndef test_some():\n    \
                 assert total([5, 1]) == 6\n\n\ndef test_in_a_child_of_what_has_loaded_them():\n    \
                 assert total([5, 2]) == 7 and 'OPENBLAS_NUM_THREADS' not in os.environ\n    \
                 assert os.getsid(0) == os.getpid() and hypothesis.strategies.text.ready\n";
    let mut trial = Trial::python(&[("adding.py", SUM), ("test_adding.py", tests)]).await;
    let site = python_environment(trial.checkout.root.as_std_path());
    write_files(
        camino::Utf8Path::from_path(&site).unwrap(),
        &[
            ("fast.py", FAST),
            ("loud.py", LOUD),
            ("hypothesis/__init__.py", "from . import strategies\n"),
            ("hypothesis/strategies.py", DRAWS),
        ],
    );
    trial.checkout.project.python = Some(trial.checkout.root.join(".venv/bin/python"));
    let judge = trial.open().await;
    let right = judge.screen_one(&trial.patch("adding.py", "numbers[1:]", "numbers")).await.unwrap();
    assert_eq!((right.outcome, right.fixed), (Outcome::PassedWarm, 2), "{}", right.detail);
}
