//! Tests that are cut beside others that fail by themselves: some are slow, and some have no end because of the bug.

use crate::support::{Finished, Unidebug, write_files};
use camino::Utf8Path;
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

/// The failing tests of a project whose last commit changed one thing into another.
fn triage_after((from, to): (&str, &str)) -> (Vec<String>, Finished) {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let git = |args: &[&str]| {
        let own = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        assert!(Command::new("git").current_dir(root).args(own).args(args).output().unwrap().status.success());
    };
    write_files(root, &[("src/Shelf.java", SHELF), ("test/ShelfTest.java", TESTS)]);
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "shelves"]);
    write_files(root, &[("src/Shelf.java", &SHELF.replace(from, to))]);
    git(&["commit", "--quiet", "--all", "--message", "faster"]);
    let done = Unidebug::new(&["triage", root.as_str(), "--json", "--log", "unidebug=debug"]).run();
    done.expect_code(0);
    let mut failing: Vec<String> = serde_json::from_value(done.json()["bugs"][0]["failing"].clone()).unwrap();
    failing.sort();
    (failing, done)
}

#[test]
fn a_slow_test_is_not_waited_for_where_the_last_change_broke_another() {
    let (failing, done) = triage_after(("return books *", "return books + 1 *"));
    assert_eq!(failing, ["ShelfTest#high"], "{done}");
    assert!(done.stderr.contains("running the failing tests without commit"), "{done}");
    assert!(!done.stderr.contains("running slow tests again"), "{done}");
}

#[test]
fn a_test_that_the_last_change_made_endless_is_of_the_bug() {
    let (failing, done) = triage_after(("wide ? 2 : 1", "wide ? 2 : 0"));
    assert_eq!(failing, ["ShelfTest#counts", "ShelfTest#high"], "{done}");
}
