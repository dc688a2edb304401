//! Tests that are cut beside others that fail by themselves: some are slow, and some have no end because of the bug.

use crate::support::{Finished, Unidebug, write_files};
use camino::Utf8Path;
use serde_json::Value;
use std::process::Command;

const SHELF: &str = "class Shelf {
    static int step(boolean wide) { return wide ? 2 : 1; }
    static int high(int books) { return books * step(false); }
    static int count(int books) {
        int sum = 0;
        for (int i = 0; i < books; i += step(false)) sum++;
        return sum;
    }
}
";

/// The test `slow` needs more time than a test gets before it is known how long it takes, with the bug and without it.
const TESTS: &str = "import static org.junit.Assert.assertEquals;

public class ShelfTest {
    @org.junit.Test public void high() { assertEquals(3, Shelf.high(3)); }
    @org.junit.Test public void counts() { assertEquals(2, Shelf.count(2)); }
    @org.junit.Test public void slow() {
        java.lang.management.ThreadMXBean time = java.lang.management.ManagementFactory.getThreadMXBean();
        while (time.getCurrentThreadCpuTime() < 6_500_000_000L) { }
        assertEquals(0, Shelf.count(0));
    }
}
";

/// A project whose last commit changed one thing into another.
fn changed(tests: &str, change: (&str, &str)) -> tempfile::TempDir {
    changed_in([("src/Shelf.java", SHELF), ("test/ShelfTest.java", tests)], change)
}

/// The same with a file of the product and one of its tests.
fn changed_in(files: [(&str, &str); 2], (from, to): (&str, &str)) -> tempfile::TempDir {
    let [(product, text), _] = files;
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let git = |args: &[&str]| {
        let own = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        assert!(Command::new("git").current_dir(root).args(own).args(args).output().unwrap().status.success());
    };
    write_files(root, &files);
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "as it was"]);
    write_files(root, &[(product, &text.replace(from, to))]);
    git(&["commit", "--quiet", "--all", "--message", "faster"]);
    folder
}

/// A file with a patch that makes another line of the wrong one.
fn patch(folder: &tempfile::TempDir, (name, wrong, line): (&str, (&str, &str), &str)) -> String {
    let [before, after] = [wrong.1, line].map(|text| SHELF.replace(wrong.0, text));
    let diff = similar::TextDiff::from_lines(before.as_str(), after.as_str());
    let path = folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(&path, diff.unified_diff().header("a/src/Shelf.java", "b/src/Shelf.java").to_string()).unwrap();
    path
}

/// The failing tests of such a project, as a patch meets them that is no Java.
fn failing_after(tests: &str, change: (&str, &str)) -> (Vec<String>, Finished) {
    let folder = changed(tests, change);
    let broken = patch(&folder, ("broken.diff", change, "no Java"));
    let project = folder.path().to_str().unwrap();
    let done = Unidebug::new(&["judge", project, "--patch", &broken, "--json", "--log", "unidebug=debug"]).run();
    let mut failing: Vec<String> = serde_json::from_value(done.json()["triggering"].clone()).unwrap();
    failing.sort();
    (failing, done)
}

#[test]
fn a_slow_test_is_not_waited_for_where_the_last_change_broke_another() {
    let (failing, done) = failing_after(TESTS, ("return books *", "return books + 1 *"));
    assert_eq!(failing, ["ShelfTest#high"], "{done}");
    assert!(done.stderr.contains("running the failing tests without commit"), "{done}");
    assert!(!done.stderr.contains("running slow tests again"), "{done}");
}

#[test]
fn a_test_that_the_last_change_made_endless_is_of_the_bug() {
    let (failing, done) = failing_after(TESTS, ("wide ? 2 : 1", "wide ? 2 : 0"));
    assert_eq!(failing, ["ShelfTest#counts", "ShelfTest#high"], "{done}");
}

#[test]
fn a_slow_test_that_the_last_change_broke_must_pass_with_a_patch() {
    let tests = TESTS.replace("assertEquals(0, Shelf.count(0))", "assertEquals(0, Shelf.high(0))");
    let wrong = ("return books * step(false)", "return books + 1 * step(false)");
    let folder = changed(&tests, wrong);
    let patch = |name: &str, line: &str| patch(&folder, (name, wrong, line));
    let partial = patch("partial.diff", "return books > 0 ? books : 1 * step(false)");
    let right = patch("right.diff", wrong.0);
    let project = folder.path().to_str().unwrap();
    let done = Unidebug::new(&["judge", project, "--patch", &partial, "--patch", &right, "--json"]).run();
    let object = done.json();
    let of = |wanted: &str| {
        let patches = object["patches"].as_array().unwrap();
        patches.iter().find(|patch| patch["patch"].as_str().unwrap().ends_with(wanted)).unwrap()
    };
    assert_eq!(object["triggering"], serde_json::json!(["ShelfTest#high"]), "{object:#}");
    assert_eq!(of("right.diff")["outcome"], "plausible", "{object:#}");
    assert_eq!(of("partial.diff")["outcome"], "failed", "{object:#}");
    let detail = of("partial.diff")["detail"].as_str().unwrap();
    assert!(detail.starts_with("ShelfTest#slow still fails, which passes without commit "), "{detail}");
}

