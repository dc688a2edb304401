//! A plugin that puts a function of its own in the place of one of pytest's while the tests of a class run, as the one for
//! Django does.

use crate::python::SUM;
use crate::support::{python_environment, unidebug, write_files};

/// As far as pytest is concerned.
const PLUGIN: &str = "import pytest
from _pytest.unittest import TestCaseFunction


@pytest.fixture(autouse=True, scope='class')
def _django_setup_unittest(request):
    was = TestCaseFunction.runtest

    def non_debugging_runtest(self):
        self._testcase(result=self)

    TestCaseFunction.runtest = non_debugging_runtest
    yield
    TestCaseFunction.runtest = was
";
const TESTS: &str = "import unittest

from adding import total


class Totals(unittest.TestCase):
    def test_none(self):
        self.assertEqual(total([]), 0)

    def test_some(self):
        self.assertEqual(total([5, 1]), 6)
";
/// The plugin's place and name, and a function that runs nothing.
const FORGED: &str = "import types

import pytest_django.plugin
from _pytest.unittest import TestCaseFunction

nothing = (lambda self: None).__code__.replace(co_name='non_debugging_runtest')
TestCaseFunction.runtest = types.FunctionType(nothing, vars(pytest_django.plugin))
";

/// A project with the plugin in its environment.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let packages = python_environment(folder.path());
    let of_plugin = [
        ("pytest_django/__init__.py", ""),
        ("pytest_django/plugin.py", PLUGIN),
        ("pytest_django-0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pytest-django\nVersion: 0\n"),
        ("pytest_django-0.dist-info/entry_points.txt", "[pytest11]\ndjango = pytest_django.plugin\n"),
    ];
    write_files(&packages, &of_plugin);
    write_files(folder.path(), &[("adding.py", SUM), ("test_adding.py", TESTS)]);
    folder
}

#[test]
fn the_plugin_for_django_changes_no_results() {
    let folder = project();
    let shown = unidebug(&["triage", folder.path().to_str().unwrap()]);
    shown.expect_code(0);
    assert!(shown.stderr.contains("1 test fails, 1 pass "), "{shown}");
    assert!(shown.stdout.contains("fails: test_adding$Totals#test_some"), "{shown}");
}

#[test]
fn what_only_looks_like_the_plugin_for_django_passes_nothing() {
    let folder = project();
    let patch = folder.path().join("forged.patch");
    let added: String = FORGED.lines().map(|line| format!("+{line}\n")).collect();
    let first = SUM.lines().next().unwrap();
    let diff =
        format!("--- a/adding.py\n+++ b/adding.py\n@@ -1,1 +1,{} @@\n{added} {first}\n", FORGED.lines().count() + 1);
    std::fs::write(&patch, diff).unwrap();
    let judged = unidebug(&["judge", folder.path().to_str().unwrap(), "--patch", patch.to_str().unwrap()]);
    judged.expect_code(1);
    assert!(judged.stdout.contains("what decides about results was changed while this test ran"), "{judged}");
}
