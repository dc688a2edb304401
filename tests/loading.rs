//! A change after which test modules cannot be loaded: what their tests did before it tells what they must do again.

use crate::support::{Finished, Unidebug, write_files};
use camino::Utf8Path;
use std::process::Command;

const PRODUCT: &str = "READY = True\nWIDTH = 3\n\n\ndef wide(items):\n    return WIDTH * len(items)\n";
const TESTS: &str = "import os\n\nimport pytest\n\nimport shelves\n\n\ndef test_wide():\n    \
                     assert shelves.wide(['a']) == 3\n\n\ndef test_of_the_machine():\n    \
                     if 'SHELF_ROOM' not in os.environ:\n        pytest.skip('no room')\n\n\n\
                     def test_ready():\n    if not shelves.READY:\n        pytest.skip('not ready')\n    \
                     assert shelves.wide(['a', 'b']) == 6\n\n\ndef test_broken():\n    \
                     assert shelves.wide([]) == 7\n";

/// A project of one commit, and one line of its product that was changed since.
struct Changed {
    folder: tempfile::TempDir,
    line: (&'static str, &'static str),
}

impl Changed {
    fn new(more: &[(&str, &str)], line: (&'static str, &'static str)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let path = Utf8Path::from_path(&root).unwrap();
        write_files(path, &[("shelves.py", PRODUCT), ("tests/test_shelves.py", TESTS)]);
        write_files(path, more);
        for args in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "shelves"]] {
            let own = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
            let done = Command::new("git").current_dir(&root).args(own).args(args).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
        write_files(path, &[("shelves.py", &PRODUCT.replace(line.0, line.1))]);
        Self { folder, line }
    }

    fn judge(&self, repair: &str) -> Finished {
        let at = 1 + PRODUCT.lines().position(|line| line == self.line.0).unwrap();
        let new = repair.lines().map(|line| format!("+{line}\n")).collect::<String>();
        let count = repair.lines().count();
        let (file, old) = ("shelves.py", self.line.1);
        let patch = format!("--- a/{file}\n+++ b/{file}\n@@ -{at} +{at},{count} @@\n-{old}\n{new}");
        let path = self.folder.path().join("repair.diff");
        std::fs::write(&path, patch).unwrap();
        let root = self.folder.path().join("project");
        Unidebug::new(&["judge", root.to_str().unwrap(), "--json", "--patch", path.to_str().unwrap()]).run()
    }
}

#[test]
fn tests_that_do_not_pass_without_the_change_need_not_pass_with_its_repair() {
    let changed = Changed::new(&[], ("WIDTH = 3", "WIDTH = TREE"));
    let done = changed.judge("WIDTH = 3");
    done.expect_code(0);
    assert_eq!(done.json()["triggering"], serde_json::json!(["tests.test_shelves"]), "{done}");
    assert!(done.stderr.contains("1 fail with the patch and without it"), "{done}");
    assert!(done.stderr.contains("skipped in repaired classes whatever the patch does: 1"), "{done}");
}

#[test]
fn a_test_that_is_skipped_for_the_repair_alone_is_no_pass() {
    let changed = Changed::new(&[], ("WIDTH = 3", "WIDTH = TREE"));
    let done = changed.judge("WIDTH = 3\nREADY = False");
    done.expect_code(1);
    assert!(done.stderr.contains("1 of 2 tests of tests.test_shelves are skipped"), "{done}");
}

#[test]
fn a_product_that_conftest_cannot_load_is_the_bug() {
    let settings = ("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['tests']\npythonpath = ['.']\n");
    let conftest = ("tests/conftest.py", "import shelves\n");
    let changed = Changed::new(&[settings, conftest], ("WIDTH = 3", "WIDTH = TREE"));
    let done = changed.judge("WIDTH = 3");
    done.expect_code(0);
    let broken = Changed::new(&[settings, ("tests/conftest.py", "import shelving\n")], ("WIDTH = 3", "WIDTH = 4"));
    let done = broken.judge("WIDTH = 3");
    done.expect_code(3);
    assert!(done.stderr.contains("pytest finds no tests here: ModuleNotFoundError"), "{done}");
}