#[test]
fn what_fails_at_once_and_takes_long_without_the_last_change_is_left_to_the_confirmation() {
    let slow = "public void slow() {\n";
    let tests = TESTS.replace(slow, &format!("{slow}        assertEquals(3, Shelf.high(3));\n"));
    let tests = tests.replace("6_500_000_000L", "13_000_000_000L");
    let wrong = ("return books *", "return books + 1 *");
    let folder = changed(&tests, wrong);
    let broken = patch(&folder, ("broken.diff", wrong, "no Java"));
    let done = Unidebug::new(&["judge", folder.path().to_str().unwrap(), "--patch", &broken]).run();
    assert!(done.stdout.starts_with("failing before: ShelfTest#high\n"), "{done}");
    assert!(!done.stdout.contains("left aside"), "{done}");
}

const QUEUE: &str = "def served(waiting):
    done = 0
    while waiting > 0:
        waiting -= 1
        done += 1
    return done
";
/// The one of the change takes a second where it passes, and its neighbours none.
const QUEUE_TESTS: &str = "import time

from people import served


def test_nobody():
    assert served(0) == 0


def test_all():
    time.sleep(1)
    assert served(3) == 3


def test_old():
    assert served(0) == 7
";

#[test]
fn a_test_without_end_that_the_last_change_broke_has_the_time_that_it_took_before() {
    let files = [("people.py", QUEUE), ("test_people.py", QUEUE_TESTS)];
    let folder = changed_in(files, ("waiting -= 1", "waiting += 1"));
    let done = Unidebug::new(&["run", folder.path().to_str().unwrap(), "--model", "builtin"]).run();
    done.expect_code(0);
    assert!(done.stderr.contains("fails: test_people#test_all"), "{done}");
    assert!(done.stderr.contains("failed before commit"), "the other one is older: {done}");
    assert!(done.stdout.contains("+        waiting -= 1"), "{done}");
}

/// A pool of one, from which nothing can be taken: who takes fails at once, who waits has no end.
const POOL: &str = "public class Pool {
    private int idle = 1;

    public synchronized boolean take() {
        if (idle < 0) {
            idle--;
            return true;
        }
        return false;
    }

    public void await() throws InterruptedException {
        while (!take()) {
            Thread.sleep(10);
        }
    }
}
";

const TAKES_ONCE: &str = "pool.await(); org.junit.Assert.assertFalse(pool.take());";

/// A project with the pool and these tests of it, each with its name and body.
fn pool_with(tests: [(&str, &str); 2]) -> tempfile::TempDir {
    let test = |(name, body)| {
        format!("    @org.junit.Test public void {name}() throws Exception {{ Pool pool = new Pool(); {body} }}\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let tests = format!("public class PoolTest {{\n{}}}\n", tests.map(test).concat());
    write_files(folder.path(), &[("p/src/Pool.java", POOL), ("p/test/PoolTest.java", &tests)]);
    folder
}

#[test]
fn a_repair_with_which_one_of_several_tests_without_end_is_slow_is_given_the_time() {
    let slow = format!("{TAKES_ONCE} Thread.sleep(2500);");
    let folder = pool_with([("waits", TAKES_ONCE), ("waits_long", &slow)]);
    let project = folder.path().join("p");
    let done = Unidebug::new(&["run", project.to_str().unwrap(), "--model", "builtin"]).run();
    assert!(done.expect_code(0).stdout.contains("+        if (idle > 0) {"), "{done}");
}

#[test]
fn a_repair_with_which_tests_that_failed_at_once_wait_is_given_the_time() {
    let takes = "org.junit.Assert.assertTrue(pool.take()); Thread.sleep(3500);";
    let folder = pool_with([("takes", takes), ("waits", TAKES_ONCE)]);
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let (project, out) = (root.join("p"), root.join("run"));
    let words = ["run", project.as_str(), "--model", "builtin", "--max-time", "5m", "--json", "--out", out.as_str()];
    let done = Unidebug::new(&words).run();
    assert!(done.expect_code(0).json()["patch"].as_str().unwrap().contains("+        if (idle > 0) {"), "{done}");
    let run = Unidebug::new(&["inspect", out.as_str(), "--json"]).run().stdout;
    let run: Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
    let outcomes = &run["outcomes"];
    assert!(outcomes["failed"].as_u64() > Some(2) && outcomes["timeout"].is_null(), "{outcomes:#}");
}
