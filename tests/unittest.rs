//! Projects of Python whose environment has no pytest: `unittest` runs their tests.

use crate::support::{Finished, unidebug, write_files};
use std::path::Path;
use std::process::Command;

const CART: &str = "class Cart:
    def __init__(self):
        self.lines = []

    def add(self, price, count=1):
        if count < 0:
            raise ValueError(f\"no count: {count}\")
        self.lines.append((price, count))

    def total(self):
        return sum(price for price, count in self.lines)
";
const CART_TEST: &str = "import unittest
from cart import Cart

class CartTest(unittest.TestCase):
    def test_counts(self):
        for count in (1, 2, 3):
            with self.subTest(count=count):
                cart = Cart()
                cart.add(5, count)
                self.assertEqual(cart.total(), 5 * count)

    def test_refuses(self):
        with self.assertRaises(ValueError):
            Cart().add(1, -1)

    @unittest.skip('later')
    def test_later(self):
        self.fail()

    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual(Cart().total(), 1)

class Prepared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cart = Cart()

    def test_empty(self):
        self.assertEqual(self.cart.total(), 0)
";
const RIGHT: &str = "return sum(price * count for price, count in self.lines)";

/// A project with an environment that has nothing installed.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_files(camino::Utf8Path::from_path(folder.path()).unwrap(), files);
    let made = Command::new("python3").args(["-m", "venv", "--without-pip", ".venv"]).current_dir(&folder).status();
    assert!(made.unwrap().success(), "an environment of Python cannot be made");
    folder
}

fn fix(project: &Path, file: &str, line: &str) -> Finished {
    let from = "        return sum(price for price, count in self.lines)";
    let diff =
        format!("--- a/{file}\n+++ b/{file}\n@@ -10,2 +10,2 @@\n     def total(self):\n-{from}\n+        {line}\n");
    let args = serde_json::json!({ "diff": diff }).to_string();
    unidebug(&["tool", "write_fix", "--bug", project.to_str().unwrap(), "--args", &args])
}

#[test]
fn a_flat_project_is_judged_by_unittest() {
    let folder = project(&[("cart.py", CART), ("tests/test_cart.py", CART_TEST)]);
    let done = unidebug(&["triage", folder.path().to_str().unwrap()]);
    assert!(done.stderr.contains("1 test fails, 2 pass"), "{done}");
    assert!(done.stdout.contains("cart.py:11"), "{done}");
    let right = fix(folder.path(), "cart.py", RIGHT);
    assert!(right.stdout.contains("plausible: 1 of 1 triggering tests pass"), "{right}");
    let wrong = fix(folder.path(), "cart.py", "return 5 * len(self.lines)");
    assert!(!wrong.stdout.contains("plausible"), "{wrong}");
    assert!(wrong.stdout.contains("AssertionError: 5 != 10"), "{wrong}");
}

#[test]
fn examples_in_the_documentation_have_names_of_their_own() {
    let cart = "class Cart:
    def __init__(self):
        '''
        >>> Cart().lines
        []
        '''
        self.lines = []

    def add(self, price, count=1):
        self.lines.append((price, count))
        return self

    def total(self):
        '''
        >>> Cart().add(5, 2).total()
        10
        '''
        return sum(price for price, count in self.lines)

    def __repr__(self):
        '''
        >>> Cart().add(5)
        <a cart, and this example is out of date>
        '''
        return 'a cart'
";
    let documentation = "import doctest
import cart

def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite(cart))
    return tests
";
    let folder = project(&[("cart.py", cart), ("tests/test_documentation.py", documentation)]);
    let path = folder.path().join("right.patch");
    let from = "        return sum(price for price, count in self.lines)";
    std::fs::write(&path, format!("--- a/cart.py\n+++ b/cart.py\n@@ -18,1 +18,1 @@\n-{from}\n+        {RIGHT}\n"))
        .unwrap();
    let failing = "tests.test_documentation#cart.Cart.total";
    let (folder, path) = (folder.path().to_str().unwrap(), path.to_str().unwrap());
    let done = unidebug(&["judge", folder, "--patch", path, "--failing", failing]);
    assert!(done.stdout.contains(&format!("failing before: {failing}")), "{done}");
    assert!(done.stdout.contains("1 of 1 triggering tests pass, and so do the other 1 tests"), "{done}");
    assert!(done.stdout.contains("1 fail with the patch and without it"), "{done}");
}

#[test]
fn sources_in_src_and_a_start_folder_of_the_projects_own_are_found() {
    let tox = "[testenv]\ncommands = python -m unittest discover -s checks -p 'check_*.py'\n";
    let folder = project(&[
        ("tox.ini", tox),
        ("src/cart.py", CART),
        ("checks/check_cart.py", CART_TEST),
        ("checks/test_of_nothing.py", "import unittest\nraise SystemExit(1)\n"),
    ]);
    let right = fix(folder.path(), "src/cart.py", RIGHT);
    assert!(right.stdout.contains("plausible: 1 of 1 triggering tests pass"), "{right}");
}

#[test]
fn a_class_that_cannot_be_set_up_and_a_module_that_cannot_be_loaded_are_no_bug() {
    let folder = project(&[
        ("cart.py", CART),
        ("tests/__init__.py", ""),
        ("tests/test_cart.py", CART_TEST),
        ("tests/test_other.py", "import unittest, not_installed\n"),
        ("tests/test_skipped.py", "import unittest\nraise unittest.SkipTest('not here')\n"),
    ]);
    let done = unidebug(&["triage", folder.path().to_str().unwrap()]);
    assert!(done.stderr.contains("1 test fails, 2 pass"), "{done}");
    assert!(done.stderr.contains("test_other"), "it is named: {done}");
}

#[test]
fn tests_of_pytest_still_want_pytest() {
    let folder = project(&[("cart.py", CART), ("test_cart.py", "import pytest\n\ndef test_it():\n    assert False\n")]);
    let done = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin"]);
    done.expect_code(3);
    assert!(done.stderr.contains("without pytest") && done.stderr.contains("hint: install pytest"), "{done}");
}
